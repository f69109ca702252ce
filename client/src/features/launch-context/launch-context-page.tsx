import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useFlowProgress } from '../../api/authorization.js';
import { useLaunchContextQuery } from '../../api/launch-context.js';
import { knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { LaunchContextSkeleton } from './launch-context-skeleton.js';
import { LaunchContextSteps } from './launch-context-steps.js';
import { NotLoaded } from './not-loaded.js';
import './words/en.js';

/** Choosing the launch context of an app; reached only during an authorization. */
export function LaunchContextPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  return target?.onServer ? <Request returnUrl={target.to} /> : <Navigate to="/error/400" replace />;
}

function Request({ returnUrl }: { returnUrl: string }) {
  const { data, error, isFetching, refetch } = useLaunchContextQuery({ returnUrl });
  const way = useFlowProgress(returnUrl);
  const slow = useSlow(isFetching || way.isLoading);
  const { t } = useTranslation();

  if (error && !isFetching) return <NotLoaded error={error} onRetry={refetch} heading="h1" />;
  if (data && !way.isLoading) {
    return <LaunchContextSteps request={data} way={way} returnUrl={returnUrl} onReload={refetch} />;
  }
  return slow ? <LaunchContextSkeleton /> : <h1 className="visually-hidden">{t('common.loading')}</h1>;
}
