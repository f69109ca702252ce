import type { CurrentUser, LoginOptions, LoginRequest, LoginResult } from '../../../src/contract/session.js';
import { api } from './base.js';

const sessionApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Null when nobody is signed in: a failed session load is ignored (`spec §4`). */
    session: build.query<CurrentUser | null, void>({
      queryFn: async (_, _api, _extra, call) => {
        const { data } = await call('session');
        return { data: (data as CurrentUser | undefined) ?? null };
      },
      extraOptions: { spared: 'session' },
    }),
    loginOptions: build.query<LoginOptions, { returnUrl: string | null }>({
      query: (params) => ({ url: 'session/login', params }),
      extraOptions: { notice: true },
      keepUnusedDataFor: 0,
    }),
    login: build.mutation<LoginResult, LoginRequest>({
      query: (body) => ({ url: 'session/login', method: 'POST', body }),
    }),
  }),
});

export const { useSessionQuery, useLazySessionQuery, useLoginOptionsQuery, useLoginMutation } = sessionApi;
