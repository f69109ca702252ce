import type {
  AccountRelationships,
  AgeRules,
  AgeRulesTrial,
  AgeRulesTrialQuery,
  LinkPatientRecordRequest,
} from '../../../../src/contract/representation/administration.js';
import type { RelationshipImport, RelationshipImportRequest } from '../../../../src/contract/representation/import.js';
import type {
  ConfirmRelationshipRequest,
  DecideRelationshipRequest,
  EndRelationshipRequest,
  LiftedBlock,
  ProposeRelationshipRequest,
  RelationshipView,
} from '../../../../src/contract/representation.js';
import { api } from '../base.js';

const path = 'admin/representation';

const representationApi = api.injectEndpoints({
  endpoints: (build) => ({
    accountRelationships: build.query<AccountRelationships, string>({
      query: (id) => `${path}/account/${encodeURIComponent(id)}`,
      keepUnusedDataFor: 0,
      providesTags: ['Family'],
    }),
    ageRules: build.query<AgeRules, void>({ query: () => `${path}/age-rules` }),
    tryAgeRules: build.query<AgeRulesTrial, AgeRulesTrialQuery>({
      query: (params) => ({ url: `${path}/age-rules/trial`, params }),
    }),
    proposeRelationship: build.mutation<RelationshipView, ProposeRelationshipRequest>({
      query: (body) => ({ url: path, method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family']),
    }),
    decideRelationship: build.mutation<RelationshipView, { id: string } & DecideRelationshipRequest>({
      query: ({ id, ...body }) => ({ url: `${path}/${id}/decision`, method: 'POST', body }),
      invalidatesTags: ['Family'],
    }),
    confirmRelationship: build.mutation<RelationshipView, { id: string } & ConfirmRelationshipRequest>({
      query: ({ id, ...body }) => ({ url: `${path}/${id}/confirmation`, method: 'POST', body }),
      invalidatesTags: ['Family'],
    }),
    endRelationshipOfUser: build.mutation<RelationshipView, { id: string } & EndRelationshipRequest>({
      query: ({ id, ...body }) => ({ url: `${path}/${id}/end`, method: 'POST', body }),
      invalidatesTags: ['Family'],
    }),
    liftBlock: build.mutation<LiftedBlock, { id: string }>({
      query: ({ id }) => ({ url: `${path}/${id}/block/lift`, method: 'POST' }),
      invalidatesTags: ['Family'],
    }),
    importRelationships: build.mutation<RelationshipImport, RelationshipImportRequest>({
      query: (body) => ({ url: `${path}/import`, method: 'POST', body }),
      invalidatesTags: (_result, _error, { dryRun }) => (dryRun ? [] : ['Family']),
    }),
    exportRelationships: build.mutation<string, void>({
      query: () => ({ url: `${path}/export`, method: 'POST', responseHandler: 'text' }),
    }),
    linkPatientRecord: build.mutation<void, { id: string } & LinkPatientRecordRequest>({
      query: ({ id, ...body }) => ({ url: `${path}/account/${encodeURIComponent(id)}/record`, method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family', 'Users']),
    }),
  }),
});

export const {
  useAccountRelationshipsQuery,
  useAgeRulesQuery,
  useConfirmRelationshipMutation,
  useDecideRelationshipMutation,
  useEndRelationshipOfUserMutation,
  useTryAgeRulesQuery,
  useExportRelationshipsMutation,
  useImportRelationshipsMutation,
  useLiftBlockMutation,
  useLinkPatientRecordMutation,
  useProposeRelationshipMutation,
} = representationApi;
