import type { FetchBaseQueryError } from '@reduxjs/toolkit/query';
import type { SerializedError } from '@reduxjs/toolkit/react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { returnUrlOf } from '../../shared/addresses/return-url.js';
import { EndedFlow } from '../../shared/ui/flow/ended-flow.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';

/** `spec §8` launch context: 400 is the end of the way, 404 has nothing left to show, all else may be tried again. */
export function NotLoaded({
  error,
  onRetry,
  heading,
}: {
  error: FetchBaseQueryError | SerializedError;
  onRetry: () => void;
  heading: 'h1' | 'h2';
}) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const status = 'status' in error ? error.status : undefined;
  if (status === 400) return <EndedFlow returnUrl={returnUrlOf(search)} />;
  if (status === 404) return <NotFoundPage />;
  const text = status === 503 ? t('launchContext.unavailable') : undefined;
  return <LoadFailed onRetry={onRetry} heading={heading} text={text} />;
}
