import type { BulkProgress, UserBulkRequest } from '../../../../src/contract/clients/bulk.js';
import type {
  ChangeUserRequest,
  CopiedInvitation,
  CreateInitialAdminRequest,
  CreateUserRequest,
  UserActivity,
  UserList,
  UserListQuery,
  UserView,
} from '../../../../src/contract/users/users.js';
import { api } from '../base.js';

const path = (id: string) => `admin/user/${encodeURIComponent(id)}`;

const usersApi = api.injectEndpoints({
  endpoints: (build) => ({
    createInitialAdmin: build.mutation<void, CreateInitialAdminRequest>({
      query: (body) => ({ url: 'admin/adminmanagement/create-initial', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error && error.status !== 403 ? [] : ['Settings']),
    }),
    users: build.query<UserList, Partial<UserListQuery>>({
      query: (params) => ({ url: 'admin/user', params }),
      extraOptions: { notice: true },
      providesTags: ['Users'],
    }),
    user: build.query<UserView, string>({
      query: path,
      // Another administrator may have changed it since it was last read.
      keepUnusedDataFor: 0,
      providesTags: ['Users'],
    }),
    userActivity: build.query<UserActivity, string>({
      query: (id) => `${path(id)}/activity`,
      keepUnusedDataFor: 0,
    }),
    /** Takes back the access of one app to this user's data. */
    takeBackAccess: build.mutation<void, { id: string; clientId: string }>({
      query: ({ id, clientId }) => ({ url: `${path(id)}/app`, method: 'DELETE', params: { clientId } }),
    }),
    addUser: build.mutation<UserView, CreateUserRequest>({
      query: (body) => ({ url: 'admin/user', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Users']),
    }),
    changeUser: build.mutation<UserView, { id: string } & ChangeUserRequest>({
      query: ({ id, ...body }) => ({ url: path(id), method: 'PUT', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Users']),
    }),
    deleteUser: build.mutation<void, string>({
      query: (id) => ({ url: path(id), method: 'DELETE' }),
    }),
    /** Repeated with the same id until all are done. */
    inviteUsers: build.mutation<BulkProgress, { id: string } & UserBulkRequest>({
      query: ({ id, ...body }) => ({ url: `admin/user/bulk/${id}`, method: 'PUT', body }),
    }),
    inviteAgain: build.mutation<void, string>({
      query: (id) => ({ url: `${path(id)}/resend-confirmation`, method: 'POST' }),
    }),
    copyInvitation: build.mutation<CopiedInvitation, string>({
      query: (id) => ({ url: `${path(id)}/invitation-link`, method: 'POST' }),
    }),
  }),
});

export const {
  useCreateInitialAdminMutation,
  useUsersQuery,
  useUserQuery,
  useLazyUserQuery,
  useUserActivityQuery,
  useTakeBackAccessMutation,
  useAddUserMutation,
  useChangeUserMutation,
  useDeleteUserMutation,
  useInviteAgainMutation,
  useCopyInvitationMutation,
  useInviteUsersMutation,
} = usersApi;
