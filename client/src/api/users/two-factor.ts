import type { SignInResult } from '../../../../src/contract/session.js';
import type { WaitingRecovery } from '../../../../src/contract/users/account.js';
import type {
  DisableByRecoveryRequest,
  DisableTwoFactorRequest,
  EnableTwoFactorRequest,
  LostSecondFactorRequest,
  RecoveryResult,
  TwoFactorActivation,
  TwoFactorSetup,
  VerifyCodeRequest,
  VerifyRecoveryCodeRequest,
} from '../../../../src/contract/users/two-factor.js';
import { api } from '../base.js';

/** A change of the second factor also ends the other sessions. */
const changed = (_result: unknown, error: unknown) => (error ? [] : (['Session', 'Sessions'] as const));

const twoFactorApi = api.injectEndpoints({
  endpoints: (build) => ({
    twoFactorSetup: build.query<TwoFactorSetup, { returnUrl: string | null }>({
      query: (params) => ({ url: 'twofactor/enable', params }),
      // A secret, and another one after the next sign-in.
      keepUnusedDataFor: 0,
    }),
    enableTwoFactor: build.mutation<TwoFactorActivation, EnableTwoFactorRequest>({
      query: (body) => ({ url: 'twofactor/enable', method: 'POST', body }),
      invalidatesTags: changed,
    }),
    disableTwoFactor: build.mutation<void, DisableTwoFactorRequest>({
      query: (body) => ({ url: 'twofactor/disable', method: 'POST', body }),
      invalidatesTags: changed,
    }),
    disableByRecovery: build.mutation<void, DisableByRecoveryRequest>({
      query: (body) => ({ url: 'twofactor/disable-recovery', method: 'POST', body }),
      invalidatesTags: changed,
    }),
    verifyCode: build.mutation<SignInResult | null, VerifyCodeRequest>({
      query: (body) => ({ url: 'twofactor/verify', method: 'POST', body }),
    }),
    verifyRecoveryCode: build.mutation<RecoveryResult, VerifyRecoveryCodeRequest>({
      query: (body) => ({ url: 'twofactor/verify-recovery', method: 'POST', body }),
    }),
    lostSecondFactor: build.mutation<WaitingRecovery, LostSecondFactorRequest>({
      query: (body) => ({ url: 'twofactor/lost', method: 'POST', body }),
    }),
  }),
});

export const {
  useTwoFactorSetupQuery,
  useEnableTwoFactorMutation,
  useDisableTwoFactorMutation,
  useDisableByRecoveryMutation,
  useVerifyCodeMutation,
  useVerifyRecoveryCodeMutation,
  useLostSecondFactorMutation,
} = twoFactorApi;
