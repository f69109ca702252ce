import type {
  AccessLogFilter,
  AccessLogPage,
  AccessLogSummary,
  VisitQuery,
  VisitRequests,
} from '../../../../src/contract/own-record/access-log.js';
import { api } from '../base.js';

const accessLogApi = api.injectEndpoints({
  endpoints: (build) => ({
    accessLog: build.infiniteQuery<AccessLogPage, AccessLogFilter, string>({
      infiniteQueryOptions: { initialPageParam: '', getNextPageParam: ({ next }) => next ?? undefined },
      query: ({ queryArg, pageParam }) => ({
        url: 'user/access-log',
        params: { ...queryArg, ...(pageParam && { before: pageParam }) },
      }),
      extraOptions: { notice: true },
      keepUnusedDataFor: 0,
    }),
    accessLogSummary: build.query<AccessLogSummary, AccessLogFilter>({
      query: (params) => ({ url: 'user/access-log/summary', params }),
      keepUnusedDataFor: 0,
    }),
    visitRequests: build.infiniteQuery<VisitRequests, Omit<VisitQuery, 'after'>, string>({
      infiniteQueryOptions: { initialPageParam: '', getNextPageParam: ({ next }) => next ?? undefined },
      query: ({ queryArg, pageParam }) => ({
        url: 'user/access-log/visit',
        params: { ...queryArg, ...(pageParam && { after: pageParam }) },
      }),
      keepUnusedDataFor: 0,
    }),
  }),
});

export const { useAccessLogInfiniteQuery, useAccessLogSummaryQuery, useVisitRequestsInfiniteQuery } = accessLogApi;
