/** The calls by which administrators find events of the audit record. */
import { randomUUID } from 'node:crypto';
import { referenceOf } from '../../src/contract/activity/reference.js';
import { auditTypes } from '../../src/contract/audit/audit-types.js';
import { auditGroups, typesOf } from '../../src/contract/audit/type-groups.js';
import type { AuditEventView, AuditList } from '../../src/contract/audit.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const second = { ...people.admin, email: 'second.admin@example.org', fullName: 'Petra Young' };
const ward = { ...publicApp, clientId: 'ward-board', clientName: 'Ward Round Board' };
let portal: TestPortal;
let admin: Agent;
let other: Agent;
const ids: Record<string, string> = {};

beforeAll(async () => {
  const users = [people.admin, second, people.patient, people.practitioner];
  portal = await startPortal({ config: { users, clients: [publicApp, ward] }, nodes: 2 });
  admin = new Agent(portal.issuer);
  other = new Agent(portal.issuer, portal.ports[1]);
  await login(admin, people.admin);
  await login(other, second);
  for (const { id, email } of await portal.query<{ id: string; email: string }>('SELECT id, email FROM account')) {
    ids[email] = id;
  }
});
afterAll(() => portal.close());

const idOf = ({ email }: { email: string }) => ids[email] ?? '';

interface Given {
  type: string;
  outcome?: string;
  userId?: string;
  clientId?: string;
  subject?: string;
  address?: string;
  correlationId?: string;
  detail?: object;
  at?: string;
}

/** Returns the numbers of the entries. */
async function given(...events: Given[]): Promise<string[]> {
  const numbers: string[] = [];
  for (const event of events) {
    const [row] = await portal.query<{ id: string }>(
      `WITH event AS (
         INSERT INTO audit_event (type, outcome, user_id, client_id, subject, address, correlation_id, detail, recorded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9::timestamptz, clock_timestamp())) RETURNING id)
       INSERT INTO audit_unsealed (event_id) SELECT id FROM event RETURNING event_id::text AS id`,
      [
        event.type,
        event.outcome ?? 'success',
        event.userId ?? null,
        event.clientId ?? null,
        event.subject ?? null,
        event.address ?? null,
        event.correlationId ?? null,
        JSON.stringify(event.detail ?? {}),
        event.at ?? null,
      ],
    );
    numbers.push(row?.id ?? '');
  }
  return numbers;
}

type Query = Record<string, string | string[]>;

function asked(query: Query): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) for (const one of [values].flat()) parameters.append(name, one);
  return parameters;
}

async function list(query: Query = {}, agent = admin): Promise<AuditList> {
  const answer = await agent.get(`/api/admin/audit?${asked(query)}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
}

const numbersOf = ({ events }: AuditList) => events.map(({ id }) => id);
const found = async (query: Query) => numbersOf(await list(query));

const access = { type: 'record.accessed', clientId: publicApp.clientId };
const detail = { method: 'GET', target: '/Observation', status: 200, interaction: 'search', resource: 'Observation' };

describe('The audit record', () => {
  it('is found by person, client, patient, tenant, kind of data, outcome, address, request and launch', async () => {
    const [patientId, correlationId] = [`p-${randomUUID()}`, randomUUID()];
    const launch = 'B'.repeat(12);
    const person = idOf(people.practitioner);
    const [read = '', changed = '', north = '', refused = ''] = await given(
      {
        ...access,
        userId: person,
        address: '203.0.113.24',
        correlationId,
        detail: {
          ...detail,
          patients: [patientId, 'p-2'],
          seen: [{ 'Observation/laboratory': 3 }, { Patient: 1 }],
          launch,
        },
      },
      {
        type: 'user.changed',
        userId: idOf(people.admin),
        subject: person,
        detail: { fullName: ['Mira', 'Mira Hart'] },
      },
      { ...access, clientId: ward.clientId, detail: { ...detail, patient: patientId, tenant: 'north' } },
      {
        ...access,
        outcome: 'failure',
        address: '203.0.113.25',
        detail: { ...detail, resource: 'Coverage', status: 403 },
      },
    );
    expect(await found({ accountId: person })).toEqual([changed, read]);
    expect(await found({ clientId: ward.clientId })).toEqual([north]);
    expect(await found({ patient: patientId })).toEqual([north, read]);
    expect(await found({ patient: patientId, tenant: 'north' })).toEqual([north]);
    expect(await found({ kind: 'Patient' })).toEqual([read]);
    expect(await found({ kind: 'Observation', patient: patientId })).toEqual([north, read]);
    expect(await found({ outcome: 'failure', clientId: publicApp.clientId })).toEqual([refused]);
    expect(await found({ address: '203.0.113.24' })).toEqual([read]);
    expect(await found({ correlationId })).toEqual([read]);
    expect(await found({ launch: referenceOf(launch) })).toEqual([read]);
    expect(await found({ searchTerm: referenceOf(launch).toLowerCase() })).toEqual([read]);
    expect(await found({ group: 'changes', accountId: person })).toEqual([changed]);
    expect(await found({ group: ['changes', 'accesses'], accountId: person, clientId: publicApp.clientId })).toEqual([
      read,
    ]);
    expect(await found({ administrators: 'true', group: 'changes' })).toEqual([changed]);
    expect(await found({ searchTerm: `#${changed}` })).toContain(changed);
    expect(await found({ searchTerm: 'ward round' })).toEqual([north]);
    expect(await found({ searchTerm: 'hart mira', group: 'accesses' })).toEqual([read]);
    expect(await found({ searchTerm: 'hart mira', accountId: idOf(people.admin) })).toEqual([changed]);
  });

  it('shows the names of persons and clients, and the ids of those that are deleted', async () => {
    const gone = randomUUID();
    const [number = ''] = await given({ type: 'consent.given', userId: gone, clientId: 'removed-app' });
    const [row] = (await list({ searchTerm: 'removed-app' })).events;
    expect(row).toMatchObject({
      id: number,
      who: { id: gone, name: null, userType: null },
      client: { id: 'removed-app', name: null, recordId: null },
    });
    expect(await found({ searchTerm: gone })).toEqual([number]);
    const { events, personName } = await list({ accountId: idOf(people.practitioner) });
    expect(personName).toBe('Mira Hart');
    expect(events[0]).toMatchObject({
      type: 'user.changed',
      who: { name: 'Ada Admin', userType: 'Admin' },
      person: { name: 'Mira Hart', userType: 'Practitioner' },
    });
    expect(events[1]).toMatchObject({
      client: { name: publicApp.clientName },
      patientCount: 2,
      kinds: ['Observation', 'Patient'],
      person: null,
    });
  });

  it('finds administrators, whom the user management does not list', async () => {
    const { events } = await list({ searchTerm: 'Petra', group: 'sign-ins' });
    expect(events.map(({ type, who }) => [type, who?.name])).toEqual([['login', 'Petra Young']]);
  });

  it('has each type in one group', () => {
    expect(auditGroups.flatMap((group) => typesOf([group])).sort()).toEqual([...auditTypes].sort());
  });

  it('is paged forwards and backwards without a gap, while events are added', async () => {
    const clientId = `paged-${randomUUID()}`;
    const at = '2026-05-05T05:05:05.005Z';
    // Equal times are ordered by number.
    const numbers = await given(...Array.from({ length: 12 }, () => ({ type: 'consent.given', clientId, at })));
    const newest = numbers.toReversed();
    const first = await list({ clientId, pageSize: '5' });
    expect(numbersOf(first)).toEqual(newest.slice(0, 5));
    expect(first).toMatchObject({ totalCount: 12, hasPrevious: false, hasNext: true });
    await given({ type: 'consent.given', clientId });
    const next = await list({ clientId, pageSize: '5', after: first.events.at(-1)?.cursor ?? '' });
    expect(numbersOf(next)).toEqual(newest.slice(5, 10));
    const last = await list({ clientId, pageSize: '5', after: next.events.at(-1)?.cursor ?? '' });
    expect(numbersOf(last)).toEqual(newest.slice(10));
    expect(last).toMatchObject({ hasPrevious: true, hasNext: false });
    const back = await list({ clientId, pageSize: '5', before: last.events[0]?.cursor ?? '' });
    expect(numbersOf(back)).toEqual(newest.slice(5, 10));
    expect(back).toMatchObject({ hasPrevious: true, hasNext: true });
    const oldest = await list({ clientId, pageSize: '5', sortDirection: '0' });
    expect(numbersOf(oldest)).toEqual(numbers.slice(0, 5));
  });

  it('is paged through the months of a patient, newest and oldest first', async () => {
    const patient = `p-${randomUUID()}`;
    const times = [
      '2024-01-31T23:59:59.999Z',
      '2024-02-01T00:00:00Z',
      '2026-05-31T23:59:59.999Z',
      '2026-06-01T00:00:00Z',
      undefined,
    ];
    const events = times.map((at) => ({ ...access, ...(at && { at }), detail: { ...detail, patients: [patient] } }));
    const numbers = await given(...events);
    for (const [sortDirection, expected] of [
      ['1', numbers.toReversed()],
      ['0', numbers],
    ] as const) {
      const first = await list({ patient, sortDirection, pageSize: '5' });
      expect(numbersOf(first)).toEqual(expected);
      for (const [index, { cursor }] of first.events.entries()) {
        expect(await found({ patient, sortDirection, after: cursor })).toEqual(expected.slice(index + 1));
        expect(await found({ patient, sortDirection, before: cursor })).toEqual(expected.slice(0, index));
      }
    }
    expect(await found({ patient, from: '2024-02-01', to: '2026-06-01' })).toEqual([numbers[2], numbers[1]]);
    expect(await found({ patient, from: '2030-01-01' })).toEqual([]);
  });

  it('is limited to a period, whose end does not belong to it', async () => {
    const clientId = `dated-${randomUUID()}`;
    const [a = '', b = ''] = await given(
      { type: 'login', clientId, at: '2026-03-01T00:00:00Z' },
      { type: 'login', clientId, at: '2026-03-02T00:00:00Z' },
    );
    expect(await found({ clientId, from: '2026-03-01', to: '2026-03-02' })).toEqual([a]);
    expect(await found({ clientId, from: '2026-03-01T00:00:00.001Z' })).toEqual([b]);
  });
});

describe('An entry', () => {
  it('says what changed, before and after, and never shows a secret', async () => {
    const [number = ''] = await given({
      type: 'client.changed',
      userId: idOf(people.admin),
      clientId: ward.clientId,
      detail: {
        accessTokenLifetime: [3600, 900],
        clientName: ['', 'Ward Round Board'],
        password: ['old one', 'new one'],
      },
    });
    const view = (await admin.get(`/api/admin/audit/entry/${number}`)).json<AuditEventView>();
    expect(view.changes).toEqual([
      { field: 'password', before: null, after: null, isHidden: true },
      { field: 'clientName', before: '', after: 'Ward Round Board', isHidden: false },
      { field: 'accessTokenLifetime', before: 3600, after: 900, isHidden: false },
    ]);
    expect(JSON.stringify(view)).not.toContain('old one');
    expect(view.seal).toEqual({ state: 'waiting' });
  });

  it.each(['0', '999999999999999999', '9999999999999999999', 'x', '-1', '1.5', 'x'.repeat(500)])(
    'with the number %s is not there',
    async (number) => {
      expect((await admin.get(`/api/admin/audit/entry/${number}`)).status).toBe(404);
    },
  );
});

describe('A query that makes no sense', () => {
  it.each([
    ['after', '1'],
    ['after', '1.x'],
    ['before', '99999999999999999999.1'],
    ['after', '1.99999999999999999999'],
    ['accountId', 'a-person'],
    ['group', 'all'],
    ['outcome', 'maybe'],
    ['from', 'yesterday'],
    ['from', '0000-01-01'],
    ['to', '2026-13-01'],
    ['launch', 'NB'],
    ['kind', 'Observation; DROP TABLE'],
    ['clientId', 'a\u0001b'],
    ['patient', '\u0007'],
    ['searchTerm', '\u0001'],
    ['searchTerm', 'x'.repeat(201)],
    ['pageSize', '7'],
    ['unknown', 'x'],
  ])('is refused with its field: %s=%j', async (field, value) => {
    const answer = await admin.get(`/api/admin/audit?${asked({ [field]: value })}`);
    expect(answer.status).toBe(400);
    expect(answer.json<{ errors: { field: string }[] }>().errors[0]?.field).toBe(field);
  });

  it('is refused with a NUL in any field', async () => {
    for (const field of ['searchTerm', 'clientId', 'patient', 'address', 'after', 'kind']) {
      expect((await admin.get(`/api/admin/audit?${asked({ [field]: 'a\0b' })}`)).status).toBe(400);
    }
  });

  it.each(['%', '_', '%%%', "'", '\\', '{"a":1}', '$1', '🜁', 'NB-7Q4K-2M', '9'.repeat(30), ',', '#'])(
    'finds nothing, or what has these signs: %s',
    async (searchTerm) => {
      for (const field of ['searchTerm', 'clientId']) expect((await list({ [field]: searchTerm })).events).toEqual([]);
      for (const field of ['patient', 'tenant', 'address', 'correlationId', 'kind', 'launch', 'accountId']) {
        const answer = await admin.get(`/api/admin/audit?${asked({ [field]: searchTerm })}`);
        const { events, errors } = answer.json<{ events?: object[]; errors?: { field: string }[] }>();
        expect(events ?? errors?.map((one) => one.field)).toEqual(answer.status === 200 ? [] : [field]);
      }
    },
  );
});

describe('Reading the audit record', () => {
  const readings = async (userId: string) =>
    portal.query<{ type: string; detail: object }>(
      "SELECT type, detail FROM audit_event WHERE type LIKE 'audit.%' AND user_id = $1 ORDER BY id",
      [userId],
    );

  it('is recorded once for a search, however many pages of it are read, and for each administrator', async () => {
    const clientId = `read-${randomUUID()}`;
    await given(...Array.from({ length: 7 }, () => ({ type: 'login', clientId })));
    const first = await list({ clientId, pageSize: '5' });
    await list({ clientId, pageSize: '5', after: first.events.at(-1)?.cursor ?? '' });
    await list({ clientId, pageSize: '5', after: first.events.at(-1)?.cursor ?? '' }, other);
    const [number = ''] = numbersOf(first);
    await other.get(`/api/admin/audit/entry/${number}`);
    const details = async (person: { email: string }) =>
      (await readings(idOf(person)))
        .map(({ detail: one }) => one)
        .filter((one) => JSON.stringify(one).includes(clientId));
    expect(await details(people.admin)).toEqual([{ clientId }]);
    expect(await details(second)).toEqual([{ clientId }]);
    expect((await readings(idOf(second))).at(-1)?.detail).toEqual({ entry: number });
  });

  it('is for administrators', async () => {
    const patient = new Agent(portal.issuer);
    for (const path of ['', '/entry/1', '/export?format=csv']) {
      expect((await patient.get(`/api/admin/audit${path}`)).status).toBe(401);
    }
    await login(patient, people.patient);
    for (const path of ['', '/entry/1', '/export?format=csv']) {
      expect((await patient.get(`/api/admin/audit${path}`)).status).toBe(403);
    }
  });
});
