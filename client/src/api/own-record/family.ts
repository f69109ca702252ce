import type {
  AcceptedInvitation,
  AcceptInvitationRequest,
  InvitationFacts,
  InvitationList,
  InvitationWithCode,
  InviteRequest,
} from '../../../../src/contract/invitations.js';
import type { RepresentedApp, RepresentedAppList } from '../../../../src/contract/own-record/represented-apps.js';
import type { ComingStep } from '../../../../src/contract/representation/coming-step.js';
import type { EndedRelationship } from '../../../../src/contract/representation/ended-relationship.js';
import type { FamilyNews, NewsSeenRequest } from '../../../../src/contract/representation/news.js';
import type {
  ChangeLevelRequest,
  OwnRelationships,
  RenewRelationshipRequest,
  StepAgreement,
} from '../../../../src/contract/representation.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { api } from '../base.js';

interface Proof {
  id: string;
  currentPassword?: string;
}

const familyApi = api.injectEndpoints({
  endpoints: (build) => ({
    family: build.query<OwnRelationships, void>({ query: () => 'representation', providesTags: ['Family'] }),
    comingStep: build.query<ComingStep, string>({
      query: (id) => `representation/${encodeURIComponent(id)}/coming-step`,
      providesTags: ['Family'],
    }),
    endedRelationship: build.query<EndedRelationship, string>({
      query: (id) => `representation/${encodeURIComponent(id)}/ended`,
      providesTags: ['Family'],
    }),
    /** Read for each page that shows it: what it has told is gone after it. */
    familyNews: build.query<FamilyNews, void>({ query: () => 'representation/news', keepUnusedDataFor: 0 }),
    seeNews: build.mutation<void, NewsSeenRequest>({
      query: (body) => ({ url: 'representation/news', method: 'POST', body }),
    }),
    endRelationship: build.mutation<void, { id: string }>({
      query: ({ id }) => ({ url: `representation/${id}/end`, method: 'POST' }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family', 'Grants']),
    }),
    /** The apps that others have let in for the user's own record. */
    representedApps: build.query<RepresentedApp[], void>({
      query: () => 'grant/represented',
      transformResponse: ({ apps }: RepresentedAppList) => apps,
      providesTags: ['Family'],
    }),
    endRepresentedApp: build.mutation<void, Pick<RepresentedApp, 'relationship' | 'clientId'>>({
      query: (params) => ({ url: 'grant/represented', method: 'DELETE', params }),
      invalidatesTags: (_result, error) => (error && error.status !== 404 ? [] : ['Family']),
    }),
    /** The patient agrees to an age step, or takes that back. A card that came too late is read again. */
    agreeToStep: build.mutation<void, StepAgreement & { id: string; isAgreed: boolean }>({
      query: ({ id, isAgreed, ...body }) => ({
        url: `representation/${id}/agreement`,
        method: isAgreed ? 'PUT' : 'DELETE',
        body,
      }),
      invalidatesTags: (_result, error) => (error && error.status !== 409 ? [] : ['Family']),
    }),
    changeLevel: build.mutation<void, ChangeLevelRequest & { id: string }>({
      query: ({ id, ...body }) => ({ url: `representation/${id}/level`, method: 'PUT', body }),
      invalidatesTags: (_result, error) => (error && error.status !== 409 ? [] : ['Family']),
    }),
    confirmRelationship: build.mutation<void, { id: string }>({
      query: ({ id }) => ({ url: `representation/${id}/confirmation`, method: 'POST' }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family']),
    }),
    renewRelationship: build.mutation<void, RenewRelationshipRequest & { id: string }>({
      query: ({ id, ...body }) => ({ url: `representation/${id}/period`, method: 'PUT', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family']),
    }),
    invitations: build.query<InvitationList, void>({
      query: () => 'representation/invitations',
      providesTags: ['Family'],
    }),
    invite: build.mutation<InvitationWithCode, InviteRequest>({
      query: (body) => ({ url: 'representation/invitations', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family']),
    }),
    showCode: build.mutation<InvitationWithCode, Proof>({
      query: ({ id, ...body }) => ({ url: `representation/invitations/${id}/code`, method: 'POST', body }),
    }),
    newCode: build.mutation<InvitationWithCode, Proof>({
      query: ({ id, ...body }) => ({ url: `representation/invitations/${id}/new-code`, method: 'POST', body }),
    }),
    cancelInvitation: build.mutation<void, { id: string }>({
      query: ({ id }) => ({ url: `representation/invitations/${id}`, method: 'DELETE' }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family']),
    }),
    /** A POST, so that the link stands in no log; it changes nothing. */
    invitationFacts: build.query<InvitationFacts, MailedLink>({
      query: ({ userId: id, token }) => ({ url: `invitations/${id}/facts`, method: 'POST', body: { token } }),
    }),
    acceptInvitation: build.mutation<AcceptedInvitation, AcceptInvitationRequest & { id: string }>({
      query: ({ id, ...body }) => ({ url: `invitations/${id}/acceptance`, method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Family']),
    }),
    declineInvitation: build.mutation<void, MailedLink>({
      query: ({ userId: id, token }) => ({ url: `invitations/${id}/refusal`, method: 'POST', body: { token } }),
    }),
  }),
});

export const {
  useAcceptInvitationMutation,
  useAgreeToStepMutation,
  useCancelInvitationMutation,
  useChangeLevelMutation,
  useComingStepQuery,
  useConfirmRelationshipMutation,
  useDeclineInvitationMutation,
  useEndedRelationshipQuery,
  useEndRelationshipMutation,
  useEndRepresentedAppMutation,
  useFamilyNewsQuery,
  useFamilyQuery,
  useInvitationFactsQuery,
  useInvitationsQuery,
  useInviteMutation,
  useNewCodeMutation,
  useRenewRelationshipMutation,
  useRepresentedAppsQuery,
  useSeeNewsMutation,
  useShowCodeMutation,
} = familyApi;
