import type {
  DeleteAccountRequest,
  DeletionFacts,
  DeletionResult,
  Download,
  DownloadRequest,
  PendingDeletion,
} from '../../../../src/contract/own-record/own-data.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { api } from '../base.js';

const ownDataApi = api.injectEndpoints({
  endpoints: (build) => ({
    requestDownload: build.mutation<Download, DownloadRequest>({
      query: (body) => ({ url: 'user/data', method: 'POST', body }),
    }),
    deletionFacts: build.query<DeletionFacts, void>({
      query: () => 'user/deletion',
      keepUnusedDataFor: 0,
    }),
    deleteAccount: build.mutation<DeletionResult, DeleteAccountRequest>({
      query: (body) => ({ url: 'user/deletion', method: 'POST', body }),
    }),
    pendingDeletion: build.query<PendingDeletion, MailedLink>({
      query: ({ userId, token }) => ({
        url: `user/${encodeURIComponent(userId)}/deletion`,
        method: 'POST',
        body: { token },
      }),
      keepUnusedDataFor: 0,
    }),
    keepAccount: build.mutation<void, MailedLink>({
      query: ({ userId, token }) => ({
        url: `user/${encodeURIComponent(userId)}/deletion/withdraw`,
        method: 'POST',
        body: { token },
      }),
    }),
  }),
});

export const {
  useRequestDownloadMutation,
  useDeletionFactsQuery,
  useDeleteAccountMutation,
  usePendingDeletionQuery,
  useKeepAccountMutation,
} = ownDataApi;
