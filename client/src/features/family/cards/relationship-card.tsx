import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { LevelDetails } from '../../../shared/levels/level-details.js';
import { levelLine } from '../../../shared/levels/level-texts.js';
import { relationText } from '../../../shared/ui/flow/relation-text.js';
import { Badge } from '../../../shared/ui/marks/badge.js';
import { dayText } from '../day.js';
import styles from '../family.module.css';
import { type Side, useAppsOf } from './apps-of.js';
import { FamilyCard } from './family-card.js';
import { PatientQuestions } from './patient-questions.js';

export type CardAct = 'ask' | 'change' | 'renew' | 'end';

/** Acts of the user: the words of the button, and those that name the card for a screen reader. */
const acts = {
  ask: ['family.askChange', 'family.askChangeOf'],
  change: ['family.change', 'family.changeOf'],
  renew: ['family.renew', 'family.renewOf'],
  end: ['family.end', 'family.endOf'],
} as const satisfies Record<CardAct, readonly [string, string]>;

function actsOf({ status, levels, single, level, canEnd, canRenew }: OwnRelationship, side: Side): CardAct[] {
  const isLive = status === 'active' || status === 'suspended';
  const canChange = levels.some(({ id }) => id !== level.id) || single !== null;
  return [
    ...(side === 'lookedAfter' && isLive ? (['ask'] as const) : []),
    ...(canChange ? (['change'] as const) : []),
    ...(canRenew ? (['renew'] as const) : []),
    ...(canEnd ? (['end'] as const) : []),
  ];
}

/** One relationship, seen from the user's side of it. */
export function RelationshipCard({
  relationship,
  side,
  onAct,
}: {
  relationship: OwnRelationship;
  side: Side;
  /** Left out for one that has ended. */
  onAct?: (act: CardAct) => void;
}) {
  const { t } = useTranslation();
  const { name, patient, tenant, relation, birthDate, level, since, end, next, aboveRule, endedAt } = relationship;
  const shown = actsOf(relationship, side);
  const state = useStateText(relationship);
  return (
    <FamilyCard
      name={name}
      line={relationText(relation, birthDate)}
      badge={<Badge>{t(level.kinds === null ? 'family.full' : 'family.limited')}</Badge>}
    >
      {state && (
        <p className={styles.state} role="status">
          {state}
        </p>
      )}
      <dl className={styles.facts}>
        <div>
          <dt>{t(side === 'lookedAfter' ? 'family.maySee' : 'family.theyMaySee')}</dt>
          <dd>{levelLine(level)}</dd>
          {level.isChosen && (
            <dd>
              <LevelDetails level={level} />
            </dd>
          )}
          {aboveRule && (
            <dd className={styles.second}>
              {aboveRule.until ? t('family.aboveRuleUntil', { date: dayText(aboveRule.until) }) : t('family.aboveRule')}
            </dd>
          )}
        </div>
        <div>
          <dt>{endedAt ? t('family.endedOnes') : t('family.until')}</dt>
          <dd>{endedAt ? dayText(endedAt.slice(0, 10)) : end ? dayText(end) : t('family.noEnd')}</dd>
          {!endedAt && next && <dd className={styles.second}>{nextText(t, next, name, side)}</dd>}
        </div>
        {since && (
          <div>
            <dt>{t('family.since')}</dt>
            <dd>{dayText(since)}</dd>
          </div>
        )}
        {endedAt === null && <LastUsed relationship={relationship} side={side} />}
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
      {side === 'helpers' && endedAt === null && (
        <Link
          className={styles.seen}
          to={`/user/access-log?${new URLSearchParams({ show: 'family', period: 'all' })}`}
          aria-label={t('family.seenBy', { name: isolateName(name) })}
        >
          {t('family.seenByThem')}
        </Link>
      )}
      {endedAt !== null && (
        <Link
          className={styles.seen}
          to={`/user/family/ended/${relationship.id}`}
          aria-label={t('family.endedReceiptOf', { name: isolateName(name) })}
        >
          {t('family.endedReceipt')}
        </Link>
      )}
      {side === 'helpers' && endedAt === null && <PatientQuestions relationship={relationship} />}
      {onAct && shown.length > 0 && (
        <div className={styles.footer}>
          {shown.map((act) => (
            <button
              key={act}
              type="button"
              className={act === 'end' ? styles.end : undefined}
              aria-label={t(acts[act][1], { name: isolateName(name) })}
              onClick={() => onAct(act)}
            >
              {t(acts[act][0])}
            </button>
          ))}
        </div>
      )}
    </FamilyCard>
  );
}

/** The next change by age. */
function nextText(t: TFunction, next: NonNullable<OwnRelationship['next']>, name: string, side: Side): string {
  const date = dayText(next.on);
  if (next.ends) return t('family.endsOn', { date });
  const level = next.isChosen ? t('levels.chosenLevel') : next.level;
  if (!next.needsAgreement) return t('family.less', { date, level });
  return side === 'helpers'
    ? t('family.ownAgreementFrom', { date })
    : t('family.agreementFrom', { date, name: isolateName(name) });
}

/** The last read, with the app. Nothing stands here until it is known. */
function LastUsed({ relationship, side }: { relationship: OwnRelationship; side: Side }) {
  const { t } = useTranslation();
  const apps = useAppsOf(relationship, side);
  if (!apps) return null;
  const [last] = apps;
  return (
    <div>
      <dt>{t('family.lastUsed')}</dt>
      <dd>{last?.lastRead ? longDate(last.lastRead).date : t('family.never')}</dd>
      {last?.lastRead && <dd className={styles.second}>{t('family.withApp', { app: isolateName(last.name) })}</dd>}
    </div>
  );
}

function useStateText({ status, reason }: OwnRelationship): string | null {
  const { t } = useTranslation();
  if (status === 'proposed' || status === 'more-needed') return t('family.requested');
  if (status === 'suspended') return t(reason === 'agreement' ? 'family.needsAgreement' : 'family.suspended');
  return null;
}
