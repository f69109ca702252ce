import type { ClientList } from '../../../../src/contract/clients/clients.js';
import type { ClientTag, TagForm } from '../../../../src/contract/clients/tags.js';
import { api } from '../base.js';

const path = 'admin/configuration/tag';

const tagsApi = api.injectEndpoints({
  endpoints: (build) => ({
    tags: build.query<ClientTag[], void>({
      query: () => path,
      extraOptions: { notice: true },
      providesTags: ['Tags'],
    }),
    /** Number of clients with the tag of this id. */
    clientsWithTag: build.query<number, string>({
      query: (id) => ({ url: 'admin/client', params: { tags: [id], pageSize: 5 } }),
      transformResponse: ({ totalCount }: ClientList) => totalCount,
      // Another administrator may have given it to a client since.
      keepUnusedDataFor: 0,
    }),
    addTag: build.mutation<ClientTag, TagForm>({
      query: (body) => ({ url: path, method: 'POST', body }),
      invalidatesTags: ['Tags'],
    }),
    changeTag: build.mutation<ClientTag, ClientTag>({
      query: ({ id, ...body }) => ({ url: `${path}/${id}`, method: 'PUT', body }),
      invalidatesTags: ['Tags', 'Clients'],
    }),
    deleteTag: build.mutation<void, string>({
      query: (id) => ({ url: `${path}/${id}`, method: 'DELETE' }),
      invalidatesTags: ['Tags', 'Clients'],
    }),
  }),
});

export const { useTagsQuery, useClientsWithTagQuery, useAddTagMutation, useChangeTagMutation, useDeleteTagMutation } =
  tagsApi;
