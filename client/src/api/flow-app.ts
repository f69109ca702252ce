import { skipToken } from '@reduxjs/toolkit/query';
import type { FlowApp } from '../../../src/contract/authorization.js';
import { knownReturnUrl } from '../shared/addresses/return-url.js';
import { useLoginOptionsQuery } from './session.js';

interface WaitingFlow {
  /** Null outside of an app's flow, as a page of this application is not an app. */
  returnUrl: string | null;
  /** Absent while it is loading; null if the request has ended. */
  app: FlowApp | null | undefined;
}

/** The app's request that waits behind a return URL on a page before any user has signed in. */
export function useWaitingFlow(raw: string | null): WaitingFlow {
  const target = knownReturnUrl(raw, window.location.origin);
  const returnUrl = target?.onServer ? target.address : null;
  const { data } = useLoginOptionsQuery(returnUrl === null ? skipToken : { returnUrl });
  return { returnUrl, app: data?.app };
}
