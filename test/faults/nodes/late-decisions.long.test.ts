import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { OwnRequest } from '../../../src/contract/requests.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import { createDatabase } from '../../support/database/database.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { searchset, sendFhir } from '../../support/fhir/scripted-server.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { HeldRequest } from '../../support/http/held-request.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { family } from '../../support/representation/family-portal.js';
import { until } from '../../support/until.js';

const path = '/api/admin/representation';
const records: Record<string, object> = {
  leo: {
    ...{ resourceType: 'Patient', id: 'leo', birthDate: '2020-05-10', name: [{ given: ['Leo'], family: 'Duarte' }] },
    identifier: [{ system: 'urn:mrn', value: 'NB1' }],
  },
  '2': { resourceType: 'Patient', id: '2', birthDate: '1948-01-01', name: [{ text: 'Noah Reed' }] },
};

let database: Awaited<ReturnType<typeof createDatabase>>;
let upstream: Upstream;
let pool: pg.Pool;
let nodes: PortalProcess[];
let ports: number[];
let agents: Record<'admin' | 'second' | 'ana' | 'noah', Agent>;

const issuer = () => `http://localhost:${ports[0]}`;
const query = async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) =>
  (await pool.query<Row>(sql, parameters)).rows;

useBusyMachine();
beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ ...database.connection, max: 3 });
  pool.on('error', () => undefined);
  upstream = await startUpstream(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const id = pathname.split('/').at(-1) ?? '';
    if (pathname.endsWith('/metadata')) {
      return sendFhir(response, {
        resourceType: 'CapabilityStatement',
        fhirVersion: '4.0.1',
        rest: [{ mode: 'server' }],
      });
    }
    if (url.includes('?'))
      return sendFhir(response, searchset(searchParams.get('identifier') ? [records.leo as object] : []));
    const record = records[id];
    return sendFhir(response, record ?? { resourceType: 'OperationOutcome', issue: [] }, record ? 200 : 404);
  });
  ports = await freePorts(2);
  nodes = [];
  const config = {
    users: Object.values(family),
    fhir: { baseUrl: upstream.url },
    locale: { timeZone: 'Europe/Amsterdam' },
    representation: {},
  };
  for (const port of ports) {
    nodes.push(await PortalProcess.start({ database: database.connection, port, issuer: issuer(), config }));
  }
  const [admin, second, ana, noah] = await Promise.all(
    [family.admin, family.secondAdmin, family.ana, family.noah].map(async ({ email: username, password }) => {
      const agent = new Agent(issuer(), ports[1]);
      expect((await agent.post('/api/session/login', { username, password })).status).toBe(200);
      return agent;
    }),
  );
  agents = { admin, second, ana, noah } as typeof agents;
});

afterAll(async () => {
  for (const node of nodes) await node.end('SIGKILL');
  await pool.end();
  upstream.close();
  await database.drop();
});

beforeEach(async () => {
  await query('TRUNCATE representation_relationship, request, representation_block CASCADE');
  await query('DELETE FROM rate_limit');
});

/** A request to the node that stands still, by the user of the agent. */
function held(user: Agent, send: (agent: Agent) => Promise<Answer>): HeldRequest {
  return new HeldRequest(issuer(), ports[0] ?? 0, (agent) => {
    for (const [name, value] of user.cookies) agent.cookies.set(name, value);
    return send(agent);
  });
}

async function acts(members: object): Promise<string> {
  const form = { email: family.ana.email, basis: 'power-of-attorney', relation: 'attorney', level: 'full', ...members };
  const proposed = await agents.admin.post(path, form);
  expect([proposed.status, proposed.text]).toEqual([201, expect.any(String)]);
  const { id } = proposed.json<{ id: string }>();
  expect((await agents.admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' })).status).toBe(200);
  return id;
}

const stored = async (id: string) =>
  (await query<object>('SELECT status, reason FROM representation_relationship WHERE id = $1', [id]))[0];

async function asked() {
  const form = {
    ...{ basis: 'parental-responsibility', relation: 'mother', patientName: 'Leo Duarte', birthDate: '2020-05-10' },
    ...{ recordNumber: 'NB1', isTrue: true, files: [] },
  };
  const answer = await agents.ana.post('/api/requests', form);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const { id } = answer.json<OwnRequest>();
  const terms = { patient: 'leo', basis: 'parental-responsibility', level: 'full', relation: 'mother' };
  const decide = (agent: Agent, decision: string) =>
    agent.post(`/api/admin/requests/${id}/decision`, { version: 0, decision, note: 'Seen', seen: [], ...terms });
  return { id, decide };
}

describe('A decision that a stopped node executes late', () => {
  it.each([
    [
      'the user has taken the request back',
      'cancelled',
      (id: string) => agents.ana.send(`/api/requests/${id}`, { method: 'DELETE' }),
    ],
    ['another administrator has declined it', 'declined', undefined],
  ] as const)('approves nothing if %s meanwhile', async (_, status, other) => {
    const { id, decide } = await asked();
    nodes[0]?.signal('SIGSTOP');
    const late = held(agents.admin, (agent) => decide(agent, 'approve'));
    await late.isSent;
    const done = await (other?.(id) ?? decide(agents.second, 'decline'));
    expect(done.status).toBeLessThan(300);
    await sleep(5_000);
    nodes[0]?.signal('SIGCONT');
    expect((await late.answer)?.status).toBe(409);
    expect(await query<object>('SELECT status FROM request')).toEqual([{ status }]);
    expect(await query('SELECT FROM representation_relationship')).toEqual([]);
  });

  it('confirms nothing that the patient has ended meanwhile', async () => {
    const id = await acts({ patient: '2' });
    await query("UPDATE representation_relationship SET status = 'suspended', reason = 'deleted' WHERE id = $1", [id]);
    const form = { note: 'It is there', reason: 'deleted' };
    nodes[0]?.signal('SIGSTOP');
    const late = held(agents.admin, (agent) => agent.post(`${path}/${id}/confirmation`, form));
    await late.isSent;
    expect((await agents.noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    nodes[0]?.signal('SIGCONT');
    expect((await late.answer)?.status).toBe(409);
    expect(await stored(id)).toEqual({ status: 'suspended', reason: 'patient-ended' });
  });
});

describe('A node that is stopped in the middle of a decision', () => {
  /** Stops it while it holds the relationship, which the other node waits for. */
  async function whileStopped(id: string, first: HeldRequest, second: () => Promise<Answer>) {
    const holder = new pg.Client(database.connection);
    await holder.connect();
    const areWaiting = (count: number) =>
      until(async () => {
        const { rows } = await holder.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return rows.length === count;
      });
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM representation_relationship WHERE id = $1 FOR UPDATE', [id]);
      await first.isSent;
      await areWaiting(1);
      nodes[0]?.signal('SIGSTOP');
      const other = second();
      await areWaiting(2);
      await holder.query('COMMIT');
      await sleep(2_000);
      nodes[0]?.signal('SIGCONT');
      return [await first.answer, await other] as const;
    } finally {
      await holder.end();
    }
  }

  it('does not take back an end by the patient that came meanwhile', async () => {
    const id = await acts({ patient: '2' });
    await query("UPDATE representation_relationship SET status = 'suspended', reason = 'deleted' WHERE id = $1", [id]);
    const confirm = held(agents.admin, (agent) => agent.post(`${path}/${id}/confirmation`, { note: 'It is there' }));
    const [confirmed, ended] = await whileStopped(id, confirm, () =>
      agents.noah.post(`/api/representation/${id}/end`, {}),
    );
    expect([confirmed?.status, ended.status]).toEqual([200, 204]);
    expect(await stored(id)).toEqual({ status: 'suspended', reason: 'patient-ended' });
  });

  it('does not take back a safeguarding end that came meanwhile', async () => {
    const id = await acts({ patient: '2' });
    const end = held(agents.ana, (agent) => agent.post(`/api/representation/${id}/end`, {}));
    const safeguard = { reason: 'safeguarding', note: 'Reported by a nurse' };
    const [, ended] = await whileStopped(id, end, () => agents.admin.post(`${path}/${id}/end`, safeguard));
    expect(ended.status).toBe(200);
    expect((await stored(id)) as { status: string }).toMatchObject({ status: 'ended' });
    expect((await query('SELECT FROM representation_block')).length).toBeGreaterThan(0);
  });
});
