import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useFlowProgress } from '../../api/authorization.js';
import { useDisclaimersQuery } from '../../api/disclaimers.js';
import { endedPage, knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { Redirect } from '../../shared/ui/placeholders/redirect.js';
import { DisclaimersForm } from './disclaimers-form.js';
import { DisclaimersSkeleton } from './disclaimers-skeleton.js';
import './words/en.js';

/** The disclaimers to agree to before an app gets anything; reached only during an authorization. */
export function DisclaimersPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  return target?.onServer ? <Request returnUrl={target.to} /> : <Navigate to="/error/400" replace />;
}

function Request({ returnUrl }: { returnUrl: string }) {
  const { data, error, isFetching, refetch } = useDisclaimersQuery({ returnUrl });
  const way = useFlowProgress(returnUrl);
  const slow = useSlow(isFetching || way.isLoading);
  const { t } = useTranslation();

  if (error && !isFetching) {
    const status = 'status' in error ? error.status : undefined;
    if (status === 400) return <Navigate to={endedPage(returnUrl)} replace />;
    return status === 404 ? <NotFoundPage /> : <LoadFailed onRetry={refetch} heading="h1" />;
  }
  if (data?.disclaimers.every(({ hasAlreadyAgreed }) => hasAlreadyAgreed)) return <Redirect address={returnUrl} />;
  if (data && !way.isLoading) return <DisclaimersForm list={data} way={way} returnUrl={returnUrl} />;
  return slow ? <DisclaimersSkeleton /> : <h1 className="visually-hidden">{t('common.loading')}</h1>;
}
