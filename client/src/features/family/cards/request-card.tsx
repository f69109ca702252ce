import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { OwnRequest } from '../../../../../src/contract/requests.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { Badge } from '../../../shared/ui/marks/badge.js';
import styles from '../family.module.css';
import { FamilyCard } from './family-card.js';

const texts = {
  waiting: 'family.requested',
  'more-needed': 'family.requestNeedsShort',
  declined: 'family.requestDeclinedShort',
  approved: 'family.requestAnsweredShort',
} as const;

/** A request to act for a patient, with the way to its page. */
export function RequestCard({ request }: { request: OwnRequest }) {
  const { t } = useTranslation();
  const { id, patientName, reference } = request;
  const status = request.status as keyof typeof texts;
  return (
    <FamilyCard
      name={patientName}
      line={reference}
      badge={status === 'waiting' && <Badge>{t('family.waiting')}</Badge>}
    >
      <p className={styles.state}>{t(texts[status])}</p>
      <div className={styles.footer}>
        <Link to={`/user/family/requests/${id}`}>{t('family.requestOpen', { name: isolateName(patientName) })}</Link>
      </div>
    </FamilyCard>
  );
}
