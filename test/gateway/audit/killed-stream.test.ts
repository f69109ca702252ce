import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { patientsOfEvent } from '../../../src/audit/infrastructure/audit-record-statements.js';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { observationOf } from '../../support/fhir/scripted-server.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';

const readers = 6;
const rounds = isLong ? 20 : 2;

let upstream: Upstream;
let database: { connection: TestConnection; drop(): Promise<void> };

beforeAll(async () => {
  // Bundles without an end, of resources about a patient each.
  upstream = await startUpstream(async ({ url = '' }, response) => {
    const reader = url.replace(/\W/g, '-');
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
    response.write('{"resourceType":"Bundle","type":"searchset","entry":[');
    for (let number = 0; !response.destroyed; number += 1) {
      const resource = observationOf(`${reader}-${number}`, { note: [{ text: 'x'.repeat(number % 400) }] });
      const more = response.write(`${number === 0 ? '' : ','}${JSON.stringify({ resource })}`);
      if (!more) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      if (number % 20 === 0) await sleep(1);
    }
  });
  database = await createDatabase();
});

afterAll(async () => {
  upstream.close();
  await database.drop();
});

test(
  'no byte of a patient’s data leaves a node without the row that names the patient, also when the node is killed in the midst of it',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [port = 0] = await freePorts(1);
      const config = { fhir: { baseUrl: upstream.url }, clients: [backendService] };
      const portal = await PortalProcess.start({ database: database.connection, port, config });
      try {
        const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
        const headers = basicAuthorization(backendService.clientId, sharedSecret);
        const answer = await new Agent(portal.issuer).postForm('/connect/token', form, { headers });
        const authorization = `Bearer ${answer.json<{ access_token: string }>().access_token}`;
        const received: string[] = Array.from({ length: readers }, () => '');
        for (let reader = 0; reader < readers; reader += 1) {
          const target = `${portal.issuer}/fhir/Observation?code=${round}r${reader}`;
          const request = get(target, { headers: { authorization } }, (response: IncomingMessage) => {
            response.on('data', (chunk: Buffer) => {
              received[reader] += chunk.toString('latin1');
            });
            response.on('error', () => undefined);
          });
          request.on('error', () => undefined);
        }
        await until(() => received.every((text) => text.length > 2_000));
        await sleep(Math.random() * 100);
        await portal.end('SIGKILL');
        const left = received.flatMap((text) => [...text.matchAll(/Patient\/([\w.-]+)"/g)].map(([, id = '']) => id));
        const recorded = await recordedPatients();
        expect(left.length).toBeGreaterThan(50);
        expect(left.filter((id) => !recorded.has(id))).toEqual([]);
      } finally {
        await portal.end('SIGKILL');
      }
    }
  },
  120_000 * rounds,
);

async function recordedPatients(): Promise<Set<string>> {
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    `SELECT jsonb_array_elements_text(${patientsOfEvent}) AS id FROM audit_event WHERE type = 'record.accessed'`,
  );
  await client.end();
  return new Set(rows.map(({ id }) => id));
}
