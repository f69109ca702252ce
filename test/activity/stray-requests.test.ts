/** Requests that anyone can send fill no table, and hide no launch. */
import { randomUUID } from 'node:crypto';
import { ActivityLog } from '../../src/activity/application/activity-log.js';
import { newLaunchId } from '../../src/platform/activity/launch-notes.js';
import { StrayRecords } from '../../src/platform/activity/stray-records.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { requestContext } from '../../src/platform/request/scope.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { useBusyMachine } from '../support/busy-machine.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { allWritten, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let portal: TestPortal;
const language = () => {
  throw new Error('not asked for');
};

useBusyMachine();
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
  'of an EHR': (agent, id, headers) =>
    agent.postForm(
      '/connect/launchContext',
      { patient: id, client_id: id },
      { headers: { ...headers, ...basicAuthorization(id, id) } },
    ),
  'for a registration': (agent, id, headers) =>
    agent.send('/connect/register', { method: 'POST', body: { client_name: id }, headers }),
  'to the gateway': (agent, id, headers) =>
    agent.get('/fhir/Patient/1', { headers: { ...headers, authorization: `Bearer ${id}` } }),
};

describe.each(Object.entries(requests))('Requests %s', (name, send) => {
  const from = `203.0.113.${Object.keys(requests).indexOf(name) + 1}`;

  it('of one address have few records, and a launch meanwhile has its own', async () => {
    const headers = { 'x-forwarded-for': from };
    const agent = new Agent(portal.issuer);
    for (let sent = 0; sent < 80; sent += 1) {
      expect((await send(agent, `stranger-${from}-${sent}`, headers)).status).toBeLessThan(500);
    }
    const launch = await new SmartApp(portal, { client: publicApp }).authorize();
    await allWritten(portal);
    expect(await launchOf(portal, launch)).toMatchObject({ client_id: publicApp.clientId, outcome: 'open' });
    expect((await portal.query('SELECT FROM launch')).length).toBeLessThan(50);
  });
});

it('A program that tries to register itself is told who registers clients, and an administrator that it tried', async () => {
  const send = () => new Agent(portal.issuer).send('/connect/register', { method: 'POST', body: { client_name: 'x' } });
  const answer = await send();
  const { error, error_description: sentence } = answer.json<Record<string, string>>();
  expect([answer.status, error]).toEqual([404, 'registration_not_supported']);
  expect(sentence).toMatch(/^There is no dynamic registration here: an administrator registers clients\. Reference: /);
  expect(sentence).toContain(String(answer.headers['x-launch-reference']));
  await send();
  const launch = await launchOf(portal, answer);
  expect([launch?.kind, launch?.outcome, launch?.cause]).toEqual(['unknown', 'refused', 'registration-not-offered']);
  expect(launch?.entries['registration-not-offered']?.count).toBe(2);
});

it('Requests of any number of addresses have a bounded number of records in all', () => {
  const records = new StrayRecords(portal.apps[0]?.get(Secrets, { strict: false }) as Secrets);
  const ids = new Set<string>();
  for (let sent = 0; sent < 6_000; sent += 1) {
    const address = `198.51.${sent % 200}.${Math.floor(sent / 200)}`;
    ids.add(
      requestContext.run({ correlationId: '', issuer: portal.issuer, language, address }, () =>
        records.idFor('request', newLaunchId()),
      ),
    );
  }
  expect(ids.size).toBe(2_001);
});

it('What strangers send in place of a token is looked up a bounded number of times a day, by address and in all', () => {
  const records = new StrayRecords(portal.apps[0]?.get(Secrets, { strict: false }) as Secrets);
  const lookUps = (address: string, sent: number) =>
    requestContext.run(
      { correlationId: '', issuer: portal.issuer, language, address },
      () => Array.from({ length: sent }, () => records.mayLookUp()).filter(Boolean).length,
    );
  expect(lookUps('198.51.100.1', 1_000)).toBe(200);
  expect(lookUps('198.51.100.2', 10)).toBe(10);
  for (let index = 0; index < 120; index += 1) lookUps(`203.0.113.${index}`, 200);
  expect(lookUps('192.0.2.1', 10)).toBe(0);
});

it('A record that gets ever other entries stops to grow, and still tells what becomes of the launch', async () => {
  const log = portal.apps[0]?.get(ActivityLog, { strict: false }) as ActivityLog;
  const id = newLaunchId();
  const sizeNow = async () =>
    Number((await portal.query('SELECT length(entries::text) AS size FROM launch WHERE id = $1', [id]))[0]?.size);
  const sendScopes = async (time: number) => {
    const entries = Array.from({ length: 150 }, (_, index) => ({
      code: 'scope-unreadable' as const,
      at: Date.now(),
      detail: { scope: `${randomUUID()}-${time}-${index}`.repeat(5) },
    }));
    log.add({ id, entries });
    await log.flush();
  };
  for (let time = 0; time < 5; time += 1) await sendScopes(time);
  const before = await sizeNow();
  for (let time = 0; time < 10; time += 1) await sendScopes(time);
  expect(await sizeNow()).toBe(before);
  expect(before).toBeLessThan(200_000);
  log.add({ id, entries: [{ code: 'tokens-issued', at: Date.now(), detail: {} }] });
  await log.flush();
  const [row] = await portal.query('SELECT outcome, entries ? $2 AS told FROM launch WHERE id = $1', [
    id,
    'tokens-issued',
  ]);
  expect(row).toEqual({ outcome: 'completed', told: true });
});

it('The request of another browser is audited a few times an hour for one address, however often it is opened', async () => {
  const returnUrl = await new SmartApp(portal, { client: publicApp }).begin();
  const stranger = new Agent(portal.issuer);
  for (let sent = 0; sent < 50; sent += 1) {
    expect((await stranger.postForm('/connect/account', { returnUrl, choice: 'decline' })).status).toBe(400);
  }
  expect(await portal.query("SELECT FROM audit_event WHERE type = 'access.refused'")).toHaveLength(30);
});
