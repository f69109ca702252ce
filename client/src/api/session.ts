import type { CurrentUser, LoginOptions, LoginRequest, LoginResult, TimeLeft } from '../../../src/contract/session.js';
import { tellSessionChanged } from '../shared/browser/session-news.js';
import { belongTo, hasChangedForm, unloadUnasked } from '../shared/drafts/drafts.js';
import { api, type Effects } from './base.js';
import { isWaitedFor, lostSession } from './failures/lost-session.js';

const sessionApi = api.injectEndpoints({
  endpoints: (build) => ({
    /**
     * Null without a signed-in user: a failed session load is ignored (`spec §4`). A later failure for another reason
     * than a lost session does not change the state.
     */
    session: build.query<CurrentUser | null, void>({
      queryFn: async (_, queryApi, _extra, call): Promise<{ data: CurrentUser | null }> => {
        const { data, error } = await call('session');
        const user = data as CurrentUser | undefined;
        const last = sessionApi.endpoints.session.select()(queryApi.getState() as never).data;
        if (user) {
          // Another person has signed in meanwhile: what was typed in this page is not theirs to see.
          if (last && last.id !== user.id && hasChangedForm()) {
            unloadUnasked(() => (queryApi.extra as Effects).leaveTo('/'));
          }
          if (belongTo(user.id)) tellSessionChanged();
          return { data: user };
        }
        // A page with unsaved changes stays, and the user is asked to sign in again.
        const stays = last && error?.status === 401 && isWaitedFor();
        if (stays) void lostSession.waitUntilBack();
        else if (error?.status === 401) tellSessionChanged();
        return { data: error?.status === 401 && !stays ? null : (last ?? null) };
      },
      extraOptions: { spared: 'session' },
      providesTags: ['Session'],
    }),
    /** Sets the user who has just signed in; replaces any previous one. */
    signedIn: build.query<CurrentUser, void>({
      query: () => 'session',
      extraOptions: { spared: 'session' },
      keepUnusedDataFor: 0,
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

export const {
  useSessionQuery,
  useLazySessionQuery,
  useLazySignedInQuery,
  useTimeLeftQuery,
  useLoginOptionsQuery,
  useLoginMutation,
} = sessionApi;
