import { useTranslation } from 'react-i18next';
import { portalPath } from '../../shared/addresses/base-path.js';
import { longMoment } from '../../shared/i18n/dates.js';
import radioStyles from '../../shared/ui/forms/radio.module.css';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './consent-page.module.css';

/** Whether the app is asked for consent again the next time, and how long the access lasts. */
export function RememberChoice({
  remember,
  until,
  onChange,
}: {
  remember: boolean;
  /** End of the access; absent without one. */
  until: string | null | undefined;
  onChange: (remember: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <section className={styles.section} aria-labelledby="consent-remember">
      <h2 id="consent-remember">{t('consent.remember')}</h2>
      <div role="radiogroup" aria-labelledby="consent-remember" className={`${cardStyles.card} ${styles.remember}`}>
        {[true, false].map((choice) => (
          <label key={String(choice)} className={styles.choice}>
            <input
              type="radio"
              name="remember"
              className={radioStyles.radio}
              checked={remember === choice}
              onChange={() => onChange(choice)}
            />
            {t(choice ? 'consent.rememberYes' : 'consent.rememberNo')}
          </label>
        ))}
      </div>
      {until && <p className={styles.note}>{t('consent.lastsUntil', { date: longMoment(until) })}</p>}
      <p className={styles.note}>
        <ChangeLater />
      </p>
    </section>
  );
}

/** With a link into a new tab: leaving this page would leave the app waiting. */
function ChangeLater() {
  const { t } = useTranslation();
  // `Trans` would do it, for more code than the rest of this page.
  const [before, link, after] = t('consent.changeLater').split(/<\/?apps>/);
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
