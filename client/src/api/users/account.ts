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
  useActivateAccountMutation,
} = accountApi;
