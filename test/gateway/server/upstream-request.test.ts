import {
  observationOf,
  refusalIn,
  searchset,
  sendFhir,
  useScriptedServer,
} from '../../support/fhir/scripted-server.js';

const server = useScriptedServer();
let onePatient: string;

beforeAll(() => {
  onePatient = server.gateway.tokenFor('patient/*.cruds', { patient: 'p1' });
});

describe('the request to the FHIR server', () => {
  test('has the portal’s credentials and only the headers that FHIR defines', async () => {
    server.behave = (_request, response) => sendFhir(response, observationOf('p1'));
    await server.gateway.fetch('/Observation/o1', server.systemToken, {
      headers: {
        cookie: 'session=abc',
        'x-forwarded-user': 'root',
        'x-provenance': '{}',
        'if-none-match': 'W/"9"',
        prefer: 'respond-async',
        origin: 'https://app.example',
      },
    });
    const { headers } = server.upstream.requests[0] ?? { headers: {} };
    expect(headers).toEqual({
      host: new URL(server.upstream.url).host,
      connection: 'keep-alive',
      authorization: `Basic ${Buffer.from('portal:secret').toString('base64')}`,
      accept: 'application/fhir+json',
      'accept-encoding': 'identity',
      'if-none-match': 'W/"9"',
    });
  });

  test('for a limited search is the limiting condition with strict handling, in place of the client’s parameters for it', async () => {
    server.behave = (_request, response) => sendFhir(response, searchset([]));
    await server.gateway.fetch('/Observation?patient=p1&code=a%26b&_format=json', onePatient);
    expect(server.upstream.requests[0]?.url).toBe('/r4/Observation?code=a%26b&patient=Patient%2Fp1');
    expect(server.upstream.requests[0]?.headers.prefer).toBe('handling=strict');
  });

  test('for a limited search by POST has everything in the body', async () => {
    server.behave = (_request, response) => sendFhir(response, searchset([]));
    await server.gateway.fetch('/Observation/_search?_count=2', onePatient, {
      method: 'POST',
      body: 'code=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(server.upstream.requests[0]).toMatchObject({
      url: '/r4/Observation/_search',
      body: '_count=2&code=a&patient=Patient%2Fp1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  test('is not sent when the search excludes the patient', async () => {
    await server.gateway.fetch('/Observation?patient=p2', onePatient);
    expect(server.upstream.requests).toHaveLength(0);
  });

  test('for a limited change has the version that was checked as a condition', async () => {
    server.behave = (request, response) => {
      if (request.method === 'GET') sendFhir(response, observationOf('p1'), 200, { ETag: 'W/"7"' });
      else sendFhir(response, observationOf('p1'));
    };
    await server.gateway.fetch('/Observation/o1', onePatient, {
      method: 'PUT',
      body: JSON.stringify(observationOf('p1', { valueQuantity: { value: '1.50' } })).replace('"1.50"', '1.50'),
      headers: { 'content-type': 'application/json' },
    });
    expect(server.upstream.requests[1]).toMatchObject({ method: 'PUT', headers: { 'if-match': 'W/"7"' } });
    expect(server.upstream.requests[1]?.body).toContain('"value":1.50');
  });

  test('never moves a resource from one patient to another, even if the client may write for both', async () => {
    const both = server.gateway.tokenFor('patient/*.u user/*.u', {
      patient: 'p1',
      fhirUser: `${server.gateway.base}/Patient/p2`,
    });
    server.behave = (_request, response) => sendFhir(response, observationOf('p1'), 200, { ETag: 'W/"1"' });
    const put = (patient: string) =>
      server.gateway.fetch('/Observation/o1', both, {
        method: 'PUT',
        body: JSON.stringify(observationOf(patient)),
        headers: { 'content-type': 'application/fhir+json' },
      });
    expect((await refusalIn(await put('p2'))).status).toBe(403);
    expect((await put('p1')).status).toBe(200);
  });

  test('is not sent for a limited change when the server has no versions', async () => {
    server.behave = (_request, response) => sendFhir(response, observationOf('p1'));
    const response = await server.gateway.fetch('/Observation/o1', onePatient, { method: 'DELETE' });
    expect((await refusalIn(response)).status).toBe(403);
    expect(server.upstream.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});
