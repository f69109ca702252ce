import type { Bundle, Device, Observation, Patient, Practitioner, Provenance } from '@medplum/fhirtypes';
import {
  DemoGateway,
  expectJson,
  expectRefusal,
  observationMembers,
  subjectsOf,
} from '../../support/fhir/demo-gateway.js';

let demo: DemoGateway;
let gateway: DemoGateway['gateway'];
let patientToken: string;
let practitionerToken: string;

beforeAll(async () => {
  demo = await DemoGateway.start();
  ({ gateway, patientToken, practitionerToken } = demo);
});

afterAll(() => demo.close());

const read: DemoGateway['read'] = (...request) => demo.read(...request);
const send: DemoGateway['send'] = (...request) => demo.send(...request);

describe('a token for one patient', () => {
  test('SMART fhir-read reads the patient’s resources', async () => {
    expect(await expectJson<Patient>(await read('/Patient/1', patientToken))).toMatchObject({ id: '1' });
    const observation = await expectJson<Observation>(await read('/Observation/blood-pressure-1-1', patientToken));
    expect(observation.subject?.reference).toBe('Patient/1');
    await expectJson(await read('/Observation/blood-pressure-1-1/_history/1', patientToken));
  });

  test('reads the versions of a resource that belong to the patient, and none from the time when another patient was its subject', async () => {
    const created = await expectJson<Observation>(
      await send('POST', '/Observation', practitionerToken, demo.observationOf('2')),
      201,
    );
    const path = `/Observation/${created.id}`;
    await expectRefusal(await read(`${path}/_history`, patientToken), 404);
    for (const status of ['preliminary', 'final']) {
      const body = { ...demo.observationOf('1'), id: created.id, status };
      expect((await send('PUT', path, practitionerToken, body)).status).toBe(200);
    }
    const all = await expectJson<Bundle>(await read(`${path}/_history`, practitionerToken));
    expect([all.total, all.entry?.length]).toEqual([3, 3]);
    const own = await expectJson<Bundle>(await read(`${path}/_history`, patientToken));
    expect([own.type, own.total, own.entry?.length, subjectsOf(own)]).toEqual([
      'history',
      2,
      2,
      new Set([`${gateway.base}/Patient/1`]),
    ]);
    expect(JSON.stringify(own)).not.toContain(demo.serverUrl);
  });

  test('cannot read the history of a whole type', async () => {
    expect(await expectRefusal(await read('/Observation/_history', patientToken), 403)).toMatch(
      /history of one resource/,
    );
  });

  test('gets the same response for another patient’s resource as for a missing one', async () => {
    const missing = await read('/Observation/none', patientToken);
    for (const path of [
      '/Observation/blood-pressure-2-1',
      '/Observation/blood-pressure-2-1/_history/1',
      '/Observation/blood-pressure-2-1/_history',
      '/Patient/2',
    ]) {
      const other = await read(path, patientToken);
      expect([other.status, await other.json()]).toEqual([404, await missing.clone().json()]);
      const known = await read(path, patientToken, { headers: { 'if-none-match': 'W/"1"' } });
      expect(known.status).toBe(404);
    }
  });

  test('gets 304 for a version that it has', async () => {
    const known = await read('/Patient/1', patientToken, { headers: { 'if-none-match': 'W/"1"' } });
    expect(known.status).toBe(304);
  });

  test('finds only the patient’s resources in any search', async () => {
    for (const query of [
      '',
      '?_count=200',
      '?patient=1',
      '?patient=Patient/1',
      '?subject=Patient/1',
      '?code=85354-9',
    ]) {
      const bundle = await expectJson<Bundle>(await read(`/Observation${query}`, patientToken));
      expect([query, subjectsOf(bundle)]).toEqual([query, new Set(['Patient/1'])]);
    }
    const everybody = await expectJson<Bundle>(await read('/Patient', patientToken));
    expect(everybody.entry?.map(({ resource }) => resource?.id)).toEqual(['1']);
  });

  test('gets the count of a search that has more pages where it asks for it', async () => {
    for (const [query, total] of [
      ['_count=3', undefined],
      ['_count=3&_total=estimate', undefined],
      ['_count=3&_total=accurate', 92],
      ['_count=3&_total=accurate&_include=Observation:subject', 92],
    ] as const) {
      const bundle = await expectJson<Bundle>(await read(`/Observation?${query}`, patientToken));
      const matches = bundle.entry?.filter(({ resource }) => resource?.resourceType === 'Observation');
      expect([query, matches?.length, bundle.total]).toEqual([query, 3, total]);
    }
  });

  test('pages through its own results only', async () => {
    const first = await expectJson<Bundle>(await read('/Observation?_count=3', patientToken));
    const next = first.link?.find(({ relation }) => relation === 'next')?.url ?? '';
    expect(next).toMatch(gateway.base);
    const second = await expectJson<Bundle>(await read(next.slice(gateway.base.length), patientToken));
    expect([second.entry?.length, subjectsOf(second)]).toEqual([3, new Set(['Patient/1'])]);
  });

  test('searches by POST as by GET', async () => {
    const form = (body: string) => ({
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const own = await expectJson<Bundle>(
      await read('/Observation/_search?_count=2', patientToken, form('code=85354-9')),
    );
    expect([own.entry?.length, subjectsOf(own)]).toEqual([2, new Set(['Patient/1'])]);
    const other = await expectJson<Bundle>(await read('/Observation/_search', patientToken, form('patient=Patient/2')));
    expect(other).toMatchObject({ type: 'searchset', total: 0 });
    await expectRefusal(await read('/Observation/_search', patientToken, form('_include=*')), 400);
    await expectRefusal(await read('/Observation/_search', patientToken, form('subject:Patient.name=x')), 403);
    await expectRefusal(await read('/Observation/_search?_count=1', patientToken, form('_count=2')), 400);
  });

  test('searches in its own compartment, and finds nothing in another one', async () => {
    const own = await expectJson<Bundle>(await read('/Patient/1/Observation?_count=5', patientToken));
    expect([own.entry?.length, subjectsOf(own)]).toEqual([5, new Set(['Patient/1'])]);
    const other = await expectJson<Bundle>(await read('/Patient/2/Observation', patientToken));
    expect([other.total, other.entry]).toEqual([0, undefined]);
    const anybody = await expectJson<Bundle>(await read('/Patient/2/Observation?_count=5', practitionerToken));
    expect(subjectsOf(anybody)).toEqual(new Set(['Patient/2']));
  });

  test('gets the included resources that belong to the patient', async () => {
    const ids = (bundle: Bundle, type: string) =>
      (bundle.entry ?? []).flatMap(({ resource }) => (resource?.resourceType === type ? [resource.id] : []));
    const bundle = await expectJson<Bundle>(await read('/Encounter?_include=Encounter:subject&_count=2', patientToken));
    expect([ids(bundle, 'Encounter').length, ids(bundle, 'Patient')]).toEqual([2, ['1']]);
    const whole = await expectJson<Bundle>(await read('/Patient?_revinclude=Observation:subject', patientToken));
    expect(ids(whole, 'Patient')).toEqual(['1']);
    expect(ids(whole, 'Observation').length).toBeGreaterThan(10);
    const observations = whole.entry?.filter(({ resource }) => resource?.resourceType === 'Observation');
    expect(subjectsOf({ ...whole, entry: observations ?? [] })).toEqual(new Set(['Patient/1']));

    const anything = await expectJson<Bundle>(await read('/Encounter?_include=Encounter:participant', patientToken));
    expect(ids(anything, 'Practitioner').length).toBeGreaterThan(0);
    const narrow = gateway.tokenFor('patient/Encounter.rs', { patient: '1' });
    const named = await read('/Encounter?_include=Encounter:participant:Practitioner', narrow);
    expect(await expectRefusal(named, 403)).toContain('patient/Practitioner.r');
    const unnamed = await expectJson<Bundle>(await read('/Encounter?_include=Encounter:participant', narrow));
    expect(ids(unnamed, 'Practitioner')).toEqual([]);
    const alone = await expectJson<Bundle>(await read('/Encounter?_include=Encounter:subject', narrow));
    expect([ids(alone, 'Encounter').length > 0, ids(alone, 'Patient')]).toEqual([true, []]);
  });

  test('finds nothing of another patient', async () => {
    for (const query of [
      'patient=2',
      'patient=Patient/2',
      'subject=Patient/2',
      'patient=Patient/1&patient=Patient/2',
    ]) {
      const bundle = await expectJson<Bundle>(await read(`/Observation?${query}`, patientToken));
      expect([query, bundle.entry ?? []]).toEqual([query, []]);
    }
    expect((await expectJson<Bundle>(await read('/Patient?_id=2', patientToken))).entry).toBeUndefined();
    const both = await expectJson<Bundle>(await read('/Patient?_id=1,2', patientToken));
    expect(both.entry?.map(({ resource }) => resource?.id)).toEqual(['1']);
  });

  test('may name its patient by the gateway’s address', async () => {
    const bundle = await expectJson<Bundle>(await read(`/Observation?patient=${gateway.base}/Patient/1`, patientToken));
    expect(subjectsOf(bundle)).toEqual(new Set(['Patient/1']));
  });

  test('SMART fhir-denied-types is refused resource types without patient data before the server is asked', async () => {
    for (const resourceType of ['Organization', 'Location', 'Practitioner']) {
      const answer = await send('POST', `/${resourceType}`, patientToken, { resourceType });
      expect(await expectRefusal(answer, 403)).toMatch(/needs a scope such as/);
    }
    for (const path of ['/Slot/1', '/Slot', '/Binary', '/Nonsense/1']) {
      expect(await expectRefusal(await read(path, patientToken), 404)).toMatch(/has no resources of the type/);
    }
  });

  test('SMART fhir-device reads and finds the patient’s devices, and no others', async () => {
    const token = gateway.tokenFor('patient/Device.rs', { patient: '1' });
    const found = await expectJson<Bundle>(await read('/Device?patient=1', token));
    expect(found.entry?.map(({ resource }) => resource?.id)).toEqual(['device-1']);
    expect(await expectJson<Device>(await read('/Device/device-1', token))).toMatchObject({ id: 'device-1' });
    const unassigned = { resourceType: 'Device', type: { text: 'Scales of the ward' } };
    const { id } = await expectJson<Device>(await send('POST', '/Device', practitionerToken, unassigned), 201);
    for (const path of ['/Device/device-2', `/Device/${id}`]) await expectRefusal(await read(path, token), 404);
  });

  test('SMART fhir-provenance reads the Provenance of its resources where all targets belong to the patient', async () => {
    const provenance = async (...targets: string[]) => {
      const body = {
        resourceType: 'Provenance',
        target: targets.map((reference) => ({ reference })),
        recorded: '2026-01-01T00:00:00Z',
        agent: [{ who: { reference: 'Practitioner/practitioner-1' } }],
      };
      return (await expectJson<Provenance>(await send('POST', '/Provenance', practitionerToken, body), 201)).id ?? '';
    };
    const own = await provenance('AllergyIntolerance/allergy-1');
    const closed = [
      await provenance('AllergyIntolerance/allergy-2'),
      await provenance('AllergyIntolerance/allergy-1', 'AllergyIntolerance/allergy-2'),
      await provenance('AllergyIntolerance/allergy-1', 'AllergyIntolerance/none'),
      await provenance('Practitioner/practitioner-1'),
    ];
    expect((await read(`/Provenance/${own}`, patientToken)).status).toBe(200);
    for (const id of closed) await expectRefusal(await read(`/Provenance/${id}`, patientToken), 404);
    const found = await expectJson<Bundle>(
      await read('/AllergyIntolerance?_revinclude=Provenance:target', patientToken),
    );
    const shown = (found.entry ?? []).flatMap(({ resource }) =>
      resource?.resourceType === 'Provenance' ? resource.id : [],
    );
    expect(shown).toContain(own);
    expect(shown.filter((id) => closed.includes(id ?? ''))).toEqual([]);
    // The Provenance is readable, but not writable.
    await expectRefusal(await read(`/Provenance/${own}`, patientToken, { method: 'DELETE' }), 404);
    const narrow = gateway.tokenFor('patient/AllergyIntolerance.rs patient/Provenance.rs?category=x', { patient: '1' });
    await expectRefusal(await read(`/Provenance/${own}`, narrow), 404);
  });

  test('SMART fhir-referred reads and searches the resources that its record refers to, and changes none of them', async () => {
    const token = gateway.tokenFor('patient/Practitioner.cruds patient/Organization.rs', { patient: '1' });
    const practitioner = await expectJson<Practitioner>(await read('/Practitioner/practitioner-1', token));
    const organizations = await expectJson<Bundle>(await read('/Organization', token));
    expect([practitioner.id, organizations.entry?.length]).toEqual(['practitioner-1', expect.any(Number)]);
    await expectRefusal(await send('PUT', '/Practitioner/practitioner-1', token, practitioner), 403);
    await expectRefusal(await read('/Practitioner/practitioner-1', token, { method: 'DELETE' }), 403);
    await expectRefusal(await read('/Location/none', token), 403);
    // A patient must not learn who else sees a practitioner.
    const among = await read('/Practitioner?_revinclude=Encounter:participant', patientToken);
    const visits = (await expectJson<Bundle>(among)).entry?.filter(
      ({ resource }) => resource?.resourceType === 'Encounter',
    );
    expect(subjectsOf({ resourceType: 'Bundle', type: 'searchset', entry: visits ?? [] })).toEqual(
      new Set(['Patient/1']),
    );
    await expectRefusal(await read('/Practitioner?_has:Encounter:participant:patient=2', patientToken), 403);
  });

  test('writes only into the patient’s record', async () => {
    const created = await expectJson<Observation>(
      await send('POST', '/Observation', patientToken, demo.observationOf('1')),
      201,
    );
    const path = `/Observation/${created.id}`;
    expect((await send('PUT', path, patientToken, { ...demo.observationOf('1'), id: created.id })).status).toBe(200);
    await expectRefusal(await send('PUT', path, patientToken, { ...demo.observationOf('2'), id: created.id }), 403);
    await expectRefusal(
      await send('PUT', path, patientToken, { ...demo.observationOf('1'), id: created.id }, { 'if-match': 'W/"1"' }),
      412,
    );
    expect((await read(path, patientToken, { method: 'DELETE' })).status).toBe(204);

    await expectRefusal(await send('POST', '/Observation', patientToken, demo.observationOf('2')), 403);
    await expectRefusal(await send('POST', '/Patient', patientToken, { resourceType: 'Patient' }), 403);
    const otherId = 'blood-pressure-2-1';
    const taken = { ...demo.observationOf('1'), id: otherId };
    await expectRefusal(await send('PUT', `/Observation/${otherId}`, patientToken, taken), 404);
    const fresh = { ...taken, id: 'not-yet-there' };
    expect((await send('PUT', '/Observation/not-yet-there', patientToken, fresh)).status).toBe(201);
    await expectRefusal(await read(`/Observation/${otherId}`, patientToken, { method: 'DELETE' }), 404);
    expect((await read(`/Observation/${otherId}`, practitionerToken)).status).toBe(200);
    const patch = await read('/Observation/blood-pressure-1-1', patientToken, {
      method: 'PATCH',
      body: JSON.stringify([{ op: 'replace', path: '/subject/reference', value: 'Patient/2' }]),
      headers: { 'content-type': 'application/json-patch+json' },
    });
    await expectRefusal(patch, 403);
  });

  test.each([
    [
      'a subject twice',
      `{${observationMembers},"subject":{"reference":"Patient/2"},"subject":{"reference":"Patient/1"}}`,
    ],
    ['a subject in the prototype', `{${observationMembers},"__proto__":{"subject":{"reference":"Patient/1"}}}`],
    ['a NUL', `{${observationMembers},"subject":{"reference":"Patient/1"},"valueString":"\\u0000"}`],
    ['no JSON', '<Observation/>'],
    ['nothing', ''],
    ['very deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('cannot write a body with %s', async (_what, body) => {
    const response = await send('POST', '/Observation', patientToken, body);
    expect([400, 403]).toContain(response.status);
    await expectRefusal(response, response.status);
  });

  test('SMART openid-fhiruser-read reads the resource of the signed-in user, and no other practitioner', async () => {
    const token = gateway.tokenFor('openid fhirUser patient/Patient.rs', {
      patient: '1',
      fhirUser: `${gateway.base}/Practitioner/practitioner-1`,
    });
    expect((await read('/Practitioner/practitioner-1', token)).status).toBe(200);
    await expectRefusal(await read('/Practitioner/practitioner-2', token), 403);
  });
});

describe('a user/ scope of a patient', () => {
  test('permits their own record and no other', async () => {
    const token = gateway.tokenFor('user/*.rs', { fhirUser: `${gateway.base}/Patient/1` });
    expect(subjectsOf(await expectJson<Bundle>(await read('/Observation', token)))).toEqual(new Set(['Patient/1']));
    await expectRefusal(await read('/Patient/2', token), 404);
    await expectRefusal(await send('POST', '/Organization', token, { resourceType: 'Organization' }), 403);
  });
});
