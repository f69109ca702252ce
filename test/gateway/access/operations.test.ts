import type { Bundle, Observation, OperationOutcome, Resource } from '@medplum/fhirtypes';
import { DemoGateway, expectJson, expectRefusal } from '../../support/fhir/demo-gateway.js';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

const keys = (bundle: Bundle) =>
  (bundle.entry ?? []).map(({ resource }) => `${resource?.resourceType}/${resource?.id}`);
const patientOf = (resource: Resource | undefined) =>
  resource?.resourceType === 'Patient' ? `Patient/${resource.id}` : (resource as Observation).subject?.reference;

describe('an operation of the demo server', () => {
  let demo: DemoGateway;
  let practitioner: string;

  beforeAll(async () => {
    demo = await DemoGateway.start();
    practitioner = `${demo.gateway.base}/Practitioner/practitioner-1`;
  });

  afterAll(() => demo.close());

  const user = (scope: string, more: object = {}) => demo.gateway.tokenFor(scope, { fhirUser: practitioner, ...more });
  const directly = async (path: string) => (await (await fetch(demo.serverUrl + path)).json()) as Bundle;

  test('$everything returns the whole record of the token’s patient, and no resource of another patient', async () => {
    const all = await directly('/Patient/1/$everything');
    for (const path of ['/Patient/1/$everything', '/Patient/$everything']) {
      const shown = await expectJson<Bundle>(await demo.read(path, demo.patientToken));
      const own = (all.entry ?? []).filter(({ resource }) => patientOf(resource) === 'Patient/1');
      expect(keys(shown)).toEqual(
        expect.arrayContaining(own.map(({ resource }) => `${resource?.resourceType}/${resource?.id}`)),
      );
      expect(own.length).toBeGreaterThan(10);
      const shared = (bundle: Bundle) => keys(bundle).filter((key) => /^(Practitioner|Organization)\//.test(key));
      expect(shared(shown)).toEqual(shared(all));
      expect(shared(all)).not.toEqual([]);
      expect(shown.total).toBe(shown.entry?.length);
      expect(JSON.stringify(shown)).not.toContain(demo.serverUrl);
    }
  });

  test('$everything returns only the types and categories that the scopes permit', async () => {
    const token = demo.gateway.tokenFor('patient/Patient.rs patient/Observation.rs?category=laboratory', {
      patient: '1',
    });
    const shown = await expectJson<Bundle>(await demo.read('/Patient/1/$everything', token));
    const categories = (shown.entry ?? []).flatMap(({ resource }) =>
      resource?.resourceType === 'Observation' ? resource.category?.[0]?.coding?.[0]?.code : [],
    );
    expect(new Set(categories)).toEqual(new Set(['laboratory']));
    expect(new Set(keys(shown).map((key) => key.split('/')[0]))).toEqual(new Set(['Patient', 'Observation']));
  });

  test('$everything may be limited to types that the scopes permit', async () => {
    const token = demo.gateway.tokenFor('patient/Patient.rs patient/Observation.rs', { patient: '1' });
    const ask = (types: string) => demo.read(`/Patient/1/$everything?_count=1&_type=${types}`, token);
    expect((await ask('Observation,Patient')).status).toBe(200);
    for (const types of ['Condition', 'Observation,Condition']) {
      expect(await expectRefusal(await ask(types), 403)).toContain('patient/Condition.s');
    }
    for (const types of ['', '*', 'condition', '%22%C3%A9%22']) await expectRefusal(await ask(types), 400);
    expect((await demo.read('/Patient/1/$everything?_type=Condition', demo.patientToken)).status).toBe(200);
  });

  test('$everything is answered alike for another patient and a missing one', async () => {
    const answers = await Promise.all(
      ['2', 'none'].map(async (id) => {
        const response = await demo.read(`/Patient/${id}/$everything`, demo.patientToken);
        return [response.status, await response.json()];
      }),
    );
    expect(answers[0]).toEqual([404, expect.objectContaining({ resourceType: 'OperationOutcome' })]);
    expect(answers[1]).toEqual(answers[0]);
  });

  test('$everything requires a scope for Patient, which the refusal names', async () => {
    const token = demo.gateway.tokenFor('patient/Observation.rs', { patient: '1' });
    const response = await demo.read('/Patient/1/$everything', token);
    expect(response.headers.get('www-authenticate')).toContain('scope="patient/Patient.s"');
    expect(await expectRefusal(response, 403)).toMatch(/patient\/Patient\.s/);
  });

  test('$everything is forwarded unchanged where the token permits all types', async () => {
    const shown = await expectJson<Bundle>(await demo.read('/Patient/2/$everything', demo.practitionerToken));
    expect(keys(shown)).toEqual(keys(await directly('/Patient/2/$everything')));
    expect(shown.total).toBe(shown.entry?.length);
  });

  test('$lastn is limited like any search', async () => {
    const shown = await expectJson<Bundle>(await demo.read('/Observation/$lastn?patient=1&max=2', demo.patientToken));
    expect(keys(shown)).toEqual(keys(await directly('/Observation/$lastn?patient=1&max=2')));
    expect(keys(shown).length).toBeGreaterThan(0);
    const other = await expectJson<Bundle>(await demo.read('/Observation/$lastn?patient=2', demo.patientToken));
    expect(other.entry).toBeUndefined();
    // The gateway adds the condition on the patient when the app leaves it out.
    const own = await expectJson<Bundle>(await demo.read('/Observation/$lastn', demo.patientToken));
    expect(new Set((own.entry ?? []).map(({ resource }) => patientOf(resource)))).toEqual(new Set(['Patient/1']));
  });

  test('is run in a batch, and refused in a transaction', async () => {
    const post = (type: string) => {
      const entry = [{ request: { method: 'GET', url: 'Patient/1/$everything' } }];
      return demo.send('POST', '', demo.practitionerToken, { resourceType: 'Bundle', type, entry });
    };
    const answered = await expectJson<Bundle>(await post('batch'));
    expect(keys(answered.entry?.[0]?.resource as Bundle).length).toBeGreaterThan(10);
    expect(await expectRefusal(await post('transaction'), 403)).toMatch(/transaction may read/);
  });

  test('that the server does not have is answered 404', async () => {
    expect(await expectRefusal(await demo.read('/Patient/1/$meta', user('user/*.cruds user/*.$meta')), 404)).toMatch(
      /\$meta/,
    );
  });

  test('is listed in the CapabilityStatement', async () => {
    const { rest } = (await (await demo.read('/metadata')).json()) as {
      rest: { resource: { operation?: { name: string }[] }[] }[];
    };
    const names = rest[0]?.resource.flatMap(({ operation = [] }) => operation.map(({ name }) => name));
    expect(names?.sort()).toEqual(['docref', 'everything', 'lastn']);
  });
});

describe('an operation of a server that returns unexpected resources', () => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let strict: TestGateway;
  const observation = (patient: string) => ({
    resourceType: 'Observation',
    id: `of-${patient}`,
    subject: { reference: `Patient/${patient}` },
  });
  const operation = (name: string) => ({ name, definition: 'http://example.org/o' });
  const statement = {
    resourceType: 'CapabilityStatement',
    fhirVersion: '4.0.1',
    rest: [
      {
        mode: 'server',
        operation: ['$export', '$graphql', 'stats'].map(operation),
        resource: [
          { type: 'Patient', operation: [operation('everything')] },
          { type: 'Observation', searchParam: [{ name: 'patient' }], operation: [operation('lastn')] },
          { type: 'Binary' },
        ],
      },
    ],
  };
  /** Status, headers and body by path. A body that is no text is sent as JSON. */
  let answers: Record<string, [status: number, headers: Record<string, string>, body: unknown]> = {};

  beforeAll(async () => {
    upstream = await startUpstream(({ url = '' }, response) => {
      const known = answers[url.slice('/r4'.length)] ?? [200, {}, statement];
      const [status, headers, body] = url === '/r4/metadata' ? [200, {}, statement] : known;
      response.writeHead(status, { 'Content-Type': 'application/fhir+json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    gateway = await startGateway(upstream.url);
    strict = await startGateway(upstream.url, {}, { operationsWithoutScope: [] });
    await Promise.all([gateway.loadCapabilities(), strict.loadCapabilities()]);
  });

  beforeEach(() => {
    upstream.requests.length = 0;
    answers = {};
  });

  afterAll(async () => {
    await gateway.close();
    await strict.close();
    upstream.close();
  });

  const fhirUser = () => `${gateway.base}/Practitioner/p`;
  const asked = () =>
    upstream.requests.filter(({ url }) => url !== '/r4/metadata').map(({ method, url }) => `${method} ${url}`);

  test('$everything returns no forbidden resource on any page', async () => {
    const next = `${upstream.url}?_getpages=abc`;
    const page = (link: object[]) => ({
      resourceType: 'Bundle',
      type: 'searchset',
      total: 5,
      link,
      entry: [
        { resource: observation('p2'), search: { mode: 'match' } },
        { resource: { resourceType: 'Patient', id: 'p2' }, search: { mode: 'include' } },
        { resource: observation('p1'), search: { mode: 'match' } },
        { resource: { resourceType: 'Slot', id: 's' }, search: { mode: 'include' } },
      ],
    });
    answers = {
      '/Patient/p1/$everything': [200, {}, page([{ relation: 'next', url: next }])],
      '?_getpages=abc': [200, {}, page([])],
    };
    const token = gateway.tokenFor('patient/*.rs', { patient: 'p1' });
    const first = await expectJson<Bundle>(await gateway.fetch('/Patient/p1/$everything', token));
    expect([first.total, keys(first)]).toEqual([undefined, ['Observation/of-p1']]);
    const link = first.link?.[0]?.url ?? '';
    expect(link).toContain(`${gateway.base}/_page?_link=`);
    const second = await gateway.fetch(link.slice(gateway.base.length), token);
    expect(keys(await expectJson<Bundle>(second))).toEqual(['Observation/of-p1']);
    const other = gateway.tokenFor('patient/*.rs', { patient: 'p2' });
    await expectRefusal(await gateway.fetch(link.slice(gateway.base.length), other), 403);
  });

  test('$everything requires its own scope where the configuration says so, and is limited itself', async () => {
    answers = {
      '/Patient/p1/$everything': [
        200,
        {},
        { resourceType: 'Bundle', type: 'searchset', entry: ['p1', 'p2'].map((id) => ({ resource: observation(id) })) },
      ],
    };
    const token = (scope: string) =>
      strict.tokenFor(scope, { patient: 'p1', fhirUser: `${strict.base}/Practitioner/p` });
    expect(await expectRefusal(await strict.fetch('/Patient/p1/$everything', token('user/*.rs')), 403)).toMatch(
      /such as patient\/Patient\.\$everything/,
    );
    for (const scope of ['patient/Patient.$everything', 'patient/*.$everything']) {
      const shown = await expectJson<Bundle>(
        await strict.fetch('/Patient/p1/$everything', token(`user/*.rs ${scope}`)),
      );
      expect(keys(shown)).toEqual(['Observation/of-p1']);
      await expectRefusal(await strict.fetch('/Patient/p2/$everything', token(`user/*.rs ${scope}`)), 404);
    }
    await expectRefusal(
      await strict.fetch('/Patient/p1/$everything', token('user/*.rs user/Observation.$everything')),
      403,
    );
    // A scope for an operation permits no access to resources.
    await expectRefusal(await strict.fetch('/Patient/p1/$everything', token('user/Patient.$everything')), 403);
  });

  test('whose scope is for another patient than the scopes to read is refused, and the server is not asked', async () => {
    const token = (scope: string) => strict.tokenFor(scope, { patient: 'p1', fhirUser: `${strict.base}/Patient/p2` });
    const mixed = token('patient/Observation.rs user/Observation.$lastn');
    expect(await expectRefusal(await strict.fetch('/Observation/$lastn', mixed), 403)).toMatch(/Observation\.\$lastn/);
    expect(asked()).toEqual([]);
    await strict.fetch('/Observation/$lastn', token('patient/Observation.rs patient/Observation.$lastn'));
    expect(asked()).not.toEqual([]);
  });

  test('that is unknown requires its scope and a permitted type', async () => {
    answers = { '/Observation/$stats?a=b': [200, {}, { resourceType: 'Parameters' }] };
    const ask = (scope: string, facts: object = { fhirUser: fhirUser() }) =>
      gateway.fetch('/Observation/$stats?a=b', gateway.tokenFor(scope, facts));
    expect(await expectRefusal(await ask('user/*.cruds'), 403)).toMatch(/user\/Observation\.\$stats/);
    expect(await expectRefusal(await ask('user/*.$stats'), 403)).toMatch(/user\/Observation\.rs/);
    expect(await expectRefusal(await ask('user/*.$stats user/Observation.rs?category=laboratory'), 403)).toMatch(
      /Observation\.rs/,
    );
    const patient = { patient: 'p1', fhirUser: `${gateway.base}/Patient/p1` };
    expect(await expectRefusal(await ask('patient/*.$stats patient/*.rs', patient), 403)).toMatch(/one patient/);
    expect(await expectRefusal(await ask('user/*.$stats user/*.rs', patient), 403)).toMatch(/one patient/);
    expect(asked()).toEqual([]);
    await expectJson(await ask('user/Observation.$stats user/Observation.rs'));
    await expectJson(await ask('system/*.$stats system/*.rs', {}));
    expect(asked()).toEqual(['GET /r4/Observation/$stats?a=b', 'GET /r4/Observation/$stats?a=b']);
  });

  test('by POST has a JSON body, or none', async () => {
    answers = { '/Observation/$stats': [200, {}, { resourceType: 'Parameters' }] };
    const token = gateway.tokenFor('system/*.$stats system/*.cruds');
    const reading = gateway.tokenFor('system/*.$stats system/*.rs');
    const post = (type: string, body: string) =>
      gateway.fetch('/Observation/$stats', token, { method: 'POST', body, headers: { 'content-type': type } });
    await expectJson(await post('application/fhir+json', '{"resourceType":"Parameters"}'));
    expect(upstream.requests[0]).toMatchObject({ method: 'POST', body: '{"resourceType":"Parameters"}' });
    await expectJson(await gateway.fetch('/Observation/$stats', token, { method: 'POST' }));
    const refusal = await expectRefusal(await gateway.fetch('/Observation/$stats', reading, { method: 'POST' }), 403);
    expect(refusal).toMatch(/system\/Observation\.cruds/);
    await expectRefusal(await post('application/xml', '<a/>'), 415);
    await expectRefusal(await post('application/fhir+json', '{"a":1,"a":2}'), 400);
  });

  describe('$export', () => {
    const job = () => `${upstream.url}/$export-poll-status?_jobId=7`;
    let token: string;

    beforeEach(() => {
      token = gateway.tokenFor('system/*.rs');
      answers = {
        '/$export?_type=Patient': [202, { 'Content-Location': job() }, ''],
        '/$export-poll-status?_jobId=7': [
          200,
          { 'Content-Type': 'application/json' },
          {
            transactionTime: '2026-01-01T00:00:00Z',
            request: 'http://10.9.8.7/other/$export?_type=Patient',
            requiresAccessToken: false,
            output: [{ type: 'Patient', url: `${upstream.url}/Binary/f1` }],
            error: [],
          },
        ],
        '/Binary/f1': [
          200,
          { 'Content-Type': 'application/fhir+ndjson' },
          `{"resourceType":"Patient","id":"p1","photo":[{"url":"${upstream.url}/Binary/x"}]}\n`,
        ],
      };
    });

    const follow = (url: string, by = token, init: RequestInit = {}) =>
      gateway.fetch(url.slice(gateway.base.length), by, init);
    const begin = async () => {
      const response = await gateway.fetch('/$export?_type=Patient', token, { headers: { prefer: 'respond-async' } });
      expect(response.status).toBe(202);
      return response.headers.get('content-location') ?? '';
    };

    test('runs from the start to its files at addresses of the gateway', async () => {
      const location = await begin();
      expect(upstream.requests[0]?.headers.prefer).toBe('respond-async');
      expect(location).toContain(`${gateway.base}/_page?_link=`);
      const done = await follow(location, token, { headers: { accept: 'application/json' } });
      const manifest = (await done.json()) as {
        request: string;
        requiresAccessToken: boolean;
        output: { url: string }[];
      };
      expect([manifest.request, manifest.requiresAccessToken]).toEqual([`${gateway.base}/$export?_type=Patient`, true]);
      const file = await follow(manifest.output[0]?.url ?? '', token, {
        headers: { accept: 'application/fhir+ndjson' },
      });
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/fhir+ndjson']);
      expect(JSON.parse(await file.text())).toMatchObject({ id: 'p1', photo: [{ url: `${gateway.base}/Binary/x` }] });
      expect(JSON.stringify(manifest)).not.toContain(upstream.url);
    });

    test('reports its progress, and can be cancelled', async () => {
      const location = await begin();
      answers['/$export-poll-status?_jobId=7'] = [202, { 'X-Progress': '10%', 'Retry-After': '5' }, ''];
      const waiting = await follow(location);
      expect([waiting.status, waiting.headers.get('x-progress'), waiting.headers.get('retry-after')]).toEqual([
        202,
        '10%',
        '5',
      ]);
      const words = `files at ${upstream.url}/x, ${upstream.url.replace('/r4', '/store')}`;
      answers['/$export-poll-status?_jobId=7'] = [202, { 'X-Progress': words }, ''];
      expect((await follow(location)).headers.get('x-progress')).toBe(`files at ${gateway.base}/x, ...`);
      expect((await follow(location, token, { method: 'DELETE' })).status).toBe(202);
      expect(upstream.requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/r4/$export-poll-status?_jobId=7' });
      await expectRefusal(await follow(location, token, { method: 'POST' }), 405);
    });

    test.each([
      'patient/*.rs',
      'user/*.rs user/Observation.rs',
      'system/Patient.rs',
      'system/*.r',
      'system/*.rs?category=a',
    ])('is refused to a token with %s', async (scope) => {
      const limited = gateway.tokenFor(scope, { patient: 'p1', fhirUser: `${gateway.base}/Patient/p1` });
      await expectRefusal(await gateway.fetch('/$export?_type=Patient', limited), 403);
      await expectRefusal(await gateway.fetch('/Patient/$export', limited), 403);
      expect(asked()).toEqual([]);
    });

    test('has files for no other client, and for no token with fewer scopes', async () => {
      const manifest = (await (await follow(await begin())).json()) as { output: { url: string }[] };
      const url = manifest.output[0]?.url ?? '';
      await expectRefusal(await follow(url, gateway.tokenFor('system/*.rs', { clientId: 'other' })), 403);
      await expectRefusal(await follow(url, gateway.tokenFor('system/Patient.rs')), 403);
      expect((await follow(url)).status).toBe(200);
    });

    test.each<[string, string, [number, Record<string, string>, unknown]]>([
      ['starts no job', '/$export?_type=Patient', [200, {}, { resourceType: 'Bundle' }]],
      [
        'names a job on another host',
        '/$export?_type=Patient',
        [202, { 'Content-Location': 'http://evil.example/job' }, ''],
      ],
      ['returns an invalid list of files', '/$export-poll-status?_jobId=7', [200, {}, 'no JSON']],
      ['returns an invalid file', '/Binary/f1', [200, { 'Content-Type': 'text/html' }, '<html>']],
    ])('is answered 502 when the server %s', async (_what, address, answer) => {
      const [before, after] = [await begin(), { ...answers, [address]: answer }];
      const files = (await (await follow(before)).json()) as { output: { url: string }[] };
      answers = after;
      const asking = {
        '/$export?_type=Patient': () => gateway.fetch('/$export?_type=Patient', token),
        '/$export-poll-status?_jobId=7': () => follow(before),
        '/Binary/f1': () => follow(files.output[0]?.url ?? ''),
      }[address];
      const response = await asking?.();
      const outcome = (await response?.json()) as OperationOutcome;
      expect([response?.status, outcome.resourceType]).toEqual([502, 'OperationOutcome']);
    });
  });

  test('named GraphQL is refused', async () => {
    await expectRefusal(
      await gateway.fetch('/$graphql?query={a}', gateway.tokenFor('system/*.cruds system/*.$graphql')),
      403,
    );
  });
});
