import type { Bundle, CapabilityStatement, Observation, Patient } from '@medplum/fhirtypes';
import {
  DemoGateway,
  expectJson,
  expectRefusal,
  observationMembers,
  subjectsOf,
} from '../../support/fhir/demo-gateway.js';

let demo: DemoGateway;
let gateway: DemoGateway['gateway'];
let practitionerToken: string;

beforeAll(async () => {
  demo = await DemoGateway.start();
  ({ gateway, practitionerToken } = demo);
});

afterAll(() => demo.close());

const read: DemoGateway['read'] = (...request) => demo.read(...request);
const send: DemoGateway['send'] = (...request) => demo.send(...request);

describe('the FHIR base without a token', () => {
  test('SMART discovery-document SMART discovery-fields SMART discovery-cors SMART discovery-base-with-path serves the SMART configuration as JSON for any Accept header, to any origin', async () => {
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
    for (const absent of ['launch-ehr', 'smart-app-state']) expect(smart.capabilities).not.toContain(absent);
  });

  test('tells where a document of the authorization server is that is looked for here', async () => {
    const issuer = gateway.base.replace(/\/fhir$/, '');
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const sentence = await expectRefusal(await read(`/.well-known/${name}`), 404);
      expect(sentence).toContain(`${issuer}/.well-known/openid-configuration`);
    }
    expect(await expectRefusal(await read('/.well-known/other'), 404)).toBe('There is no such document.');
  });

  test('SMART discovery-metadata serves a CapabilityStatement with the same endpoints, the gateway’s addresses, and only what the gateway supports', async () => {
    const response = await read('/metadata');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const statement = await expectJson<CapabilityStatement>(response);
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
    expect(rest?.interaction).toEqual([{ code: 'batch' }]);
    const observations = rest?.resource?.find(({ type }) => type === 'Observation');
    expect(observations?.interaction?.map(({ code }) => code)).toContain('history-instance');
    expect(observations?.searchInclude).toContain('Observation:subject');
    const text = JSON.stringify(statement);
    expect(text).not.toContain(demo.serverUrl);
  });

  test('answers 304 for a CapabilityStatement that the client has', async () => {
    const etag = (await read('/metadata')).headers.get('etag') ?? '';
    expect((await read('/metadata', undefined, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('SMART fhir-cors answers a preflight of any origin, and never permits credentials', async () => {
    const response = await read('/Patient/1', undefined, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('an access token at the gateway', () => {
  test('SMART fhir-unauthorized is required', async () => {
    const response = await read('/Patient/1');
    expect(await expectRefusal(response, 401)).toBe('This needs an access token.');
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="fhir", DPoP realm="fhir", algs="/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('is required to be valid, and issued for this FHIR base', async () => {
    for (const token of ['unknown', gateway.tokenFor('system/*.cruds', { audience: 'https://login/api/admin' })]) {
      const response = await read('/Patient/1', token);
      await expectRefusal(response, 401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  test.each(['Basic abc', 'DPoP', 'Bearer', 'Bearer a b', 'abc'])('is not read from "%s"', async (authorization) => {
    await expectRefusal(await read('/Patient/1', undefined, { headers: { authorization } }), 401);
  });

  test('is checked before the address', async () => {
    for (const path of ['/Patient/%2e%2e', '/$export', '/nothing/at/all', '?_type=Patient', '']) {
      await expectRefusal(await read(path), 401);
    }
  });
});

describe('a token of a practitioner', () => {
  test('reads and searches all resources, with the gateway’s addresses', async () => {
    expect(await expectJson<Patient>(await read('/Patient/2', practitionerToken))).toMatchObject({ id: '2' });
    const bundle = await expectJson<Bundle>(await read('/Observation?_count=5', practitionerToken));
    expect(bundle.entry).toHaveLength(5);
    expect(bundle.total).toBeGreaterThan(5);
    expect(JSON.stringify(bundle)).not.toContain(demo.serverUrl);
    const next = bundle.link?.find(({ relation }) => relation === 'next')?.url ?? '';
    const page = await expectJson<Bundle>(await read(next.slice(gateway.base.length), practitionerToken));
    expect(page.entry?.[0]?.fullUrl).toMatch(`${gateway.base}/Observation/`);
    expect(page.entry?.[0]?.fullUrl).not.toBe(bundle.entry?.[0]?.fullUrl);
  });

  test('gets the FHIR headers of the server, and none of its cookies', async () => {
    const response = await read('/Patient/2', practitionerToken);
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toBe('W/"1"');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect((await read('/Patient/2', practitionerToken, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('gets no body by HEAD', async () => {
    const response = await read('/Patient/2', practitionerToken, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('gets the errors of the server', async () => {
    expect(await expectRefusal(await read('/Patient/none', practitionerToken), 404)).not.toBe(
      'There is no such resource.',
    );
  });

  test('creates, updates and deletes', async () => {
    const created = await send('POST', '/Observation', practitionerToken, demo.observationOf('3'));
    const { id } = await expectJson<Observation>(created, 201);
    expect(created.headers.get('location')).toMatch(`${gateway.base}/Observation/${id}/_history/`);
    const changed = { ...demo.observationOf('3'), id, status: 'amended' };
    expect((await send('PUT', `/Observation/${id}`, practitionerToken, changed)).status).toBe(200);
    expect((await read(`/Observation/${id}`, practitionerToken, { method: 'DELETE' })).status).toBe(204);
    await expectRefusal(await read(`/Observation/${id}`, practitionerToken), 404);
  });

  test('cannot write a resource of one type at the address of another', async () => {
    const token = gateway.tokenFor('system/Observation.cruds');
    await expectRefusal(await send('POST', '/Observation', token, { resourceType: 'Patient' }), 400);
    const twice = `{"resourceType":"Patient",${observationMembers}}`;
    await expectRefusal(await send('POST', '/Observation', token, twice), 400);
    await expectRefusal(await send('PUT', '/Observation/x1', token, { ...demo.observationOf('3'), id: 'x2' }), 400);
  });
});

describe('a scope with a category', () => {
  const laboratory = 'http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

  test('SMART scope-granular-enforced permits only that category, and reveals no count of the others', async () => {
    const token = gateway.tokenFor(`patient/Observation.rs?category=${laboratory}`, { patient: '1' });
    const bundle = await expectJson<Bundle<Observation>>(await read('/Observation?_count=500', token));
    expect(bundle.entry).toHaveLength(24);
    expect(bundle.total).toBe(24);
    const codes = bundle.entry?.map(({ resource }) => resource?.category?.[0]?.coding?.[0]?.code);
    expect(new Set(codes)).toEqual(new Set(['laboratory']));
    await expectRefusal(await read('/Observation/blood-pressure-1-1', token), 404);
  });

  test.each([
    ['a patient', `patient/Observation.rs?category=${laboratory}`],
    ['a patient, twice', `patient/Observation.rs?category=${laboratory} patient/Observation.rs?category=imaging`],
    ['all patients', `system/Observation.rs?category=${laboratory}`],
  ])('reveals no other resources by its pages: of %s', async (_whose, scope) => {
    const token = gateway.tokenFor(scope, { patient: '1' });
    const pagesOf = async (condition: string) => {
      const { total, link } = await expectJson<Bundle>(await read(`/Observation?${condition}&_count=1`, token));
      return [total, link?.map(({ relation }) => relation)];
    };
    const none = await pagesOf('category=unheard-of');
    expect(none).toEqual([0, ['self']]);
    for (const condition of ['category=vital-signs', 'category=survey', 'code=8480-6']) {
      expect(await pagesOf(condition)).toEqual(none);
    }
    expect(await pagesOf('category=vital-signs,laboratory')).toEqual(await pagesOf('category=laboratory'));
  });

  test('does not limit a practitioner’s search to a patient', async () => {
    const token = gateway.tokenFor(`user/Observation.rs?category=${laboratory}`, {
      fhirUser: `${gateway.base}/Practitioner/practitioner-1`,
    });
    const bundle = await expectJson<Bundle<Observation>>(await read('/Observation?_count=500', token));
    expect(subjectsOf(bundle).size).toBeGreaterThan(1);
    expect(JSON.stringify(bundle)).not.toContain('vital-signs');
  });
});

describe('a request that the gateway does not support', () => {
  test.each([
    ['another method in a header', { 'x-http-method-override': 'DELETE' }, 400],
    ['a condition that is for creating', { 'if-none-exist': 'identifier=x' }, 400],
    ['XML', { accept: 'application/fhir+xml' }, 406],
    ['nothing acceptable', { accept: 'application/json;q=0, text/html' }, 406],
  ])('is refused: %s', async (_what, headers, status) => {
    await expectRefusal(
      await read('/Patient/1', practitionerToken, { headers: headers as Record<string, string> }),
      status,
    );
  });

  test.each([
    ['if-none-match', 'W/"1"'],
    ['if-unmodified-since', 'Sat, 29 Oct 1994 19:43:31 GMT'],
  ])('is refused: a change that depends on %s: %s, which would be lost', async (name, value) => {
    const body = { ...demo.observationOf('1'), id: 'heart-rate-1-1' };
    for (const token of [practitionerToken, demo.patientToken]) {
      await expectRefusal(await send('PUT', '/Observation/heart-rate-1-1', token, body, { [name]: value }), 400);
      await expectRefusal(await send('POST', '/Observation', token, demo.observationOf('1'), { [name]: value }), 400);
      const removal = { method: 'DELETE', headers: { [name]: value } };
      await expectRefusal(await read('/Observation/heart-rate-1-1', token, removal), 400);
    }
  });

  test('is refused: a type that the FHIR server does not have, also one in another case', async () => {
    for (const path of ['/PATIENT/1', '/Patients', '/Binary/1']) {
      expect(await expectRefusal(await read(path, practitionerToken), 404)).toMatch(/no resources of the type/);
    }
  });

  test('is refused: a body of another type, and a compressed one', async () => {
    await expectRefusal(
      await send('POST', '/Observation', practitionerToken, '<x/>', { 'content-type': 'application/fhir+xml' }),
      415,
    );
    await expectRefusal(
      await send('POST', '/Observation', practitionerToken, 'x', { 'content-encoding': 'gzip' }),
      415,
    );
    await expectRefusal(await send('DELETE', '/Observation/x', practitionerToken, 'x'), 400);
  });

  test('is refused: a body that is too large, with and without Content-Length', async () => {
    const large = ' '.repeat(20 * 1024 * 1024 + 1);
    await expectRefusal(await send('POST', '/Observation', practitionerToken, large), 413);
    // More than the gateway reads, and little enough for the memory of a client that ignores the early answer.
    let chunks = 0;
    const body = new ReadableStream({
      pull(controller) {
        chunks += 1;
        if (chunks > 88) controller.close();
        else controller.enqueue(new TextEncoder().encode(' '.repeat(256 * 1024)));
      },
    });
    const unannounced = gateway.fetch('/Observation', practitionerToken, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/fhir+json' },
    } as RequestInit);
    await expectRefusal(await unannounced, 413);
  });

  test('is answered JSON in a browser, too', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    await expectJson(await read('/Patient/1', practitionerToken, { headers: { accept } }));
  });
});
