import type { Bundle, CapabilityStatement, Observation, OperationOutcome, Patient } from '@medplum/fhirtypes';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let server: Awaited<ReturnType<typeof startFhirServer>>;
let gateway: TestGateway;
let patientToken: string;
let practitionerToken: string;

beforeAll(async () => {
  server = await startFhirServer({ port: 0 });
  gateway = await startGateway(server.url);
  await gateway.watch();
  patientToken = gateway.tokenFor('patient/*.cruds', { patient: '1' });
  practitionerToken = gateway.tokenFor('user/*.cruds', { fhirUser: `${gateway.base}/Practitioner/practitioner-1` });
});

afterAll(async () => {
  await gateway.close();
  await server.close();
});

const json = async <T>(response: Response, status = 200): Promise<T> => {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/fhir+json; charset=utf-8',
  ]);
  return (await response.json()) as T;
};
const refused = async (response: Response, status: number): Promise<string> => {
  const outcome = await json<OperationOutcome>(response, status);
  expect(outcome.resourceType).toBe('OperationOutcome');
  return outcome.issue[0]?.diagnostics ?? '';
};
const read = (path: string, token?: string, init?: RequestInit) => gateway.fetch(path, token, init);
const send = (method: string, path: string, token: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.fetch(path, token, {
    method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/fhir+json', ...headers },
  });
/** Members of an Observation that the server would take, for bodies that have something else wrong with them. */
const observation = '"resourceType":"Observation","status":"final","code":{"text":"Mood"}';
const subjects = (bundle: Bundle) =>
  new Set((bundle.entry ?? []).map(({ resource }) => (resource as Observation).subject?.reference));

describe('what the FHIR base says without a token', () => {
  test('the SMART configuration is JSON for whoever asks, from any origin', async () => {
    const response = await read('/.well-known/smart-configuration', undefined, {
      headers: { accept: 'application/fhir+xml', origin: 'http://localhost:4567' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const smart = (await response.json()) as Record<string, string | string[]>;
    const issuer = gateway.base.replace(/\/fhir$/, '');
    expect(smart).toMatchObject({
      issuer,
      jwks_uri: `${issuer}/.well-known/openid-configuration/jwks`,
      authorization_endpoint: `${issuer}/connect/authorize`,
      token_endpoint: `${issuer}/connect/token`,
      introspection_endpoint: `${issuer}/connect/introspect`,
      revocation_endpoint: `${issuer}/connect/revocation`,
      code_challenge_methods_supported: ['S256'],
    });
    expect(smart.grant_types_supported).toEqual(expect.arrayContaining(['authorization_code', 'client_credentials']));
    expect(smart.token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(smart.capabilities).toEqual(expect.arrayContaining(['launch-standalone', 'permission-v1', 'permission-v2']));
    for (const absent of ['launch-ehr', 'permission-online']) expect(smart.capabilities).not.toContain(absent);
  });

  test('the CapabilityStatement names the same endpoints, our addresses, and only what passes the gateway', async () => {
    const response = await read('/metadata');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const statement = await json<CapabilityStatement>(response);
    const smart = (await (await read('/.well-known/smart-configuration')).json()) as Record<string, string>;
    const rest = statement.rest?.[0];
    expect(rest?.security?.service?.[0]?.coding?.[0]).toMatchObject({
      system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
      code: 'SMART-on-FHIR',
    });
    const uris = rest?.security?.extension?.[0];
    expect(uris?.url).toBe('http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris');
    expect(Object.fromEntries((uris?.extension ?? []).map(({ url, valueUri }) => [url, valueUri]))).toEqual({
      authorize: smart.authorization_endpoint,
      token: smart.token_endpoint,
      introspect: smart.introspection_endpoint,
      revoke: smart.revocation_endpoint,
    });
    expect(statement.implementation?.url).toBe(gateway.base);
    const text = JSON.stringify(statement);
    for (const absent of [server.url, 'searchInclude', '"operation"', 'conditionalCreate']) {
      expect(text).not.toContain(absent);
    }
  });

  test('the CapabilityStatement is not sent again to who has it', async () => {
    const etag = (await read('/metadata')).headers.get('etag') ?? '';
    expect((await read('/metadata', undefined, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('a preflight is answered for any origin, and never with credentials', async () => {
    const response = await read('/Patient/1', undefined, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('the access token', () => {
  test('must be there', async () => {
    const response = await read('/Patient/1');
    expect(await refused(response, 401)).toBe('This needs an access token.');
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="fhir"');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('must be known, and meant for this FHIR base', async () => {
    for (const token of ['unknown', gateway.tokenFor('system/*.cruds', { audience: 'https://login/api/admin' })]) {
      const response = await read('/Patient/1', token);
      await refused(response, 401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  test.each(['Basic abc', 'DPoP abc', 'Bearer', 'Bearer a b', 'abc'])(
    'is not read from "%s"',
    async (authorization) => {
      await refused(await read('/Patient/1', undefined, { headers: { authorization } }), 401);
    },
  );

  test('is asked for before the address is looked at', async () => {
    for (const path of ['/Patient/%2e%2e', '/$export', '/nothing/at/all', '?_type=Patient', '']) {
      await refused(await read(path), 401);
    }
  });
});

describe('a token of a practitioner', () => {
  test('reads and searches everything, with our addresses', async () => {
    expect(await json<Patient>(await read('/Patient/2', practitionerToken))).toMatchObject({ id: '2' });
    const bundle = await json<Bundle>(await read('/Observation?_count=5', practitionerToken));
    expect(bundle.entry).toHaveLength(5);
    expect(bundle.total).toBeGreaterThan(5);
    expect(JSON.stringify(bundle)).not.toContain(server.url);
    const next = bundle.link?.find(({ relation }) => relation === 'next')?.url ?? '';
    const page = await json<Bundle>(await read(next.slice(gateway.base.length), practitionerToken));
    expect(page.entry?.[0]?.fullUrl).toMatch(`${gateway.base}/Observation/`);
    expect(page.entry?.[0]?.fullUrl).not.toBe(bundle.entry?.[0]?.fullUrl);
  });

  test('gets headers that matter, and none of the server’s cookies', async () => {
    const response = await read('/Patient/2', practitionerToken);
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toBe('W/"1"');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect((await read('/Patient/2', practitionerToken, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('is answered to HEAD without a body', async () => {
    const response = await read('/Patient/2', practitionerToken, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('gets the server’s own refusals', async () => {
    expect(await refused(await read('/Patient/none', practitionerToken), 404)).not.toBe('There is no such resource.');
  });

  test('creates, updates and deletes', async () => {
    const created = await send('POST', '/Observation', practitionerToken, observationOf('3'));
    const { id } = await json<Observation>(created, 201);
    expect(created.headers.get('location')).toMatch(`${gateway.base}/Observation/${id}/_history/`);
    const changed = { ...observationOf('3'), id, status: 'amended' };
    expect((await send('PUT', `/Observation/${id}`, practitionerToken, changed)).status).toBe(200);
    expect((await read(`/Observation/${id}`, practitionerToken, { method: 'DELETE' })).status).toBe(204);
    await refused(await read(`/Observation/${id}`, practitionerToken), 404);
  });

  test('cannot write one type under the name of another', async () => {
    const token = gateway.tokenFor('system/Observation.cruds');
    await refused(await send('POST', '/Observation', token, { resourceType: 'Patient' }), 400);
    const twice = `{"resourceType":"Patient",${observation}}`;
    await refused(await send('POST', '/Observation', token, twice), 400);
    await refused(await send('PUT', '/Observation/x1', token, { ...observationOf('3'), id: 'x2' }), 400);
  });
});

describe('a token for one patient', () => {
  test('reads what is theirs', async () => {
    expect(await json<Patient>(await read('/Patient/1', patientToken))).toMatchObject({ id: '1' });
    const observation = await json<Observation>(await read('/Observation/blood-pressure-1-1', patientToken));
    expect(observation.subject?.reference).toBe('Patient/1');
    await json(await read('/Observation/blood-pressure-1-1/_history/1', patientToken));
  });

  test('cannot tell what is another patient’s from what does not exist', async () => {
    const missing = await read('/Observation/none', patientToken);
    for (const path of [
      '/Observation/blood-pressure-2-1',
      '/Observation/blood-pressure-2-1/_history/1',
      '/Patient/2',
    ]) {
      const other = await read(path, patientToken);
      expect([other.status, await other.json()]).toEqual([404, await missing.clone().json()]);
      const known = await read(path, patientToken, { headers: { 'if-none-match': 'W/"1"' } });
      expect(known.status).toBe(404);
    }
  });

  test('knows a version that it has', async () => {
    const known = await read('/Patient/1', patientToken, { headers: { 'if-none-match': 'W/"1"' } });
    expect(known.status).toBe(304);
  });

  test('finds only what is theirs, however it asks', async () => {
    for (const query of [
      '',
      '?_count=200',
      '?patient=1',
      '?patient=Patient/1',
      '?subject=Patient/1',
      '?code=85354-9',
    ]) {
      const bundle = await json<Bundle>(await read(`/Observation${query}`, patientToken));
      expect([query, subjects(bundle)]).toEqual([query, new Set(['Patient/1'])]);
    }
    const everybody = await json<Bundle>(await read('/Patient', patientToken));
    expect(everybody.entry?.map(({ resource }) => resource?.id)).toEqual(['1']);
  });

  test('keeps a count that the server took within the limit', async () => {
    const bundle = await json<Bundle>(await read('/Observation?_count=3', patientToken));
    expect([bundle.entry?.length, bundle.total]).toEqual([3, 92]);
  });

  test('pages within its limit', async () => {
    const first = await json<Bundle>(await read('/Observation?_count=3', patientToken));
    const next = first.link?.find(({ relation }) => relation === 'next')?.url ?? '';
    expect(next).toMatch(gateway.base);
    const second = await json<Bundle>(await read(next.slice(gateway.base.length), patientToken));
    expect([second.entry?.length, subjects(second)]).toEqual([3, new Set(['Patient/1'])]);
  });

  test('searches by POST alike', async () => {
    const form = (body: string) => ({
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const own = await json<Bundle>(await read('/Observation/_search?_count=2', patientToken, form('code=85354-9')));
    expect([own.entry?.length, subjects(own)]).toEqual([2, new Set(['Patient/1'])]);
    const other = await json<Bundle>(await read('/Observation/_search', patientToken, form('patient=Patient/2')));
    expect(other).toMatchObject({ type: 'searchset', total: 0 });
    await refused(await read('/Observation/_search', patientToken, form('_include=Observation:subject')), 400);
    await refused(await read('/Observation/_search?_count=1', patientToken, form('_count=2')), 400);
  });

  test('finds nothing of another patient', async () => {
    for (const query of [
      'patient=2',
      'patient=Patient/2',
      'subject=Patient/2',
      'patient=Patient/1&patient=Patient/2',
    ]) {
      const bundle = await json<Bundle>(await read(`/Observation?${query}`, patientToken));
      expect([query, bundle.entry ?? []]).toEqual([query, []]);
    }
    expect((await json<Bundle>(await read('/Patient?_id=2', patientToken))).entry).toBeUndefined();
    const both = await json<Bundle>(await read('/Patient?_id=1,2', patientToken));
    expect(both.entry?.map(({ resource }) => resource?.id)).toEqual(['1']);
  });

  test('may name its patient by our address', async () => {
    const bundle = await json<Bundle>(await read(`/Observation?patient=${gateway.base}/Patient/1`, patientToken));
    expect(subjects(bundle)).toEqual(new Set(['Patient/1']));
  });

  test('is refused types that are no patient’s, before anything is said about them', async () => {
    for (const path of [
      '/Practitioner/practitioner-1',
      '/Practitioner/none',
      '/Organization',
      '/Binary/1',
      '/Nonsense/1',
    ]) {
      expect(await refused(await read(path, patientToken), 403)).toMatch(/needs a scope such as/);
    }
  });

  test('is refused what hides whose resource it is', async () => {
    for (const query of ['_elements=code', '_summary=count', '_summary=true']) {
      await refused(await read(`/Observation?${query}`, patientToken), 403);
      await refused(await read(`/Observation/blood-pressure-1-1?${query}`, patientToken), 403);
    }
  });

  test('writes only into its own record', async () => {
    const created = await json<Observation>(await send('POST', '/Observation', patientToken, observationOf('1')), 201);
    const path = `/Observation/${created.id}`;
    expect((await send('PUT', path, patientToken, { ...observationOf('1'), id: created.id })).status).toBe(200);
    await refused(await send('PUT', path, patientToken, { ...observationOf('2'), id: created.id }), 403);
    await refused(
      await send('PUT', path, patientToken, { ...observationOf('1'), id: created.id }, { 'if-match': 'W/"1"' }),
      412,
    );
    expect((await read(path, patientToken, { method: 'DELETE' })).status).toBe(204);

    await refused(await send('POST', '/Observation', patientToken, observationOf('2')), 403);
    await refused(await send('POST', '/Patient', patientToken, { resourceType: 'Patient' }), 403);
    const otherId = 'blood-pressure-2-1';
    const taken = { ...observationOf('1'), id: otherId };
    await refused(await send('PUT', `/Observation/${otherId}`, patientToken, taken), 404);
    await refused(
      await send('PUT', '/Observation/not-yet-there', patientToken, { ...taken, id: 'not-yet-there' }),
      404,
    );
    await refused(await read(`/Observation/${otherId}`, patientToken, { method: 'DELETE' }), 404);
    expect((await read(`/Observation/${otherId}`, practitionerToken)).status).toBe(200);
    const patch = await read('/Observation/blood-pressure-1-1', patientToken, {
      method: 'PATCH',
      body: '[]',
      headers: { 'content-type': 'application/json-patch+json' },
    });
    await refused(patch, 403);
  });

  test.each([
    ['a subject twice', `{${observation},"subject":{"reference":"Patient/2"},"subject":{"reference":"Patient/1"}}`],
    ['a subject in the prototype', `{${observation},"__proto__":{"subject":{"reference":"Patient/1"}}}`],
    ['a NUL', `{${observation},"subject":{"reference":"Patient/1"},"valueString":"\\u0000"}`],
    ['no JSON', '<Observation/>'],
    ['nothing', ''],
    ['very deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('does not write a body with %s', async (_what, body) => {
    const response = await send('POST', '/Observation', patientToken, body);
    expect([400, 403]).toContain(response.status);
    await refused(response, response.status);
  });

  test('may read who signed in, and no other practitioner', async () => {
    const token = gateway.tokenFor('openid fhirUser patient/*.rs', {
      patient: '1',
      fhirUser: `${gateway.base}/Practitioner/practitioner-1`,
    });
    expect((await read('/Practitioner/practitioner-1', token)).status).toBe(200);
    await refused(await read('/Practitioner/practitioner-2', token), 403);
  });
});

describe('a user/ scope of a patient', () => {
  test('opens their own record and nobody else’s', async () => {
    const token = gateway.tokenFor('user/*.rs', { fhirUser: `${gateway.base}/Patient/1` });
    expect(subjects(await json<Bundle>(await read('/Observation', token)))).toEqual(new Set(['Patient/1']));
    await refused(await read('/Patient/2', token), 404);
    await refused(await read('/Practitioner', token), 403);
  });
});

describe('a scope that is narrowed to categories', () => {
  const laboratory = 'http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

  test('opens only those, without a count of the others', async () => {
    const token = gateway.tokenFor(`patient/Observation.rs?category=${laboratory}`, { patient: '1' });
    const bundle = await json<Bundle<Observation>>(await read('/Observation?_count=500', token));
    expect(bundle.entry).toHaveLength(24);
    expect(bundle.total).toBeUndefined();
    const codes = bundle.entry?.map(({ resource }) => resource?.category?.[0]?.coding?.[0]?.code);
    expect(new Set(codes)).toEqual(new Set(['laboratory']));
    await refused(await read('/Observation/blood-pressure-1-1', token), 404);
  });

  test('does not limit a practitioner’s search to a patient', async () => {
    const token = gateway.tokenFor(`user/Observation.rs?category=${laboratory}`, {
      fhirUser: `${gateway.base}/Practitioner/practitioner-1`,
    });
    const bundle = await json<Bundle<Observation>>(await read('/Observation?_count=500', token));
    expect(subjects(bundle).size).toBeGreaterThan(1);
    expect(JSON.stringify(bundle)).not.toContain('vital-signs');
  });
});

describe('what the gateway does not understand', () => {
  test.each([
    ['another method in a header', { 'x-http-method-override': 'DELETE' }, 400],
    ['a condition on a create', { 'if-none-exist': 'identifier=x' }, 403],
    ['XML', { accept: 'application/fhir+xml' }, 406],
    ['nothing acceptable', { accept: 'application/json;q=0, text/html' }, 406],
  ])('is refused: %s', async (_what, headers, status) => {
    await refused(await read('/Patient/1', practitionerToken, { headers: headers as Record<string, string> }), status);
  });

  test('is refused: types that the FHIR server does not have, such as one in other letters', async () => {
    for (const path of ['/PATIENT/1', '/Patients', '/Binary/1']) {
      expect(await refused(await read(path, practitionerToken), 404)).toMatch(/no resources of the type/);
    }
  });

  test('is refused: bodies of other types, and compressed ones', async () => {
    await refused(
      await send('POST', '/Observation', practitionerToken, '<x/>', { 'content-type': 'application/fhir+xml' }),
      415,
    );
    await refused(await send('POST', '/Observation', practitionerToken, 'x', { 'content-encoding': 'gzip' }), 415);
    await refused(await send('DELETE', '/Observation/x', practitionerToken, 'x'), 400);
  });

  test('is refused: a body that is too large, whether it says so or not', async () => {
    const large = ' '.repeat(5 * 1024 * 1024 + 1);
    await refused(await send('POST', '/Observation', practitionerToken, large), 413);
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(' '.repeat(256 * 1024))),
    });
    const endless = gateway.fetch('/Observation', practitionerToken, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/fhir+json' },
    } as RequestInit);
    await refused(await endless, 413);
  });

  test('browsers are answered JSON', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    await json(await read('/Patient/1', practitionerToken, { headers: { accept } }));
  });
});

function observationOf(patient: string) {
  return {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'Mood' },
    subject: { reference: `${gateway.base}/Patient/${patient}` },
    valueString: 'good',
  };
}
