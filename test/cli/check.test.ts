import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadinessCode, ReadinessReport } from '../../src/contract/readiness.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent } from '../support/http/agent.js';
import { CommandedPortal, callGatehouse, configured, runGatehouse } from '../support/portal/command-line.js';
import { freePorts } from '../support/portal/portal.js';
import { enableTwoFactor, login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Patient' }] }],
};
let upstream: Upstream;
let folder: string;
let issuer: string;
let env: NodeJS.ProcessEnv;
const portal = new CommandedPortal();

const started = (...args: string[]) => runGatehouse(env, ...args);
const gatehouse = (...args: string[]) => callGatehouse(env, ...args);

async function checked(): Promise<{ code: number | null; report: ReadinessReport; state(of: ReadinessCode): unknown }> {
  const { code, out } = await gatehouse('check', '--json');
  const report = JSON.parse(out) as ReadinessReport;
  const all = report.sections.flatMap(({ checks }) => checks);
  return { code, report, state: (of) => all.find((check) => check.code === of)?.state };
}

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const isMetadata = request.url?.endsWith('/metadata');
    response.writeHead(isMetadata ? 200 : 401, { 'content-type': 'application/fhir+json' });
    response.end(JSON.stringify(isMetadata ? statement : {}));
  });
  const [port] = await freePorts(1);
  issuer = `http://localhost:${port}`;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-check-'));
  env = await configured(folder, {
    server: { issuer, port },
    fhir: { baseUrl: upstream.url },
    logging: { level: 'error' },
    users: [people.admin],
  });
});

afterAll(async () => {
  await portal.stop();
  upstream.close();
  await rm(folder, { recursive: true, force: true });
});

describe('npx gatehouse check', () => {
  it('says its exit codes in the help', async () => {
    const { out } = await gatehouse('--help');
    expect(out).toMatch(/check \[--json\] .*exit code 0 if nothing blocks going live, 1 if something does/);
  });

  it('says before the first start that there is no schema yet, checks the rest, and leaves the database as it is', async () => {
    for (const _run of [1, 2]) {
      const { code, out, err } = await gatehouse('check');
      expect([code, err]).toEqual([1, '']);
      expect(out).toContain('BLOCKING    Migrations: There is no schema yet: the database is empty.');
      expect(out).toContain('This is stored in tables that do not exist yet.');
      expect(out).not.toContain('which is in the log');
      const { report, state } = await checked();
      expect([report.ready, state('migrations')]).toEqual([false, 'blocking']);
      expect([state('admin-second-factor'), state('fhir-capabilities')]).toEqual(['unknown', 'pass']);
    }
  });

  it('ends with 1 while something blocks, and with 0 when nothing does', async () => {
    await portal.start(env, issuer);
    const blocked = await started('check');
    expect([blocked.code, blocked.err]).toEqual([1, '']);
    expect(blocked.out).toContain(
      `BLOCKING    Second factor of administrators: ${people.admin.fullName} can sign in with a password alone.`,
    );
    expect(blocked.out).toMatch(
      /1 blocking, \d+ unknown\nNot ready to go live: solve what blocks, and check again\.\n$/,
    );

    const admin = new Agent(issuer);
    await login(admin, people.admin);
    await enableTwoFactor(admin);
    const ready = await gatehouse('check');
    expect([ready.code, ready.err]).toEqual([0, '']);
    expect(ready.out).toMatch(/ 0 blocking, \d+ unknown\nReady to go live\.\n$/);
    expect(ready.out).toContain('pass        Durability of the database');

    env.GATEHOUSE_FHIR__BASE_URL = 'http://127.0.0.1:9';
    const { code, state } = await checked();
    delete env.GATEHOUSE_FHIR__BASE_URL;
    expect([code, state('fhir-capabilities')]).toEqual([1, 'blocking']);
  });

  it('includes backups and verifications that commands have recorded', async () => {
    const before = await checked();
    expect([before.state('backups'), before.state('audit-verified')]).toEqual(['unknown', 'improve']);
    expect(await gatehouse('backup', 'done')).toEqual({ code: 0, out: 'The backup is recorded.\n', err: '' });
    expect((await gatehouse('audit', 'verify')).code).toBe(0);
    const after = await checked();
    expect([after.state('backups'), after.state('audit-verified')]).toEqual(['pass', 'pass']);
  });

  it('works also while the portal is stopped', async () => {
    await portal.stop();
    const { code, report, state } = await checked();
    expect([code, report.ready, report.checkedBy, report.issuer]).toEqual([0, true, null, issuer]);
    expect([state('admin-second-factor'), state('database-durability')]).toEqual(['pass', 'pass']);
  });

  it('reports a database that cannot be used', async () => {
    env.GATEHOUSE_DATABASE__URL = 'postgres://127.0.0.1:9/none';
    env.GATEHOUSE_DATABASE__START_WAIT = '0';
    env.GATEHOUSE_KEYS__MASTER_KEY = 'ab'.repeat(32);
    const failed = await gatehouse('check');
    for (const name of ['DATABASE__URL', 'DATABASE__START_WAIT', 'KEYS__MASTER_KEY']) delete env[`GATEHOUSE_${name}`];
    expect([failed.code, failed.out]).toEqual([1, '']);
    expect(failed.err).toContain('The database cannot be used');
  });
});
