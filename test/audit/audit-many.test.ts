/** The audit record with many events. */
import type { AuditList } from '../../src/contract/audit.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const events = 100_000;
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients: [publicApp] } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await portal.query(
    `INSERT INTO audit_event (type, outcome, user_id, client_id, address, detail, recorded_at)
     SELECT 'record.accessed', 'success', 'user-' || n % 100, 'client-' || n % 10, '198.51.100.' || n % 200,
            jsonb_build_object('resource', 'Observation', 'patients', jsonb_build_array('p-' || n % 1000)),
            now() - make_interval(secs => 0.5 * n)
       FROM generate_series(1, $1) AS n`,
    [events],
  );
  await portal.query(
    `INSERT INTO audit_event (type, outcome, client_id, detail, recorded_at)
     VALUES ('record.accessed', 'failure', 'client-1', '{"resource": "Coverage"}', now() - interval '10 hours')`,
  );
  await portal.query('ANALYZE audit_event');
});
afterAll(() => portal.close());

async function list(query: Record<string, string>): Promise<AuditList> {
  const answer = await admin.get(`/api/admin/audit?${new URLSearchParams(query)}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
}

describe('Among 100,000 events', () => {
  it('the newest are shown, and more than 999 are not counted', async () => {
    expect(await list({ group: 'accesses' })).toMatchObject({ totalCount: 1000, hasNext: true });
  });

  it.each([
    ['a patient', { patient: 'p-7' }, 100],
    ['a client and a patient', { clientId: 'client-7', patient: 'p-7' }, 100],
    ['a client and another patient', { clientId: 'client-7', patient: 'p-8' }, 0],
    ['a person of that id', { searchTerm: 'user-42' }, 1000],
    ['an address', { address: '198.51.100.7' }, 500],
    ['a rare kind of data', { kind: 'Coverage' }, 1],
    ['a refusal', { outcome: 'failure', clientId: 'client-1' }, 1],
    ['administrators', { administrators: 'true', group: 'sign-ins' }, 1],
  ])('those of %s are found: %j', async (_what, query, count) => {
    expect((await list(query as Record<string, string>)).totalCount).toBe(count);
  });

  it('the last page is reached by its place, and the way back leads over the same pages', async () => {
    const query = { patient: 'p-7', pageSize: '25' };
    const pages = [await list(query)];
    for (let page = pages[0]; page?.hasNext; page = pages.at(-1)) {
      pages.push(await list({ ...query, after: page.events.at(-1)?.cursor ?? '' }));
    }
    expect(pages.map((page) => page.events.length)).toEqual([25, 25, 25, 25]);
    const back = await list({ ...query, before: pages[3]?.events[0]?.cursor ?? '' });
    expect(back.events).toEqual(pages[2]?.events);
  });
});
