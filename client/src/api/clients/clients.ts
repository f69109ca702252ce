import type { FetchBaseQueryError } from '@reduxjs/toolkit/query';
import type { BulkProgress, ClientBulkRequest } from '../../../../src/contract/clients/bulk.js';
import type { ClientEnabling, ClientHistory, ClientImpact } from '../../../../src/contract/clients/client-changes.js';
import type { PublishedKeys } from '../../../../src/contract/clients/client-conditions.js';
import type { ClientForm, ClientList, ClientListQuery, ClientView } from '../../../../src/contract/clients/clients.js';
import { api } from '../base.js';

export const clientPath = (id: string) => `admin/client/${encodeURIComponent(id)}`;

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
      query: clientPath,
      // Another administrator may have changed it since it was last read.
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    /** A form does without it. */
    clientHistory: build.query<ClientHistory, string>({
      query: (id) => `${clientPath(id)}/history`,
      keepUnusedDataFor: 0,
      providesTags: ['Clients'],
    }),
    addClient: build.mutation<ClientView, ClientForm>({
      query: (body) => ({ url: 'admin/client', method: 'POST', body }),
      invalidatesTags: (_result, error) => staleAfter(error, 'Clients'),
    }),
    /** Refused with 409 when the client is no longer at this version. */
    changeClient: build.mutation<ClientView, { id: string; version: number } & ClientForm>({
      query: ({ id, ...body }) => ({ url: clientPath(id), method: 'PUT', body }),
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
      query: (id) => ({ url: clientPath(id), method: 'DELETE' }),
      invalidatesTags: (_result, error) => staleAfter(error),
    }),
    /** Undoes the deletion; refused with 404 when it is too late. */
    restoreClient: build.mutation<ClientView, string>({
      query: (id) => ({ url: `${clientPath(id)}/restore`, method: 'POST' }),
      invalidatesTags: ['Clients'],
    }),
    setClientEnabled: build.mutation<ClientEnabling, { id: string; enabled: boolean }>({
      query: ({ id, enabled }) => ({ url: `${clientPath(id)}/enabled`, method: 'PUT', body: { enabled } }),
      invalidatesTags: ['Clients'],
    }),
    /** The access that ends with these clients. */
    clientImpact: build.query<ClientImpact, string[]>({
      query: (id) => ({ url: 'admin/client/impact', params: { id } }),
      keepUnusedDataFor: 0,
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
} = clientsApi;
