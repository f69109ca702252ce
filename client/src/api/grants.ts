import type { DisclaimerReference, GrantList } from '../../../src/contract/grants.js';
import { api } from './base.js';

const grantsApi = api.injectEndpoints({
  endpoints: (build) => ({
    grants: build.query<GrantList, void>({
      query: () => 'grant',
      extraOptions: { notice: true },
      providesTags: ['Grants'],
    }),
    withdrawDisclaimers: build.mutation<void, { disclaimers: DisclaimerReference[] }>({
      query: (body) => ({ url: 'grant/disclaimer', method: 'DELETE', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Grants']),
    }),
    /** The number of the receipt. */
    revokeApp: build.mutation<string | undefined, { clientId: string }>({
      query: (params) => ({ url: 'grant', method: 'DELETE', params }),
      transformResponse: (_, meta) => meta?.response?.headers.get('Location')?.split('/').at(-1),
      invalidatesTags: (_result, error) => (error ? [] : ['Grants']),
    }),
  }),
});

export const { useGrantsQuery, useRevokeAppMutation, useWithdrawDisclaimersMutation } = grantsApi;
