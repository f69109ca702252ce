import { Agent, type Answer } from '../support/agent.js';
import { backendService, publicApp, sharedSecret } from '../support/clients.js';
import { DatabaseDoor } from '../support/database-proxy.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { basic, SmartApp } from '../support/smart-app.js';
import { until } from '../support/until.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };

let portal: TestPortal;
let door: DatabaseDoor;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.patient, people.otherPatient], clients: [quietApp, backendService] },
    reachDatabase(database) {
      door = new DatabaseDoor(database);
      return door.open();
    },
  });
});

afterAll(async () => {
  await portal.close();
  await door.shut();
});

const agentOf = (node = 0) => new Agent(portal.issuer, portal.ports[node]);
const service = (node = 0) =>
  agentOf(node).postForm(
    '/connect/token',
    { grant_type: 'client_credentials', scope: 'system/*.rs' },
    { headers: basic(backendService.clientId, sharedSecret) },
  );

async function timed(request: Promise<Answer>): Promise<Answer> {
  const started = performance.now();
  const answer = await request;
  expect(performance.now() - started).toBeLessThan(2000);
  return answer;
}

describe('R-04 While the database is away', () => {
  it('everything that needs it says so at once, and works again soon after it is back', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    const tokens = await app.tokens(people.patient);
    await door.shut();
    const browser = agentOf();
    const { email: username, password } = people.patient;
    for (const answer of [
      await timed(app.refresh(tokens.refresh_token ?? '')),
      await timed(app.exchange('some-code')),
      await timed(
        agentOf().postForm('/connect/introspect', { token: 'x' }, { headers: basic('backend-service', sharedSecret) }),
      ),
    ]) {
      expect([answer.status, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers['cache-control']).toContain('no-store');
    }
    for (const answer of [
      await timed(browser.post('/api/session/login', { username, password })),
      await timed(app.browser.get('/api/session')),
    ]) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Object.keys(answer.json()).sort()).toEqual(['errors', 'message', 'statusMessage', 'title']);
    }
    const authorized = await timed(app.authorize());
    expect([authorized.status, authorized.location]).toEqual([503, undefined]);
    const page = await timed(app.browser.get(app.authorizationPath, { headers: { accept: 'text/html,*/*;q=0.8' } }));
    expect([page.status, page.headers['retry-after'], page.headers['content-type']]).toEqual([
      503,
      '2',
      'text/html; charset=utf-8',
    ]);
    expect(page.text).toContain('<meta name="gatehouse-error" content="500">');
    expect((await timed(browser.get('/health/live'))).status).toBe(200);
    expect((await timed(browser.get('/health/ready'))).status).toBe(503);
    // What needs no database goes on.
    expect((await browser.get('/.well-known/openid-configuration')).status).toBe(200);
    await door.open();
    await until(async () => (await service()).status === 200 && (await service(1)).status === 200);
    // Nothing was lost: the refresh that was not answered can be repeated.
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(200);
  });

  it('R-05 nobody loses a grant and no node stops, however often it comes and goes under load', async () => {
    const apps = await Promise.all(
      [people.patient, people.otherPatient].map(async (person) => {
        const app = new SmartApp(portal, { client: quietApp });
        return { app, token: (await app.tokens(person)).refresh_token ?? '' };
      }),
    );
    let going = true;
    let refreshed = 0;
    const load = apps.map(async (one) => {
      for (let turn = 0; going; turn += 1) {
        const answer = await one.app.refresh(one.token, {}, agentOf(turn % 2));
        if (answer.status !== 200) {
          expect(answer.status).toBe(503);
          continue;
        }
        one.token = answer.json<{ refresh_token: string }>().refresh_token;
        refreshed += 1;
      }
    });
    for (let round = 0; round < 15; round += 1) {
      door.breakAll();
      const before = refreshed;
      await new Promise((resolve) => setTimeout(resolve, 80));
      // However slow it is here: each outage ends, and the next one meets requests under way.
      await until(() => refreshed > before);
    }
    going = false;
    await Promise.all(load);
    for (const { app, token } of apps) {
      await until(async () => (await app.refresh(token)).status === 200);
    }
  });
});
