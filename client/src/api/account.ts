import type {
  ChangeNameRequest,
  ChangePasswordRequest,
  ForgotPasswordRequest,
  LinkCheck,
  LinkFacts,
  ResetPasswordRequest,
  SessionList,
  WaitingRecovery,
} from '../../../src/contract/users/account.js';
import type { PasskeyOptions } from '../../../src/contract/users/passkeys.js';
import { api } from './base.js';

export interface PasswordChoice extends ResetPasswordRequest {
  userId: string;
}

/** A link of a mail. */
interface Link {
  userId: string;
  token: string;
}

/** A call with the token of a link, below the user's address. */
const byLink = (path: (userId: string) => string) => ({
  query: ({ userId, token }: Link) => ({ url: path(encodeURIComponent(userId)), method: 'POST', body: { token } }),
});

const accountApi = api.injectEndpoints({
  endpoints: (build) => ({
    changeName: build.mutation<void, ChangeNameRequest>({
      query: (body) => ({ url: 'user', method: 'PUT', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Session']),
    }),
    changePassword: build.mutation<void, ChangePasswordRequest>({
      query: (body) => ({ url: 'user/reset-password', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Sessions']),
    }),
    ownSessions: build.query<SessionList, void>({
      query: () => 'user/sessions',
      providesTags: ['Sessions'],
    }),
    endOtherSessions: build.mutation<void, void>({
      query: () => ({ url: 'user/sessions', method: 'DELETE' }),
      invalidatesTags: ['Sessions'],
    }),
    forgotPassword: build.mutation<void, ForgotPasswordRequest>({
      query: (body) => ({ url: 'user/forgot-password', method: 'POST', body }),
    }),
    checkLink: build.query<LinkFacts, LinkCheck & { userId: string }>({
      query: ({ userId, ...body }) => ({ url: `user/${encodeURIComponent(userId)}/link`, method: 'POST', body }),
      keepUnusedDataFor: 0,
    }),
    resetPassword: build.mutation<void, PasswordChoice>({
      query: ({ userId, ...body }) => ({
        url: `user/forgot-password/${encodeURIComponent(userId)}/reset`,
        method: 'PUT',
        body,
      }),
    }),
    beginLinkPasskey: build.mutation<PasskeyOptions, Link>(byLink((id) => `user/forgot-password/${id}/passkey`)),
    beginRecovery: build.mutation<WaitingRecovery, Link>(byLink((id) => `user/${id}/recovery`)),
    waitingRecovery: build.query<WaitingRecovery, Link>({
      ...byLink((id) => `user/${id}/recovery/link`),
      keepUnusedDataFor: 0,
    }),
    endRecovery: build.mutation<void, Link>(byLink((id) => `user/${id}/recovery/end`)),
    activateAccount: build.mutation<void, PasswordChoice>({
      query: ({ userId, ...body }) => ({ url: `user/${encodeURIComponent(userId)}/activate`, method: 'POST', body }),
    }),
  }),
});

export const {
  useChangeNameMutation,
  useChangePasswordMutation,
  useOwnSessionsQuery,
  useEndOtherSessionsMutation,
  useForgotPasswordMutation,
  useCheckLinkQuery,
  useResetPasswordMutation,
  useBeginLinkPasskeyMutation,
  useBeginRecoveryMutation,
  useWaitingRecoveryQuery,
  useEndRecoveryMutation,
  useActivateAccountMutation,
} = accountApi;
