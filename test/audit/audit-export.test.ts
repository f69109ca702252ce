/** The audit record as a file. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin], clients: [publicApp] } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(() => portal.close());

async function given(count: number, clientId: string, detail: object = {}): Promise<void> {
  await portal.query(
    `WITH event AS (
       INSERT INTO audit_event (type, outcome, client_id, detail, recorded_at)
       SELECT 'record.accessed', 'success', $2, $3, clock_timestamp() FROM generate_series(1, $1) RETURNING id)
     INSERT INTO audit_unsealed (event_id) SELECT id FROM event`,
    [count, clientId, JSON.stringify(detail)],
  );
}

const exported = (query: Record<string, string>) => admin.get(`/api/admin/audit/export?${new URLSearchParams(query)}`);

describe('An export of the audit record', () => {
  it('has what the filter finds, each event once, in NDJSON', async () => {
    const clientId = `many-${randomUUID()}`;
    await given(2_500, clientId);
    const answer = await exported({ format: 'ndjson', clientId });
    expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/);
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.ndjson"$/);
    const events = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { entry: string; client_id: string });
    expect(events).toHaveLength(2_500);
    expect(new Set(events.map(({ entry }) => entry)).size).toBe(2_500);
    expect(new Set(events.map(({ client_id }) => client_id))).toEqual(new Set([clientId]));
  });

  it.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    [' =1', `"' =1"`],
    ['\u200B=1', `"'\u200B=1"`],
    ['＝1', `"'＝1"`],
    ['a"b', '"a""b"'],
    ['a,b', '"a,b"'],
    ['plain', 'plain'],
  ])('is a CSV file in which no cell is computed: %j', async (clientId, cell) => {
    await given(1, clientId);
    const { text, headers } = await exported({ format: 'csv', clientId });
    expect(headers['content-type']).toMatch(/^text\/csv/);
    const [head = '', line = '', end] = text.split('\r\n');
    expect(head).toMatch(/^\uFEFF?entry,time,type,/);
    expect(line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[6]).toBe(cell);
    expect(end).toBe('');
  });

  it('is recorded with its filter before it begins', async () => {
    await exported({ format: 'csv', clientId: 'an-app', outcome: 'failure' });
    const rows = await portal.query(
      "SELECT detail FROM audit_event WHERE type = 'audit.exported' ORDER BY id DESC LIMIT 1",
    );
    expect(rows).toEqual([{ detail: { format: 'csv', clientId: 'an-app', outcome: 'failure' } }]);
  });

  it.each([
    [{}, 'format'],
    [{ format: 'pdf' }, 'format'],
    [{ format: 'csv', from: 'x' }, 'from'],
    [{ format: 'csv', launch: 'x' }, 'launch'],
  ])('is refused before it begins if it makes no sense: %j', async (query, field) => {
    const answer = await exported(query as Record<string, string>);
    expect(answer.status).toBe(400);
    expect(answer.json<{ errors: { field: string }[] }>().errors[0]?.field).toBe(field);
  });

  it('ends when the caller disconnects, and holds no more in memory than the caller reads', async () => {
    const clientId = `large-${randomUUID()}`;
    await given(20_000, clientId, { target: 'x'.repeat(2_000) });
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reading = async () => {
      const [row] = await portal.query<{ calls: number }>(
        "SELECT count(*)::int AS calls FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND query LIKE '%audit_event AS event%' AND pid <> pg_backend_pid()",
      );
      return row?.calls ?? 0;
    };
    const asked = request(`${portal.issuer}/api/admin/audit/export?format=ndjson&clientId=${clientId}`, {
      headers: { cookie },
    });
    asked.on('error', () => undefined);
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve) => {
      asked.on('response', resolve);
      asked.end();
    });
    await new Promise((resolve) => answer.once('readable', resolve));
    const [server] = portal.servers;
    const sockets = () =>
      new Promise<number>((resolve, reject) =>
        server?.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    const before = await sockets();
    asked.destroy();
    await until(async () => (await sockets()) < before && (await reading()) === 0);
    expect((await admin.get('/api/admin/audit?pageSize=5')).status).toBe(200);
  });
});
