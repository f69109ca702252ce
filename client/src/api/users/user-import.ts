import type { ImportCheck, ImportProgress } from '../../../../src/contract/users/user-import.js';
import { api } from '../base.js';

const path = (id: string) => `admin/user/import/${encodeURIComponent(id)}`;

const userImportApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Changes nothing. */
    checkImport: build.mutation<ImportCheck, string>({
      query: (csv) => ({ url: 'admin/user/import', method: 'POST', body: { csv } }),
    }),
    /** With the same id as often as wanted. */
    beginImport: build.mutation<ImportProgress, { id: string; csv: string }>({
      query: ({ id, csv }) => ({ url: path(id), method: 'PUT', body: { csv } }),
    }),
    /** Users that it has created stay. */
    stopImport: build.mutation<ImportProgress, string>({
      query: (id) => ({ url: `${path(id)}/stop`, method: 'POST' }),
      async onQueryStarted(id, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer) dispatch(userImportApi.util.upsertQueryData('importProgress', id, answer.data));
      },
    }),
    undoImport: build.mutation<ImportProgress, string>({
      query: (id) => ({ url: `${path(id)}/undo`, method: 'POST' }),
      async onQueryStarted(id, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined);
        if (answer) dispatch(userImportApi.util.upsertQueryData('importProgress', id, answer.data));
      },
    }),
    importProgress: build.query<ImportProgress, string>({
      query: path,
      extraOptions: { quietAgain: true },
      keepUnusedDataFor: 0,
    }),
  }),
});

export const {
  useCheckImportMutation,
  useBeginImportMutation,
  useImportProgressQuery,
  useStopImportMutation,
  useUndoImportMutation,
} = userImportApi;
