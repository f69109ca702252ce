import { ClockCircleOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { InvitationView } from '../../../../../src/contract/invitations.js';
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
      <div className={styles.head}>
        <Monogram name={fullName} size={48} round />
        <div className={styles.who}>
          <h3>
            <bdi>{fullName}</bdi>
          </h3>
          <p>{t('family.relation', { relation })}</p>
        </div>
        <Badge tone="warning" icon={<ClockCircleOutlined aria-hidden />}>
          {t('family.waiting')}
        </Badge>
      </div>
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
