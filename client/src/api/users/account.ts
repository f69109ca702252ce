import type {
  ChangeNameRequest,
  ChangePasswordRequest,
  ForgotPasswordRequest,
  LinkCheck,
  LinkFacts,
  ResetPasswordRequest,
  SessionList,
} from '../../../../src/contract/users/account.js';
import { api } from '../base.js';

export interface PasswordChoice extends ResetPasswordRequest {
  userId: string;
}

const accountApi = api.injectEndpoints({
  endpoints: (build) => ({
    changeName: build.mutation<void, ChangeNameRequest>({
      query: (body) => ({ url: 'user', method: 'PUT', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Session']),
    }),
    removePassword: build.mutation<void, void>({
      query: () => ({ url: 'user/password', method: 'DELETE' }),
      invalidatesTags: (_result, error) => (error ? [] : ['Session', 'Sessions', 'Passkeys']),
    }),
    changePassword: build.mutation<void, ChangePasswordRequest>({
      query: (body) => ({ url: 'user/reset-password', method: 'POST', body }),
      // The first password of an account that had none.
      invalidatesTags: (_result, error, { currentPassword }) =>
        error ? [] : currentPassword ? ['Sessions'] : ['Sessions', 'Session', 'Passkeys'],
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
    activateAccount: build.mutation<void, PasswordChoice>({
      query: ({ userId, ...body }) => ({ url: `user/${encodeURIComponent(userId)}/activate`, method: 'POST', body }),
    }),
  }),
});

export const {
  useChangeNameMutation,
  useChangePasswordMutation,
  useRemovePasswordMutation,
  useOwnSessionsQuery,
  useEndOtherSessionsMutation,
  useForgotPasswordMutation,
  useCheckLinkQuery,
  useResetPasswordMutation,
  useActivateAccountMutation,
} = accountApi;
