/**
 * Filters take each form in which an administrator copies a value, and refuse what has none of them at their field.
 */
import { randomUUID } from 'node:crypto';
import type { LaunchList } from '../../src/contract/activity.js';
import type { AuditList } from '../../src/contract/audit.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const server = 'http://127.0.0.1:9/hapi';
const launch = '22BB33CC44DD';
const correlationId = randomUUID();
const ids: Record<string, string> = {};
let portal: TestPortal;
let admin: Agent;
let clientRecord = '';

beforeAll(async () => {
  const tenants = [
    {
      id: 'north',
      name: 'Northern Clinic',
      baseUrl: 'http://127.0.0.1:9/north',
      aliases: [],
      credentials: { type: 'none' as const },
      testPatients: [],
    },
  ];
  portal = await startPortal({
    config: {
      users: [people.admin, people.patient, people.practitioner],
      clients: [
        publicApp,
        { ...publicApp, clientId: 'twin-1', clientName: 'Twin' },
        { ...publicApp, clientId: 'twin-2', clientName: 'Twin' },
      ],
      fhir: { baseUrl: server, tenants },
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  for (const { id, email } of await portal.query<{ id: string; email: string }>('SELECT id, email FROM account'))
    ids[email] = id;
  clientRecord =
    (await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [publicApp.clientId]))[0]?.id ??
    '';
  const detail = {
    method: 'GET',
    target: '/Observation',
    status: 200,
    resource: 'Observation',
    patients: ['1', '2'],
    launch,
  };
  await given({ detail, address: '::ffff:203.0.113.24', correlationId });
  await given({ detail: { ...detail, tenant: 'north', launch: undefined }, address: '2001:db8::7' });
  await given({ detail: { patient: '3' }, address: '203.0.113.99' });
  await portal.query(
    `INSERT INTO launch (id, kind, client_id, account_id, started_at, last_at, outcome, entries)
     VALUES ($1, 'launch', $2, $3, now(), now(), 'completed', '{}')`,
    [launch, publicApp.clientId, ids[people.practitioner.email]],
  );
});
afterAll(() => portal.close());

async function given({
  detail,
  address,
  correlationId: request,
}: {
  detail: object;
  address: string;
  correlationId?: string;
}) {
  await portal.query(
    `WITH event AS (
       INSERT INTO audit_event (type, outcome, user_id, client_id, address, correlation_id, detail)
       VALUES ('record.accessed', 'success', $1, $2, $3, $4, $5) RETURNING id)
     INSERT INTO audit_unsealed (event_id) SELECT id FROM event`,
    [ids[people.practitioner.email], publicApp.clientId, address, request ?? null, JSON.stringify(detail)],
  );
}

async function call(path: string, query: Record<string, string>) {
  const { status, json } = await admin.get(`${path}?${new URLSearchParams(query)}`).then((answer) => ({
    status: answer.status,
    json: answer.json<AuditList & LaunchList & { errors?: { field?: string; messages: string[] }[] }>(),
  }));
  return status === 200
    ? json
    : json.errors?.map(({ field, messages }) => `${field}: ${messages.join(' ')}`).join('; ');
}

async function accesses(query: Record<string, string>): Promise<number | string | undefined> {
  const answer = await call('/api/admin/audit', { group: 'accesses', ...query });
  return typeof answer === 'object' ? answer.events.length : answer;
}

describe('The filter by patient', () => {
  it.each([
    ['1', 2],
    [' 1 ', 2],
    ['Patient/1', 2],
    ['Patient/1/_history/4', 2],
    ['/Patient/1', 2],
    ['%I/fhir/Patient/1', 1],
    ['%I/fhir/Patient/1/_history/4', 1],
    ['%I/fhir/north/Patient/1', 1],
    [`${server}/Patient/1`, 1],
    ['Patient/3', 1],
    ['Patient/10', 0],
  ])('finds those who looked at %s', async (patient, expected) => {
    expect(await accesses({ patient: patient.replace('%I', portal.issuer) })).toBe(expected);
  });

  it.each([
    'Observation/1',
    'Patient/',
    'Amelia Ward',
    'Patient?identifier=1',
    'urn:oid:1.2.3',
    '%I/fhir/Observation/1',
  ])('refuses %s beside its field, with what to enter', async (patient) => {
    expect(await accesses({ patient: patient.replace('%I', portal.issuer) })).toBe(
      'patient: Please enter the id of a patient, such as 1, or a reference, such as Patient/1.',
    );
  });

  it('refuses the address of another server, and a tenant that contradicts the address', async () => {
    expect(await accesses({ patient: 'https://other.example/fhir/Patient/1' })).toMatch(
      /^patient: This address is below no FHIR base of this portal\. Its bases: .*\/fhir, .*\/fhir\/north$/,
    );
    expect(await accesses({ patient: `${portal.issuer}/fhir/Patient/1`, tenant: 'north' })).toMatch(/^tenant: /);
  });

  it('limits an export in the same way', async () => {
    const file = await admin.get(`/api/admin/audit/export?format=ndjson&patient=Patient%2F3`);
    expect(file.text.trim().split('\n')).toHaveLength(1);
    const refused = await admin.get('/api/admin/audit/export?format=ndjson&patient=Observation%2F3');
    expect(refused.status).toBe(400);
  });
});

describe('Other filters of the record', () => {
  it.each([
    ['accountId', () => ids[people.practitioner.email]?.toUpperCase() ?? '', 3],
    ['accountId', () => `urn:uuid:${ids[people.practitioner.email]}`, 3],
    ['accountId', () => people.practitioner.email.toUpperCase(), 3],
    ['accountId', () => String(people.practitioner.claims[0]?.value), 3],
    ['accountId', () => `${portal.issuer}/fhir/${people.practitioner.claims[0]?.value}/_history/1`, 3],
    ['accountId', () => people.patient.email, 0],
    ['clientId', () => publicApp.clientId.toUpperCase(), 3],
    ['clientId', () => publicApp.clientName, 3],
    ['clientId', () => clientRecord, 3],
    ['accountId', () => 'client management', 0],
    ['clientId', () => 'never-registered', 0],
    ['tenant', () => 'North', 1],
    ['tenant', () => 'northern clinic', 1],
    ['kind', () => 'observation', 2],
    ['kind', () => 'Observation/laboratory', 2],
    ['address', () => '203.0.113.24', 1],
    ['address', () => '203.0.113.24:50123', 1],
    ['address', () => '::FFFF:203.0.113.24', 1],
    ['address', () => '2001:0DB8:0:0:0:0:0:7', 1],
    ['address', () => '[2001:db8::7]:443', 1],
    ['correlationId', () => correlationId.toUpperCase(), 1],
    ['correlationId', () => `Request ${correlationId}.`, 1],
    ['launch', () => '22-bb33-cc', 1],
    ['launch', () => '22 BB33 CC', 1],
    ['launch', () => launch, 1],
    ['launch', () => `${portal.issuer}/admin/activity/22-BB33-CC`, 1],
    ['launch', () => 'The code has expired. Reference: 22-BB33-CC', 1],
    ['launch', () => '22–BB33–CC.', 1],
  ] as [string, () => string, number][])('%s takes another form (row %#)', async (field, value, expected) => {
    expect(await accesses({ [field]: value() })).toBe(expected);
  });

  it.each([
    ['accountId', 'someone', /^accountId: Please enter the id, the email/],
    ['accountId', 'no.one@example.org', /^accountId: No user has this email/],
    ['accountId', 'Patient/none', /^accountId: No user has this email/],
    ['clientId', 'twin', /^clientId: Several clients have this name/],
    ['tenant', 'a clinic', /^tenant: Please enter the id or the name/],
    ['kind', '?', /^kind: Please enter a resource type/],
    ['address', '203.0.113', /^address: Please enter an IP address/],
    ['address', 'localhost', /^address: Please enter an IP address/],
    ['correlationId', '17', /^correlationId: Please enter the id of a request/],
    ['launch', 'NB', /^launch: A reference has eight/],
    ['from', 'yesterday', /^from: Please enter a date/],
    ['to', '2026-13-01', /^to: Please enter a date/],
  ])('%s refuses %s in a sentence', async (field, value, sentence) => {
    expect(await accesses({ [field]: value })).toMatch(sentence);
  });

  it('a period without any time is refused, and not answered with nothing', async () => {
    expect(await accesses({ from: '2026-03-01', to: '2026-03-01' })).toMatch(/^to: The period is empty/);
  });
});

describe('The filters of launches', () => {
  it.each([
    ['accountId', () => people.practitioner.email],
    ['accountId', () => ids[people.practitioner.email]?.toUpperCase() ?? ''],
    ['accountId', () => String(people.practitioner.claims[0]?.value)],
    ['clientId', () => publicApp.clientName.toLowerCase()],
    ['clientId', () => publicApp.clientId.toUpperCase()],
    ['searchTerm', () => `${portal.issuer}/admin/activity/22-BB33-CC`],
    ['searchTerm', () => launch],
  ] as [string, () => string][])('%s takes another form (row %#)', async (field, value) => {
    const answer = await call('/api/admin/activity', { [field]: value() });
    expect(typeof answer === 'object' && answer.launches.map(({ reference }) => reference)).toEqual(['22-BB33-CC']);
  });
});
