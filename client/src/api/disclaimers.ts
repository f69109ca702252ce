import type { AgreementRequest, DisclaimerList } from '../../../src/contract/disclaimers.js';
import { api } from './base.js';

const disclaimersApi = api.injectEndpoints({
  endpoints: (build) => ({
    disclaimers: build.query<DisclaimerList, { returnUrl: string }>({
      query: (params) => ({ url: 'disclaimer', params }),
      // Another authorization may be of another app.
      keepUnusedDataFor: 0,
    }),
    agreeToDisclaimers: build.mutation<void, AgreementRequest & { returnUrl: string }>({
      query: ({ returnUrl, ...body }) => ({ url: 'disclaimer', method: 'POST', params: { returnUrl }, body }),
    }),
  }),
});

export const { useDisclaimersQuery, useAgreeToDisclaimersMutation } = disclaimersApi;
