import type { CurrentUser, LoginOptions, LoginRequest, LoginResult, TimeLeft } from '../../../src/contract/session.js';
import { api } from './base.js';

const sessionApi = api.injectEndpoints({
  endpoints: (build) => ({
    /**
     * Null when nobody is signed in: a failed session load is ignored (`spec §4`). One that fails later for another reason
     * than that nobody is signed in any more tells nothing new.
     */
    session: build.query<CurrentUser | null, void>({
      queryFn: async (_, queryApi, _extra, call): Promise<{ data: CurrentUser | null }> => {
        const { data, error } = await call('session');
        if (data) return { data: data as CurrentUser };
        const last = sessionApi.endpoints.session.select()(queryApi.getState() as never).data;
        return { data: error?.status === 401 ? null : (last ?? null) };
      },
      extraOptions: { spared: 'session' },
      providesTags: ['Session'],
    }),
    /** Asking does not count as using the session. */
    timeLeft: build.query<TimeLeft, void>({
      query: () => 'session/time-left',
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

export const { useSessionQuery, useLazySessionQuery, useTimeLeftQuery, useLoginOptionsQuery, useLoginMutation } =
  sessionApi;
