/** The CapabilityStatement that was read last serves for a day, also after a restart. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createDatabase } from '../../support/database/database.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';

const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  software: { name: 'A server' },
  rest: [{ mode: 'server', resource: [{ type: 'Patient', searchParam: [{ name: 'name', type: 'string' }] }] }],
};
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;
const answerWell: Behaviour = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(statement));
};
const ways: Record<string, Behaviour> = {
  'is gone': (request) => void request.socket.destroy(),
  'answers with an error': (_request, response) => void response.writeHead(500).end(),
  'does not answer': () => undefined,
};

let behave = answerWell;
let upstream: Upstream;
let database: Awaited<ReturnType<typeof createDatabase>>;
let portal: TestPortal | undefined;
const masterKey = randomBytes(32);

async function start(): Promise<TestPortal> {
  await portal?.close();
  const kept = { ...database, drop: async () => undefined };
  portal = await startPortal({ filled: { database: kept, masterKey }, config: { fhir: { baseUrl: upstream.url } } });
  return portal;
}
const metadata = async ({ issuer }: TestPortal) => {
  const answer = await new Agent(issuer).get('/fhir/metadata');
  return { status: answer.status, ...answer.json<{ software?: object; resourceType: string }>() };
};

beforeAll(async () => {
  upstream = await startUpstream((request, response) => behave(request, response));
  database = await createDatabase();
  const node = await start();
  await until(async () => (await node.query('SELECT FROM fhir_server_statement')).length === 1);
});
afterAll(async () => {
  await portal?.close();
  await database.drop();
  upstream.close();
});

it.each(Object.entries(ways))('A node that starts while the FHIR server %s serves it at once', async (_, way) => {
  behave = way;
  const node = await start();
  const begun = performance.now();
  expect(await metadata(node)).toMatchObject({ status: 200, software: { name: 'A server' } });
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(await metadata(node)).toMatchObject({ status: 200, software: { name: 'A server' } });
});

it('A day after it was read it serves no more, until the server has answered again', async () => {
  behave = ways['is gone'] as Behaviour;
  await portal?.query("UPDATE fhir_server_statement SET read_at = now() - interval '25 hours'");
  const node = await start();
  expect(await metadata(node)).toMatchObject({ status: 503, resourceType: 'OperationOutcome' });
  behave = answerWell;
  await until(async () => (await metadata(node)).status === 200);
  await until(async () => {
    const [row] = await node.query("SELECT read_at > now() - interval '1 minute' AS fresh FROM fhir_server_statement");
    return row?.fresh === true;
  });
});
