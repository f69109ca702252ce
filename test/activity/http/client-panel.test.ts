/** The launches and credentials on the page of a client, and the time that launches are kept. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { LaunchRemoval } from '../../../src/activity/application/launch-removal.js';
import type { ClientActivity, LaunchDay } from '../../../src/contract/activity.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

let portal: TestPortal;
let admin: Agent;
let keys: Server;
let keysAt: string;

beforeAll(async () => {
  const { publicKey } = await generateKeyPair('ES384');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES384', use: 'sig' };
  keys = createServer((request, response) => {
    const there = request.url === '/keys';
    response.writeHead(there ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: there ? [jwk] : [] }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => keys.once('listening', resolve));
  keysAt = `http://localhost:${(keys.address() as AddressInfo).port}`;
  const clientSecrets = [
    ...backendService.clientSecrets,
    { secretType: 'JWK', secretUrl: `${keysAt}/keys`, description: 'keys' },
    { secretType: 'JWK', secretUrl: `${keysAt}/nowhere`, description: 'moved' },
  ];
  portal = await startPortal({
    config: {
      users: [people.admin],
      clients: [publicApp, { ...backendService, clientSecrets }],
      outbound: { allowedPrivateHosts: ['localhost'] },
      activity: { keepDays: 30 },
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => keys.close(resolve));
});
beforeEach(async () => {
  await portal.query('DELETE FROM launch');
});

async function panelOf(clientId: string): Promise<ClientActivity> {
  await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
  const [row] = await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [clientId]);
  return (await admin.get(`/api/admin/client/${row?.id}/activity`)).json();
}

const day = 86_400_000;

interface Given {
  id: string;
  outcome: string;
  daysAgo: number;
  cause?: string;
  kind?: string;
  entries?: Record<string, { count?: number; detail?: object }>;
}

async function given({ id, outcome, daysAgo, cause, kind = 'launch', entries = {} }: Given): Promise<void> {
  const at = Date.now() - daysAgo * day;
  const stored = Object.entries(entries).map(([key, { count = 1, detail = {} }]) => [
    key,
    { at, last: at, count, detail },
  ]);
  await portal.query(
    `INSERT INTO launch (id, kind, client_id, started_at, last_at, outcome, cause, entries)
     VALUES ($1, $2, $3, $4, $4, $5, $6, $7)`,
    [id.padEnd(12, 'Z'), kind, publicApp.clientId, new Date(at), outcome, cause ?? null, Object.fromEntries(stored)],
  );
}

const refusal = { 'token-refused': { detail: { error: 'invalid_client', description: 'No' } } };
const refused = { outcome: 'refused', cause: 'token-refused', entries: refusal };

describe("A client's panel", () => {
  it('shows the last five launches, the last success, and the refusals of seven days by cause', async () => {
    await given({ id: 'B', outcome: 'completed', daysAgo: 9, entries: { 'tokens-issued': {} } });
    await given({ ...refused, id: 'C', daysAgo: 8 });
    await given({
      id: 'D',
      outcome: 'refused',
      cause: 'request-refused',
      daysAgo: 6,
      entries: { 'request-refused': {} },
    });
    for (const [index, id] of ['F', 'G', 'H', 'J'].entries()) await given({ ...refused, id, daysAgo: 4 - index });
    const { launches, lastSuccessAt, refusals } = await panelOf(publicApp.clientId);
    expect(launches.map(({ reference }) => reference[0])).toEqual(['J', 'H', 'G', 'F', 'D']);
    expect(Date.parse(lastSuccessAt ?? '')).toBeCloseTo(Date.now() - 9 * day, -5);
    expect(refusals).toEqual([
      { cause: 'token-refused', decidedBy: expect.any(String), count: 4, lastReference: 'JZ-ZZZZ-ZZ' },
      { cause: 'request-refused', decidedBy: expect.any(String), count: 1, lastReference: 'DZ-ZZZZ-ZZ' },
    ]);
  });

  it('counts the refused requests of a service, of which a day is one row', async () => {
    const post = (secret: string) =>
      new Agent(portal.issuer).postForm('/connect/token', {
        grant_type: 'client_credentials',
        scope: 'system/*.rs',
        client_id: backendService.clientId,
        client_secret: secret,
      });
    for (let turn = 0; turn < 3; turn += 1) expect((await post('not-the-secret')).status).toBe(401);
    expect((await post(sharedSecret)).status).toBe(200);
    const { launches, lastSuccessAt, refusals } = await panelOf(backendService.clientId);
    expect(launches.map(({ kind, outcome }) => [kind, outcome]).sort()).toEqual([
      ['service', 'completed'],
      ['service', 'refused'],
    ]);
    expect(lastSuccessAt).toEqual(expect.any(String));
    expect(refusals).toEqual([expect.objectContaining({ count: 3, decidedBy: expect.any(String) })]);
  });

  it('warns about secrets and keys, and says whether each key set can be read', async () => {
    const times = { expired: [-day, 0], expiring: [day * 29, 0], unused: [null, -91 * day], used: [null, -89 * day] };
    const [client] = await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [
      publicApp.clientId,
    ]);
    for (const [description, [expires, used]] of Object.entries(times)) {
      await portal.query(
        `INSERT INTO client_secret (id, client, position, secret_type, secret_hash, description, expires_at, last_used_at)
         VALUES (gen_random_uuid(), $1, 0, 'SharedSecret', 'x', $2, $3, $4)`,
        [
          client?.id,
          description,
          expires == null ? null : new Date(Date.now() + expires),
          new Date(Date.now() + (used ?? 0)),
        ],
      );
    }
    const { credentials, keySets } = await panelOf(publicApp.clientId);
    expect(credentials.map(({ description, state }) => [description, state]).sort()).toEqual([
      ['expired', 'expired'],
      ['expiring', 'expiring'],
      ['unused', 'unused'],
    ]);
    expect(keySets).toEqual([]);
    expect((await panelOf(backendService.clientId)).keySets).toEqual([
      { url: `${keysAt}/keys`, readable: true, reason: null },
      { url: `${keysAt}/nowhere`, readable: false, reason: 'The address answers with status 404.' },
    ]);
  });

  it('of an unknown client says that there is none', async () => {
    expect((await admin.get('/api/admin/client/00000000-0000-4000-8000-000000000000/activity')).status).toBe(404);
    expect((await admin.get('/api/admin/client/no-id/activity')).status).toBe(404);
  });
});

it('The days of the dashboard are the last 14 in UTC, with the launches that were completed and refused', async () => {
  await given({ id: 'B', outcome: 'completed', daysAgo: 0 });
  await given({ ...refused, id: 'C', daysAgo: 0 });
  await given({ id: 'D', outcome: 'failed', cause: 'request-failed', daysAgo: 13 });
  await given({ id: 'F', outcome: 'declined', cause: 'declined', daysAgo: 1 });
  await given({ id: 'G', outcome: 'completed', daysAgo: 14 });
  const days = (await admin.get('/api/admin/activity/days')).json<LaunchDay[]>();
  const dayOf = (ago: number) => new Date(Date.now() - ago * day).toISOString().slice(0, 10);
  expect(days.map((one) => one.day)).toEqual(Array.from({ length: 14 }, (_, index) => dayOf(13 - index)));
  expect(days.filter(({ completed, refused: no }) => completed + no > 0)).toEqual([
    { day: dayOf(13), completed: 0, refused: 1 },
    { day: dayOf(0), completed: 1, refused: 1 },
  ]);
});

it('Launches that began more than activity.keepDays ago are removed, however many there are', async () => {
  await portal.query(
    `INSERT INTO launch (id, kind, started_at, last_at, outcome, entries)
     SELECT 'B' || 10000000000 + i, 'launch', now() - interval '31 days', now(), 'open', '{}' FROM generate_series(1, 2500) AS i`,
  );
  await given({ ...refused, id: 'C', daysAgo: 29 });
  await given({ ...refused, id: 'D', daysAgo: 31 });
  expect(await portal.apps[0]?.get(LaunchRemoval, { strict: false }).remove()).toBe(2501);
  expect(await portal.query('SELECT left(id, 1) AS id FROM launch')).toEqual([{ id: 'C' }]);
});
