import type { AuthorizationPlace, EndedAuthorization } from '../../../src/contract/authorization.js';
import { leave } from '../shared/browser/leave.js';
import { api } from './base.js';
import { notifyFailure } from './failures/form-errors.js';

const authorizationApi = api.injectEndpoints({
  endpoints: (build) => ({
    authorizationPlace: build.query<AuthorizationPlace, { returnUrl: string }>({
      query: (params) => ({ url: 'authorization', params }),
      // Another step of the same authorization is another place.
      keepUnusedDataFor: 0,
    }),
    /** Without an answer the page shows nothing about the request. */
    endedAuthorization: build.query<EndedAuthorization, { returnUrl: string }>({
      query: (params) => ({ url: 'authorization/ended', params }),
      extraOptions: { spared: 'status' },
      keepUnusedDataFor: 0,
    }),
    leaveAuthorization: build.mutation<void, { returnUrl: string; isSignIn?: boolean }>({
      query: ({ returnUrl, isSignIn }) => ({
        url: isSignIn ? 'authorization/sign-in' : 'authorization',
        method: 'DELETE',
        params: { returnUrl },
      }),
    }),
  }),
});

export const { useLazyAuthorizationPlaceQuery, useEndedAuthorizationQuery, useLazyEndedAuthorizationQuery } =
  authorizationApi;
const { useAuthorizationPlaceQuery, useLeaveAuthorizationMutation } = authorizationApi;

export interface FlowState {
  /** Absent while it is loading, and when it cannot be had, which is not a reason to show nothing else. */
  place: AuthorizationPlace | undefined;
  isLoading: boolean;
  leaving: boolean;
  /** Back to the app without an answer. */
  onLeave: () => void;
}

/** Progress of an authorization (step n of m), and cancelling it. */
export function useFlowProgress(returnUrl: string): FlowState {
  const { data: place, isLoading } = useAuthorizationPlaceQuery({ returnUrl });
  return { place, isLoading, ...useLeaving({ returnUrl }) };
}

/** Cancelling an authorization. `isSignIn`: before any user has signed in. */
export function useLeaving(request: { returnUrl: string; isSignIn?: boolean }): Pick<FlowState, 'leaving' | 'onLeave'> {
  const [send, { isLoading: leaving }] = useLeaveAuthorizationMutation();
  const onLeave = async () => {
    const { error } = await send(request);
    // 400: it has ended meanwhile, and the server says so.
    if (!error || ('status' in error && error.status === 400)) leave(request.returnUrl);
    else notifyFailure(error);
  };
  return { leaving, onLeave };
}
