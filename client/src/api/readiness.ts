import type {
  FirstSteps,
  FirstStepsChange,
  ReadinessReport,
  TestMailConfirmation,
} from '../../../src/contract/readiness.js';
import { api } from './base.js';

const readinessApi = api.injectEndpoints({
  endpoints: (build) => ({
    readiness: build.query<ReadinessReport, void>({
      query: () => 'admin/readiness',
      extraOptions: { notice: true },
      keepUnusedDataFor: 0,
    }),
    sendTestMail: build.mutation<void, void>({
      query: () => ({ url: 'admin/readiness/test-mail', method: 'POST' }),
    }),
    firstSteps: build.query<FirstSteps, void>({
      query: () => 'admin/first-steps',
      providesTags: ['FirstSteps'],
    }),
    putFirstStepsAway: build.mutation<void, FirstStepsChange>({
      query: (body) => ({ url: 'admin/first-steps', method: 'PUT', body }),
      invalidatesTags: ['FirstSteps'],
    }),
    confirmTestMail: build.mutation<void, TestMailConfirmation>({
      query: (body) => ({ url: 'admin/readiness/test-mail/confirm', method: 'POST', body }),
    }),
  }),
});

export const {
  useReadinessQuery,
  useSendTestMailMutation,
  useConfirmTestMailMutation,
  useFirstStepsQuery,
  usePutFirstStepsAwayMutation,
} = readinessApi;
