import type { ClientIdentityProvider, ClientList, ClientListQuery, ClientView } from '../../../src/contract/clients.js';
import { api } from './base.js';

const path = (id: string) => `admin/client/${encodeURIComponent(id)}`;

const clientsApi = api.injectEndpoints({
  endpoints: (build) => ({
    clients: build.query<ClientList, Partial<ClientListQuery>>({
      query: (params) => ({ url: 'admin/client', params }),
      extraOptions: { notice: true },
      providesTags: ['Clients'],
    }),
    client: build.query<ClientView, string>({
      query: path,
      // Somebody else may have changed it since it was last looked at.
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    deleteClient: build.mutation<void, string>({
      query: (id) => ({ url: path(id), method: 'DELETE' }),
    }),
    identityProviders: build.query<ClientIdentityProvider[], void>({
      query: () => 'admin/client/available-identityproviders',
      extraOptions: { notice: true },
    }),
  }),
});

export const { useClientsQuery, useClientQuery, useDeleteClientMutation, useIdentityProvidersQuery } = clientsApi;
