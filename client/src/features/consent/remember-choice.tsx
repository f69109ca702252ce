import { ClockCircleOutlined, DownOutlined, UpOutlined } from '@ant-design/icons';
import { useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { portalPath } from '../../shared/addresses/base-path.js';
import { longMoment } from '../../shared/i18n/dates.js';
import radioStyles from '../../shared/ui/forms/radio.module.css';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './consent-page.module.css';

interface Props {
  remember: boolean;
  /** End of the access; absent without one. */
  until: string | null | undefined;
  /** For whom the decision is, where that is not the user. */
  about: string | undefined;
  onChange: (remember: boolean) => void;
}

/**
 * The choice whether the app asks for consent again the next time, and how long the access lasts. One line on a long
 * page.
 */
export function RememberChoice(props: Props) {
  const { t } = useTranslation();
  const { remember, until, about } = props;
  const [isLong, setIsLong] = useState(false);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => setIsLong(document.documentElement.scrollHeight > window.innerHeight), []);
  const title = <h2 id="consent-remember">{t('consent.remember')}</h2>;
  const chosen = t(remember ? 'consent.rememberYes' : 'consent.rememberNo');
  return (
    <section className={styles.section} aria-labelledby="consent-remember">
      {!isLong && title}
      <div className={cardStyles.card}>
        {isLong && (
          <button type="button" className={styles.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
            <ClockCircleOutlined aria-hidden />
            {title}
            <span className={styles.description}>
              {chosen}
              {remember && about !== undefined && <span className={styles.told}>{about}</span>}
            </span>
            {open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
          </button>
        )}
        {(open || !isLong) && <Radios {...props} />}
      </div>
      {until && <p className={styles.note}>{t('consent.lastsUntil', { date: longMoment(until) })}</p>}
      <p className={styles.note}>
        <ChangeLater />
      </p>
    </section>
  );
}

function Radios({ remember, about, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <div role="radiogroup" aria-labelledby="consent-remember" className={styles.remember}>
      {[true, false].map((choice) => (
        <label key={String(choice)} className={styles.choice}>
          <input
            type="radio"
            name="remember"
            className={radioStyles.radio}
            checked={remember === choice}
            onChange={() => onChange(choice)}
          />
          <span>
            {t(choice ? 'consent.rememberYes' : 'consent.rememberNo')}
            {choice && about !== undefined && <span className={styles.choiceHelp}>{about}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}

/** With a link into a new tab: leaving this page would leave the app waiting. */
function ChangeLater() {
  const { t } = useTranslation();
  // `Trans` would do it, for more code than the rest of this page.
  const text = t('consent.changeLater');
  // A translation without the tags is the link as a whole.
  const [, before = '', link = text, after = ''] = /^(.*?)<apps>(.*?)<\/apps>(.*)$/s.exec(text) ?? [];
  return (
    <>
      {before}
      <a href={portalPath('/user/grants')} target="_blank" rel="noopener">
        {link}
        <span className="visually-hidden"> {t('common.opensInNewTab')}</span>
      </a>
      {after}
    </>
  );
}
