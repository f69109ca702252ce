/** Requests that anyone can send fill no table, and hide no launch. */
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { allWritten, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { server: { trustedProxies: ['127.0.0.1'] }, clients: [publicApp], limits: { startsPerMinute: 100_000 } },
  });
});
afterAll(() => portal.close());
beforeEach(() => portal.query('DELETE FROM launch'));

type Send = (agent: Agent, id: string, headers: Record<string, string>) => Promise<Answer>;
const requests: Record<string, Send> = {
  'to the token endpoint with an unknown client': (agent, id, headers) =>
    agent.postForm(
      '/connect/token',
      { grant_type: 'client_credentials', client_id: id, client_secret: 'x' },
      { headers },
    ),
  'to the token endpoint with an unknown code': (agent, id, headers) =>
    agent.postForm('/connect/token', { grant_type: 'authorization_code', client_id: id, code: id }, { headers }),
  'to the authorization endpoint': (agent, id, headers) =>
    agent.get(`/connect/authorize?client_id=${id}&response_type=code`, { headers }),
  'to the authorization endpoint by POST': (agent, id, headers) =>
    agent.postForm('/connect/authorize', { client_id: id, grant_type: 'refresh_token' }, { headers }),
  'that are pushed': (agent, id, headers) =>
    agent.postForm('/connect/par', { client_id: id, response_type: 'code' }, { headers }),
  'for introspection': (agent, id, headers) =>
    agent.postForm('/connect/introspect', { client_id: id, client_secret: 'x', token: id }, { headers }),
  'for a revocation': (agent, id, headers) =>
    agent.postForm('/connect/revocation', { client_id: id, client_secret: 'x', token: id }, { headers }),
  'to the gateway': (agent, id, headers) =>
    agent.get('/fhir/Patient/1', { headers: { ...headers, authorization: `Bearer ${id}` } }),
};

describe.each(Object.entries(requests))('Requests %s', (name, send) => {
  const from = `203.0.113.${Object.keys(requests).indexOf(name) + 1}`;

  it('of one address have few records, and a launch meanwhile has its own', async () => {
    const headers = { 'x-forwarded-for': from };
    const agent = new Agent(portal.issuer);
    for (let sent = 0; sent < 150; sent += 1) {
      expect((await send(agent, `stranger-${from}-${sent}`, headers)).status).toBeLessThan(500);
    }
    const launch = await new SmartApp(portal, { client: publicApp }).authorize();
    await allWritten(portal);
    expect(await launchOf(portal, launch)).toMatchObject({ client_id: publicApp.clientId, outcome: 'open' });
    expect((await portal.query('SELECT FROM launch')).length).toBeLessThan(50);
  });
});
