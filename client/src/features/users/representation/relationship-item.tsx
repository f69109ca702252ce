import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { AdministeredRelationship, AgeRules } from '../../../../../src/contract/representation/administration.js';
import type { RelationshipEnd, Suspension } from '../../../../../src/contract/representation.js';
import { longDay } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { levelName } from '../../../shared/levels/level-texts.js';
import { Badge, type Tone } from '../../../shared/ui/marks/badge.js';
import styles from './representation.module.css';

export type Act = 'approve' | 'decline' | 'confirm' | 'end' | 'lift';

/** The acts that an administrator can do in a state. */
function actsFor({ status, table, block }: AdministeredRelationship): Act[] {
  if (status === 'proposed' || status === 'more-needed') {
    return table === 'refuses' ? ['decline'] : ['approve', 'decline'];
  }
  if (status === 'suspended') return ['confirm', 'end'];
  if (status === 'active') return ['end'];
  return block === 'none' ? [] : ['lift'];
}

const tones: Partial<Record<AdministeredRelationship['status'], Tone>> = {
  proposed: 'warning',
  'more-needed': 'warning',
  suspended: 'warning',
  active: 'good',
};

export function RelationshipItem({
  relationship,
  of,
  rules: { bases, levels },
  onAct,
}: {
  relationship: AdministeredRelationship;
  of: 'actsFor' | 'helpers';
  rules: AgeRules;
  onAct: (act: Act) => void;
}) {
  const { t } = useTranslation();
  const { representativeName, patientName, patient, tenant, basis, level, status, start, end, note } = relationship;
  const names = { representative: isolateName(representativeName), patient: isolateName(patientName) };
  const known = bases.find(({ id }) => id === basis);
  const word = known?.relations.find(({ id }) => id === relationship.relation);
  const isOpen = status === 'proposed' || status === 'more-needed';
  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <span className={styles.name}>
          <bdi>{of === 'actsFor' ? patientName : representativeName}</bdi>
          {word && ` (${of === 'actsFor' ? word.patient : word.representative})`}
        </span>
        <Badge tone={tones[status] ?? 'neutral'}>{t(`representation.status.${status}`)}</Badge>
      </div>
      <p className={styles.note}>
        {t('representation.facts', {
          basis: known?.label ?? basis,
          level: levelName(levels, level),
        })}
      </p>
      {of === 'actsFor' && (
        <p className={styles.note}>
          {tenant ? t('representation.recordOf', { id: patient, tenant }) : t('representation.record', { id: patient })}
        </p>
      )}
      <p className={styles.note}>
        <When relationship={relationship} />
        {!relationship.endedAt && (
          <>
            {start && `${t('representation.from', { date: longDay(start) })}. `}
            {end ? t('representation.until', { date: longDay(end) }) : t('representation.noEnd')}
          </>
        )}
      </p>
      {note && <p className={styles.note}>{note}</p>}
      {status === 'suspended' && relationship.reason && (
        <p className={styles.warning}>{t(`representation.suspension.${relationship.reason as Suspension}`)}</p>
      )}
      {relationship.awaitsSecond && <p className={styles.warning}>{t('representation.awaitsSecond')}</p>}
      {isOpen && relationship.table !== 'permits' && (
        <p className={styles.warning}>{t(`representation.${relationship.table}`)}</p>
      )}
      {relationship.block !== 'none' && (
        <p className={styles.warning}>
          {t(relationship.block === 'stands' ? 'representation.blocked' : 'representation.liftAsked')}
        </p>
      )}
      <div className={styles.acts}>
        {actsFor(relationship).map((act) => (
          <Button
            key={act}
            type="text"
            size="small"
            danger={act === 'end' || act === 'decline'}
            aria-label={t('representation.actOn', { act: t(`representation.${act}`), ...names })}
            onClick={() => onAct(act)}
          >
            {t(`representation.${act}`)}
          </Button>
        ))}
      </div>
    </li>
  );
}

function When({ relationship: { endedAt, reason } }: { relationship: AdministeredRelationship }) {
  const { t } = useTranslation();
  if (!endedAt) return null;
  const text = reason ? t(`representation.ends.${reason as RelationshipEnd}`) : t('representation.status.ended');
  return t('representation.ended', { date: longDay(endedAt.slice(0, 10)), reason: text });
}
