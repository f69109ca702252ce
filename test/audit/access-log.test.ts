/** The record of accesses as patients read it. */
import type {
  AccessLogPage,
  AccessLogSummary,
  Visit,
  VisitRequests,
} from '../../src/contract/own-record/access-log.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { type Given, noon, tenantPatient, useAccessLogPortal } from '../support/portal/access-log-portal.js';
import type { GivenAccess } from '../support/portal/recorded-accesses.js';
import { people } from '../support/users/people.js';

const log = useAccessLogPortal();

describe('The log of accesses', () => {
  it('has one entry for the requests of one app without a pause of ten minutes', async () => {
    await log.given(
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
    expect(await log.visitsOf()).toEqual([
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
        trial: false,
        unattended: false,
        reference: null,
      },
    ]);
  });

  it('distinguishes apps, people, services and deleted accounts', async () => {
    await log.given(
      { at: noon(1, 0) },
      { at: noon(1, 1), by: 'practitioner' },
      { at: noon(1, 2), by: 'practitioner', app: 'other-app' },
      { at: noon(1, 3), by: 'service', app: 'gone-service' },
      { at: noon(1, 4), by: 'deleted' },
    );
    const seen = (await log.visitsOf()).map(({ by, app, person }) => [by, app?.name, person?.name]);
    expect(seen).toEqual([
      ['person', publicApp.clientName, null],
      ['service', null, undefined],
      ['person', 'Other App', people.practitioner.fullName],
      ['person', publicApp.clientName, people.practitioner.fullName],
      ['app', publicApp.clientName, undefined],
    ]);
  });

  it('shows the kinds of this patient alone of an answer about several', async () => {
    await log.given({
      at: noon(0, -60),
      by: 'practitioner',
      interaction: 'search',
      resource: 'Observation',
      patients: ['7', '1', '8'],
      seen: [{ Observation: 70 }, { 'Observation/laboratory': 4 }, { Observation: 80 }],
    });
    expect((await log.visitsOf('?timeZone=UTC'))[0]?.did).toEqual({ saw: { 'Observation/laboratory': 4 } });
  });

  it('shows records of earlier versions, with the kind that was asked for', async () => {
    await log.given(
      { at: noon(2), resource: 'Condition/c' },
      { at: noon(2, 1), interaction: 'search', resource: 'Observation' },
      { at: noon(2, 2), interaction: undefined, resource: undefined },
    );
    const [visit] = await log.visitsOf();
    expect([visit?.requests, visit?.did]).toEqual([3, { saw: { Condition: 1, Observation: 0 } }]);
  });

  it('marks what was refused, what failed, and what happened while the user was not there', async () => {
    await log.given(
      { at: noon(1), status: 403, unattended: true },
      { at: noon(1, 1), status: 502, unattended: true },
      { at: noon(1, 30), unattended: true },
      { at: noon(1, 31) },
    );
    const found = await log.visitsOf();
    expect(
      found.map(({ refused, failed, unattended, did }) => [refused, failed, unattended, Object.keys(did)]),
    ).toEqual([
      [0, 0, false, ['saw']],
      [1, 1, true, ['asked']],
    ]);
  });

  it('shows a bulk export as one entry, however long it takes', async () => {
    await log.given(
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
    expect(await log.visitsOf()).toMatchObject([
      { exportId: 'e1', requests: 1, by: 'service', did: { saw: { Condition: 2, Encounter: 3 } } },
    ]);
  });

  it('ends a visit at the midnight of the reader', async () => {
    const midnight = noon(1, 12 * 60);
    await log.given({ at: new Date(midnight.getTime() - 60_000) }, { at: new Date(midnight.getTime() + 60_000) });
    expect(await log.visitsOf('?timeZone=UTC')).toHaveLength(2);
    expect(await log.visitsOf('?timeZone=America/New_York')).toHaveLength(1);
    expect(await log.visitsOf('?timeZone=Mars/Olympus')).toHaveLength(2);
  });

  it('shows accesses of no other patient, also not one with the same id of another tenant', async () => {
    await log.given({ at: noon(1) }, { at: noon(1, 20), patient: '2' }, { at: noon(1, 40), tenant: 'north' });
    expect((await log.visitsOf()).map(({ start }) => start)).toEqual([noon(1).toISOString()]);
    const north = await log.signedIn(tenantPatient);
    expect((await log.visitsOf('', north)).map(({ start }) => start)).toEqual([noon(1, 40).toISOString()]);
  });

  it('is for patients alone', async () => {
    const practitioner = await log.signedIn(people.practitioner);
    expect((await practitioner.get('/api/user/access-log')).status).toBe(403);
    expect((await new Agent(log.portal.issuer).get('/api/user/access-log')).status).toBe(401);
  });

  it('continues where the page before ended, and cuts no visit', async () => {
    const events: Given[] = [];
    for (let visit = 0; visit < 45; visit += 1) {
      const day = Math.floor(visit / 3);
      for (const minute of [0, 3, 6]) events.push({ at: noon(day * 3 + 1, (visit % 3) * 30 + minute) });
    }
    await log.given(...events);
    const found: Visit[] = [];
    let next: string | null = '';
    const sizes: number[] = [];
    while (next !== null) {
      const page: AccessLogPage = await log.read(next === '' ? '' : `?before=${next}`);
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
    await log.given(
      { at: noon(1), resource: 'Condition/c' },
      { at: noon(2), by: 'practitioner', resource: 'Encounter/e', app: 'other-app' },
      { at: noon(3), status: 403, patients: ['1'], seen: [{}] },
      { at: noon(50), by: 'service', patients: ['1'], seen: [{ 'Observation/laboratory': 3 }] },
    );
    const person = log.ids.get(people.practitioner.email);
    const daysOf = async (query: string) =>
      (await log.visitsOf(query)).map(({ start }) => Math.round((noon(0).getTime() - Date.parse(start)) / 86_400_000));
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
    const summary = (await log.patient.get('/api/user/access-log/summary')).json<AccessLogSummary>();
    expect(summary).toEqual({
      visits: 3,
      refused: 1,
      apps: [{ id: publicApp.clientId, name: publicApp.clientName }],
      people: [{ id: person, name: people.practitioner.fullName }],
      kinds: ['Condition', 'Encounter', 'Observation/laboratory'],
    });
  });

  it('opens a visit to its single requests, and tells why the access was possible', async () => {
    await log.portal.query(
      "INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id) VALUES ($1, 'consent.given', 'success', $2, $3)",
      [noon(9), log.ids.get(people.patient.email), publicApp.clientId],
    );
    await log.given(...Array.from({ length: 60 }, (_, index) => ({ at: noon(1, index) })), {
      at: noon(1, 2),
      by: 'practitioner' as const,
    });
    const [visit, other] = await log.visitsOf();
    const place = (one: Visit | undefined) =>
      new URLSearchParams({
        by: one?.by ?? '',
        clientId: one?.app?.id ?? '',
        personId: one?.person?.id ?? '',
        start: one?.start ?? '',
        end: one?.end ?? '',
      });
    const opened = async (query: URLSearchParams) =>
      (await log.patient.get(`/api/user/access-log/visit?${query}`)).json<VisitRequests>();
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

  describe('of a member of staff', () => {
    const ehr = { by: 'ehr', panel: 'care-team' } as const;
    const chosen = { by: 'practitioner' } as const;
    const by = 'practitioner' as const;

    it.each<[string, Omit<GivenAccess, 'app' | 'at'>[], object]>([
      [
        'says how the patient was found',
        [{ patientSource: ehr }, { patientSource: ehr, status: 404 }],
        { source: ehr },
      ],
      ['says that the user chose the patient', [{ patientSource: chosen }], { source: chosen }],
      ['names no source where a request has none', [{ patientSource: ehr }, {}], {}],
      ['names no source where there are several', [{ patientSource: ehr }, { patientSource: chosen }], {}],
      [
        'names no source where another patient was in context',
        [{ patientSource: ehr, patient: '7', patients: ['7', '1'], seen: [{ Condition: 1 }, { Condition: 1 }] }],
        {},
      ],
    ])('%s', async (_, accesses, source) => {
      await log.given(...accesses.map((access, index) => ({ at: noon(1, index), by, ...access })));
      const [visit] = await log.visitsOf();
      const query = new URLSearchParams({
        by: 'person',
        clientId: visit?.app?.id ?? '',
        personId: visit?.person?.id ?? '',
        start: visit?.start ?? '',
        end: visit?.end ?? '',
      });
      const { reason } = (await log.patient.get(`/api/user/access-log/visit?${query}`)).json<VisitRequests>();
      expect(reason).toEqual({ kind: 'staff', ...source });
    });
  });

  it('shows the end of the access of an app', async () => {
    await log.given({ at: noon(1) });
    await log.portal.query(
      "INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id) VALUES ($1, 'app.revoked', 'success', $2, $3)",
      [noon(1, 30), log.ids.get(people.patient.email), publicApp.clientId],
    );
    const app = { id: publicApp.clientId, name: publicApp.clientName };
    expect((await log.read()).entries).toMatchObject([
      { type: 'taken-back', what: 'access', start: noon(1, 30).toISOString(), app, byPatient: true },
      { type: 'visit', app },
    ]);
    expect((await log.read('?show=staff')).entries).toEqual([]);
  });

  it('names the address for what looks odd', async () => {
    expect(await log.read()).toEqual({ entries: [], next: null, reportAddress: 'privacy@example.org' });
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
    expect((await log.patient.get(`/api/user/access-log?${query}`)).status).toBe(400);
  });
});
