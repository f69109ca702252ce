import { Agent } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    issuer: 'https://login.hospital.example',
    config: { users: [people.patient], clients: [publicApp] },
  });
});

afterAll(() => portal.close());

describe('The cookies of a portal behind TLS', () => {
  it('E-01 are opaque, for this host, out of reach of scripts, and few', async () => {
    const browser = new Agent(portal.issuer, portal.ports[0]);
    const app = new SmartApp(portal, {}, browser);
    const authorized = await browser.get(`/connect/authorize?${app.query()}`);
    const signed = await app.signIn(people.patient);
    const read = await browser.get('/api/session');
    const lines = [authorized, signed, read].flatMap((answer) => answer.headers['set-cookie'] ?? []);
    const names = new Set<string>();
    for (const line of lines) {
      const [name = ''] = line.split('=');
      names.add(name.replace(/\.sig$/, ''));
      expect(line).toMatch(/; ?secure/i);
      expect(line).toMatch(/; ?httponly/i);
      expect(line).toMatch(/; ?samesite=lax/i);
      expect(line).not.toMatch(/; ?domain=/i);
      if (name.startsWith('__Host-')) expect(line).toMatch(/; ?path=\/(;|$)/i);
      else expect(name).toMatch(/^__Secure-/);
    }
    expect([...names].filter((name) => !/^__Secure-/.test(name)).sort()).toEqual([
      '__Host-gatehouse_browser',
      '__Host-gatehouse_known',
      '__Host-gatehouse_session',
    ]);
    // 128 bits and more of chance, and nothing that means anything.
    expect(browser.cookies.get('__Host-gatehouse_session')).toMatch(/^[\w-]{22,}$/);
    expect(browser.cookies.get('__Host-gatehouse_browser')).toMatch(/^[\w-]{22,}$/);
    expect(authorized.headers['strict-transport-security']).toMatch(/max-age=31536000; includeSubDomains/);
  });
});
