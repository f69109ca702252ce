/** The launches that a filter finds, as a file. */
import { type IncomingMessage, request } from 'node:http';
import { Launches } from '../../../src/activity/domain/launch.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const hostile = { ...publicApp, clientId: 'hostile-app', clientName: '=HYPERLINK("https://evil.test")' };
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients: [publicApp, hostile] } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(() => portal.close());
beforeEach(async () => {
  await portal.query('DELETE FROM launch');
});

/** Launches of one client; two begin in the same millisecond each. */
async function given(count: number, letter: string, clientId: string, outcome = 'completed'): Promise<void> {
  await portal.query(
    `INSERT INTO launch (id, kind, client_id, account_id, started_at, last_at, outcome, cause, entries)
     SELECT $2 || 10000000000 + i, 'launch', $3, (SELECT id::text FROM account WHERE email = $4),
            date_trunc('second', now()) - (i / 2) * interval '1 second', now(), $5,
            CASE WHEN $5 = 'refused' THEN 'code-unknown' END,
            CASE WHEN $5 = 'refused' THEN '{"code-unknown": {"at": 1, "last": 1, "count": 1, "detail": {}}}'::jsonb ELSE '{}' END
       FROM generate_series(1, $1::int) AS i`,
    [count, letter, clientId, people.patient.email, outcome],
  );
}

const exported = (query: Record<string, string> = {}) =>
  admin.get(`/api/admin/activity/export?${new URLSearchParams(query)}`);

it('the export of launches has each launch once, in the order of the list, with the values of its row', async () => {
  await given(1_203, 'B', publicApp.clientId);
  await given(1, 'C', publicApp.clientId, 'refused');
  const answer = await exported({ outcome: 'refused' });
  expect(answer.headers).toMatchObject({
    'content-type': expect.stringMatching(/^text\/csv/),
    'content-disposition': expect.stringMatching(/^attachment; filename="activity-\d{4}-\d\d-\d\d\.csv"$/),
    'cache-control': 'no-store',
  });
  const [head, line, ...rest] = answer.text.split('\r\n');
  const columns =
    'time,reference,kind,client_id,client_name,user_id,user_name,user_type,outcome,decided_by,page,took_ms';
  expect(head).toBe(`\uFEFF${columns}`);
  expect(line).toMatch(
    /^20[^,]+Z,C1-0000-00,launch,public-app,"Heart Companion",[\w-]{36},"Amelia Ward",Patient,refused,"The code .*",,0$/,
  );
  expect(rest).toEqual(['']);

  for (const sortDirection of ['0', '1']) {
    const lines = (await exported({ sortDirection })).text.trimEnd().split('\r\n').slice(1);
    const times = lines.map((one) => one.split(',')[0] ?? '');
    expect(lines).toHaveLength(1_204);
    expect(new Set(lines.map((one) => one.split(',').slice(0, 2).join())).size).toBeGreaterThan(600);
    expect(times).toEqual([...times].sort((a, b) => (sortDirection === '0' ? 1 : -1) * (a < b ? -1 : a > b ? 1 : 0)));
  }
});

it('the export of launches has the launches that the search finds, and no cell that a spreadsheet would compute', async () => {
  await given(700, 'B', publicApp.clientId);
  await given(3, 'C', hostile.clientId);
  const lines = (await exported({ searchTerm: hostile.clientId })).text.trimEnd().split('\r\n').slice(1);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toContain(`"'=HYPERLINK(""https://evil.test"")"`);
});

it('the export of launches is refused for a contradictory filter, and for a user who is no administrator', async () => {
  const answer = await exported({ from: '2026-11-22', to: '2026-11-21' });
  expect([answer.status, answer.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, 'to']);
  const patient = new Agent(portal.issuer);
  await login(patient, people.patient);
  expect((await patient.get('/api/admin/activity/export')).status).toBe(403);
});

it('the export of launches ends when the caller disconnects: no further page is read', async () => {
  await portal.query(
    `INSERT INTO launch (id, kind, client_id, started_at, last_at, outcome, entries)
     SELECT 'B' || 10000000000 + i, 'launch', repeat('x', 200), now() - i * interval '1 second', now(), 'completed', '{}'
       FROM generate_series(1, 60000) AS i`,
  );
  const launches = portal.apps[0]?.get(Launches, { strict: false });
  if (!launches) throw new Error('no portal');
  let reads = 0;
  const { list } = launches;
  launches.list = (...of) => {
    reads += 1;
    return list.apply(launches, of);
  };
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const asked = request(`${portal.issuer}/api/admin/activity/export`, { headers: { cookie } });
  asked.on('error', () => undefined);
  const answer = await new Promise<IncomingMessage>((resolve) => {
    asked.on('response', resolve);
    asked.end();
  });
  await new Promise((resolve) => answer.once('readable', resolve));
  asked.destroy();
  expect((await admin.get('/api/admin/activity?pageSize=5')).status).toBe(200);
  await until(async () => {
    const before = reads;
    await admin.get('/api/admin/activity/days');
    return reads === before;
  });
  launches.list = list;
  expect(reads).toBeLessThan(120);
});
