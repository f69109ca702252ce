import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

describe.each([
  ['https://login.hospital.example', '__Host-', '/'],
  ['https://hospital.example/auth', '__Secure-', '/auth'],
])('The cookies of a portal behind TLS at %s', (issuer, prefix, path) => {
  let portal: TestPortal;

  beforeAll(async () => {
    portal = await startPortal({ issuer, config: { users: [people.patient], clients: [publicApp] } });
  });

  afterAll(() => portal.close());

  it('E-01 are opaque, limited to this host, HttpOnly, and few', async () => {
    const browser = new Agent(portal.issuer, portal.ports[0]);
    const app = new SmartApp(portal, {}, browser);
    const authorized = await browser.get(`/connect/authorize?${app.query()}`);
    const signed = await app.signIn(people.patient);
    const read = await browser.get('/api/session');
    const own = prefix + (path === '/' ? 'gatehouse' : `gatehouse${path.replace(/\W/g, '_')}`);
    const lines = [authorized, signed, read].flatMap((answer) => answer.headers['set-cookie'] ?? []);
    const names = new Set<string>();
    for (const line of lines) {
      const [name = ''] = line.split('=');
      names.add(name.replace(/\.sig$/, ''));
      expect(line).toMatch(/; ?secure/i);
      expect(line).toMatch(/; ?httponly/i);
      expect(line).toMatch(/; ?samesite=lax/i);
      expect(line).not.toMatch(/; ?domain=/i);
      expect(name).toMatch(/^__(Host|Secure)-/);
      const [, of = ''] = /; ?path=([^;]+)/i.exec(line) ?? [];
      if (name.startsWith('__Host-')) expect(of).toBe('/');
      else expect(`${of}/`.startsWith(path)).toBe(true);
      if (/_(browser|known|session)(\.sig)?$/.test(name)) expect([name, of]).toEqual([name, path]);
    }
    expect([...names].filter((name) => !/_(interaction|resume)$/.test(name)).sort()).toEqual([
      `${own}_browser`,
      `${own}_known`,
      `${own}_session`,
    ]);
    // At least 128 random bits, and nothing else.
    for (const name of ['session', 'browser']) {
      const [, value = ''] =
        lines
          .map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? [])
          .filter(([, of]) => of === `${own}_${name}`)
          .at(-1)
          ?.slice(1) ?? [];
      expect(value).toMatch(/^[\w-]{22,}$/);
    }
    expect(authorized.headers['strict-transport-security']).toMatch(/max-age=31536000; includeSubDomains/);
  });
});
