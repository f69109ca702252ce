/** Scenarios by hand: tenants, pages, chains, operations, exports, writes with conditions, bundles and birthdays. */
import { relationshipsChanged } from '../../../src/representation/domain/relationships.js';
import { RecordServer, type Stored } from '../../support/fhir/record-server.js';
import { Agent } from '../../support/http/agent.js';
import { tellNodes } from '../../support/portal/portal.js';
import { actingIn, jwtApp, opaqueApp } from '../../support/representation/acting.js';
import { aroundRecords, recordOf } from '../../support/representation/acting-records.js';
import { connectedApps, connectedScope, rowsOf } from '../../support/representation/connected-apps.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import {
  birthdays,
  changesByCondition,
  furtherReads,
  furtherWho,
  mixed,
  statuses,
} from '../../support/representation/further-scenarios.js';
import { chosen, parent, permitted, representation, timeZone } from '../../support/representation/scenarios.js';
import { people } from '../../support/users/people.js';

const tess = {
  ...people.patient,
  email: 'tess@example.org',
  fullName: 'Tess North',
  claims: [
    { name: 'fhirUser', value: 'Patient/tess' },
    ...['north', 'south'].map((value) => ({ name: 'tenant', value })),
  ],
};
const [home, north, south] = [new RecordServer(), new RecordServer(), new RecordServer()];
let portal: FamilyPortal;
let gateway: Agent;
const { records, tokens, has, connected, withToken } = connectedApps(() => portal, home);

beforeAll(async () => {
  for (const server of [home, north, south]) await server.start();
  const grown = { resourceType: 'Patient', birthDate: '1990-01-01' };
  const tenants = [
    { id: 'north', name: 'North', baseUrl: north.upstream.url, credentials: { type: 'none' } },
    { id: 'south', name: 'South', baseUrl: south.upstream.url, credentials: { type: 'none' } },
  ];
  for (const server of [north, south]) {
    server.have(...aroundRecords, { ...grown, id: 'tess' }, ...recordOf('kid', { birthDate: '2020-01-01' }));
  }
  portal = await startFamilyPortal({
    nodes: 2,
    config: {
      users: [...Object.values(family), tess],
      clients: [jwtApp, opaqueApp],
      locale: { timeZone },
      representation: { ...representation, levels: { ...representation.levels, mixed } },
      fhir: { baseUrl: home.upstream.url, tenants },
    },
  });
  gateway = new Agent(portal.issuer, portal.ports[1]);
  for (const patient of furtherWho) {
    const [relationship, facts] = patient === 'mixed' ? [chosen('mixed'), permitted.basics[1]] : permitted[patient];
    await connected(patient, relationship, facts);
  }
});

afterAll(async () => {
  await portal.close();
  for (const server of [home, north, south]) server.upstream.close();
});

interface Answered {
  id?: string;
  resourceType: string;
  entry?: { resource: { id: string } }[];
  link?: { relation: string; url: string }[];
}

/** Ids of all pages, without that of the patient, or the status of a refusal. */
async function shownBy(path: string, patient: string): Promise<string[]> {
  const shown: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer = await gateway.get(next, withToken(patient));
    if (answer.status !== 200) return [String(answer.status)];
    const { entry = [], link = [], ...one } = answer.json<Answered>();
    shown.push(...(one.resourceType === 'Bundle' ? entry.map(({ resource }) => resource.id) : [one.id ?? '']));
    next = link.find(({ relation }) => relation === 'next')?.url.slice(portal.issuer.length);
    expect(shown.length).toBeLessThan(100);
  }
  return shown.map((id) => (id === patient ? '~' : id.replace(`${patient}-`, '')));
}

describe.each([
  ['that finds what it is asked for', false],
  ['that answers everything to everybody', true],
])('Who acts for a patient, at a server %s,', (_which, ignores) => {
  beforeAll(() => {
    home.ignores = ignores;
  });

  afterAll(() => {
    home.ignores = false;
  });

  // Conditions of an app are the server's to apply.
  const rows = rowsOf(furtherReads, furtherWho).filter(
    ([, request]) => !ignores || !/[?&](?!_count|_sort|_include|patient=)/.test(request),
  );

  it.each(rows)('as %s, gets by %s: %s', async (patient, request, expected) => {
    const shown = await shownBy(`/fhir/${request.replaceAll('~', patient)}`, patient);
    expect((shown.length > 0 ? shown : ['-']).sort()).toEqual(expected.split(' ').sort());
  });
});

/** What was sent to the FHIR server besides reads. */
const sent = () => home.upstream.requests.filter(({ method }) => method !== 'GET');

async function send(patient: string, method: string, path: string, body?: unknown, headers: object = {}) {
  home.upstream.requests.length = 0;
  const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json';
  return gateway.send(`/fhir/${path}`, {
    ...withToken(patient, { ...(body !== undefined && { 'content-type': type }), ...headers }),
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const storedAs = (patient: string, name: string) =>
  records.get(patient)?.findLast(({ id }) => id === `${patient}-${name}`) as Stored;

describe('Who acts for a patient', () => {
  it.each(rowsOf(statuses, furtherWho))('as %s, is answered for %s: %s', async (patient, request, expected) => {
    const [method = '', path = ''] = request.replaceAll('~', patient).split(' ');
    const { status } = await send(patient, method, path);
    expect([status < 300 ? 'ok' : String(status), sent()]).toEqual([expected, []]);
  });

  it.each(rowsOf(changesByCondition, furtherWho))('as %s, asks for %s: %s', async (patient, request, expected) => {
    const [method = '', name = ''] = request.split(' ');
    const stored = storedAs(patient, name);
    const { id: _id, ...body } = { ...stored, status: 'amended' };
    const patch = [{ op: 'add', path: '/status', value: 'amended' }];
    const path = `${stored.resourceType}?identifier=${patient}-${name}`;
    const { status } = await send(
      patient,
      method,
      path,
      method === 'PATCH' ? patch : method === 'PUT' ? body : undefined,
    );
    const writes = sent().map((one) => `${one.method} ${one.url.replace('/r4/', '').replace(`${patient}-`, '')}`);
    expect([status < 300 ? 'done' : String(status), ...writes].join(' ')).toBe(expected);
  });

  it.each(furtherWho)(
    'as %s, is answered each change of a batch as alone, and writes no transaction in part',
    async (patient) => {
      const change = (method: string, name: string, more: object = {}) => {
        const { resourceType, id } = storedAs(patient, name);
        const resource = { ...storedAs(patient, name), status: 'amended', ...more };
        return { request: { method, url: `${resourceType}/${id}` }, ...(method !== 'DELETE' && { resource }) };
      };
      const entry = [
        ...[change('PUT', 'pulse'), change('PUT', 'blood'), change('PUT', 'psy'), change('PUT', 'smoke')],
        ...[
          change('DELETE', 'asthma'),
          change('DELETE', 'rui'),
          change('PUT', 'pulse', { subject: { reference: 'Patient/stranger' } }),
        ],
      ];
      const bundle = (type: string, of: object[]) =>
        send(patient, 'POST', '', { resourceType: 'Bundle', type, entry: of });
      const alone: number[] = [];
      for (const { request, resource } of entry as { request: { method: string; url: string }; resource?: object }[]) {
        alone.push((await send(patient, request.method, request.url, resource)).status);
      }
      const answer = (await bundle('batch', entry)).json<{ entry?: { response: { status: string } }[] }>();
      const together = (answer.entry ?? []).map(({ response }) => Number(response.status.slice(0, 3)));
      const isDone = (status: number) => (status < 300 ? 'done' : status);
      expect(together.map(isDone)).toEqual(alone.map(isDone));
      const permittedOnes = entry.filter((_, index) => (alone[index] ?? 500) < 300);
      const refused = entry.find((_, index) => (alone[index] ?? 200) >= 400) as object;
      const part = await bundle('transaction', [...permittedOnes, refused]);
      expect([part.status >= 400, sent()]).toEqual([true, []]);
      if (permittedOnes.length === 0) return;
      const whole = await bundle('transaction', permittedOnes);
      expect([whole.status, sent().length]).toEqual([200, 1]);
    },
  );

  it.each(birthdays)('opens for a patient %s: %s', async (name, [relationship, birthDate, agreed, expected]) => {
    const patient = `b-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`;
    const begin = relationship === parent ? { birthDate: '2020-01-01' } : { birthDate: '1980-01-01' };
    const id = await connected(patient, relationship, begin);
    await portal.query('UPDATE representation_relationship SET agreed_steps = $2 WHERE id = $1', [id, agreed]);
    has(patient, { birthDate });
    await tellNodes(portal, relationshipsChanged);
    const shown = await shownBy(`/fhir/Observation?patient=${patient}`, patient);
    expect(shown.sort()).toEqual(expected.split(' ').sort());
  });
});

describe('Who acts for a patient of one of two hospitals that have patients of the same id', () => {
  const ofTess = actingIn(() => portal, tess);
  let token: string;

  beforeAll(async () => {
    await ofTess.acts('kid', { ...parent, tenant: 'north' });
    const parameters = { aud: `${portal.fhirBase}/north` };
    token = (await ofTess.tokensFor('kid', { scope: connectedScope, parameters })).tokens.access_token;
  });

  it.each([
    ['north/Observation?patient=kid', 'pulse blood smoke mood file plain'],
    ['north/Patient/kid', '~'],
    ['north/Observation/kid-psy', '404'],
    ['north/Patient/tess', '404'],
    ['north/Patient/stranger', '404'],
    ['south/Observation?patient=kid', '401'],
    ['south/Patient/kid', '401'],
    ['south/Patient/tess', '401'],
    ['Observation?patient=kid', '401'],
    ['Patient/kid', '401'],
  ])('gets by %s: %s', async (path, expected) => {
    tokens.set('kid', token);
    expect((await shownBy(`/fhir/${path}`, 'kid')).sort()).toEqual(expected.split(' ').sort());
  });

  it('is not asked about the patient at the other one, and gets no token for it there', async () => {
    const parameters = { aud: `${portal.fhirBase}/south` };
    const { page } = await ofTess.begin(tess, { scope: connectedScope, parameters });
    expect(page).not.toBe('/user/launch-context');
  });
});
