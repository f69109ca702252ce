import type { ClientGrant, DisclaimerReference, GrantList } from '../../../../src/contract/own-record/grants.js';
import { api } from '../base.js';

/** An app, and the patient for whom the user acts where it is not about the user's own record. */
interface AppOfCard {
  clientId: string;
  patient?: string;
  tenant?: string;
}

/** Names the access that a card is about. */
export function appOf({ clientId, patient }: ClientGrant): AppOfCard {
  if (!patient) return { clientId };
  return { clientId, patient: patient.reference, ...(patient.tenant !== null && { tenant: patient.tenant }) };
}

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
    revokeApp: build.mutation<string | undefined, AppOfCard>({
      query: (params) => ({ url: 'grant', method: 'DELETE', params }),
      transformResponse: (_, meta) => meta?.response?.headers.get('Location')?.split('/').at(-1),
      invalidatesTags: (_result, error) => (error ? [] : ['Grants']),
    }),
    takeBackPermission: build.mutation<void, AppOfCard & { scope: string }>({
      query: (params) => ({ url: 'grant/permission', method: 'DELETE', params }),
      invalidatesTags: (_result, error) => (error ? [] : ['Grants']),
    }),
    pauseApp: build.mutation<void, AppOfCard & { on: boolean }>({
      query: ({ on, ...params }) => ({ url: 'grant/pause', method: on ? 'PUT' : 'DELETE', params }),
      invalidatesTags: (_result, error) => (error ? [] : ['Grants']),
    }),
    /** Resumes the app whose request waits for it. */
    resumeForRequest: build.mutation<void, { returnUrl: string }>({
      query: (body) => ({ url: 'grant/resume', method: 'POST', body }),
    }),
  }),
});

export const {
  useGrantsQuery,
  usePauseAppMutation,
  useResumeForRequestMutation,
  useRevokeAppMutation,
  useTakeBackPermissionMutation,
  useWithdrawDisclaimersMutation,
} = grantsApi;
