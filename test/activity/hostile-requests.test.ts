/** Attempts of requests to put data into the record of launches, and into those of other apps. */
import { randomBytes } from 'node:crypto';
import { ActivityLog } from '../../src/activity/application/activity-log.js';
import type { LaunchList } from '../../src/contract/activity.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const long = randomBytes(7_500).toString('base64url');
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin], clients: [publicApp] } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(() => portal.close());

async function recorded(): Promise<LaunchList> {
  await portal.apps[0]?.get(ActivityLog, { strict: false }).flush();
  return (await admin.get('/api/admin/activity')).json<LaunchList>();
}

it.each([
  ['10,000 characters', long, `${long.slice(0, 200)}…`],
  ['control characters and a change of direction', 'a\u001b[2J\u202eb', 'a\uFFFD[2J\uFFFDb'],
  ['markup', '<img/src=x>', '<img/src=x>'],
])(
  'A client id of %s is cut and shown harmlessly, and does not hinder the record of others',
  async (_what, id, shown) => {
    await portal.query('DELETE FROM launch');
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: 'no-such-secret-at-all' };
    expect((await new Agent(portal.issuer).postForm('/connect/token', form)).status).toBeLessThan(500);
    expect((await new SmartApp(portal, { parameters: { aud: 'https://elsewhere.test' } }).authorize()).status).toBe(
      303,
    );
    const { launches } = await recorded();
    expect(launches).toHaveLength(2);
    expect(launches.map(({ client }) => client?.id)).toEqual(expect.arrayContaining([publicApp.clientId, shown]));
  },
);

it('A launch that cannot be stored is dropped and counted in the metrics, and does not hold up the others', async () => {
  await portal.query('DELETE FROM launch');
  const log = portal.apps[0]?.get(ActivityLog, { strict: false });
  const before = log?.dropped ?? 0;
  const entries = [{ code: 'tokens-issued' as const, at: Date.now(), detail: {} }];
  for (const id of ['BBBBBBBBBBBB', 'CC\0CCCCCCCCC', 'DDDDDDDDDDDD']) log?.add({ id, entries });
  expect((await recorded()).launches.map(({ reference }) => reference).sort()).toEqual(['BB-BBBB-BB', 'DD-DDDD-DD']);
  const { text } = await new Agent(portal.issuer).get('/metrics');
  expect(text).toMatch(new RegExp(`^gatehouse_launches_dropped_total ${before + 1}$`, 'm'));
});
