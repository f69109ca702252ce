import { insidePath } from './base-path.js';
import { endedAt, knownReturnUrl } from './return-url.js';

const origin = 'https://hospital.example';
const callback = '/connect/authorize/callback?ix=1';

describe('A return URL of a portal at a path of its host', () => {
  const known = (raw: string) => knownReturnUrl(raw, origin, '/auth');

  it.each([`/auth${callback}`, `${origin}/auth${callback}`])('continues an authorization: %s', (raw) => {
    expect(known(raw)).toEqual({ address: `/auth${callback}`, to: `/auth${callback}`, onServer: true });
  });

  it('leads to a page, which the router knows without the path', () => {
    expect(known('/auth/user/grants?a=b')).toEqual({
      address: '/auth/user/grants?a=b',
      to: '/user/grants?a=b',
      onServer: false,
    });
  });

  it.each([
    callback,
    '/user/grants',
    '/authx/user/grants',
    '/auth/../user/grants',
    '/auth/%2e%2e/user/grants',
    '/auth',
    '//evil.example/auth/user/grants',
    '/\\evil.example/auth/user/grants',
    'https://evil.example/auth/user/grants',
    'javascript:alert(1)',
    '/auth/connect/authorize/external?scheme=hospital',
    '/auth/connect/authorize/external/?scheme=hospital',
  ])('is not followed to an address outside of the portal: %s', (raw) => {
    expect(known(raw)).toBeNull();
  });

  it('is not confused with the path of a page that has the same name', () => {
    expect(knownReturnUrl('/user/grants', origin, '/user')).toBeNull();
    expect(knownReturnUrl('/user/user/grants', origin, '/user')?.to).toBe('/user/grants');
  });
});

describe('The path of an address within the portal', () => {
  it.each([
    ['/auth', '/'],
    ['/auth/', '/'],
    ['/auth/login', '/login'],
    ['/authx', null],
    ['/login', null],
  ])('of %s is %s', (path, inside) => {
    expect(insidePath(path, '/auth')).toBe(inside);
  });
});

describe('The request behind an error page that the server answers with', () => {
  const app = { client_id: 'heart', redirect_uri: 'https://heart.example/callback' };
  const request = `?${new URLSearchParams(app)}`;
  const shown = (address: string | null) => Object.fromEntries(new URLSearchParams(address?.split('?')[1]));

  it('is the one that could not be gone on with', () => {
    const search = `?${new URLSearchParams({ app: app.client_id, at: app.redirect_uri })}`;
    for (const error of ['400', '429']) {
      const address = endedAt({ pathname: '/connect/authorize/request-1', search }, error);
      expect(shown(address)).toEqual({ ...app, ix: 'request-1' });
    }
  });

  it('is the one that could not begin yet, and none that was refused', () => {
    expect(shown(endedAt({ pathname: '/connect/authorize', search: request }, '429'))).toMatchObject(app);
    expect(endedAt({ pathname: '/connect/authorize', search: request }, '400')).toBeNull();
    expect(endedAt({ pathname: '/connect/authorize', search: '?client_id=heart' }, '429')).toBeNull();
    expect(endedAt({ pathname: '/login', search: request }, '429')).toBeNull();
  });
});
