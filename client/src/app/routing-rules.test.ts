import { pages, stepPaths } from '../../../src/contract/rules/pages.js';
import { type Ruling, rule, type Situation } from './routing-rules.js';

const origin = 'https://portal.example';
const callback = '/connect/authorize/callback?client_id=app&ix=1';
const withReturn = (to: string, key = 'returnUrl') => `?${key}=${encodeURIComponent(to)}`;
const stay: Ruling = { kind: 'stay' };
const to = (path: string): Ruling => ({ kind: 'redirect', to: path });
const leave = (path: string): Ruling => ({ kind: 'leave', to: path });

const ask = (path: string, situation: Partial<Situation> = {}) =>
  rule({
    path,
    search: '',
    origin,
    userType: null,
    lacks: null,
    hasNews: false,
    adminAccountIsConfigured: true,
    visited: true,
    wasSignedIn: false,
    ...situation,
  });

describe('a user who is not signed in', () => {
  it.each(['/welcome', '/login', '/register', '/account/error', '/error/404', '/nowhere', '/administrator', '/users'])(
    'stays on %s',
    (path) => {
      expect(ask(path)).toEqual(stay);
    },
  );

  it.each(['/', '/admin', '/admin/dashboard', '/admin/nowhere', '/user', '/user/grants'])(
    'sees the welcome page on the first visit to %s',
    (path) => {
      expect(ask(path, { visited: false })).toEqual(to('/welcome'));
      expect(ask(path, { visited: false, adminAccountIsConfigured: false })).toEqual(to('/welcome'));
    },
  );

  it.each(['/', '/admin/dashboard', '/user/grants'])(
    'is redirected from %s to sign-in, or to creating the administrator',
    (path) => {
      expect(ask(path)).toEqual(to('/login'));
      expect(ask(path, { adminAccountIsConfigured: false })).toEqual(to('/register'));
    },
  );

  it.each([
    ['/admin/user-management', ''],
    ['/admin/client-management', '?client=7&page=2'],
    ['/admin/dashboard', '?from=mail'],
    ['/user/account-settings', ''],
  ])('returns to %s%s after signing in, also from the welcome page', (path, search) => {
    const returnUrl = new URLSearchParams({ returnUrl: path + search });
    for (const given of [search, search.slice(1)]) {
      expect(ask(path, { search: given })).toEqual(to(`/login?${returnUrl}`));
    }
    expect(ask(path, { search, adminAccountIsConfigured: false })).toEqual(to(`/register?${returnUrl}`));
    expect(ask(path, { search, visited: false })).toEqual(to(`/welcome?${returnUrl}`));
    const own = path.startsWith('/admin') ? 'Admin' : 'Patient';
    expect(ask('/login', { userType: own, search: `?${returnUrl}` })).toEqual(to(path + search));
  });

  it.each(Object.keys(pages).filter((path) => /^\/(admin|user)\//.test(path) && !stepPaths.includes(path)))(
    'is redirected from %s to the sign-in page, which reports the ended session and leads back',
    (path) => {
      for (const [search, visited] of [
        ['', true],
        ['', false],
        ['?page=2', false],
      ] as const) {
        const isHome = search === '' && ['/admin/dashboard', '/user/grants'].includes(path);
        const query = new URLSearchParams({ ended: 'true', ...(!isHome && { returnUrl: path + search }) });
        expect(ask(path, { search, visited, wasSignedIn: true })).toEqual(to(`/login?${query}`));
      }
      expect(ask(path, { wasSignedIn: true, adminAccountIsConfigured: false })).not.toEqual(to('/login?ended=true'));
    },
  );

  it('sees no message about an ended session on the first page of the portal', () => {
    expect(ask('/', { wasSignedIn: true })).toEqual(to('/login'));
    expect(ask('/login', { wasSignedIn: true })).toEqual(stay);
  });

  it.each(stepPaths)(
    'is redirected from the step %s to the sign-in page, which reports the ended session and leads back',
    (path) => {
      const query = new URLSearchParams({ ended: 'true', returnUrl: callback });
      expect(ask(path, { search: withReturn(callback), visited: false, wasSignedIn: true })).toEqual(
        to(`/login?${query}`),
      );
    },
  );

  it('is not redirected to a return URL', () => {
    expect(ask('/login', { search: withReturn(callback) })).toEqual(stay);
    expect(ask('/user/grants', { search: withReturn(callback) })).toEqual(to('/login'));
  });

  it('keeps the return URL of a pending authorization, and no other parameter', () => {
    const onwards = to(`/login?${new URLSearchParams({ returnUrl: callback })}`);
    for (const visited of [true, false]) {
      for (const path of stepPaths) {
        expect(ask(path, { search: withReturn(callback), visited })).toEqual(onwards);
      }
    }
    expect(ask('/user/consent', { search: withReturn('https://evil.example/') })).toEqual(to('/login'));
    expect(ask('/user/consent')).toEqual(to('/login'));
  });
});

describe('a user whose request waits during another page', () => {
  const aside = ['/user/family/request', '/user/family/requests/7'];

  it.each(aside)('stays on %s, which leads back to it', (path) => {
    for (const userType of ['Patient', 'RelatedPerson'] as const)
      expect(ask(path, { userType, search: withReturn(callback) })).toEqual(stay);
    for (const userType of ['Practitioner', 'Admin'] as const)
      expect(ask(path, { userType, search: withReturn(callback) })).toEqual(leave(callback));
    expect(ask(path, { userType: 'Patient', search: withReturn('/user/grants') })).toEqual(to('/user/grants'));
    expect(ask(path, { userType: 'Patient', search: withReturn('https://evil.example/') })).toEqual(stay);
  });

  it.each(aside)('signs in again from %s, and continues the request', (path) => {
    const query = new URLSearchParams({ ended: 'true', returnUrl: callback });
    expect(ask(path, { search: withReturn(callback), wasSignedIn: true })).toEqual(to(`/login?${query}`));
  });
});

describe('a signed-in user', () => {
  it.each([
    ['Admin', '/admin/dashboard'],
    ['Patient', '/user/grants'],
    ['Practitioner', '/user/grants'],
    ['Incomplete', '/error/404'],
  ] as const)('as %s is redirected to %s from the root and the public pages', (userType, home) => {
    for (const path of ['/', '/login', '/register', '/welcome', '/account/error']) {
      expect(ask(path, { userType })).toEqual(to(home));
    }
  });

  it.each([
    ['Admin', '/admin/dashboard', stay],
    ['Admin', '/admin/nowhere', stay],
    ['Admin', '/user/grants', to('/admin/dashboard')],
    ['Admin', '/user/consent', to('/admin/dashboard')],
    ['Patient', '/user/grants', stay],
    ['Patient', '/admin/dashboard', to('/user/grants')],
    ['Patient', '/admin/nowhere', to('/user/grants')],
    ['Practitioner', '/user/consent', stay],
    ['Patient', '/user/access-log', stay],
    ['Practitioner', '/user/access-log', to('/user/grants')],
    ['Practitioner', '/admin', to('/user/grants')],
    ['Incomplete', '/user/grants', to('/error/404')],
    ['Incomplete', '/admin/dashboard', to('/error/404')],
    ['Incomplete', '/error/404', stay],
  ] as const)('as %s on %s stays in the area of their own type', (userType, path, ruling) => {
    expect(ask(path, { userType })).toEqual(ruling);
  });

  it('as Admin stays on the consent page of a request, which is that of a trial, and on no other step', () => {
    const search = withReturn(callback);
    expect(ask('/user/consent', { userType: 'Admin', search })).toEqual(stay);
    expect(ask('/user/launch-context', { userType: 'Admin', search })).toEqual(to('/admin/dashboard'));
  });

  it.each(['two-factor', 'passkey'] as const)(
    'as Admin whose sign-in lacks %s adds it before the area opens',
    (lacks) => {
      const page = '/admin/stronger-sign-in';
      expect(ask('/admin/dashboard', { userType: 'Admin', lacks })).toEqual(to(page));
      expect(ask('/admin/nowhere', { userType: 'Admin', lacks })).toEqual(to(page));
      const filtered = `${page}?${new URLSearchParams({ returnUrl: '/admin/audit?search=x' })}`;
      expect(ask('/admin/audit', { userType: 'Admin', lacks, search: '?search=x' })).toEqual(to(filtered));
      expect(ask('/login', { userType: 'Admin', lacks })).toEqual(to('/admin/dashboard'));
      const search = withReturn('/admin/audit');
      expect(ask(page, { userType: 'Admin', lacks, search })).toEqual(stay);
      expect(ask(page, { userType: 'Admin', search })).toEqual(to('/admin/audit'));
      expect(ask(page, { userType: 'Admin' })).toEqual(to('/admin/dashboard'));
      expect(ask(page, { userType: 'Patient' })).toEqual(to('/user/grants'));
    },
  );

  it.each(['Admin', 'Patient', 'Incomplete'] as const)(
    'as %s stays on an unknown path and sees the 404 page',
    (userType) => {
      expect(ask('/nowhere', { userType })).toEqual(stay);
    },
  );

  it.each(['returnUrl', 'ReturnUrl'])('continues a pending authorization in %s', (key) => {
    expect(ask('/login', { userType: 'Patient', search: withReturn(callback, key) })).toEqual(leave(callback));
    expect(ask('/user/grants', { userType: 'Patient', search: withReturn(origin + callback, key) })).toEqual(
      leave(callback),
    );
  });

  it('is redirected to a page of this application', () => {
    expect(ask('/login', { userType: 'Patient', search: withReturn('/user/grants') })).toEqual(to('/user/grants'));
  });

  it.each(stepPaths)('finishes the step %s before the return URL is followed', (path) => {
    expect(ask(path, { userType: 'Patient', search: withReturn(callback) })).toEqual(stay);
  });

  it.each([
    'https://evil.example/connect/authorize/callback',
    '//evil.example/connect/authorize/callback',
    '/\\evil.example/connect/authorize/callback',
    'javascript:alert(1)',
    'http://portal.example/connect/authorize/callback',
    'https://portal.example.evil.example/user/grants',
    'https://portal.example@evil.example/user/grants',
    '/connect/authorizeX',
    '/connect/endsession',
    '/logout',
    '/api/grant',
    '/nowhere',
    'https://',
    '',
  ])('is not redirected to %s', (target) => {
    expect(ask('/login', { userType: 'Patient', search: withReturn(target) })).toEqual(to('/user/grants'));
  });

  it('is not redirected in a loop by a return URL that names the page itself', () => {
    const search = withReturn('/login');
    expect(ask('/login', { userType: 'Patient', search })).toEqual(to('/login'));
    expect(ask('/login', { userType: 'Patient' })).toEqual(to('/user/grants'));
  });

  it.each(['Admin', 'Patient', 'Incomplete'] as const)('as %s can open a link from a mail', (userType) => {
    for (const path of ['/account/activate', '/account/keep', '/account/recovery', '/password/reset']) {
      expect(ask(path, { userType, search: '?u=1&t=2' })).toEqual(stay);
      expect(ask(path, { userType, search: '?u=1' })).toMatchObject({ kind: 'redirect' });
    }
    expect(ask('/password/forgot', { userType, search: '?u=1&t=2' })).toMatchObject({ kind: 'redirect' });
  });

  it('who has to be told who acts is told first, and returns to the page from there', () => {
    const patient = { userType: 'Patient', hasNews: true } as const;
    expect(ask('/user/grants', patient)).toEqual(to('/user/family-news'));
    const returnUrl = new URLSearchParams({ returnUrl: '/user/access-log?period=all' });
    expect(ask('/user/access-log', { ...patient, search: '?period=all' })).toEqual(
      to(`/user/family-news?${returnUrl}`),
    );
    expect(ask('/user/family-news', { ...patient, search: `?${returnUrl}` })).toEqual(stay);
    expect(ask('/user/consent', { ...patient, search: withReturn(callback) })).toEqual(stay);
    expect(ask('/nowhere', patient)).toEqual(stay);
  });

  it('sees the sign-in form again when the authorization requires a new sign-in', () => {
    const search = `${withReturn(callback)}&prompt=login`;
    expect(ask('/login', { userType: 'Patient', search })).toEqual(stay);
  });
});
