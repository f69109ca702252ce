import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { FhirServerStatus } from '../../src/fhir-server/application/fhir-server-status.js';
import { checkEverySeconds, failuresUntilLost } from '../../src/fhir-server/domain/server-states.js';
import { FhirServerModule } from '../../src/fhir-server/fhir-server.module.js';
import { configSchema } from '../../src/platform/config/config.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { log } from '../../src/platform/logging/log.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { createDatabase } from '../support/database/database.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { until } from '../support/until.js';

type Database = Awaited<ReturnType<typeof createDatabase>>;

const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Patient', searchParam: [{ name: 'name' }] }] }],
};
const answerWell = (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(statement));
};

let behave: (request: IncomingMessage, response: ServerResponse) => void;
let upstream: Upstream;
let database: Database;
const nodes: INestApplicationContext[] = [];

beforeEach(async () => {
  log.level = 'silent';
  behave = answerWell;
  upstream = await startUpstream((request, response) => behave(request, response));
  database = await createDatabase();
});

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
  upstream.close();
  await database.drop();
});

/** A node that has only this module. */
async function startNode(baseUrl: string | null = upstream.url): Promise<FhirServerStatus> {
  const config = configSchema.parse({ fhir: { baseUrl: baseUrl ?? undefined, metadataTimeoutMs: 5_000 } });
  const platform = PlatformModule.forRuntime({
    config,
    secrets: new Secrets(Buffer.alloc(32)),
    connection: database.connection,
  });
  class Node {}
  const node = await NestFactory.createApplicationContext(
    { module: Node, imports: [platform, FhirServerModule] },
    { logger: false },
  );
  nodes.push(node);
  return node.get(FhirServerStatus);
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

/** Waits as {@link until}; the next check is due at once, instead of after seconds. */
const untilChecked = (happened: () => boolean) =>
  until(async () => {
    await query('UPDATE fhir_server_status SET next_check_at = now()');
    return happened();
  });

const isUp = (status: FhirServerStatus) => status.status().isFirelyServerAvailable;

test('a FHIR server that answers is available, with its capabilities and the time of the check', async () => {
  const began = Date.now();
  const status = await startNode();
  await until(() => isUp(status));
  expect(status.status()).toEqual({
    isFirelyServerAvailable: true,
    firelyServerUrl: upstream.url,
    isAllDataLoaded: true,
    checkedAt: expect.any(String),
  });
  const checkedAt = Date.parse(status.status().checkedAt ?? '');
  expect(checkedAt).toBeGreaterThanOrEqual(began - 1000);
  expect(checkedAt).toBeLessThanOrEqual(Date.now() + 1000);
  expect(status.resourceTypes()).toEqual(['Patient']);
  expect(status.searchParametersOf('Patient')).toEqual(['name']);
});

test('the start does not wait for a slow FHIR server', async () => {
  let wasGivenUp = false;
  behave = (_request, response) =>
    response.on('close', () => {
      wasGivenUp = true;
    });
  const status = await startNode();
  expect(wasGivenUp).toBe(false);
  expect(status.status()).toEqual({
    isFirelyServerAvailable: false,
    firelyServerUrl: upstream.url,
    isAllDataLoaded: false,
    checkedAt: null,
  });
});

test('the FHIR server is not available when none is configured', async () => {
  const status = await startNode(null);
  expect(status.status()).toEqual({
    isFirelyServerAvailable: false,
    firelyServerUrl: null,
    isAllDataLoaded: false,
    checkedAt: null,
  });
  expect(status.resourceTypes()).toBeUndefined();
});

test('the FHIR server is requested once for all nodes, which report the same status', async () => {
  const began = Date.now();
  const [first, second] = [await startNode(), await startNode()];
  await until(() => isUp(first) && isUp(second));
  expect(upstream.requests.length).toBeLessThanOrEqual(1 + (Date.now() - began) / 1000 / checkEverySeconds);
  expect(second.resourceTypes()).toEqual(['Patient']);
});

test('an outage of the FHIR server is noticed, its data stay, and so is its return', async () => {
  const status = await startNode();
  await until(() => isUp(status));
  behave = (_request, response) => response.destroy();
  await untilChecked(() => !isUp(status));
  expect(status.status()).toMatchObject({ isFirelyServerAvailable: false, isAllDataLoaded: true });
  // Three checks in a row notice the outage, and the first one the return.
  expect(await query('SELECT failures FROM fhir_server_status')).toEqual([{ failures: failuresUntilLost }]);
  let asked = 0;
  behave = (request, response) => {
    asked += 1;
    answerWell(request, response);
  };
  await untilChecked(() => isUp(status));
  expect(asked).toBe(1);
});

test('a FHIR server that misses one or two checks is not lost', async () => {
  const status = await startNode();
  await until(() => isUp(status));
  let missed = 0;
  behave = (request, response) => {
    missed += 1;
    if (missed < failuresUntilLost) response.destroy();
    else answerWell(request, response);
  };
  const seen: boolean[] = [];
  await untilChecked(() => {
    seen.push(isUp(status));
    return missed > failuresUntilLost;
  });
  expect(seen).not.toContain(false);
});

test('a FHIR server that is too busy for its CapabilityStatement stays available, and is asked for it rarely', async () => {
  const status = await startNode();
  await until(() => isUp(status));
  const asked: string[] = [];
  behave = (request, response) => {
    asked.push(request.url ?? '');
    if (!request.url?.endsWith('/metadata')) response.writeHead(404).end();
  };
  await untilChecked(() => asked.length >= 2);
  expect([isUp(status), status.resourceTypes(), asked.filter((url) => url.endsWith('/metadata'))]).toEqual([
    true,
    ['Patient'],
    [],
  ]);
  // A node that starts now gives the statement up, and knows what the others have read.
  const later = await startNode();
  await until(() => isUp(later));
  expect(later.resourceTypes()).toEqual(['Patient']);
});

test('what is known of a lost FHIR server may be validated against for a day', async () => {
  const status = await startNode();
  expect(status.capabilitiesServe()).toBe(false);
  await until(() => isUp(status));
  behave = (_request, response) => response.destroy();
  await untilChecked(() => !isUp(status));
  expect(status.capabilitiesServe()).toBe(true);
  await query(
    `UPDATE fhir_server_status SET loaded_at = now(),
       capabilities = jsonb_set(capabilities, '{readAt}', to_jsonb(to_char(now() - interval '25 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))`,
  );
  await until(() => !status.capabilitiesServe());
});

test('a node without the database still knows the FHIR server’s status', async () => {
  await query('DROP TABLE fhir_server_status');
  const status = await startNode();
  await until(() => isUp(status));
  expect(status.resourceTypes()).toEqual(['Patient']);
  expect(status.status().checkedAt).toEqual(expect.any(String));
});

test.each<[string, (response: ServerResponse) => void]>([
  ['HTML', (response) => response.setHeader('Content-Type', 'text/html').end('<html></html>')],
  ['truncated JSON', (response) => response.setHeader('Content-Type', 'application/json').end('{"resourceType":"Cap')],
  ['401', (response) => response.writeHead(401).end()],
  ['a redirect', (response) => response.writeHead(301, { Location: 'http://127.0.0.1:9/' }).end()],
  [
    'another version of FHIR',
    (response) =>
      response
        .setHeader('Content-Type', 'application/fhir+json')
        .end(JSON.stringify({ ...statement, fhirVersion: '3.0.2' })),
  ],
  [
    '50 MB',
    (response) => {
      response.setHeader('Content-Type', 'application/fhir+json');
      const chunk = ' '.repeat(1024 * 1024);
      for (let i = 0; i < 50; i += 1) response.write(chunk);
      response.end(JSON.stringify(statement));
    },
  ],
  [
    'a drip',
    (response) => {
      response.setHeader('Content-Type', 'application/fhir+json');
      const drip = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(drip));
    },
  ],
])('R-08 a FHIR server that answers %s is unavailable within five seconds', async (_what, fail) => {
  let lasted: number | undefined;
  behave = (_request, response) => {
    const asked = performance.now();
    response.on('close', () => {
      lasted = performance.now() - asked;
    });
    fail(response);
  };
  const status = await startNode();
  const checks = () => query('SELECT available FROM fhir_server_status WHERE checked_at IS NOT NULL');
  await until(async () => lasted !== undefined && (await checks()).length > 0);
  expect(await checks()).toEqual([{ available: false }]);
  // The rest is for a busy machine.
  expect(lasted).toBeLessThan(9_000);
  expect(isUp(status)).toBe(false);
});
