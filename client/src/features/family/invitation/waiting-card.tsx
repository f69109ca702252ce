import { ClockCircleOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { EndedInvitation, InvitationView } from '../../../../../src/contract/invitations.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import cardStyles from '../../../shared/ui/layout/card.module.css';
import { Badge } from '../../../shared/ui/marks/badge.js';
import { Monogram } from '../../../shared/ui/marks/monogram.js';
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
    <li className={`${cardStyles.card} ${styles.card}`}>
      <Head fullName={fullName} relation={relation}>
        <Badge tone="warning" icon={<ClockCircleOutlined aria-hidden />}>
          {t('family.waiting')}
        </Badge>
      </Head>
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
    </li>
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
    <li className={`${cardStyles.card} ${styles.card}`}>
      <Head fullName={fullName} relation={relation} />
      <p className={styles.state}>{t(whyEnded[why], { name: isolateName(fullName) })}</p>
      <dl className={styles.facts}>
        <div>
          <dt>{t('family.invited')}</dt>
          <dd>{longDate(invitedAt).date}</dd>
        </div>
      </dl>
    </li>
  );
}

function Head({ fullName, relation, children }: { fullName: string; relation: string; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className={styles.head}>
      <Monogram name={fullName} size={48} round />
      <div className={styles.who}>
        <h3>
          <bdi>{fullName}</bdi>
        </h3>
        <p>{t('family.relation', { relation })}</p>
      </div>
      {children}
    </div>
  );
}
