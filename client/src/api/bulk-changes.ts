import type { PendingBulkChange } from '../../../src/contract/clients/bulk.js';
import { api } from './base.js';

const bulkChangesApi = api.injectEndpoints({
  endpoints: (build) => ({
    pendingChanges: build.query<PendingBulkChange[], void>({
      query: () => 'admin/bulk',
      // Pages do without it; the calls of the page itself notice that the session has ended.
      extraOptions: { spared: 'session' },
      keepUnusedDataFor: 0,
    }),
    stopChange: build.mutation<void, string>({
      query: (id) => ({ url: `admin/bulk/${id}/stop`, method: 'POST' }),
    }),
    markChangeSeen: build.mutation<void, string>({
      query: (id) => ({ url: `admin/bulk/${id}/seen`, method: 'POST' }),
    }),
  }),
});

export const { usePendingChangesQuery, useStopChangeMutation, useMarkChangeSeenMutation } = bulkChangesApi;
