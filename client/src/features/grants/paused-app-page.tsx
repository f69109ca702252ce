import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { useFlowProgress } from '../../api/authorization.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useResumeForRequestMutation } from '../../api/own-record/grants.js';
import { endedPage, knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './grants-page.module.css';
import './words/en.js';

/** A request of an app that the user has paused: it continues when they resume the app. */
export function PausedAppPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  return target?.onServer ? <Request returnUrl={target.to} /> : <Navigate to="/error/400" replace />;
}

function Request({ returnUrl }: { returnUrl: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { place, isLoading, leaving, onLeave } = useFlowProgress(returnUrl);
  const [resume, { isLoading: resuming, isSuccess }] = useResumeForRequestMutation();
  const slow = useSlow(isLoading);
  if (isLoading) {
    return (
      <FlowColumn>
        <h1 className="visually-hidden">{t('common.loading')}</h1>
        {slow && <Skeleton width="70%" />}
      </FlowColumn>
    );
  }
  // It was answered in another tab, or has expired.
  if (!place) return <Navigate to={endedPage(returnUrl)} replace />;

  const client = isolateName(place.clientName);
  const goOn = async () => {
    const { error } = await resume({ returnUrl });
    if (!error) leave(returnUrl);
    else if ('status' in error && error.status === 400) navigate(endedPage(returnUrl), { replace: true });
    else notifyFailure(error);
  };
  return (
    <>
      {isSuccess && <LoadingOverlay />}
      <FlowColumn>
        <AppPlace app={place} />
        <FlowProgress place={place} />
        <PageTitle>{t('grants.pausedTitle', { client })}</PageTitle>
        <p className={styles.lead}>{t('grants.pausedQuestion')}</p>
      </FlowColumn>
      <ActionBar label={t('grants.pausedActions')}>
        <Button disabled={resuming || isSuccess} loading={leaving} onClick={onLeave}>
          {t('common.cancel')}
        </Button>
        <Button type="primary" disabled={leaving} loading={resuming || isSuccess} onClick={goOn}>
          {t('grants.resumeAndContinue')}
        </Button>
      </ActionBar>
    </>
  );
}
