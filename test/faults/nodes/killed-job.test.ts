import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { publicApp } from '../../support/clients/clients.js';
import { createDatabase } from '../../support/database/database.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';

let receiver: Server;
let database: Awaited<ReturnType<typeof createDatabase>>;
let client: pg.Client;
const open: ServerResponse[] = [];
const nodes: PortalProcess[] = [];

beforeAll(async () => {
  receiver = createServer((_, response) => open.push(response));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  database = await createDatabase();
  client = new pg.Client(database.connection);
  await client.connect();
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGKILL')));
  receiver.closeAllConnections();
  receiver.close();
  await client.end();
  await database.drop();
});

async function startNode(): Promise<PortalProcess> {
  const [port = 0] = await freePorts(1);
  const backChannelLogoutUri = `http://localhost:${(receiver.address() as AddressInfo).port}/`;
  const node = await PortalProcess.start({
    database: database.connection,
    port,
    config: { clients: [{ ...publicApp, backChannelLogoutUri }], outbound: { allowedPrivateHosts: ['localhost'] } },
  });
  nodes.push(node);
  return node;
}

const jobs = () => client.query<{ attempts: number }>('SELECT attempts FROM job').then(({ rows }) => rows);

it('a job whose node was killed during the attempt is done by another node after its lease', async () => {
  const killed = await startNode();
  await client.query("INSERT INTO job (kind, payload) VALUES ('backchannel-logout', $1)", [
    { clientId: publicApp.clientId, accountId: 'user', sid: 'session' },
  ]);
  await client.query("SELECT pg_notify('gatehouse_jobs', 'backchannel-logout')");
  await until(() => open.length === 1);
  await killed.end('SIGKILL');
  expect(await jobs()).toEqual([{ attempts: 1 }]);
  await startNode();
  expect(await jobs()).toEqual([{ attempts: 1 }]);
  await client.query("UPDATE job SET due_at = due_at - interval '30 seconds'");
  await client.query("SELECT pg_notify('gatehouse_jobs', 'backchannel-logout')");
  await until(() => open.length === 2);
  open[1]?.writeHead(200).end();
  await until(async () => (await jobs()).length === 0);
});
