import './words/en.js';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useFlowProgress } from '../../api/authorization.js';
import { useConsentRequestQuery } from '../../api/consent.js';
import { knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { wantedChunk } from '../../shared/loading/chunk.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { EndedFlow, Leave } from '../../shared/ui/flow/ended-flow.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { ConsentForm } from './consent-form.js';
import { ConsentSkeleton } from './consent-skeleton.js';

const NothingPermitted = lazy(async () => ({
  default: (await wantedChunk(() => import('./nothing-permitted.js'))).NothingPermitted,
}));

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
  const [changedFor, setChangedFor] = useState<string>();

  if (error && !isFetching) {
    const status = 'status' in error ? error.status : undefined;
    if (status === 400) return <EndedFlow returnUrl={returnUrl} />;
    // The launch context is being chosen again: the server knows the page to continue with.
    if (status === 409) return <Leave to={returnUrl} />;
    return status === 404 ? <NotFoundPage /> : <LoadFailed onRetry={refetch} heading="h1" />;
  }
  if (request) {
    // The parts that only representatives see are loaded for them, before anything can be answered.
    return (
      <Suspense fallback={<ConsentSkeleton />}>
        {request.acting?.isPermitted === false ? (
          <NothingPermitted request={request} returnUrl={returnUrl} />
        ) : (
          <ConsentForm
            key={request.contextVersion}
            request={request}
            place={place}
            returnUrl={returnUrl}
            // Another patient was chosen in another tab: the server knows the page to continue with.
            hasChanged={changedFor !== undefined && changedFor === request.patient?.id}
            onChanged={async () => {
              setChangedFor(request.patient?.id);
              const { data: now } = await refetch();
              if (now?.acting?.isPermitted && now.patient?.id !== request.patient?.id) leave(returnUrl);
            }}
          />
        )}
      </Suspense>
    );
  }
  return slow ? <ConsentSkeleton /> : <h1 className="visually-hidden">{t('common.loading')}</h1>;
}
