import type { Bundle, CapabilityStatement, OperationOutcome, Patient, Resource } from '@medplum/fhirtypes';
import { startFhirServer } from '../../demo/fhir-server/server.js';

let server: Awaited<ReturnType<typeof startFhirServer>>;

beforeAll(async () => {
  server = await startFhirServer({ port: 0 });
});

afterAll(() => server.close());

const fetchFrom = (path: string, init?: RequestInit) => fetch(`${server.url}/${path}`, init);

async function bundleOf(path: string, init?: RequestInit): Promise<Bundle> {
  const response = await fetchFrom(path, init);
  expect(response.status).toBe(200);
  return (await response.json()) as Bundle;
}

const keysOf = (bundle: Bundle, mode = 'match') =>
  (bundle.entry ?? [])
    .filter(({ search }) => search?.mode === mode)
    .map(({ resource }) => `${resource?.resourceType}/${resource?.id}`);

const linkOf = (bundle: Bundle, relation: string) => bundle.link?.find((link) => link.relation === relation)?.url;

function json(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, body: sent, headers: { 'content-type': 'application/fhir+json', ...headers } };
}

async function expectRefusal(response: Response, status: number): Promise<OperationOutcome> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
  const outcome = (await response.json()) as OperationOutcome;
  expect(outcome.resourceType).toBe('OperationOutcome');
  return outcome;
}

describe('the demo FHIR server', () => {
  it('listens on the loopback interface, below a path', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/r4$/);
    expect(server.count).toBeGreaterThan(1000);
  });

  it('lists its resource types and operations in its CapabilityStatement', async () => {
    const response = await fetchFrom('metadata');
    expect(response.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
    const statement = (await response.json()) as CapabilityStatement;
    expect(statement).toMatchObject({ fhirVersion: '4.0.1', implementation: { url: server.url } });
    const patient = statement.rest?.[0]?.resource?.find(({ type }) => type === 'Patient');
    expect(patient?.interaction?.map(({ code }) => code)).toContain('search-type');
    expect(patient?.searchParam?.map(({ name }) => name)).toEqual(expect.arrayContaining(['_id', 'name', 'birthdate']));
    expect(patient?.operation).toEqual([
      { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' },
    ]);
  });

  it('supports every search parameter that it lists', async () => {
    const statement = (await (await fetchFrom('metadata')).json()) as CapabilityStatement;
    const failed: string[] = [];
    for (const { type, searchParam } of statement.rest?.[0]?.resource ?? []) {
      for (const { name, type: kind } of searchParam ?? []) {
        const path = `${type}?${name}=${kind === 'date' ? '2026' : 'x'}&_count=0`;
        const response = await fetchFrom(path, { headers: { prefer: 'handling=strict' } });
        failed.push(...(response.ok ? [] : [path]));
      }
    }
    expect(failed).toEqual([]);
  });
});

describe('a search on the demo FHIR server', () => {
  it.each(['patient=1', 'patient=Patient/1', 'subject=Patient/1', 'subject:Patient=1'])(
    'finds the same observations by %s',
    async (query) => {
      const [found, all] = [await bundleOf(`Observation?${query}&_count=500`), await bundleOf('Observation?_count=0')];
      expect(found.total).toBeGreaterThan(50);
      expect(found.total).toBeLessThan(all.total ?? 0);
      const subjects = new Set(
        found.entry?.map(({ resource }) => JSON.stringify((resource as { subject?: unknown }).subject)),
      );
      expect([...subjects]).toEqual([expect.stringContaining('"Patient/1"')]);
    },
  );

  it('accepts a reference as an absolute URL of this server', async () => {
    const bundle = await bundleOf(`Condition?patient=${encodeURIComponent(`${server.url}/Patient/1`)}`);
    expect(bundle.total).toBeGreaterThan(0);
  });

  it('returns every entry with its full URL', async () => {
    const bundle = await bundleOf('Patient?_id=1');
    expect(bundle.entry?.[0]?.fullUrl).toBe(`${server.url}/Patient/1`);
  });

  it('returns all matches through the next links', async () => {
    const seen: string[] = [];
    let url: string | undefined = `${server.url}/Encounter?patient=1&_count=3`;
    while (url) {
      const bundle: Bundle = await bundleOf(url.slice(server.url.length + 1));
      seen.push(...keysOf(bundle));
      url = linkOf(bundle, 'next');
    }
    const all = keysOf(await bundleOf('Encounter?patient=1'));
    expect(seen).toEqual(all);
    expect(seen.length).toBeGreaterThan(3);
  });

  it('has previous links on later pages', async () => {
    const bundle = await bundleOf('Patient?_count=10&_offset=20');
    expect(linkOf(bundle, 'previous')).toBe(`${server.url}/Patient?_count=10&_offset=10`);
    expect(linkOf(bundle, 'first')).toBe(`${server.url}/Patient?_count=10`);
  });

  it('sorts by the first rule before the second', async () => {
    const bundle = await bundleOf('Patient?_sort=gender,-birthdate&_count=100');
    const sorted = bundle.entry?.map(({ resource }) => resource as Patient) ?? [];
    const expected = sorted.toSorted(
      (a, b) => (a.gender ?? '').localeCompare(b.gender ?? '') || (b.birthDate ?? '').localeCompare(a.birthDate ?? ''),
    );
    expect(sorted.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  it.each(['_summary=count', '_count=0'])('answers %s with the count only', async (query) => {
    const bundle = await bundleOf(`Patient?${query}`);
    expect(bundle).toMatchObject({ type: 'searchset', total: 64 });
    expect(bundle.entry).toBeUndefined();
    expect(linkOf(bundle, 'next')).toBeUndefined();
  });

  it('includes the medications of requests and the provenance of matches', async () => {
    const bundle = await bundleOf(
      'MedicationRequest?patient=1&_include=MedicationRequest:medication&_revinclude=Provenance:target',
    );
    expect(keysOf(bundle).every((key) => key.startsWith('MedicationRequest/'))).toBe(true);
    expect(bundle.total).toBe(keysOf(bundle).length);
    const included = keysOf(bundle, 'include');
    expect(included.some((key) => key.startsWith('Medication/'))).toBe(true);
    expect(included).toContain('Provenance/provenance-1');
  });

  it('ignores an unknown parameter and leaves it out of the self link', async () => {
    const bundle = await bundleOf('Patient?shoe-size=44&gender=female');
    expect(linkOf(bundle, 'self')).toBe(`${server.url}/Patient?gender=female`);
  });

  it.each(['shoe-size=44', '_include=Patient:shoes', '_sort=shoe-size', '_elements=id'])(
    'refuses %s with strict handling',
    async (query) => {
      const response = await fetchFrom(`Patient?${query}`, { headers: { prefer: 'respond-async, handling=strict' } });
      await expectRefusal(response, 400);
    },
  );

  it.each(['name:phonetic=x', 'subject:Shoe=1', '_count=-1', '_count=x', 'birthdate=yesterday', 'organization.name=x'])(
    'refuses the unsupported %s',
    async (query) => {
      const type = query.startsWith('subject') ? 'Observation' : 'Patient';
      await expectRefusal(await fetchFrom(`${type}?${query}`), 400);
    },
  );

  it('reads the parameters of a POST from the form', async () => {
    const bundle = await bundleOf('Condition/_search', {
      method: 'POST',
      body: new URLSearchParams({ patient: '1', category: 'health-concern' }),
    });
    expect(keysOf(bundle)).toEqual(['Condition/condition-1-concern']);
    expect(linkOf(bundle, 'self')).toBe(`${server.url}/Condition?patient=1&category=health-concern`);
  });
});

describe('a read on the demo FHIR server', () => {
  it('returns version and time of the last change', async () => {
    const response = await fetchFrom('Patient/1');
    expect(response.headers.get('etag')).toBe('W/"1"');
    expect(response.headers.get('last-modified')).toBe('Mon, 01 Jun 2026 00:00:00 GMT');
    expect(await response.json()).toMatchObject({ resourceType: 'Patient', id: '1' });
  });

  it.each([
    ['if-none-match', 'W/"1"'],
    ['if-none-match', '"0", "1"'],
    ['if-modified-since', 'Mon, 01 Jun 2026 00:00:00 GMT'],
  ])('answers 304 to %s: %s', async (header, value) => {
    const response = await fetchFrom('Patient/1', { headers: { [header]: value } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
  });

  it('returns the resource when the version is another', async () => {
    const headers = { 'if-none-match': 'W/"0"', 'if-modified-since': 'Mon, 01 Jun 2026 00:00:00 GMT' };
    expect((await fetchFrom('Patient/1', { headers })).status).toBe(200);
  });

  it.each([
    ['Patient/unknown', 404],
    ['Shoe/1', 404],
    ['Patient/1/Observation', 404],
    ['Patient/%00', 400],
    ['Patient/%E0%A4%A', 400],
    ['Patient/1?_format=xml', 406],
  ])('answers %s with an OperationOutcome and %i', async (path, status) => {
    await expectRefusal(await fetchFrom(path), status);
  });
});

describe('a write on the demo FHIR server', () => {
  const note = { resourceType: 'Patient', name: [{ family: 'Newtest' }] };

  it('creates a resource with an id of the server, and returns it', async () => {
    const created = await fetchFrom('Patient', json('POST', { ...note, id: '1' }));
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as Resource;
    expect(id).not.toBe('1');
    expect(created.headers.get('location')).toMatch(new RegExp(`^${server.url}/Patient/${id}/_history/`));
    expect(await (await fetchFrom(`Patient/${id}`)).json()).toMatchObject(note);
  });

  it('updates only the version in If-Match, and keeps the older one readable', async () => {
    const put = (family: string, ifMatch?: string) =>
      fetchFrom(
        'Patient/update-me',
        json('PUT', { ...note, id: 'update-me', name: [{ family }] }, ifMatch ? { 'if-match': ifMatch } : {}),
      );
    await expectRefusal(await put('First', 'W/"1"'), 412);
    const first = await put('First');
    expect(first.status).toBe(201);
    const version = first.headers.get('etag') ?? '';
    expect((await put('Second', version)).status).toBe(200);
    await expectRefusal(await put('Third', version), 412);
    expect(await (await fetchFrom('Patient/update-me')).json()).toMatchObject({ name: [{ family: 'Second' }] });
    const older = await fetchFrom(`Patient/update-me/_history/${version.slice(3, -1)}`);
    expect(await older.json()).toMatchObject({ name: [{ family: 'First' }] });
  });

  it('deletes a resource', async () => {
    await fetchFrom('Patient/delete-me', json('PUT', { ...note, id: 'delete-me' }));
    expect((await fetchFrom('Patient/delete-me', { method: 'DELETE' })).status).toBe(204);
    await expectRefusal(await fetchFrom('Patient/delete-me'), 404);
  });

  it.each([
    ['a body that is not JSON', 'Patient', json('POST', '{'), 400],
    ['an invalid resource', 'Patient', json('POST', { ...note, shoeSize: 44 }), 400],
    ['another type than the path says', 'Observation', json('POST', note), 400],
    ['another id than the path says', 'Patient/2', json('PUT', { ...note, id: '3' }), 400],
    ['a body of another kind', 'Patient', json('POST', note, { 'content-type': 'text/plain' }), 415],
    ['a body that is too large', 'Patient', json('POST', ' '.repeat(1_100_000)), 413],
    ['a conditional create', 'Patient', json('POST', note, { 'if-none-exist': 'family=Newtest' }), 400],
    ['a conditional update', 'Patient', json('PUT', note), 405],
    ['a patch', 'Patient/1', json('PATCH', []), 405],
  ])('refuses %s', async (_what, path, init, status) => {
    await expectRefusal(await fetchFrom(path, init), status);
  });
});

describe('an operation on the demo FHIR server', () => {
  it('$everything returns a whole record, and no resource of another patient', async () => {
    const linked = {
      resourceType: 'Patient',
      id: 'linked',
      link: [{ type: 'seealso', other: { reference: 'Patient/1' } }],
    };
    expect((await fetchFrom('Patient/linked', json('PUT', linked))).status).toBe(201);
    const bundle = await bundleOf('Patient/1/$everything');
    const keys = keysOf(bundle);
    expect(keys.filter((key) => key.startsWith('Patient/'))).toEqual(['Patient/1']);
    const own = await bundleOf('Observation?patient=1&_count=0');
    expect(keys.filter((key) => key.startsWith('Observation/'))).toHaveLength(own.total ?? 0);
    expect(keys).toEqual(expect.arrayContaining(['Provenance/provenance-1', 'Practitioner/practitioner-1']));
  });

  it('$lastn returns the newest observation of each kind', async () => {
    const bundle = await bundleOf('Observation/$lastn?patient=1&category=vital-signs');
    const pulses = keysOf(bundle).filter((key) => key.includes('heart-rate'));
    const newest = await bundleOf('Observation?patient=1&code=8867-4&_sort=-date&_count=1');
    expect(pulses).toEqual(keysOf(newest));
  });

  it('$lastn requires a patient', async () => {
    await expectRefusal(await fetchFrom('Observation/$lastn?category=vital-signs'), 400);
  });
});
