import type { CreateInitialAdminRequest } from '../../../src/contract/users.js';
import { api } from './base.js';

const usersApi = api.injectEndpoints({
  endpoints: (build) => ({
    createInitialAdmin: build.mutation<void, CreateInitialAdminRequest>({
      query: (body) => ({ url: 'admin/adminmanagement/create-initial', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error && error.status !== 403 ? [] : ['Settings']),
    }),
  }),
});

export const { useCreateInitialAdminMutation } = usersApi;
