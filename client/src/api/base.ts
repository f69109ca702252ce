import {
  type BaseQueryFn,
  createApi,
  type FetchArgs,
  type FetchBaseQueryError,
  type FetchBaseQueryMeta,
  fetchBaseQuery,
} from '@reduxjs/toolkit/query/react';
import type { ProblemBody } from '../../../src/contract/problem.js';
import { portalPath } from '../shared/addresses/base-path.js';
import { keepReference } from '../shared/browser/kept-reference.js';
import { keepDrafts, leaveUnasked } from '../shared/drafts/drafts.js';
import { i18n, t } from '../shared/i18n/i18n.js';
import { type CallRules, queryString, reactionTo } from './failures/call-rules.js';
import { isWaitedFor, lostSession } from './failures/lost-session.js';

/** Effects of a failed call on the application around it; given to the store as its thunks' extra argument. */
export interface Effects {
  location(): { path: string; search: string };
  /** Resolves once the page that made the call is gone. */
  navigate(to: string): Promise<void>;
  /** Navigates with a new document, so that no cached state is left. */
  leaveTo(to: string): void;
  notice(): void;
}

type BaseQuery = BaseQueryFn<string | FetchArgs, unknown, FetchBaseQueryError, CallRules, FetchBaseQueryMeta>;

const fetched = fetchBaseQuery({
  baseUrl: portalPath('/api'),
  credentials: 'same-origin',
  paramsSerializer: queryString,
  // Mails that a call causes are in the language of the page, which the app may have chosen. Reads are preloaded
  // without it.
  prepareHeaders: (headers, { type }) => {
    if (type === 'mutation') headers.set('Accept-Language', i18n.language);
  },
});

/** The answer, which tells of a limit how long to wait. */
const call: BaseQuery = async (request, queryApi, options) => {
  const answer = await fetched(request, queryApi, options as object);
  const { meta } = answer;
  keepReferenceFrom(request, meta?.response);
  const retryAfterSeconds = Number(meta?.response?.headers.get('Retry-After'));
  if (answer.error?.status !== 429 || !retryAfterSeconds) return answer;
  return { error: { ...answer.error, data: { ...(answer.error.data as object), retryAfterSeconds } } };
};

/**
 * The answer to a call about an app's request names its launch; that about an ended one may name another that waits.
 */
function keepReferenceFrom(request: string | FetchArgs, answer: Response | undefined): void {
  const reference = answer?.headers.get('X-Launch-Reference');
  if (!reference || typeof request === 'string' || request.url === 'authorization/ended') return;
  keepReference(reference, request.params?.returnUrl ?? request.body?.returnUrl);
}

/** One trip to the sign-in page is all that a refusal (403) of a living session may cause: it leads home again. */
let refusedBefore = false;

const withGlobalRules: BaseQuery = async (request, queryApi, rules = {}) => {
  const answer = await call(request, queryApi, {});
  if (!answer.error || queryApi.signal.aborted || (queryApi.forced && rules.quietAgain)) return answer;

  const effects = queryApi.extra as Effects;
  const { status, data } = answer.error;
  const code = (data as Partial<ProblemBody> | undefined)?.codes?.[0]?.code;
  const reaction = reactionTo({ status, code, ...effects.location() }, rules);
  if (reaction.kind === 'session') queryApi.dispatch(api.util.invalidateTags(['Session']));
  if (reaction.kind === 'notice') effects.notice();
  if (reaction.kind !== 'go') return answer;

  if (reaction.signedOut && isWaitedFor()) {
    await lostSession.waitUntilBack();
    if (queryApi.signal.aborted) return answer;
    // A mutation is not repeated: minutes may have passed, so the user sends it again.
    return queryApi.type === 'query' ? withGlobalRules(request, queryApi, rules) : { error: notSaved() };
  }
  if (answer.error.status === 403) {
    if (refusedBefore) {
      effects.notice();
      return answer;
    }
    refusedBefore = true;
    // Another user with another home may have signed in in another tab: the cached data belong to the previous one.
    queryApi.dispatch(api.util.resetApiState());
  }
  if (reaction.signedOut) {
    effects.leaveTo(reaction.to);
    // The caller shows nothing: the document ends here, and the sign-in page gives the reason.
    return new Promise(() => {});
  }
  keepDrafts();
  await leaveUnasked(() => effects.navigate(reaction.to));
  return answer;
};

const notSaved = (): FetchBaseQueryError => ({
  status: 401,
  data: { errors: [{ messages: [t('lostSession.notSaved')] }] },
});

/** The one API object; endpoints are injected per topic. A tag is what a change elsewhere makes stale. */
export const api = createApi({
  reducerPath: 'api',
  baseQuery: withGlobalRules,
  tagTypes: [
    'Settings',
    'Session',
    'Sessions',
    'Passkeys',
    'Grants',
    'Family',
    'Requests',
    'Users',
    'Tags',
    'Clients',
    'ServerStatus',
    'FirstSteps',
  ],
  endpoints: () => ({}),
});
