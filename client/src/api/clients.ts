import type { FetchBaseQueryError } from '@reduxjs/toolkit/query';
import type {
  ClientFormConditions,
  ClientIdentityProvider,
  PublishedKeys,
  ResourceTypeGroup,
} from '../../../src/contract/client-conditions.js';
import type { ClientForm, ClientList, ClientListQuery, ClientView } from '../../../src/contract/clients.js';
import { api } from './base.js';

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
    deleteClient: build.mutation<void, string>({
      query: (id) => ({ url: path(id), method: 'DELETE' }),
      invalidatesTags: (_result, error) => staleAfter(error),
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
  useLazyClientQuery,
  useAddClientMutation,
  useChangeClientMutation,
  useCheckKeysMutation,
  useDeleteClientMutation,
  useIdentityProvidersQuery,
  useResourceTypesQuery,
  useResourceTypeGroupsQuery,
  useOperationScopesQuery,
  useClientFormConditionsQuery,
} = clientsApi;
