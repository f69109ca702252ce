import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { OwnRequest } from '../../../../src/contract/requests.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Badge } from '../../shared/ui/marks/badge.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import styles from './family.module.css';

const texts = {
  waiting: 'family.requested',
  'more-needed': 'family.requestNeedsShort',
  declined: 'family.requestDeclinedShort',
  approved: 'family.requestAnsweredShort',
} as const;
const tones = { waiting: 'neutral', 'more-needed': 'warning', declined: 'neutral', approved: 'neutral' } as const;

/** A request to act for a patient, with the way to its page. */
export function RequestCard({ request }: { request: OwnRequest }) {
  const { t } = useTranslation();
  const { id, patientName, reference } = request;
  const status = request.status as keyof typeof texts;
  return (
    <li className={`${cardStyles.card} ${styles.card}`}>
      <div className={styles.head}>
        <Monogram name={patientName} size={48} round />
        <div className={styles.who}>
          <h3>
            <bdi>{patientName}</bdi>
          </h3>
          <p>{reference}</p>
        </div>
        {status === 'waiting' && <Badge tone={tones[status]}>{t('family.waiting')}</Badge>}
      </div>
      <p className={styles.state}>{t(texts[status])}</p>
      <div className={styles.footer}>
        <Link to={`/user/family/requests/${id}`}>{t('family.requestOpen', { name: isolateName(patientName) })}</Link>
      </div>
    </li>
  );
}
