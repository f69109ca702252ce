import './words/en.js';
import { CheckCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import type { EndedRelationship } from '../../../../src/contract/representation/ended-relationship.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useEndedRelationshipQuery } from '../../api/own-record/family.js';
import { useSettings } from '../../api/settings.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import receiptStyles from '../../shared/ui/layout/receipt.module.css';
import { ReceiptFact } from '../../shared/ui/layout/receipt-fact.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './ended/ended.module.css';

/** The receipt of the end of a relationship; it is kept, so that it can be opened again. */
export function EndedPage() {
  const { id = '' } = useParams();
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { currentData, error, isFetching, refetch } = useEndedRelationshipQuery(id, {
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow(isFetching && !currentData);
  const done = (
    <Button type="primary" onClick={() => navigate('/user/family')}>
      {t('family.done')}
    </Button>
  );
  if (currentData) {
    return (
      <div className={receiptStyles.column}>
        <Facts ended={currentData} />
        {done}
      </div>
    );
  }
  if (isGone(error) && !isFetching) {
    return (
      <div className={receiptStyles.column}>
        <PageTitle>{t('family.endedGone')}</PageTitle>
        <p className={styles.lead}>{t('family.endedGoneLead')}</p>
        {done}
      </div>
    );
  }
  if (error && !isFetching) return <LoadFailed heading="h1" onRetry={refetch} />;
  return slow ? <Skeleton height={200} /> : null;
}

function titleOf({ state, side }: EndedRelationship) {
  if (state === 'suspended') return 'family.endedTitleSuspended';
  return side === 'representative' ? 'family.endedTitleRepresentative' : 'family.endedTitlePatient';
}

function toldOf({ state, side }: EndedRelationship) {
  if (state === 'suspended') return 'family.endedToldSuspended';
  return side === 'representative' ? 'family.endedToldRepresentative' : 'family.endedToldPatient';
}

function Facts({ ended }: { ended: EndedRelationship }) {
  const { t } = useTranslation();
  const organization = useSettings().organizationTitle ?? t('product.name');
  const { side, state, relation, basis, endedAt, by } = ended;
  const name = isolateName(ended.name);
  const isRepresentative = side === 'representative';
  return (
    <>
      <CheckCircleFilled aria-hidden className={receiptStyles.mark} />
      <PageTitle className={receiptStyles.title}>{t(titleOf(ended), { name })}</PageTitle>
      <p className={styles.lead}>
        {t('family.relation', { relation })}, {basis}
      </p>
      <dl className={`${cardStyles.card} ${receiptStyles.facts}`}>
        <ReceiptFact label={t('family.endedAt')}>{longMoment(endedAt)}</ReceiptFact>
        <ReceiptFact label={t('family.endedBy')}>{t(`family.endedByWords.${by}`, { name, organization })}</ReceiptFact>
        {state === 'ended' && (
          <ReceiptFact label={t('family.endedApps')}>
            <Apps ended={ended} />
          </ReceiptFact>
        )}
        <ReceiptFact label={t('family.endedNext')}>
          {t(isRepresentative ? 'family.endedNextRepresentative' : 'family.endedNextPatient', { name })}
        </ReceiptFact>
        {by === 'self' && (
          <ReceiptFact label={t('family.endedTold', { name })}>{t(toldOf(ended), { name })}</ReceiptFact>
        )}
      </dl>
      {state === 'ended' && <p className={styles.lead}>{t('family.endedKept')}</p>}
    </>
  );
}

/** The representative's apps have receipts of their own. */
function Apps({ ended: { apps } }: { ended: EndedRelationship }) {
  const { t } = useTranslation();
  if (apps.length === 0) return t('family.endedAppsNone');
  return (
    <ul className={styles.apps}>
      {apps.map(({ clientName, signIns, receipt }) => {
        const text = t('family.endedApp', { app: isolateName(clientName), count: signIns });
        return (
          <li key={receipt ?? clientName}>
            {receipt === null ? text : <Link to={`/user/receipts/${receipt}`}>{text}</Link>}
          </li>
        );
      })}
    </ul>
  );
}
