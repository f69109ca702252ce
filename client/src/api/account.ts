import type { ChoosePasswordRequest, ForgotPasswordRequest } from '../../../src/contract/account.js';
import { api } from './base.js';

export interface PasswordChoice extends ChoosePasswordRequest {
  userId: string;
}

const accountApi = api.injectEndpoints({
  endpoints: (build) => ({
    forgotPassword: build.mutation<void, ForgotPasswordRequest>({
      query: (body) => ({ url: 'user/forgot-password', method: 'POST', body }),
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

export const { useForgotPasswordMutation, useResetPasswordMutation, useActivateAccountMutation } = accountApi;
