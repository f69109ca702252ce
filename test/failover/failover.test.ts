import type { ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeClientKey, serviceWithKeys } from '../support/clients/assertions.js';
import { publicApp } from '../support/clients/clients.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { startHaproxy, stopHaproxy } from '../support/http/haproxy.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';
import { FailoverLoad } from './failover-load.js';
import { kinds, LateWrites } from './failovers.js';
import { PatroniCluster } from './patroni-cluster.js';
import { Report } from './report.js';
import { SignInProbe } from './sign-in-probe.js';

const failovers = Number(process.env.GATEHOUSE_FAILOVERS);
/** Sign-ins work again after so many seconds. */
const longestOutage = 15;

const app = { ...publicApp, clientId: 'steady-app', requireConsent: false };
const key = await makeClientKey('ES384', 'key');
const service = serviceWithKeys('keyed-service', [key]);

let cluster: PatroniCluster;
let haproxy: ChildProcess;
let fhir: Upstream;
let issuer: string;
let ports: number[];
let load: FailoverLoad;
let probes: SignInProbe[];
const nodes: PortalProcess[] = [];

beforeAll(async () => {
  cluster = await PatroniCluster.start();
  await LateWrites.createTable(await cluster.primary());
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
  const [entry = 0, postgres = 0, ...own] = await freePorts(4);
  ports = own;
  issuer = `http://localhost:${entry}`;
  const [first = 0, second = 0] = ports;
  haproxy = startHaproxy(['haproxy-postgres.cfg', 'haproxy-gatehouse.cfg'], {
    ...cluster.addresses,
    POSTGRES_ENTRY: `127.0.0.1:${postgres}`,
    PORTAL_ENTRY: `127.0.0.1:${entry}`,
    NODE1: `127.0.0.1:${first}`,
    NODE2: `127.0.0.1:${second}`,
  });
  for (const port of ports) {
    const config = {
      server: { issuer, port },
      database: { url: cluster.urlAt(postgres) },
      fhir: { baseUrl: fhir.url },
      users: Object.values(people),
      clients: [app, service],
      logging: { level: 'warn' },
    };
    const database = { host: '127.0.0.1', port: postgres, user: 'gatehouse', database: 'gatehouse' };
    nodes.push(await PortalProcess.start({ database, port, issuer, config }));
  }
  load = new FailoverLoad({
    issuer,
    fhirBase: `${issuer}/fhir`,
    ports,
    client: app,
    service: { clientId: service.clientId, key },
  });
  probes = [
    new SignInProbe('the load balancer', issuer, entry, people.practitioner, load.outcomes),
    new SignInProbe('node 1', issuer, first, people.otherPatient, load.outcomes),
    new SignInProbe('node 2', issuer, second, people.admin, load.outcomes),
  ];
}, 300_000);

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGKILL')));
  if (haproxy) await stopHaproxy(haproxy);
  fhir?.close();
  await cluster?.remove();
}, 60_000);

const works = () => until(() => probes.every((probe) => probe.works), 120_000);

describe('R-06 With Patroni, HAProxy and three database servers', () => {
  it('no failover loses a grant or lets one be used twice, and sign-ins work again soon', async () => {
    const report = new Report();
    await until(async () => (await fetch(`http://127.0.0.1:${new URL(issuer).port}/health/ready`)).ok);
    await load.start();
    for (const probe of probes) probe.start();
    await works();
    for (let turn = 0; turn < failovers; turn += 1) {
      const kind = kinds[turn % kinds.length] as (typeof kinds)[number];
      const primary = await cluster.primary();
      const late = await LateWrites.prepare(primary);
      load.outcomes.reset();
      for (const probe of probes) probe.reset();
      const mark = `failover ${turn + 1}`;

      const began = performance.now();
      await kind.force(cluster, primary);
      await until(async () => (await cluster.primary()) !== primary);
      await until(async () => (await cluster.primary()).acceptsChanges());
      const promoted = (performance.now() - began) / 1000;
      // Both are there now, or the old one is about to wake up.
      const beforeItsReturn = await late.succeeds(`${mark}, before the return`);
      await works();
      kind.comeBack(primary);
      const atItsReturn = await late.succeeds(`${mark}, at the return`);
      await cluster.isWhole();
      await sleep(2_000);
      await works();

      await late.end();
      const next = await cluster.primary();
      report.add({
        kind: kind.name,
        from: primary.name,
        to: next.name,
        promoted,
        outages: probes.map((probe) => ({ at: probe.name, seconds: probe.outages(began) })),
        ...load.outcomes.reset(),
        lateWrites: [beforeItsReturn, atItsReturn].filter(Boolean).length,
        load: loadavg()[0] ?? 0,
      });
    }
    await Promise.all([load.stop(), ...probes.map((probe) => probe.stop())]);
    const lost = await load.lostAtTheEnd();
    const kept = await LateWrites.kept(await cluster.primary());
    report.end({ load, lost, kept });
    for (const [index, node] of nodes.entries()) report.note(`node ${index + 1}`, node.output);
    for (const { name, log } of cluster.servers) report.note(name, log);

    expect(load.outcomes.wrong).toEqual([]);
    expect(lost).toEqual([]);
    expect(load.doubleSpends).toBe(0);
    expect(kept).toEqual([]);
    expect(report.lateWrites).toBe(0);
    expect(report.longestOutage).toBeLessThanOrEqual(longestOutage);
  }, 7_200_000);
});
