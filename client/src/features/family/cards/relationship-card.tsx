import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import cardStyles from '../../../shared/ui/layout/card.module.css';
import { Badge } from '../../../shared/ui/marks/badge.js';
import { Monogram } from '../../../shared/ui/marks/monogram.js';
import { dayText } from '../day.js';
import styles from '../family.module.css';
import { PatientQuestions } from './patient-questions.js';

/** One relationship, seen from the user's side of it. */
export function RelationshipCard({
  relationship,
  side,
  onEnd,
  onRenew,
}: {
  relationship: OwnRelationship;
  side: 'lookedAfter' | 'helpers';
  onEnd?: () => void;
  onRenew?: () => void;
}) {
  const { t } = useTranslation();
  const { name, patient, tenant, relation, level, end, next, canEnd, canRenew, endedAt } = relationship;
  const state = useStateText(relationship);
  return (
    <li className={`${cardStyles.card} ${styles.card}`}>
      <div className={styles.head}>
        <Monogram name={name} size={48} round />
        <div className={styles.who}>
          <h3>
            <bdi>{name}</bdi>
          </h3>
          <p>{t('family.relation', { relation })}</p>
        </div>
        <Badge>{level.label}</Badge>
      </div>
      {state && (
        <p className={styles.state} role="status">
          {state}
        </p>
      )}
      <dl className={styles.facts}>
        <div>
          <dt>{t(side === 'lookedAfter' ? 'family.maySee' : 'family.theyMaySee')}</dt>
          <dd>{level.label}</dd>
        </div>
        <div>
          <dt>{endedAt ? t('family.endedOnes') : t('family.until')}</dt>
          <dd>{endedAt ? dayText(endedAt.slice(0, 10)) : end ? dayText(end) : t('family.noEnd')}</dd>
          {!endedAt && next && (
            <dd className={styles.second}>
              {next.ends || next.level === null
                ? t('family.endsOn', { date: dayText(next.on) })
                : t('family.less', { date: dayText(next.on), level: next.level })}
            </dd>
          )}
        </div>
      </dl>
      {side === 'lookedAfter' && patient !== null && endedAt === null && (
        <Link
          className={styles.seen}
          to={`/user/access-log?${new URLSearchParams({
            patient: `Patient/${patient}`,
            ...(tenant !== null && { tenant }),
            period: 'all',
          })}`}
          aria-label={t('family.seenOf', { name: isolateName(name) })}
        >
          {t('family.seen')}
        </Link>
      )}
      {side === 'helpers' && endedAt === null && <PatientQuestions relationship={relationship} />}
      {onEnd && (canEnd || canRenew) && (
        <div className={styles.footer}>
          {canRenew && onRenew && (
            <button type="button" aria-label={t('family.renewOf', { name: isolateName(name) })} onClick={onRenew}>
              {t('family.renew')}
            </button>
          )}
          {canEnd && (
            <button
              type="button"
              className={styles.end}
              aria-label={t('family.endOf', { name: isolateName(name) })}
              onClick={onEnd}
            >
              {t('family.end')}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

function useStateText({ status, reason }: OwnRelationship): string | null {
  const { t } = useTranslation();
  if (status === 'proposed' || status === 'more-needed') return t('family.requested');
  if (status === 'suspended') return t(reason === 'agreement' ? 'family.needsAgreement' : 'family.suspended');
  return null;
}
