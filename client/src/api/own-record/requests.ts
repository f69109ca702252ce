import type { AskChangeRequest } from '../../../../src/contract/requests/changes.js';
import type {
  AskAccountingRequest,
  AskRequest,
  OwnRequest,
  OwnRequestList,
  RequestFileView,
} from '../../../../src/contract/requests.js';
import { fileBodyType } from '../../../../src/contract/rules/request-files.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { api } from '../base.js';

const requestsApi = api.injectEndpoints({
  endpoints: (build) => ({
    ownRequests: build.query<OwnRequestList, void>({ query: () => 'requests', providesTags: ['Requests'] }),
    ownRequest: build.query<OwnRequest, string>({
      query: (id) => `requests/${encodeURIComponent(id)}`,
      providesTags: ['Requests'],
    }),
    ask: build.mutation<OwnRequest, AskRequest>({
      query: (body) => ({ url: 'requests', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Requests']),
    }),
    askAccounting: build.mutation<OwnRequest, AskAccountingRequest>({
      query: (body) => ({ url: 'requests/accounting', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Requests']),
    }),
    askChange: build.mutation<OwnRequest, AskChangeRequest>({
      query: (body) => ({ url: 'requests/change', method: 'POST', body }),
      invalidatesTags: (_result, error) => (error ? [] : ['Requests']),
    }),
    addFiles: build.mutation<OwnRequest, { id: string; files: string[] }>({
      query: ({ id, files }) => ({ url: `requests/${id}/files`, method: 'POST', body: { files } }),
      invalidatesTags: ['Requests'],
    }),
    takeBack: build.mutation<void, string>({
      query: (id) => ({ url: `requests/${id}`, method: 'DELETE' }),
      invalidatesTags: ['Requests'],
    }),
    discardFile: build.mutation<void, string>({ query: (id) => ({ url: `requests/files/${id}`, method: 'DELETE' }) }),
  }),
});

export const {
  useAddFilesMutation,
  useAskAccountingMutation,
  useAskChangeMutation,
  useAskMutation,
  useDiscardFileMutation,
  useOwnRequestQuery,
  useOwnRequestsQuery,
  useTakeBackMutation,
} = requestsApi;

/** The result for a file that was sent; an error is one of a call. */
type SentFile = { file: RequestFileView } | { error: { status?: number; data: unknown } };

/**
 * Sends a file and tells how much of it has arrived, from 0 to 1. `fetch` cannot tell it. The answer to a call that
 * never arrived has no status.
 */
export function sendFile(file: File, label: string, onProgress: (part: number) => void): Promise<SentFile> {
  return new Promise((resolve) => {
    const call = new XMLHttpRequest();
    const query = new URLSearchParams({ name: file.name.slice(0, 200), label });
    call.open('POST', portalPath(`/api/requests/files?${query}`));
    call.setRequestHeader('Content-Type', fileBodyType);
    call.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    call.onload = () => {
      const body = parsed(call.responseText);
      resolve(call.status === 201 ? { file: body as RequestFileView } : { error: { status: call.status, data: body } });
    };
    call.onerror = () => resolve({ error: { data: undefined } });
    call.send(file);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
