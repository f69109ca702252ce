import type { ListQuery } from '../../../src/contract/list-query.js';
import type {
  ConfirmRelationshipsRequest,
  RelationshipConfirmations,
  SuspendedRecords,
} from '../../../src/contract/representation/confirmations.js';
import type {
  ApprovedInErrorRequest,
  DecideRequestRequest,
  RequestCount,
  RequestList,
  RequestListQuery,
  RequestReview,
} from '../../../src/contract/requests.js';
import { portalPath } from '../shared/addresses/base-path.js';
import { api } from './base.js';

const requestsApi = api.injectEndpoints({
  endpoints: (build) => ({
    requests: build.query<RequestList, Partial<RequestListQuery>>({
      query: (params) => ({ url: 'admin/requests', params }),
      providesTags: ['Requests'],
    }),
    requestCount: build.query<RequestCount, void>({
      query: () => 'admin/requests/count',
      providesTags: ['Requests'],
      // A bar does without it.
      extraOptions: { spared: 'session' },
    }),
    suspendedRecords: build.query<SuspendedRecords, Partial<ListQuery>>({
      query: (params) => ({ url: 'admin/representation/confirmations', params }),
      providesTags: ['Requests'],
    }),
    confirmRecords: build.mutation<RelationshipConfirmations, ConfirmRelationshipsRequest>({
      query: (body) => ({ url: 'admin/representation/confirmations', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Requests']),
    }),
    request: build.query<RequestReview, string>({
      query: (id) => `admin/requests/${encodeURIComponent(id)}`,
      providesTags: ['Requests'],
    }),
    decideRequest: build.mutation<RequestReview, DecideRequestRequest & { id: string }>({
      query: ({ id, ...body }) => ({ url: `admin/requests/${id}/decision`, method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Requests']),
    }),
    correctRequest: build.mutation<RequestReview, ApprovedInErrorRequest & { id: string }>({
      query: ({ id, ...body }) => ({ url: `admin/requests/${id}/error`, method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Requests']),
    }),
  }),
});

export const {
  useConfirmRecordsMutation,
  useCorrectRequestMutation,
  useDecideRequestMutation,
  useRequestCountQuery,
  useRequestQuery,
  useRequestsQuery,
  useSuspendedRecordsQuery,
} = requestsApi;

/** Address of a file of a request; the browser keeps it, and shows nothing of it in the portal. */
export const fileAddress = (request: string, file: string) =>
  portalPath(`/api/admin/requests/${request}/files/${file}`);
