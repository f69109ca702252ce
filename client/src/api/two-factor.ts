import type {
  EnableTwoFactorRequest,
  RecoveryResult,
  TwoFactorActivation,
  TwoFactorSetup,
  VerifyCodeRequest,
  VerifyRecoveryCodeRequest,
} from '../../../src/contract/two-factor.js';
import { api } from './base.js';

const twoFactorApi = api.injectEndpoints({
  endpoints: (build) => ({
    twoFactorSetup: build.query<TwoFactorSetup, { returnUrl: string }>({
      query: (params) => ({ url: 'twofactor/enable', params }),
      // A secret, and another one after the next sign-in.
      keepUnusedDataFor: 0,
    }),
    enableTwoFactor: build.mutation<TwoFactorActivation, EnableTwoFactorRequest>({
      query: (body) => ({ url: 'twofactor/enable', method: 'POST', body }),
    }),
    verifyCode: build.mutation<void, VerifyCodeRequest>({
      query: (body) => ({ url: 'twofactor/verify', method: 'POST', body }),
    }),
    verifyRecoveryCode: build.mutation<RecoveryResult, VerifyRecoveryCodeRequest>({
      query: (body) => ({ url: 'twofactor/verify-recovery', method: 'POST', body }),
    }),
  }),
});

export const {
  useTwoFactorSetupQuery,
  useEnableTwoFactorMutation,
  useVerifyCodeMutation,
  useVerifyRecoveryCodeMutation,
} = twoFactorApi;
