import { ClockCircleOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { EndedInvitation, InvitationView } from '../../../../../src/contract/invitations.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { Badge } from '../../../shared/ui/marks/badge.js';
import { FamilyCard } from '../cards/family-card.js';
import styles from '../family.module.css';
import { InvitationTerms } from './invitation-terms.js';

/** An invitation that is not answered yet. */
export function WaitingCard({
  invitation,
  onCode,
  onCancel,
}: {
  invitation: InvitationView;
  onCode: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const { fullName, relation, invitedAt } = invitation;
  const name = isolateName(fullName);
  return (
    <FamilyCard
      name={fullName}
      line={t('family.relation', { relation })}
      badge={
        <Badge tone="warning" icon={<ClockCircleOutlined aria-hidden />}>
          {t('family.waiting')}
        </Badge>
      }
    >
      <dl className={styles.facts}>
        <InvitationTerms invitation={invitation} />
        <div>
          <dt>{t('family.invited')}</dt>
          <dd>{longDate(invitedAt).date}</dd>
        </div>
      </dl>
      <div className={styles.footer}>
        <button type="button" aria-label={t('family.showCodeOf', { name })} onClick={onCode}>
          {t('family.showCode')}
        </button>
        <button type="button" className={styles.end} aria-label={t('family.cancelTitle', { name })} onClick={onCancel}>
          {t('common.cancel')}
        </button>
      </div>
    </FamilyCard>
  );
}

const whyEnded = {
  declined: 'family.invitationDeclined',
  'codes-used-up': 'family.invitationCodes',
  expired: 'family.invitationExpired',
} as const satisfies Record<EndedInvitation['why'], string>;

/** An invitation that came to nothing. */
export function EndedInvitationCard({ invitation }: { invitation: EndedInvitation }) {
  const { t } = useTranslation();
  const { fullName, relation, invitedAt, why } = invitation;
  return (
    <FamilyCard name={fullName} line={t('family.relation', { relation })}>
      <p className={styles.state}>{t(whyEnded[why], { name: isolateName(fullName) })}</p>
      <dl className={styles.facts}>
        <div>
          <dt>{t('family.invited')}</dt>
          <dd>{longDate(invitedAt).date}</dd>
        </div>
      </dl>
    </FamilyCard>
  );
}
