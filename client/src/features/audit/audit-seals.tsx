import { CheckCircleOutlined, ClockCircleOutlined, CloseCircleFilled, DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuditStateQuery, useVerifyAuditMutation } from '../../api/audit.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { notify } from '../../shared/notices.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './audit.module.css';
import { exactMoment } from './audit-words.js';

const whileRunning = 1_500;
const otherwise = 30_000;

function useSeals() {
  const { data } = useAuditStateQuery(undefined, { refetchOnMountOrArgChange: true });
  const isRunning = data?.verification?.state === 'running' || data?.verification?.state === 'broken-off';
  useAuditStateQuery(undefined, {
    pollingInterval: isRunning ? whileRunning : otherwise,
    skipPollingIfUnfocused: true,
  });
  return { state: data, isRunning };
}

/** Next to the title: the state of the seals, up to which time, and who verified them. */
export function SealsState() {
  const { t } = useTranslation();
  const { state } = useSeals();
  if (!state) return null;
  const { lastSeal, lastVerified } = state;
  const isBroken = lastVerified !== null && lastVerified.count > 0;
  return (
    <>
      {isBroken ? (
        <Badge tone="bad" icon={<CloseCircleFilled aria-hidden />}>
          {t('audit.broken')}
        </Badge>
      ) : lastVerified ? (
        <Badge tone="good" icon={<CheckCircleOutlined aria-hidden />}>
          {t('audit.unbroken')}
        </Badge>
      ) : (
        <Badge icon={<ClockCircleOutlined aria-hidden />}>
          {t(lastSeal ? 'audit.neverVerified' : 'audit.notSealed')}
        </Badge>
      )}
      <span className={styles.upTo}>
        {lastVerified
          ? t('audit.verifiedBy', { moment: exactMoment(lastVerified.at), by: lastVerified.by ?? t('audit.byCommand') })
          : lastSeal && t('audit.sealedUpTo', { moment: exactMoment(lastSeal.at) })}
      </span>
    </>
  );
}

/** Starts a verification, shows how far it is, and says what it found. */
export function VerifyButton() {
  const { t } = useTranslation();
  const { state, isRunning } = useSeals();
  const [verify, { isLoading }] = useVerifyAuditMutation();
  const wasRunning = useRef(false);
  const problems = state?.lastVerified?.count ?? 0;
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      if (problems === 0) notify('success', t('audit.verifiedFine'));
      else notify('error', t('audit.verifiedBroken', { count: problems }));
    }
    wasRunning.current = isRunning;
  }, [isRunning, problems, t]);
  const { doneSeals = 0, totalSeals = 0 } = state?.verification ?? {};
  const percent = totalSeals === 0 ? 0 : Math.min(99, Math.floor((100 * doneSeals) / totalSeals));
  return (
    <>
      <Button
        loading={isLoading || isRunning}
        onClick={async () => {
          if (isRunning) return;
          const { error } = await verify();
          if (error) notifyFailure(error);
        }}
      >
        {isRunning ? t('audit.verifying', { percent }) : t('audit.verify')}
      </Button>
      <span className="visually-hidden" role="status">
        {state?.verification?.state === 'broken-off' && t('audit.brokenOff')}
      </span>
    </>
  );
}

/** Above the list when the last verification found something. */
export function BrokenBanner() {
  const { t } = useTranslation();
  const { state } = useSeals();
  const broken = state?.lastVerified;
  if (!broken || broken.count === 0) return null;
  return (
    <div className={styles.brokenBanner} role="alert">
      <CloseCircleFilled aria-hidden />
      <div>
        <strong>{t('audit.brokenTitle')}</strong>
        <ul lang="en">
          {broken.problems.slice(0, 3).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
      <Button icon={<DownloadOutlined aria-hidden />} href={portalPath('/api/admin/audit/proof')} download>
        {t('audit.proof')}
      </Button>
    </div>
  );
}
