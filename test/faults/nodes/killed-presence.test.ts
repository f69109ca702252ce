import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import type { PresenceView } from '../../../src/contract/presence.js';
import { publicApp } from '../../support/clients/clients.js';
import { createDatabase } from '../../support/database/database.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const users = [
  people.admin,
  { ...people.admin, fullName: 'Bert Kohl', email: 'bert@example.org' },
  { ...people.admin, fullName: 'Cleo Marsh', email: 'cleo@example.org' },
];
let killed: PortalProcess;
let survivor: TestPortal;
let client: string;

beforeAll(async () => {
  const database = await createDatabase();
  const [port = 0, other = 0] = await freePorts(2);
  const issuer = `http://localhost:${other}`;
  const config = { users, clients: [publicApp] };
  killed = await PortalProcess.start({ database: database.connection, port, issuer, config });
  const masterKey = Buffer.from('7'.repeat(64), 'hex');
  survivor = await startPortal({ filled: { database, masterKey }, ports: [other], issuer, config });
  client = (await survivor.query<{ id: string }>('SELECT id FROM client'))[0]?.id ?? '';
});

afterAll(async () => {
  await killed.end('SIGKILL');
  await survivor.close();
});

/** A tab of an administrator: reports the client as open, and returns what the node answers. */
async function openTab({ email: username, password }: { email: string; password: string }, port: number) {
  const agent = new Agent(survivor.issuer, port);
  expect((await agent.post('/api/session/login', { username, password })).status).toBe(200);
  const tab = randomUUID();
  const report = async (state: string) => {
    const body = { kind: 'client', id: client, tab, state };
    const answer = await agent.send('/api/admin/presence', { method: 'PUT', body });
    expect(answer.status).toBe(200);
    return answer.json<PresenceView>().others;
  };
  return { agent, report };
}

it('presence that a killed node has reported ends by itself, unless the tab continues at another node', async () => {
  const [ada, bert, cleo] = users as [(typeof users)[0], (typeof users)[0], (typeof users)[0]];
  const own = await openTab(ada, survivor.ports[0] ?? 0);
  const [moved, silent] = [await openTab(bert, killed.port), await openTab(cleo, killed.port)];
  await moved.report('editing');
  await silent.report('editing');
  const both = [
    { name: 'Bert Kohl', state: 'editing' },
    { name: 'Cleo Marsh', state: 'editing' },
  ];
  await eventually(async () => expect(await own.report('viewing')).toEqual(both));
  await killed.end('SIGKILL');
  expect(await own.report('viewing')).toEqual(both);

  const now = Date.now;
  let laterMs = 60_000;
  const clock = mock.method(Date, 'now', () => now() + laterMs);
  try {
    moved.agent.port = survivor.ports[0] ?? 0;
    await moved.report('viewing');
    const bertViews = { name: 'Bert Kohl', state: 'viewing' };
    await eventually(async () => expect(await own.report('viewing')).toEqual([both[1], bertViews]));
    laterMs = 95_000;
    expect(await own.report('viewing')).toEqual([bertViews]);
  } finally {
    clock.mock.restore();
  }
});
