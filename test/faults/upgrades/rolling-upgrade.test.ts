import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { releaseBefore } from '../../../src/platform/database/releases.js';
import { publicApp } from '../../support/clients/clients.js';
import { addressOf, createDatabase, type TestConnection } from '../../support/database/database.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Haproxy, hasHaproxy } from '../../support/http/haproxy.js';
import { builtRelease, commitOf } from '../../support/portal/built-release.js';
import { configured, runGatehouse } from '../../support/portal/command-line.js';
import { MixedLoad, signers } from '../../support/portal/mixed-load.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { isLong, runs } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** Requests in a second; a machine that cannot answer so many gets as many as it can answer. */
const { numRuns: rate } = runs(25, Number(process.env.GATEHOUSE_TEST_RATE ?? 500));
const { numRuns: grants } = runs(10, 100);
/** The number of requests between two steps. */
const { numRuns: between } = runs(60, 3_000);
/** Seconds for which a node that ends still serves: longer than HAProxy needs to notice. */
const stopDelay = 6;

const app = { ...publicApp, clientId: 'steady-app', requireConsent: false };
const before = releaseBefore();
const commitBefore = before && commitOf(before.version);
const reason = !isLong
  ? 'npm run test:long has it'
  : !hasHaproxy
    ? 'HAProxy is not installed'
    : commitBefore
      ? undefined
      : `the history of this clone does not have release ${before?.version}; it may be shallow`;

type Release = 'before' | 'this';

let connection: TestConnection;
let drop: () => Promise<void>;
let fhir: Upstream;
let balancer: Haproxy;
let load: MixedLoad;
let folder: string;
let builtBefore: string;
let issuer: string;
let ports: [number, number];
const nodes: PortalProcess[] = [];

const sections = (port: number) => ({
  server: { issuer, port, stopDelay },
  fhir: { baseUrl: fhir.url },
  users: [people.admin, people.patient, ...signers],
  clients: [app],
});

async function startNode(index: number, release: Release): Promise<void> {
  const port = ports[index as 0 | 1];
  const built = release === 'before' ? builtBefore : undefined;
  nodes[index] = await PortalProcess.start({ database: connection, port, issuer, config: sections(port), built });
  await until(() => balancer.uses(index));
}

/**
 * As an operator does: the node ends when it has answered its requests, and one of the other release takes its place.
 */
async function replace(index: number, release: Release): Promise<void> {
  expect(await nodes[index]?.end('SIGTERM')).toBe(0);
  await startNode(index, release);
  await load.passes(between);
}

async function kill(index: number, release: Release): Promise<void> {
  load.noteKill();
  await nodes[index]?.end('SIGKILL');
  await startNode(index, release);
  await load.passes(between);
}

/** `npx gatehouse` of this release. */
async function gatehouse(...words: string[]) {
  const config = { database: { url: addressOf(connection) }, keys: { masterKey: '7'.repeat(64) } };
  return runGatehouse(await configured(folder, config), ...words);
}

/** The changes of later migrations to tables that every request uses, also if this release has none yet. */
async function extendUsedTables(): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("SET lock_timeout = '3s'");
  for (const table of ['oidc_record', 'account', 'client'])
    await client.query(`ALTER TABLE ${table} ADD COLUMN planted text NOT NULL DEFAULT ''`);
  await client.query('SET lock_timeout = 0');
  await client.query('CREATE INDEX CONCURRENTLY planted ON oidc_record (planted)');
  await client.end();
}

(reason === undefined ? describe : describe.skip)(
  `R-11 While release ${before?.version} and this one serve the same database${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    beforeAll(async () => {
      builtBefore = await builtRelease(commitBefore ?? '');
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-upgrade-'));
      ({ connection, drop } = await createDatabase({ empty: true }));
      fhir = await startUpstream((request, response) =>
        response.setHeader('Content-Type', 'application/fhir+json').end(
          JSON.stringify(
            request.url?.includes('/metadata')
              ? {
                  resourceType: 'CapabilityStatement',
                  fhirVersion: '4.0.1',
                  rest: [{ mode: 'server', resource: [{ type: 'Patient', interaction: [{ code: 'read' }] }] }],
                }
              : { resourceType: 'Patient', id: '1' },
          ),
        ),
      );
      const [entry = 0, first = 0, second = 0] = await freePorts(3);
      ports = [first, second];
      issuer = `http://localhost:${entry}`;
      balancer = await Haproxy.start(entry, ports);
    });

    afterAll(async () => {
      await Promise.all(nodes.map((node) => node.end('SIGKILL')));
      await balancer.stop();
      fhir.close();
      await drop();
      await rm(folder, { recursive: true });
    });

    it('no request fails and no grant is lost while nodes are replaced, forwards and backwards, and killed', async () => {
      await startNode(0, 'before');
      await startNode(1, 'before');
      load = await MixedLoad.prepare({ issuer, fhirBase: `${issuer}/fhir` }, app, grants);
      load.start(rate);
      await load.passes(between);
      expect(await gatehouse('database', 'migrate')).toMatchObject({ code: 0, err: '' });
      await extendUsedTables();
      await load.passes(between);

      await replace(0, 'this');
      if (isLong) await kill(0, 'this');
      await kill(1, isLong ? 'before' : 'this');
      if (isLong) await replace(1, 'this');

      await replace(0, 'before');
      if (isLong) await kill(0, 'before');
      await kill(1, isLong ? 'this' : 'before');
      if (isLong) await replace(1, 'before');

      const { requests, perSecond } = await load.stop();
      const lost = await load.lostGrants();
      if (isLong)
        process.stderr.write(
          `${requests} requests, ${Math.round(perSecond)} of ${rate} a second, ${load.failures.length} failed, ` +
            `${lost.length} of ${load.grants} grants lost, ${load.codesLost} codes whose answer a killed node took with it, ` +
            `${JSON.stringify(load.answered)}\n`,
        );
      expect(load.failures).toEqual([]);
      expect(lost).toEqual([]);
      expect(Object.values(load.answered).every((count) => count > 0)).toBe(true);
      const rolledBack = await gatehouse('database', 'rollback');
      if (rolledBack.code !== 0) expect(rolledBack.err).toMatch(/^Data would be lost: /);
      else expect(rolledBack.out).toMatch(`The schema is that of release ${before?.version}.`);
    }, 3_600_000);
  },
);
