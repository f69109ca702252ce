import { basicAuthorization, type SmartApp } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { retryWhileUnavailable } from '../../support/database/connection-cuts.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const quietApps = clientKinds.map((kind) => kind.client('quiet'));

let portal: TestPortal;
let proxy: DatabaseProxy;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.patient, people.otherPatient], clients: [...quietApps, backendService] },
    reachDatabase(database) {
      proxy = new DatabaseProxy(database);
      return proxy.open();
    },
  });
});

afterAll(async () => {
  await portal.close();
  await proxy.shut();
});

const agentOf = (node = 0) => new Agent(portal.issuer, portal.ports[node]);
const service = (node = 0) =>
  agentOf(node).postForm(
    '/connect/token',
    { grant_type: 'client_credentials', scope: 'system/*.rs' },
    { headers: basicAuthorization(backendService.clientId, sharedSecret) },
  );

async function timed(request: Promise<Answer>): Promise<Answer> {
  const started = performance.now();
  const answer = await request;
  expect(performance.now() - started).toBeLessThan(2000);
  return answer;
}

describe('R-04 During an outage of the database', () => {
  it('every request that needs it is answered 503 at once, and works again soon afterwards', async () => {
    const patient = agentOf();
    const apps: { kind: ClientKind; app: SmartApp; token: string }[] = [];
    for (const kind of clientKinds) {
      const app = kind.app(portal, kind.client('quiet'), {}, patient);
      apps.push({ kind, app, token: (await app.tokens(people.patient)).refresh_token ?? '' });
    }
    const [{ app }] = apps as [(typeof apps)[0]];
    await proxy.shut();
    const browser = agentOf();
    const { email: username, password } = people.patient;
    for (const { kind, app: one, token } of apps) {
      for (const answer of [
        await timed(one.refresh(token)),
        await timed(one.exchange('some-code')),
        await timed(kind.post(agentOf(), '/connect/introspect', kind.client('quiet'), { token: 'x' })),
      ]) {
        expect([kind.name, answer.status, answer.json().error]).toEqual([kind.name, 503, 'temporarily_unavailable']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        expect(answer.headers['cache-control']).toContain('no-store');
      }
    }
    for (const answer of [
      await timed(browser.post('/api/session/login', { username, password })),
      await timed(app.browser.get('/api/session')),
    ]) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Object.keys(answer.json()).sort()).toEqual(['codes', 'errors', 'message', 'statusMessage', 'title']);
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
    // Requests that need no database are answered.
    expect((await browser.get('/.well-known/openid-configuration')).status).toBe(200);
    await proxy.open();
    await until(async () => (await service()).status === 200 && (await service(1)).status === 200);
    // Nothing was lost: an unanswered refresh can be repeated.
    for (const { kind, app: one, token } of apps) {
      expect([kind.name, (await one.refresh(token)).status]).toEqual([kind.name, 200]);
    }
  });

  it('R-05 no user loses a grant and no node stops, also with repeated outages under load', async () => {
    const apps = await Promise.all(
      clientKinds.map(async (kind, index) => {
        const app = kind.app(portal, kind.client('quiet'));
        const person = index % 2 ? people.otherPatient : people.patient;
        return { kind, app, token: (await app.tokens(person)).refresh_token ?? '' };
      }),
    );
    let going = true;
    let refreshed = 0;
    const load = apps.map(async (one) => {
      for (let turn = 0; going; turn += 1) {
        const answer = await one.app.refresh(one.token, {}, agentOf(turn % 2));
        if (answer.status !== 200) {
          expect([one.kind.name, answer.status]).toEqual([one.kind.name, 503]);
          continue;
        }
        one.token = answer.json<{ refresh_token: string }>().refresh_token;
        refreshed += 1;
      }
    });
    for (let round = 0; round < 15; round += 1) {
      proxy.breakAll();
      const before = refreshed;
      await new Promise((resolve) => setTimeout(resolve, 80));
      // The next outage begins while requests run, also on a slow machine.
      await until(() => refreshed > before);
    }
    going = false;
    await Promise.all(load);
    for (const { kind, app, token } of apps) {
      const answer = await retryWhileUnavailable(() => app.refresh(token));
      expect([kind.name, answer.status]).toEqual([kind.name, 200]);
    }
  });
});
