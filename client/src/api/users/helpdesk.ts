import type { ResetSecondFactorRequest, StepUpFacts, UserSignIn } from '../../../../src/contract/users/helpdesk.js';
import { api } from '../base.js';

const path = (id: string) => `admin/user/${encodeURIComponent(id)}`;

const helpdeskApi = api.injectEndpoints({
  endpoints: (build) => ({
    userSignIn: build.query<UserSignIn, string>({
      query: (id) => `${path(id)}/sign-in`,
      keepUnusedDataFor: 0,
    }),
    unlockUser: build.mutation<void, string>({
      query: (id) => ({ url: `${path(id)}/unlock`, method: 'POST' }),
    }),
    /** Without a session: of all browsers. */
    signOutUser: build.mutation<void, { id: string; session?: string }>({
      query: ({ id, session }) => ({
        url: `${path(id)}/session${session === undefined ? '' : `/${encodeURIComponent(session)}`}`,
        method: 'DELETE',
      }),
    }),
    stepUp: build.query<StepUpFacts, void>({
      query: () => 'admin/step-up',
      keepUnusedDataFor: 0,
    }),
    resetSecondFactor: build.mutation<void, { id: string } & ResetSecondFactorRequest>({
      query: ({ id, ...body }) => ({ url: `${path(id)}/reset-second-factor`, method: 'POST', body }),
    }),
  }),
});

export const {
  useUserSignInQuery,
  useUnlockUserMutation,
  useSignOutUserMutation,
  useStepUpQuery,
  useResetSecondFactorMutation,
} = helpdeskApi;
