import { Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import { duration } from '../../../shared/i18n/language.js';
import cardStyles from '../../../shared/ui/layout/card.module.css';
import { areAllPartlyPrivate, type Choosing, kindsOf } from '../choosing.js';
import styles from '../consent-page.module.css';
import { tickAll, tickOf } from '../selection/selection.js';
import { firstName } from '../words/first-name.js';
import { Row } from './access-row.js';

/** 'Application Access to': all permissions at once, or each kind of data for itself. */
export function AccessSection({ page }: { page: Choosing }) {
  const { t } = useTranslation();
  const { rows, choice, selection, locked } = page;
  if (rows.data.length + rows.other.length === 0) return null;
  const ticks = kindsOf(rows).map((kind) => tickOf(choice, selection, kind));
  const [ticked, part] = [
    ticks.filter((tick) => tick !== 'none').length,
    ticks.filter((tick) => tick === 'some').length,
  ];
  const count = ticks.length;
  return (
    <section className={styles.section} aria-labelledby="consent-api">
      <div className={styles.sectionHead}>
        <h2 id="consent-api">{t('consent.api')}</h2>
        {count > 0 && (
          <p className={styles.count} role="status">
            {part > 0 ? t('consent.kindsInPart', { ticked, count, part }) : t('consent.kinds', { ticked, count })}
          </p>
        )}
      </div>
      <p className={styles.lead}>
        {t('consent.lead')}
        {areAllPartlyPrivate(page) && ` ${t('consent.acting.partlyAll')}`}
      </p>
      <div className={cardStyles.card}>
        <label className={styles.grantAll} htmlFor="grant-all">
          <span>{t('consent.grantAll')}</span>
          <Switch
            id="grant-all"
            checked={[...choice.allLeaves()].every((leaf) => selection.has(leaf))}
            onChange={(on) => page.onSelect(tickAll(choice, locked, on))}
          />
        </label>
        {[...rows.data, ...rows.other].map((row) => (
          <Row key={row.key} row={row} page={page} />
        ))}
      </div>
    </section>
  );
}

/** The duration of the access, where the app asks to keep it. */
export function LastingSection({ page, request }: { page: Choosing; request: ConsentRequest }) {
  const { t } = useTranslation();
  const { seconds, offlineSeconds } = request.lasting;
  const unused = offlineSeconds === null ? '' : duration(offlineSeconds);
  const lasts = seconds === null ? '' : duration(seconds);
  const offline = () => {
    const text = offlineText();
    if (!request.acting || text === undefined) return text;
    return `${text} ${t('consent.acting.stay', { name: firstName(request.patient?.name ?? '') })}`;
  };
  const offlineText = () => {
    if (seconds === null) return unused === '' ? undefined : t('consent.stayUnused', { unused });
    const isUnusedFirst = offlineSeconds !== null && offlineSeconds < seconds;
    return t(isUnusedFirst ? 'consent.stayForUnused' : 'consent.stayFor', { duration: lasts, unused });
  };
  if (page.rows.lasting.length === 0) return null;
  return (
    <section className={styles.section} aria-labelledby="consent-lasting">
      <h2 id="consent-lasting">{t('consent.lasting')}</h2>
      <div className={cardStyles.card}>
        {page.rows.lasting.map((row) => (
          <Row
            key={row.key}
            row={row}
            page={page}
            text={row.key === 'offline_access' ? { description: offline() } : {}}
          />
        ))}
      </div>
    </section>
  );
}
