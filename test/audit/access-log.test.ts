/** The record of accesses as patients read it. */
import { mock } from 'node:test';
import type { AuditEvent, Bundle } from '@medplum/fhirtypes';
import { ExportedAccesses } from '../../src/audit/application/exported-accesses.js';
import type { AccessLogPage, AccessLogSummary, Visit, VisitRequests } from '../../src/contract/access-log.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { type GivenAccess, recordAccesses } from '../support/portal/recorded-accesses.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { type Credentials, people } from '../support/users/people.js';

const tenantPatient = {
  ...people.otherPatient,
  email: 'tia.north@example.org',
  claims: [
    { name: 'fhirUser', value: 'Patient/1' },
    { name: 'tenant', value: 'north' },
  ],
};

let portal: TestPortal;
let patient: Agent;
const ids = new Map<string, string>();

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient, people.otherPatient, people.practitioner, tenantPatient],
      clients: [publicApp, { ...publicApp, clientId: 'other-app', clientName: 'Other App' }],
      fhir: { tenants: [{ id: 'north', name: 'North', baseUrl: 'http://127.0.0.1:9', credentials: { type: 'none' } }] },
      audit: { reportAddress: 'privacy@example.org' },
    },
  });
  patient = await signedIn(people.patient);
  const rows = await portal.query<{ id: string; email: string }>('SELECT id, email FROM account');
  for (const { id, email } of rows) ids.set(email, id);
});

afterAll(() => portal.close());

beforeEach(async () => {
  await portal.query('ALTER TABLE audit_event DISABLE TRIGGER ALL');
  await portal.query("DELETE FROM audit_event WHERE type = 'record.accessed' OR type = 'app.revoked'");
  await portal.query('ALTER TABLE audit_event ENABLE TRIGGER ALL');
});

async function signedIn(person: Credentials): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  await login(agent, person);
  return agent;
}

/** Noon UTC of a day. */
const noon = (daysAgo: number, minutes = 0) => {
  const day = Math.floor(Date.now() / 86_400_000) - daysAgo;
  return new Date(day * 86_400_000 + (12 * 60 + minutes) * 60_000);
};

type Given = Omit<GivenAccess, 'app'> & { app?: string };

const given = (...accesses: Given[]) =>
  recordAccesses(portal, people, ...accesses.map((one) => ({ app: publicApp.clientId, ...one })));

const read = async (query = '', agent = patient): Promise<AccessLogPage> => {
  const answer = await agent.get(`/api/user/access-log${query}`);
  expect(answer.status).toBe(200);
  return answer.json<AccessLogPage>();
};

const visitsOf = async (query = '', agent = patient) => (await read(query, agent)).entries as Visit[];

describe('The log of accesses', () => {
  it('has one entry for the requests of one app without a pause of ten minutes', async () => {
    await given(
      {
        at: noon(1),
        interaction: 'search',
        resource: 'Observation',
        patients: ['1'],
        seen: [{ 'Observation/laboratory': 12 }],
      },
      { at: noon(1, 9), patients: ['1'], seen: [{ 'Observation/laboratory': 3, Encounter: 2 }] },
      {
        at: noon(1, 18.5),
        interaction: 'create',
        resource: 'Condition/n',
        status: 201,
        patients: ['1'],
        seen: [{ Condition: 1 }],
      },
      { at: noon(1, 28.5), patients: ['1'], seen: [{ Condition: 1 }] },
    );
    expect(await visitsOf()).toEqual([
      expect.objectContaining({ start: noon(1, 28.5).toISOString(), requests: 1, did: { saw: { Condition: 1 } } }),
      {
        type: 'visit',
        id: expect.any(String),
        start: noon(1).toISOString(),
        end: noon(1, 18.5).toISOString(),
        by: 'app',
        app: { id: publicApp.clientId, name: publicApp.clientName },
        person: null,
        requests: 3,
        refused: 0,
        failed: 0,
        did: { saw: { 'Observation/laboratory': 15, Encounter: 2 }, added: { Condition: 1 } },
        exportId: null,
        unattended: false,
        reference: null,
      },
    ]);
  });

  it('tells apps, people, services and deleted accounts apart', async () => {
    await given(
      { at: noon(1, 0) },
      { at: noon(1, 1), by: 'practitioner' },
      { at: noon(1, 2), by: 'practitioner', app: 'other-app' },
      { at: noon(1, 3), by: 'service', app: 'gone-service' },
      { at: noon(1, 4), by: 'deleted' },
    );
    const seen = (await visitsOf()).map(({ by, app, person }) => [by, app?.name, person?.name]);
    expect(seen).toEqual([
      ['person', publicApp.clientName, null],
      ['service', null, undefined],
      ['person', 'Other App', people.practitioner.fullName],
      ['person', publicApp.clientName, people.practitioner.fullName],
      ['app', publicApp.clientName, undefined],
    ]);
  });

  it('shows the kinds of this patient alone of an answer about several', async () => {
    await given({
      at: noon(0, -60),
      by: 'practitioner',
      interaction: 'search',
      resource: 'Observation',
      patients: ['7', '1', '8'],
      seen: [{ Observation: 70 }, { 'Observation/laboratory': 4 }, { Observation: 80 }],
    });
    expect((await visitsOf('?timeZone=UTC'))[0]?.did).toEqual({ saw: { 'Observation/laboratory': 4 } });
  });

  it('shows records of earlier versions, with the kind that was asked for', async () => {
    await given(
      { at: noon(2), resource: 'Condition/c' },
      { at: noon(2, 1), interaction: 'search', resource: 'Observation' },
      { at: noon(2, 2), interaction: undefined, resource: undefined },
    );
    const [visit] = await visitsOf();
    expect([visit?.requests, visit?.did]).toEqual([3, { saw: { Condition: 1, Observation: 0 } }]);
  });

  it('marks what was refused, what failed, and what happened while the user was not there', async () => {
    await given(
      { at: noon(1), status: 403, unattended: true },
      { at: noon(1, 1), status: 502, unattended: true },
      { at: noon(1, 30), unattended: true },
      { at: noon(1, 31) },
    );
    const found = await visitsOf();
    expect(
      found.map(({ refused, failed, unattended, did }) => [refused, failed, unattended, Object.keys(did)]),
    ).toEqual([
      [0, 0, false, ['saw']],
      [1, 1, true, ['asked']],
    ]);
  });

  it('shows a bulk export as one entry, however long it takes', async () => {
    await given(
      {
        at: noon(1, -300),
        by: 'service',
        export: 'e1',
        interaction: 'operation',
        patients: ['1'],
        seen: [{ Condition: 2 }],
      },
      {
        at: noon(1),
        by: 'service',
        export: 'e1',
        interaction: 'operation',
        patients: ['1'],
        seen: [{ Encounter: 3 }],
        part: 2,
      },
    );
    expect(await visitsOf()).toMatchObject([
      { exportId: 'e1', requests: 1, by: 'service', did: { saw: { Condition: 2, Encounter: 3 } } },
    ]);
  });

  it('ends a visit at the midnight of the reader', async () => {
    const midnight = noon(1, 12 * 60);
    await given({ at: new Date(midnight.getTime() - 60_000) }, { at: new Date(midnight.getTime() + 60_000) });
    expect(await visitsOf('?timeZone=UTC')).toHaveLength(2);
    expect(await visitsOf('?timeZone=America/New_York')).toHaveLength(1);
    expect(await visitsOf('?timeZone=Mars/Olympus')).toHaveLength(2);
  });

  it('shows accesses of no other patient, also not one with the same id of another tenant', async () => {
    await given({ at: noon(1) }, { at: noon(1, 20), patient: '2' }, { at: noon(1, 40), tenant: 'north' });
    expect((await visitsOf()).map(({ start }) => start)).toEqual([noon(1).toISOString()]);
    const north = await signedIn(tenantPatient);
    expect((await visitsOf('', north)).map(({ start }) => start)).toEqual([noon(1, 40).toISOString()]);
  });

  it('is for patients alone', async () => {
    const practitioner = await signedIn(people.practitioner);
    expect((await practitioner.get('/api/user/access-log')).status).toBe(403);
    expect((await new Agent(portal.issuer).get('/api/user/access-log')).status).toBe(401);
  });

  it('goes on where the page before ended, and cuts no visit', async () => {
    const events: Given[] = [];
    for (let visit = 0; visit < 45; visit += 1) {
      const day = Math.floor(visit / 3);
      for (const minute of [0, 3, 6]) events.push({ at: noon(day * 3 + 1, (visit % 3) * 30 + minute) });
    }
    await given(...events);
    const found: Visit[] = [];
    let next: string | null = '';
    const sizes: number[] = [];
    while (next !== null) {
      const page: AccessLogPage = await read(next === '' ? '' : `?before=${next}`);
      sizes.push(page.entries.length);
      found.push(...(page.entries as Visit[]));
      next = page.next;
    }
    expect(sizes).toEqual([20, 20, 5]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(45);
    expect(new Set(found.map(({ requests }) => requests))).toEqual(new Set([3]));
    const starts = found.map(({ start }) => start);
    expect(starts).toEqual([...starts].sort().reverse());
  });

  it('finds by app, person, kind of data, refusal and time', async () => {
    await given(
      { at: noon(1), resource: 'Condition/c' },
      { at: noon(2), by: 'practitioner', resource: 'Encounter/e', app: 'other-app' },
      { at: noon(3), status: 403, patients: ['1'], seen: [{}] },
      { at: noon(50), by: 'service', patients: ['1'], seen: [{ 'Observation/laboratory': 3 }] },
    );
    const person = ids.get(people.practitioner.email);
    const daysOf = async (query: string) =>
      (await visitsOf(query)).map(({ start }) => Math.round((noon(0).getTime() - Date.parse(start)) / 86_400_000));
    expect(await daysOf('')).toEqual([1, 2, 3, 50]);
    expect(await daysOf('?clientId=other-app')).toEqual([2]);
    expect(await daysOf(`?personId=${person}`)).toEqual([2]);
    expect(await daysOf('?show=apps')).toEqual([1, 3, 50]);
    expect(await daysOf('?show=staff')).toEqual([2]);
    expect(await daysOf('?show=refused')).toEqual([3]);
    expect(await daysOf('?kind=Encounter')).toEqual([2]);
    expect(await daysOf('?kind=Observation')).toEqual([50]);
    expect(await daysOf('?kind=Observation/laboratory')).toEqual([50]);
    expect(await daysOf('?kind=Observation/vital-signs')).toEqual([]);
    expect(await daysOf(`?from=${noon(2, -720).toISOString()}`)).toEqual([1, 2]);
    expect(await daysOf(`?to=${noon(2, -720).toISOString()}`)).toEqual([3, 50]);
    const summary = (await patient.get('/api/user/access-log/summary')).json<AccessLogSummary>();
    expect(summary).toEqual({
      visits: 3,
      refused: 1,
      apps: [{ id: publicApp.clientId, name: publicApp.clientName }],
      people: [{ id: person, name: people.practitioner.fullName }],
      kinds: ['Condition', 'Encounter', 'Observation/laboratory'],
    });
  });

  it('opens a visit to its single requests, and tells why the access was possible', async () => {
    await portal.query(
      "INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id) VALUES ($1, 'consent.given', 'success', $2, $3)",
      [noon(9), ids.get(people.patient.email), publicApp.clientId],
    );
    await given(...Array.from({ length: 60 }, (_, index) => ({ at: noon(1, index) })), {
      at: noon(1, 2),
      by: 'practitioner' as const,
    });
    const [visit, other] = await visitsOf();
    const place = (one: Visit | undefined) =>
      new URLSearchParams({
        by: one?.by ?? '',
        clientId: one?.app?.id ?? '',
        personId: one?.person?.id ?? '',
        start: one?.start ?? '',
        end: one?.end ?? '',
      });
    const opened = async (query: URLSearchParams) =>
      (await patient.get(`/api/user/access-log/visit?${query}`)).json<VisitRequests>();
    expect(await opened(place(visit))).toMatchObject({
      reason: { kind: 'staff' },
      requests: [{ verb: 'saw' }],
      next: null,
    });
    const first = await opened(place(other));
    expect(first.reason).toEqual({ kind: 'allowed', at: noon(9).toISOString(), days: null });
    expect(first.requests).toHaveLength(50);
    expect(first.requests[0]).toEqual({
      id: expect.any(String),
      at: noon(1).toISOString(),
      verb: 'saw',
      interaction: 'read',
      kinds: { Condition: 1 },
      status: 200,
    });
    const rest = place(other);
    rest.set('after', first.next ?? '');
    expect((await opened(rest)).requests).toHaveLength(10);
  });

  it('shows the end of the access of an app', async () => {
    await given({ at: noon(1) });
    await portal.query(
      "INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id) VALUES ($1, 'app.revoked', 'success', $2, $3)",
      [noon(1, 30), ids.get(people.patient.email), publicApp.clientId],
    );
    const app = { id: publicApp.clientId, name: publicApp.clientName };
    expect((await read()).entries).toMatchObject([
      { type: 'taken-back', start: noon(1, 30).toISOString(), app, byPatient: true },
      { type: 'visit', app },
    ]);
    expect((await read('?show=staff')).entries).toEqual([]);
  });

  it('names the address for what looks odd', async () => {
    expect(await read()).toEqual({ entries: [], next: null, reportAddress: 'privacy@example.org' });
  });

  it.each([
    'show=all',
    'from=2026',
    'from=0000-01-01T00:00:00Z',
    'to=2026-02-30T00:00:00.000Z',
    'kind=Slot/a/b',
    'before=9999999999999999_1',
    'before=1763000000000_9999999999999999999',
    'clientId=%00',
    'clientId=a&clientId=b',
    'timeZone=%27',
    'other=1',
  ])('refuses the filter %s', async (query) => {
    expect((await patient.get(`/api/user/access-log?${query}`)).status).toBe(400);
  });
});

describe('The exported log', () => {
  const exported = async (query: string) => {
    const answer = await patient.get(`/api/user/access-log/export?${query}`);
    expect(answer.status).toBe(200);
    return answer;
  };

  it('is a table of single accesses', async () => {
    await given(
      { at: noon(1), patients: ['1'], seen: [{ 'Observation/laboratory': 12, Encounter: 1 }], launch: 'NB7Q4K2M2345' },
      { at: noon(2), status: 403, resource: 'Condition', unattended: true },
      { at: noon(3), by: 'service', app: 'gone', status: 502, export: 'e' },
    );
    const answer = await exported('format=csv');
    expect([answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      'text/csv; charset=utf-8',
      'attachment; filename="who-has-seen-my-record.csv"',
    ]);
    const at = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ');
    expect(answer.text).toBe(
      [
        '\uFEFF"Time (UTC)","Person","App","Action","Kinds of data","Entries","Result","Remarks","Reference"',
        `"${at(noon(1))}","","${publicApp.clientName}","Saw","Visits, Laboratory","13","Answered","","NB-7Q4K-2M"`,
        `"${at(noon(2))}","","${publicApp.clientName}","Asked for","Conditions","","Refused","While you were not there",""`,
        `"${at(noon(3))}","","An app no longer registered","Asked for","Conditions","","Not answered (502)","Part of an export",""`,
        '',
      ].join('\r\n'),
    );
  });

  it('quotes names that a spreadsheet would take for formulas', async () => {
    await given({ at: noon(1), app: '=cmd|x' }, { at: noon(1, 1), by: 'practitioner' });
    for (const name of ['=1+1', '+1', '-1', '@SUM(A1)', 'a "quoted", name']) {
      await portal.query('UPDATE account SET full_name = $1 WHERE email = $2', [name, people.practitioner.email]);
      await portal.query("SELECT pg_notify('gatehouse_accounts', $1)", [ids.get(people.practitioner.email)]);
      const cell = `"${/^[=+\-@]/.test(name) ? "'" : ''}${name.replaceAll('"', '""')}"`;
      await until(async () => (await exported('format=csv')).text.includes(`,${cell},`));
    }
    await portal.query('UPDATE account SET full_name = $1 WHERE email = $2', [
      people.practitioner.fullName,
      people.practitioner.email,
    ]);
    await portal.query("SELECT pg_notify('gatehouse_accounts', $1)", [ids.get(people.practitioner.email)]);
  });

  it('is a Bundle of AuditEvents that name no other patient', async () => {
    await given(
      {
        at: noon(1),
        interaction: 'search',
        target: '/Condition?patient=1',
        resource: 'Condition',
        patients: ['1'],
        seen: [{ Condition: 2 }],
      },
      {
        at: noon(2),
        by: 'practitioner',
        interaction: 'search',
        target: '/Condition?patient=7,1',
        resource: 'Condition',
        patient: '7',
        patients: ['7', '1'],
        seen: [{ Condition: 1 }, { Condition: 2 }],
      },
    );
    const answer = await exported('format=fhir');
    expect(answer.headers['content-type']).toBe('application/fhir+json');
    const bundle = answer.json<Bundle<AuditEvent>>();
    expect([bundle.resourceType, bundle.type]).toEqual(['Bundle', 'collection']);
    const events = bundle.entry?.flatMap(({ resource }) => resource ?? []) ?? [];
    const patientsIn = ({ entity = [] }: AuditEvent) =>
      entity.flatMap(({ what }) => what?.reference ?? []).filter((one) => one.startsWith('Patient/'));
    const queries = events.map(({ entity = [] }) => entity.flatMap(({ query }) => (query ? atob(query) : [])));
    expect(events.map(patientsIn)).toEqual([['Patient/1'], ['Patient/1']]);
    expect(queries).toEqual([['/Condition?patient=1'], ['/Condition']]);
    expect((await exported('format=fhir&show=refused')).json<Bundle>().entry).toBeUndefined();
  });

  it('follows the filter, is complete however long it is, and is itself recorded', async () => {
    await portal.query(
      `INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, detail)
       SELECT now() - n * interval '20 minutes', 'record.accessed', 'success', $1, $2,
              jsonb_build_object('method', 'GET', 'target', '/Slot/' || n, 'status', 200, 'patient', '1')
         FROM generate_series(1, 3000) AS n`,
      [ids.get(people.patient.email), publicApp.clientId],
    );
    const before = await portal.query("SELECT id FROM audit_event WHERE type = 'access-log.exported'");
    const all = (await exported('format=csv')).text.trimEnd().split('\r\n');
    expect(all).toHaveLength(3001);
    const times = all.slice(1).map((line) => line.slice(0, 21));
    expect(times).toEqual([...new Set(times)].sort().reverse());
    expect((await exported('format=csv&clientId=other-app')).text.trimEnd().split('\r\n')).toHaveLength(1);
    const recorded = await portal.query<{ detail: object; user_id: string }>(
      "SELECT detail, user_id FROM audit_event WHERE type = 'access-log.exported' ORDER BY id",
    );
    expect(recorded.slice(before.length)).toEqual([
      { user_id: ids.get(people.patient.email), detail: { format: 'csv' } },
      { user_id: ids.get(people.patient.email), detail: { format: 'csv', clientId: 'other-app' } },
    ]);
  });

  it('ends when the reader goes away', async () => {
    await portal.query(
      `INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, detail)
       SELECT now() - n * interval '1 minute', 'record.accessed', 'success', $1, $2,
              jsonb_build_object('method', 'GET', 'target', repeat('x', 900), 'status', 200, 'patient', '1', 'interaction', 'search')
         FROM generate_series(1, 30000) AS n`,
      [ids.get(people.patient.email), publicApp.clientId],
    );
    const { forAccount } = ExportedAccesses.prototype;
    let [pieces, hasEnded] = [0, false];
    mock.method(
      ExportedAccesses.prototype,
      'forAccount',
      async function* (this: ExportedAccesses, ...of: Parameters<typeof forAccount>) {
        try {
          for await (const piece of forAccount.apply(this, of)) {
            pieces += 1;
            yield piece;
          }
        } finally {
          hasEnded = true;
        }
      },
    );
    const cookie = [...patient.cookies].map((one) => one.join('=')).join('; ');
    const leaving = new AbortController();
    const address = `${portal.issuer}/api/user/access-log/export?format=fhir`;
    const answer = await fetch(address, { headers: { cookie }, signal: leaving.signal });
    await answer.body?.getReader().read();
    leaving.abort();
    await until(() => hasEnded);
    expect(pieces).toBeLessThan(60);
  });
});
