import { type CallRules, queryString, type Reaction, reactionTo } from './call-rules.js';

const none: Reaction = { kind: 'none' };
const notice: Reaction = { kind: 'notice' };
const go = (to: string, signedOut = false): Reaction => ({ kind: 'go', to, signedOut });

describe('a failed call', () => {
  it.each([
    [500, '/login', {}, go('/error/500')],
    [500, '/user/grants', { notice: true }, go('/error/500')],
    [500, '/admin/dashboard', { spared: 'session' }, none],
    [500, '/admin/dashboard', { spared: 'status' }, none],
    [401, '/admin/dashboard', {}, go('/login?ended=true', true)],
    [401, '/admin/dashboard', { spared: 'status' }, go('/login?ended=true', true)],
    [401, '/admin/dashboard', { spared: 'session' }, none],
    [403, '/user/grants', { notice: true }, go('/login')],
    [401, '/login', {}, none],
    [403, '/register', {}, none],
    [403, '/users', {}, none],
    [404, '/user/grants', { notice: true }, notice],
    [404, '/user/grants', {}, none],
    [503, '/admin/dashboard', { spared: 'status' }, none],
    ['FETCH_ERROR', '/user/grants', { notice: true }, notice],
    ['FETCH_ERROR', '/user/grants', {}, none],
  ] as [number | 'FETCH_ERROR', string, CallRules, Reaction][])(
    'with status %s on %s while on page %p',
    (status, path, rules, reaction) => {
      expect(reactionTo({ status, path, search: '' }, rules)).toEqual(reaction);
    },
  );

  it('leave an administrator where they are who may not decide about their own case', () => {
    const call = { status: 403, path: '/admin/user-management', search: '', code: 'representation-own-case' };
    expect(reactionTo(call, {})).toEqual({ kind: 'none' });
  });

  it.each(['admin-needs-two-factor', 'admin-needs-passkey', 'admin-use-factor-first'])(
    'with 403 and %s reads the session again, which leads to the stronger sign-in',
    (code) => {
      const call = { status: 403 as const, path: '/admin/account-settings', search: '' };
      expect(reactionTo({ ...call, code }, {})).toEqual({ kind: 'session' });
      expect(reactionTo({ ...call, code: 'access-forbidden' }, {})).toEqual(go('/login'));
    },
  );

  it('with 401 leads back to its page after signing in', () => {
    const call = { status: 401 as const, path: '/admin/user-management', search: '?user=7' };
    const returnUrl = new URLSearchParams({ ended: 'true', returnUrl: '/admin/user-management?user=7' });
    expect(reactionTo(call, {})).toEqual(go(`/login?${returnUrl}`, true));
    expect(reactionTo({ ...call, status: 403 }, {})).toEqual(go('/login'));
    expect(reactionTo({ ...call, path: '/admin/nowhere' }, {})).toEqual(go('/login?ended=true', true));
  });

  it('passes the return URL of a flow on to the sign-in page only when the session has ended', () => {
    const search = '?returnUrl=%2Fconnect%2Fauthorize%2Fcallback%3Fix%3D1';
    const to = `/login?ended=true&${search.slice(1)}`;
    expect(reactionTo({ status: 401, path: '/user/consent', search }, {})).toEqual(go(to, true));
    expect(reactionTo({ status: 403, path: '/user/consent', search }, {})).toEqual(go('/login'));
  });
});

describe('a query string', () => {
  it('repeats the key for each item of a list', () => {
    expect(queryString({ tags: ['a', 'b'], page: 1, search: '', none: null, grantTypes: [] })).toBe(
      'tags=a&tags=b&page=1',
    );
  });
});
