import type {
  AuditEventView,
  AuditFilterQuery,
  AuditList,
  AuditQuery,
  AuditState,
} from '../../../src/contract/audit.js';
import { api } from './base.js';

const auditApi = api.injectEndpoints({
  endpoints: (build) => ({
    auditList: build.query<AuditList, Partial<AuditQuery>>({
      query: (params) => ({ url: 'admin/audit', params }),
      extraOptions: { notice: true },
      keepUnusedDataFor: 0,
    }),
    auditEntry: build.query<AuditEventView, string>({
      query: (id) => `admin/audit/entry/${encodeURIComponent(id)}`,
      keepUnusedDataFor: 0,
    }),
    auditState: build.query<AuditState, void>({
      query: () => 'admin/audit/state',
      extraOptions: { quietAgain: true },
      keepUnusedDataFor: 0,
    }),
    verifyAudit: build.mutation<AuditState, void>({
      query: () => ({ url: 'admin/audit/verification', method: 'POST' }),
      async onQueryStarted(_, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer) dispatch(auditApi.util.upsertQueryData('auditState', undefined, answer.data));
      },
    }),
  }),
});

export type AuditLimits = Partial<AuditFilterQuery>;

export const { useAuditListQuery, useAuditEntryQuery, useAuditStateQuery, useVerifyAuditMutation } = auditApi;
