import pg from 'pg';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';

const readers = 8;

let upstream: Upstream;
let database: { connection: TestConnection; drop(): Promise<void> };
let portal: PortalProcess;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '' }, response) => {
    const resource = { resourceType: 'Observation', id: url.split('/').at(-1) };
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(resource));
  });
  database = await createDatabase();
  const [port = 0] = await freePorts(1);
  portal = await PortalProcess.start({
    database: database.connection,
    port,
    config: { fhir: { baseUrl: upstream.url }, clients: [backendService] },
  });
});

afterAll(async () => {
  await portal.end('SIGKILL');
  upstream.close();
  await database.drop();
});

it('every answered FHIR access is recorded, also when the process is killed in the middle of them', async () => {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const headers = basicAuthorization(backendService.clientId, sharedSecret);
  const answer = await new Agent(portal.issuer).postForm('/connect/token', form, { headers });
  const { access_token } = answer.json<{ access_token: string }>();
  const answered: string[] = [];
  let isAlive = true;
  const read = async (reader: number) => {
    for (let count = 0; isAlive; count += 1) {
      const target = `/Observation/r${reader}-${count}`;
      const response = await fetch(`${portal.issuer}/fhir${target}`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      await response.text();
      if (response.status === 200) answered.push(target);
    }
  };
  const reading = Promise.allSettled(Array.from({ length: readers }, (_, reader) => read(reader)));
  await until(async () => answered.length > 200);
  await portal.end('SIGKILL');
  isAlive = false;
  await reading;
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query(
    "SELECT detail->>'target' AS target FROM audit_event WHERE type = 'record.accessed'",
  );
  await client.end();
  const recorded = new Set(rows.map(({ target }) => target as string));
  expect(answered.filter((target) => !recorded.has(target))).toEqual([]);
});
