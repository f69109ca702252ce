/** The record of launches: one row for each, whichever nodes its requests reach. */
import { randomInt } from 'node:crypto';
import { LaunchTally1763700000059 } from '../../migrations/index.js';
import { ActivityLog } from '../../src/activity/application/activity-log.js';
import { LaunchRemoval } from '../../src/activity/application/launch-removal.js';
import { parseReference } from '../../src/contract/activity/reference.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { alterClient, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { runs } from '../support/runs.js';
import { people } from '../support/users/people.js';

interface Row {
  id: string;
  outcome: string;
  client_id: string;
  account_id: string | null;
  entries: Record<string, { count: number; detail: object }>;
}

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: [people.patient], clients: [publicApp] } });
});
afterAll(() => portal.close());

async function launchOf(reference: string | undefined): Promise<Row | undefined> {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
  const id = parseReference(reference ?? '');
  return (await portal.query<Row>("SELECT * FROM launch WHERE id LIKE $1 || '%'", [id]))[0];
}

it('the record holds a launch as one row, from the request at one node to the tokens and their refresh at another', async () => {
  const app = new SmartApp(portal);
  const other = new Agent(portal.issuer, portal.ports[1]);
  const landed = await app.complete(people.patient);
  const exchanged = await app.exchange(landed.searchParams.get('code') ?? '', {}, other);
  const refreshed = await app.refresh(exchanged.json<Tokens>().refresh_token ?? '', {}, other);
  const launch = await launchOf(refreshed.headers['x-launch-reference']?.toString());
  expect(launch).toMatchObject({ outcome: 'completed', client_id: publicApp.clientId, account_id: expect.any(String) });
  expect(Object.keys(launch?.entries ?? {})).toEqual(
    expect.arrayContaining([
      'request-received',
      'page-sent\nconsent',
      'page-shown\nlogin',
      'code-issued',
      'tokens-issued',
      'tokens-refreshed',
    ]),
  );
});

it('the record of a launch has the scopes that tokens lost, and why, after an administrator has changed the client', async () => {
  const app = new SmartApp(portal, { scope: 'openid fhirUser launch/patient patient/*.rs offline_access' });
  const { refresh_token: first = '' } = await app.tokens(people.patient);
  const unchanged = await app.refresh(first);
  const reference = unchanged.headers['x-launch-reference']?.toString();
  const scopesIn = (launch: Row | undefined) => {
    return Object.entries(launch?.entries ?? {}).filter(([key]) => key.startsWith('scope-'));
  };
  expect(scopesIn(await launchOf(reference))).toEqual([]);

  await alterClient(portal, publicApp.clientId, { settings: { allowedSmartActions: ['r'] } });
  const refreshed = await app.refresh(unchanged.json<Tokens>().refresh_token ?? '');
  await alterClient(portal, publicApp.clientId, { settings: { allowedSmartActions: ['c', 'r', 'u', 'd', 's'] } });
  expect(refreshed.json<Tokens>().scope).toBe('openid fhirUser launch/patient offline_access');
  expect(refreshed.headers['x-launch-reference']).toBe(reference);
  const detail = { scope: 'patient/*.rs', actions: 's' };
  expect(scopesIn(await launchOf(reference))).toEqual([
    ['scope-actions\npatient/*.rs', expect.objectContaining({ count: 1, detail })],
  ]);
});

it('a launch is counted exactly in the tally of its day, while nodes change and remove launches at the same time', async () => {
  const logs = portal.apps.map((node) => node.get(ActivityLog, { strict: false }));
  const removals = portal.apps.map((node) => node.get(LaunchRemoval, { strict: false }));
  const codes = ['request-received', 'tokens-issued', 'code-unknown', 'request-failed', 'declined'] as const;
  for (let round = 0; round < runs(25, 200).numRuns; round += 1) {
    for (let count = 0; count < 200; count += 1) {
      const id = `T${String(randomInt(150)).padStart(11, '2')}`;
      const code = codes[randomInt(codes.length)] ?? 'declined';
      const at = Date.now() - (Number(id.slice(-2)) % 45) * 86_400_000;
      logs[count % logs.length]?.add({ id, entries: [{ code, at, detail: {} }] });
    }
    await Promise.all([...logs.map((log) => log.flush()), ...removals.map((removal) => removal.remove())]);
  }
  const counted = await portal.query(
    `SELECT (started_at AT TIME ZONE 'UTC')::date AS day, (count(*) FILTER (WHERE outcome = 'completed'))::int AS completed,
            (count(*) FILTER (WHERE outcome IN ('refused', 'failed')))::int AS refused
       FROM launch WHERE outcome IN ('completed', 'refused', 'failed') GROUP BY 1 ORDER BY 1`,
  );
  expect(counted.length).toBeGreaterThan(5);
  const tally = 'SELECT * FROM launch_tally WHERE completed <> 0 OR refused <> 0 ORDER BY day';
  expect(await portal.query(tally)).toEqual(counted);

  // An upgrade counts the launches that are there.
  const [migration, runner] = [new LaunchTally1763700000059(), { query: portal.query } as never];
  await migration.down(runner);
  await migration.up(runner);
  expect(await portal.query(tally)).toEqual(counted);
});

it('a launch of which nothing but a refused request for data is known was refused, and such a request changes no outcome that there is', async () => {
  const [log, other] = portal.apps.map((node) => node.get(ActivityLog, { strict: false }));
  const detail = { method: 'GET', type: 'Patient' };
  const refused = { code: 'gateway-not-open', at: Date.now(), detail } as const;
  const issued = { code: 'tokens-issued', at: Date.now(), detail: {} } as const;
  const outcomes = async () =>
    (await portal.query<{ outcome: string }>("SELECT outcome FROM launch WHERE id LIKE 'WWWW%' ORDER BY id")).map(
      ({ outcome }) => outcome,
    );
  const nonce = { code: 'gateway-nonce', at: Date.now(), detail } as const;
  log?.add({ id: 'WWWW22222222', kind: 'service', clientId: 'reader', entries: [refused] });
  log?.add({ id: 'WWWW33333333', kind: 'service', clientId: 'reader', entries: [issued, refused] });
  log?.add({ id: 'WWWW44444444', kind: 'service', clientId: 'reader', entries: [issued] });
  log?.add({ id: 'WWWW55555555', kind: 'service', clientId: 'reader', entries: [nonce] });
  await log?.flush();
  other?.add({ id: 'WWWW44444444', kind: 'service', clientId: 'reader', entries: [refused] });
  await other?.flush();
  expect(await outcomes()).toEqual(['refused', 'completed', 'completed', 'open']);
  other?.add({ id: 'WWWW22222222', kind: 'service', clientId: 'reader', entries: [{ ...issued, at: Date.now() }] });
  await other?.flush();
  expect(await outcomes()).toEqual(['completed', 'completed', 'completed', 'open']);
});

it('a launch is not recorded with activity.keepDays 0, and refusals have a reference all the same', async () => {
  const silent = await startPortal({ config: { clients: [publicApp], activity: { keepDays: 0 } } });
  const { headers } = await new SmartApp(silent, { parameters: { aud: 'https://elsewhere.test' } }).authorize();
  expect(headers['x-launch-reference']).toBeDefined();
  await silent.apps[0]?.get(ActivityLog, { strict: false }).flush();
  expect(await silent.query('SELECT FROM launch')).toEqual([]);
  await silent.close();
});

it('the record of a launch has its app before the user has signed in', async () => {
  const { headers } = await new SmartApp(portal).authorize();
  const launch = await launchOf(headers['x-launch-reference']?.toString());
  expect(launch).toMatchObject({ outcome: 'open', client_id: publicApp.clientId, account_id: null });
});

it("the record of a refused request is found by the reference in the app's answer", async () => {
  const { location, headers } = await new SmartApp(portal, {
    parameters: { aud: 'https://elsewhere.test' },
  }).authorize();
  const description = new URL(location ?? '').searchParams.get('error_description');
  const reference = /Reference: (\S+)$/.exec(description ?? '')?.[1];
  expect(reference).toBe(headers['x-launch-reference']);
  expect(await launchOf(reference)).toMatchObject({
    outcome: 'refused',
    client_id: publicApp.clientId,
    account_id: null,
  });
});
