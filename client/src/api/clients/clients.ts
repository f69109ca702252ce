import type { FetchBaseQueryError } from '@reduxjs/toolkit/query';
import type { BulkProgress, ClientBulkRequest } from '../../../../src/contract/clients/bulk.js';
import type { ClientEnabling, ClientHistory, ClientImpact } from '../../../../src/contract/clients/client-changes.js';
import type {
  ClientFormConditions,
  ClientIdentityProvider,
  PublishedKeys,
  ResourceTypeGroup,
} from '../../../../src/contract/clients/client-conditions.js';
import type { ClientForm, ClientList, ClientListQuery, ClientView } from '../../../../src/contract/clients/clients.js';
import type {
  ClientRotations,
  RotationChange,
  RotationEnd,
  RotationRequest,
  RotationState,
  StartedRotation,
} from '../../../../src/contract/clients/secret-rotation.js';
import { api } from '../base.js';

const path = (id: string) => `admin/client/${encodeURIComponent(id)}`;

/** A change that was refused because the FHIR server is away (503) tells so before it was asked about. */
function staleAfter<Tag extends string>(error: FetchBaseQueryError | undefined, ...changed: Tag[]) {
  if (!error) return changed;
  return error.status === 503 ? (['ServerStatus'] as const) : [];
}

const clientsApi = api.injectEndpoints({
  endpoints: (build) => ({
    clients: build.query<ClientList, Partial<ClientListQuery>>({
      query: (params) => ({ url: 'admin/client', params }),
      extraOptions: { notice: true },
      providesTags: ['Clients'],
    }),
    client: build.query<ClientView, string>({
      query: path,
      // Another administrator may have changed it since it was last read.
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    /** A form does without it. */
    clientHistory: build.query<ClientHistory, string>({
      query: (id) => `${path(id)}/history`,
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    addClient: build.mutation<ClientView, ClientForm>({
      query: (body) => ({ url: 'admin/client', method: 'POST', body }),
      invalidatesTags: (_result, error) => staleAfter(error, 'Clients'),
    }),
    /** Refused with 409 when the client is no longer at this version. */
    changeClient: build.mutation<ClientView, { id: string; version: number } & ClientForm>({
      query: ({ id, ...body }) => ({ url: path(id), method: 'PUT', body }),
      invalidatesTags: (_result, error) => staleAfter(error, 'Clients'),
    }),
    /** Asks the address now. */
    checkKeys: build.mutation<PublishedKeys, string>({
      query: (url) => ({ url: 'admin/client/check-keys', method: 'POST', body: { url } }),
    }),
    /** Repeated with the same id until all are done. */
    changeClients: build.mutation<BulkProgress, { id: string } & ClientBulkRequest>({
      query: ({ id, ...body }) => ({ url: `admin/client/bulk/${id}`, method: 'PUT', body }),
      invalidatesTags: (_result, error) => staleAfter(error, 'Clients'),
    }),
    undoClients: build.mutation<BulkProgress, string>({
      query: (id) => ({ url: `admin/client/bulk/${id}/undo`, method: 'POST' }),
      invalidatesTags: (_result, error) => staleAfter(error, 'Clients'),
    }),
    deleteClient: build.mutation<void, string>({
      query: (id) => ({ url: path(id), method: 'DELETE' }),
      invalidatesTags: (_result, error) => staleAfter(error),
    }),
    /** Undoes the deletion; refused with 404 when it is too late. */
    restoreClient: build.mutation<ClientView, string>({
      query: (id) => ({ url: `${path(id)}/restore`, method: 'POST' }),
      invalidatesTags: ['Clients'],
    }),
    setClientEnabled: build.mutation<ClientEnabling, { id: string; enabled: boolean }>({
      query: ({ id, enabled }) => ({ url: `${path(id)}/enabled`, method: 'PUT', body: { enabled } }),
      invalidatesTags: ['Clients'],
    }),
    /** The access that ends with these clients. */
    clientImpact: build.query<ClientImpact, string[]>({
      query: (id) => ({ url: 'admin/client/impact', params: { id } }),
      keepUnusedDataFor: 0,
    }),
    /** The state of a rotation of a shared secret. */
    secretRotation: build.query<RotationState, string>({
      query: (id) => `${path(id)}/rotation`,
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    secretRotations: build.query<ClientRotations, void>({
      query: () => 'admin/client/rotations',
      providesTags: ['Clients'],
    }),
    /** The only answer with the new secret: forget it once it was shown. */
    startRotation: build.mutation<StartedRotation, { id: string } & RotationRequest>({
      query: ({ id, ...body }) => ({ url: `${path(id)}/rotation`, method: 'POST', body }),
      invalidatesTags: ['Clients'],
    }),
    changeRotation: build.mutation<RotationState, { id: string } & RotationChange>({
      query: ({ id, ...body }) => ({ url: `${path(id)}/rotation`, method: 'PUT', body }),
      invalidatesTags: ['Clients'],
    }),
    endRotation: build.mutation<RotationState, { id: string } & RotationEnd>({
      query: ({ id, ...body }) => ({ url: `${path(id)}/rotation/end`, method: 'POST', body }),
      invalidatesTags: ['Clients'],
    }),
    cancelRotation: build.mutation<RotationState, string>({
      query: (id) => ({ url: `${path(id)}/rotation`, method: 'DELETE' }),
      invalidatesTags: ['Clients'],
    }),
    identityProviders: build.query<ClientIdentityProvider[], void>({
      query: () => 'admin/client/available-identityproviders',
      extraOptions: { notice: true },
    }),
    /** `loaded`: whether the FHIR server has said all it has to; before, the answer is empty and must not stay. */
    resourceTypes: build.query<string[], { loaded: boolean }>({
      query: () => 'admin/client/available-resourcetypes',
      extraOptions: { notice: true },
    }),
    resourceTypeGroups: build.query<ResourceTypeGroup[], { loaded: boolean }>({
      query: () => 'admin/client/available-resourcetypegroups',
      extraOptions: { notice: true },
    }),
    operationScopes: build.query<string[], void>({
      query: () => 'admin/client/available-operationscopes',
      extraOptions: { notice: true },
    }),
    clientFormConditions: build.query<ClientFormConditions, void>({
      query: () => 'admin/client/form-conditions',
      extraOptions: { notice: true },
    }),
  }),
});

export const {
  useClientsQuery,
  useClientQuery,
  useClientHistoryQuery,
  useLazyClientQuery,
  useAddClientMutation,
  useChangeClientMutation,
  useChangeClientsMutation,
  useUndoClientsMutation,
  useCheckKeysMutation,
  useDeleteClientMutation,
  useRestoreClientMutation,
  useSetClientEnabledMutation,
  useClientImpactQuery,
  useSecretRotationQuery,
  useSecretRotationsQuery,
  useStartRotationMutation,
  useChangeRotationMutation,
  useEndRotationMutation,
  useCancelRotationMutation,
  useIdentityProvidersQuery,
  useResourceTypesQuery,
  useResourceTypeGroupsQuery,
  useOperationScopesQuery,
  useClientFormConditionsQuery,
} = clientsApi;
