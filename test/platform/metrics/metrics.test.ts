import { request } from 'node:http';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import { everyKind, useEveryKind, useHostileNames } from '../../support/portal/every-kind.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { Scraped } from '../../support/portal/scraped.js';
import { eventually, until } from '../../support/until.js';

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let portal: TestPortal;
let address: string;
let used: Map<string, string>;
let metrics: Scraped;

const scrape = () => Scraped.from(`${address}/metrics`);

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  const [port = 0, management = 0] = await freePorts(2);
  address = `http://127.0.0.1:${management}`;
  portal = await startPortal({
    ports: [port],
    config: {
      ...everyKind,
      server: { management: { host: '127.0.0.1', port: management } },
      fhir: { baseUrl: fhirServer.url },
    },
  });
  await until(async () => (await scrape()).value('gatehouse_fhir_server_available') === 1);
  used = await useEveryKind(portal);
  metrics = await scrape();
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

describe('The metrics count requests', () => {
  it.each([
    ['authorize', '', 'ok'],
    ['token', 'authorization_code', 'ok'],
    ['token', 'refresh_token', 'ok'],
    ['token', 'client_credentials', 'ok'],
    ['token', 'client_credentials', 'invalid_client'],
    ['token', 'other', 'unsupported_grant_type'],
    ['introspection', '', 'ok'],
    ['revocation', '', 'ok'],
    ['userinfo', '', 'ok'],
    ['discovery', '', 'ok'],
    ['keys', '', 'ok'],
    ['gateway', 'document', 'ok'],
    ['gateway', 'read', 'ok'],
    ['gateway', 'read', 'not-found'],
    ['gateway', 'search', 'ok'],
    ['gateway', 'other', 'login'],
    ['api', 'change', 'ok'],
    ['api', 'change', 'invalid'],
    ['api', 'read', 'ok'],
    ['api', 'read', 'unauthenticated'],
    ['page', '', 'ok'],
  ])('of the kind %s %s with the outcome %s, and how long they took', (kind, operation, outcome) => {
    expect(metrics.value('gatehouse_requests_total', { kind, operation, outcome })).toBeGreaterThan(0);
    const seconds = metrics.value('gatehouse_request_duration_seconds_sum', { kind, operation });
    expect(seconds).toBeGreaterThan(0);
    expect(metrics.value('gatehouse_request_duration_seconds_count', { kind, operation })).toBe(
      metrics.value('gatehouse_requests_total', { kind, operation }),
    );
  });

  it('of which the FHIR server was asked, and how long it was awaited', () => {
    const waited = (part: string) => metrics.value(`gatehouse_fhir_server_wait_seconds_${part}`, { operation: 'read' });
    expect(waited('count')).toBeGreaterThan(0);
    expect(waited('sum')).toBeLessThan(
      metrics.value('gatehouse_request_duration_seconds_sum', { kind: 'gateway', operation: 'read' }) ?? 0,
    );
  });

  it('of apps that were refused, by their cause', () => {
    expect(metrics.value('gatehouse_refusals_total', { cause: 'token-secret-wrong' })).toBe(1);
    expect(metrics.value('gatehouse_refusals_total', { cause: 'gateway-other-patient' })).toBe(1);
  });

  it('whose client leaves before the response as aborted', async () => {
    const { port, host } = new URL(portal.issuer);
    const headers = { host, 'content-length': 100, 'content-type': 'application/x-www-form-urlencoded' };
    const leaving = request({ host: '127.0.0.1', port, path: '/connect/token', method: 'POST', headers });
    leaving.on('error', () => undefined);
    leaving.write('grant_type=');
    await until(async () => (await scrape()).value('gatehouse_requests_in_progress') === 1);
    leaving.destroy();
    await until(async () => (await scrape()).value('gatehouse_requests_in_progress') === 0);
    expect((await scrape()).value('gatehouse_requests_total', { kind: 'token', outcome: 'aborted' })).toBe(1);
  });
});

describe('The metrics show', () => {
  it('sign-ins and other audit events, by their type and outcome', () => {
    const events = (type: string, outcome: string) => metrics.value('gatehouse_audit_events_total', { type, outcome });
    expect([events('login', 'success'), events('login', 'failure')]).toEqual([2, 1]);
    expect([events('record.accessed', 'success'), events('record.accessed', 'failure')]).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  it('the connections to the database, and that it answers', () => {
    expect(metrics.value('gatehouse_database_up')).toBe(1);
    expect(metrics.value('gatehouse_database_connections_max')).toBe(20);
    expect(metrics.value('gatehouse_database_connections')).toBeGreaterThan(0);
    expect(metrics.value('gatehouse_database_waiting')).toBe(0);
  });

  it('the age of the signing keys and when they are replaced', () => {
    expect(metrics.valuesOf('gatehouse_signing_key_age_seconds', 'alg')).toEqual(['ES256', 'RS256']);
    expect(metrics.value('gatehouse_signing_key_age_seconds', { alg: 'ES256' })).toBeLessThan(600);
    expect(metrics.value('gatehouse_signing_key_rotation_seconds')).toBe(90 * 86_400);
  });

  it('events of the audit record that wait for their seal, with the age of the oldest', async () => {
    const seals = portal.apps[0]?.get(AuditSeals, { strict: false });
    await seals?.seal();
    // The node seals every minute, also at this moment.
    await eventually(async () => {
      await portal.query(
        `INSERT INTO audit_unsealed (event_id, recorded_at) SELECT id, now() - interval '1 hour' FROM audit_event
          ORDER BY id DESC LIMIT 2 ON CONFLICT (event_id) DO NOTHING`,
      );
      const waiting = await scrape();
      expect(waiting.value('gatehouse_audit_unsealed_events')).toBe(2);
      expect(waiting.value('gatehouse_audit_oldest_unsealed_age_seconds')).toBeGreaterThanOrEqual(3_600);
    });
    await seals?.seal();
    const sealed = await scrape();
    expect(sealed.value('gatehouse_audit_unsealed_events')).toBe(0);
    expect(sealed.value('gatehouse_audit_oldest_unsealed_age_seconds')).toBe(0);
    expect(sealed.value('gatehouse_audit_seals')).toBeGreaterThanOrEqual(2);
    expect(sealed.value('gatehouse_audit_last_seal_age_seconds')).toBeLessThan(60);
  });

  it('the version of the node', () => {
    expect(metrics.valuesOf('gatehouse_build_info', 'version')).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)]);
  });
});

describe('The series of the metrics', () => {
  it('are not created by names that callers make up', async () => {
    await useHostileNames(portal, 3);
    const before = (await scrape()).series;
    await useHostileNames(portal, 20);
    const after = await scrape();
    // Node's collector has a series for each kind of garbage collection from its first one on.
    const names = (series: typeof before) =>
      series
        .filter(({ name }) => !name.startsWith('nodejs_gc_'))
        .map(({ name, labels }) => JSON.stringify([name, labels]))
        .sort();
    expect(names(after.series)).toEqual(names(before));
    expect(after.text).not.toContain('made-up');
  });

  it('have no secrets, tokens, names, addresses or client ids', async () => {
    const { text } = await scrape();
    for (const [what, value] of used) expect([what, text.includes(value)]).toEqual([what, false]);
    expect(text).not.toMatch(/counted-app|backend-service|Patient\/|127\.0\.0\.1/);
  });
});

describe('The management address', () => {
  it('answers metrics and health, also through a proxy, and nothing else', async () => {
    const forwarded = { headers: { 'x-forwarded-for': '10.1.2.3' } };
    const status = async (path: string, init: RequestInit = {}) => (await fetch(address + path, init)).status;
    expect(await status('/metrics', forwarded)).toBe(200);
    expect(await status('/health/live')).toBe(200);
    expect(await status('/health/ready')).toBe(200);
    expect(await status('/metrics', { method: 'HEAD' })).toBe(200);
    expect(await status('/metrics', { method: 'POST' })).toBe(405);
    for (const path of ['/', '/login', '/api/settings', '/connect/token', '/fhir/metadata', '/metrics/x']) {
      expect([path, await status(path)]).toEqual([path, 404]);
    }
  });

  it('is the same text as the metrics at the address of the portal, which only this machine can read', async () => {
    const names = async (url: string) => [...new Set((await Scraped.from(url)).series.map(({ name }) => name))].sort();
    expect(await names(`${portal.issuer}/metrics`)).toEqual(await names(`${address}/metrics`));
    const forwarded = await fetch(`${portal.issuer}/metrics`, { headers: { 'x-forwarded-for': '10.1.2.3' } });
    expect(forwarded.status).toBe(404);
  });

  it('shows that the database is away, and the figures that do not need it', async () => {
    await portal.query('ALTER TABLE job RENAME TO job_gone');
    await portal.query('ALTER TABLE audit_unsealed RENAME TO audit_unsealed_gone');
    try {
      const partly = await scrape();
      expect(partly.value('gatehouse_jobs_due')).toBeUndefined();
      expect(partly.value('gatehouse_audit_unsealed_events')).toBeUndefined();
      expect(partly.value('gatehouse_requests_total')).toBeGreaterThan(0);
    } finally {
      await portal.query('ALTER TABLE job_gone RENAME TO job');
      await portal.query('ALTER TABLE audit_unsealed_gone RENAME TO audit_unsealed');
    }
    await eventually(async () => expect((await scrape()).value('gatehouse_jobs_due')).toBeDefined());
  });
});
