import './words/en.js';
import { CheckCircleFilled, DownloadOutlined, InfoCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import type { Receipt } from '../../../../src/contract/own-record/receipts.js';
import type { UserType } from '../../../../src/contract/session.js';
import { useReceiptQuery } from '../../api/own-record/receipts.js';
import { useSessionQuery } from '../../api/session.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { i18n } from '../../shared/i18n/i18n.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import receiptStyles from '../../shared/ui/layout/receipt.module.css';
import { ReceiptFact } from '../../shared/ui/layout/receipt-fact.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import { readText } from './read-text.js';
import styles from './receipt-page.module.css';

/** The title, which names the patient for whom the user acted. */
function titleOf({ worksUntil, representation, patient }: Receipt, userType: UserType | undefined) {
  if (worksUntil) return 'titleUntil';
  if (representation !== undefined) return patient === undefined ? 'titleOfRecord' : 'titleFor';
  return userType === 'Practitioner' ? 'titleOfPractitioner' : 'title';
}

/** The receipt of access that was taken back; it is kept, so that it can be opened again. */
export function ReceiptPage() {
  const { id = '' } = useParams();
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { currentData: receipt, error, isFetching, refetch } = useReceiptQuery(id);
  const slow = useSlow(isFetching && !receipt);
  const isUnknown = (error as { status?: unknown } | undefined)?.status === 404;
  const done = (
    <Button type="primary" onClick={() => navigate('/user/grants')}>
      {t('receipts.done')}
    </Button>
  );
  if (receipt) {
    return (
      <>
        <Facts receipt={receipt} />
        <section className={styles.actions} aria-label={t('receipts.actions')}>
          <Button
            icon={<DownloadOutlined aria-hidden />}
            href={`${address(receipt, 'text')}?ui_locales=${i18n.language}`}
            download
          >
            {t('receipts.download')}
          </Button>
          {done}
        </section>
      </>
    );
  }
  if (isUnknown && !isFetching) {
    return (
      <div className={receiptStyles.column}>
        <PageTitle>{t('receipts.unknownTitle')}</PageTitle>
        <p className={styles.lead}>{t('receipts.unknownText')}</p>
        {done}
      </div>
    );
  }
  if (error && !isFetching) return <LoadFailed heading="h1" onRetry={refetch} />;
  return slow ? <Loading /> : null;
}

const address = ({ id }: Receipt, format: 'text' | 'jwt') => portalPath(`/api/receipt/${id}/${format}`);

const byWords = {
  administrator: 'receipts.byAdministrator',
  everyone: 'receipts.byEveryone',
  representation: 'receipts.byRepresentation',
} as const;

function Facts({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const { legalCompanyName, contactUsUrl, worksUntil, by } = receipt;
  const client = isolateName(receipt.clientName || receipt.clientId);
  const company = legalCompanyName && isolateName(legalCompanyName);
  const patient = isolateName(receipt.patient ?? '');
  return (
    <div className={receiptStyles.column}>
      <CheckCircleFilled aria-hidden className={receiptStyles.mark} />
      <PageTitle className={receiptStyles.title}>
        {t(`receipts.${titleOf(receipt, user?.userType)}`, { client, patient })}
      </PageTitle>
      {receipt.mailed && <p className={styles.lead}>{t('receipts.mailed')}</p>}
      <dl className={`${cardStyles.card} ${receiptStyles.facts}`}>
        <ReceiptFact label={t('receipts.endedAt')}>
          {longMoment(receipt.endedAt)}
          {by !== 'person' && <span className={styles.note}>{t(byWords[by])}</span>}
        </ReceiptFact>
        <ReceiptFact label={t('receipts.ended')}>
          <Ended receipt={receipt} />
        </ReceiptFact>
        {receipt.since && <ReceiptFact label={t('receipts.since')}>{longMoment(receipt.since)}</ReceiptFact>}
        {receipt.lastAccess !== undefined && (
          <ReceiptFact label={t('receipts.lastAccess')}>
            {receipt.lastAccess ? longMoment(receipt.lastAccess) : t('receipts.never')}
          </ReceiptFact>
        )}
        {receipt.lastRead && (
          <ReceiptFact label={t('grants.lastRead')}>
            {longMoment(receipt.lastRead.at)}
            <span className={styles.note}>{readText(receipt.lastRead)}</span>
          </ReceiptFact>
        )}
        <ReceiptFact label={t('receipts.next')}>
          {worksUntil ? t('receipts.until', { until: longMoment(worksUntil) }) : t('receipts.refused')}
        </ReceiptFact>
        <ReceiptFact label={t('receipts.number')}>
          <code className={styles.number}>{receipt.id}</code>
          <a className={`target ${styles.note}`} href={address(receipt, 'jwt')} download>
            {t('receipts.signed')}
          </a>
        </ReceiptFact>
      </dl>
      <div className={styles.stays}>
        <InfoCircleOutlined aria-hidden />
        <p>
          {company ? t('receipts.stays', { company }) : t('receipts.staysWithProvider')}{' '}
          {contactUsUrl && (
            <NewTabLink href={contactUsUrl}>
              {company ? t('receipts.contact', { company }) : t('receipts.contactProvider')}
            </NewTabLink>
          )}
        </p>
      </div>
    </div>
  );
}

/** Sessions first, which users know; the tokens below them, for those whom it concerns. */
function Ended({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation();
  const { signIns, offline, agreements, accessTokens, refreshTokens } = receipt;
  const known = [
    ...(signIns > 0 ? [t('receipts.signIns', { count: signIns })] : []),
    ...(offline ? [t('receipts.offline')] : []),
    ...(agreements > 0 ? [t('receipts.agreement')] : []),
  ];
  const tokens = [
    ...(accessTokens === null ? [t('receipts.allAccessTokens')] : []),
    ...(accessTokens ? [t('receipts.accessTokens', { count: accessTokens })] : []),
    ...(refreshTokens > 0 ? [t('receipts.refreshTokens', { count: refreshTokens })] : []),
  ];
  return (
    <>
      {(known.length > 0 ? known : [t('receipts.notSignedIn')]).map((one) => (
        <span key={one} className={styles.row}>
          {one}
        </span>
      ))}
      {signIns > 0 &&
        tokens.map((one) => (
          <span key={one} className={styles.note}>
            {one}
          </span>
        ))}
    </>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <div className={receiptStyles.column} role="status">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className={`${cardStyles.card} ${styles.skeleton}`} aria-hidden="true">
        <Skeleton width="60%" />
        <Skeleton width="80%" />
        <Skeleton width="40%" />
      </div>
    </div>
  );
}
