import './words/en.js';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useFlowProgress } from '../../api/authorization.js';
import { useConsentRequestQuery } from '../../api/consent.js';
import { knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { EndedFlow, Leave } from '../../shared/ui/flow/ended-flow.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { ConsentForm } from './consent-form.js';
import { ConsentSkeleton } from './consent-skeleton.js';

/** The app's request and the user's answer; reached only during an authorization. */
export function ConsentPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  return target?.onServer ? <Request returnUrl={target.to} /> : <Navigate to="/error/400" replace />;
}

function Request({ returnUrl }: { returnUrl: string }) {
  const { data, error, isFetching, refetch } = useConsentRequestQuery({ returnUrl });
  const { place, isLoading } = useFlowProgress(returnUrl);
  const slow = useSlow(isFetching || isLoading);
  // The form, whose rendering takes long on a phone, is rendered in pieces, between which the browser answers the user.
  const request = useDeferredValue(isLoading ? undefined : data);
  const { t } = useTranslation();

  if (error && !isFetching) {
    const status = 'status' in error ? error.status : undefined;
    if (status === 400) return <EndedFlow returnUrl={returnUrl} />;
    // The launch context is being chosen again: the server knows the page to continue with.
    if (status === 409) return <Leave to={returnUrl} />;
    return status === 404 ? <NotFoundPage /> : <LoadFailed onRetry={refetch} heading="h1" />;
  }
  if (request) return <ConsentForm request={request} place={place} returnUrl={returnUrl} />;
  return slow ? <ConsentSkeleton /> : <h1 className="visually-hidden">{t('common.loading')}</h1>;
}
