import { CheckCircleFilled, CloseCircleFilled } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { ReadinessReport, ReadinessState } from '../../../../src/contract/readiness.js';
import { longDate, longMoment } from '../../shared/i18n/dates.js';
import { numeral } from '../../shared/i18n/language.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './readiness.module.css';

const order: readonly ReadinessState[] = ['pass', 'improve', 'blocking', 'unknown'];

/** The verdict, which is announced when it was checked again. */
export function Summary({ report }: { report: ReadinessReport }) {
  const { t } = useTranslation();
  const { ready, counts, version } = report;
  const allPass = counts.blocking + counts.improve + counts.unknown === 0;
  const kind = ready ? (allPass ? 'allPass' : 'nothingBlocks') : 'blocks';
  return (
    <section className={`${cardStyles.card} ${styles.summary}`} aria-label={t('readiness.summary')}>
      <Badge
        tone={ready ? 'good' : 'bad'}
        icon={ready ? <CheckCircleFilled aria-hidden /> : <CloseCircleFilled aria-hidden />}
      >
        {t(ready ? 'readiness.ready' : 'readiness.notReady')}
      </Badge>
      <div role="status">
        <h2>{kind === 'blocks' ? t('readiness.blocks', { count: counts.blocking }) : t(`readiness.${kind}`)}</h2>
        <p className={styles.verdict}>{t(`readiness.${kind}Help`)}</p>
      </div>
      <div className={styles.share} aria-hidden="true">
        {order.map(
          (state) =>
            counts[state] > 0 && <span key={state} className={styles[state]} style={{ flexGrow: counts[state] }} />,
        )}
      </div>
      <dl className={styles.counts}>
        {order
          .filter((state) => state !== 'unknown' || counts.unknown > 0)
          .map((state) => (
            <div key={state}>
              <dt className={styles[state]}>
                <span>{t(`readiness.states.${state}`)}</span>
              </dt>
              <dd>{numeral(counts[state])}</dd>
            </div>
          ))}
      </dl>
      <div className={styles.checked}>
        <p>
          <CheckedAt report={report} />
        </p>
        <p>{t('product.footer', { version })}</p>
      </div>
    </section>
  );
}

function CheckedAt({ report: { checkedAt, checkedBy } }: { report: ReadinessReport }) {
  const { t } = useTranslation();
  const name = checkedBy ?? '';
  const by = checkedBy === null ? '' : 'By';
  if (new Date(checkedAt).toDateString() === new Date().toDateString()) {
    return t(`readiness.checkedToday${by}`, { time: longDate(checkedAt).time, name });
  }
  return t(`readiness.checkedOn${by}`, { moment: longMoment(checkedAt), name });
}
