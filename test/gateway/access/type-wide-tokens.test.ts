import type { IncomingMessage, ServerResponse } from 'node:http';
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../support/fhir/gateway.js';

/** The FHIR server's behaviour in the current test. */
let behave: (request: IncomingMessage, response: ServerResponse, body: string) => void;
let upstream: Upstream;
let gateway: TestGateway;
let everything: string;

const fhir = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'Content-Type': 'application/fhir+json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
const observation = (patient: string, more: object = {}) => ({
  resourceType: 'Observation',
  id: 'o1',
  subject: { reference: `Patient/${patient}` },
  ...more,
});
const searchset = (resources: object[], more: object = {}) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  ...more,
  entry: resources.map((resource) => ({ resource })),
});

beforeAll(async () => {
  upstream = await startUpstream((request, response, body) => behave(request, response, body));
  const credentials = { type: 'basic', username: 'portal', password: 'secret' };
  gateway = await startGateway(upstream.url, { credentials, timeoutMs: 500 });
  everything = gateway.tokenFor('system/*.cruds');
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
});

describe('A FHIR server that returns more than requested', () => {
  const secret = { resourceType: 'Patient', id: 'p2', name: [{ family: 'Secret' }] };
  const history = (resource: object) => ({ resourceType: 'Bundle', type: 'history', entry: [{ resource }] });
  const write = (method: string, body?: object) => ({
    method,
    body: body && JSON.stringify(body),
    headers: { 'content-type': 'application/fhir+json' },
  });
  const batch = (request: object, resource?: object, type = 'batch') =>
    write('POST', { resourceType: 'Bundle', type, entry: [{ resource, request }] });
  const ofOtherType: [string, string, object, RequestInit?][] = [
    ['a read', '/Observation/o1', secret],
    ['a read of a version', '/Observation/o1/_history/1', secret],
    ['a read that is answered a Bundle', '/Observation/o1', searchset([secret])],
    ['a search', '/Observation', searchset([observation('p1'), secret])],
    ['a search by POST', '/Observation/_search', searchset([secret]), { method: 'POST', body: 'code=a' }],
    ['a search that is answered a resource', '/Observation', secret],
    ['a search with what it includes', '/Observation?_include=Observation:device:Device', searchset([secret])],
    ['the history of a resource', '/Observation/o1/_history', history(secret)],
    ['the history of a type', '/Observation/_history', history(secret)],
    ['a create', '/Observation', secret, write('POST', { resourceType: 'Observation' })],
    ['an update', '/Observation/o1', secret, write('PUT', observation('p1'))],
    ['a delete', '/Observation/o1', secret, write('DELETE')],
    ['a batch', '', secret, batch({ method: 'GET', url: 'Observation/o1' })],
    ['a search in a batch', '', searchset([secret]), batch({ method: 'GET', url: 'Observation' })],
    [
      'a transaction',
      '',
      searchset([secret]),
      batch({ method: 'DELETE', url: 'Observation/o1' }, undefined, 'transaction'),
    ],
  ];

  test.each(ofOtherType)(
    'cannot return resources of another type to a token for one type: %s',
    async (_what, path, answer, init = {}) => {
      behave = (_request, response) => fhir(response, answer);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = typeof init.body === 'string' && !init.headers ? { ...init, headers: form } : init;
      for (const scope of ['system/Observation.cruds system/Device.rs', 'user/Observation.cruds user/Device.rs']) {
        const token = gateway.tokenFor(scope, { fhirUser: `${gateway.base}/Practitioner/d1` });
        const response = await gateway.fetch(path, token, sent);
        expect(upstream.requests.length).toBeGreaterThan(0);
        const text = await response.text();
        expect(
          path === '' && response.status === 200 ? JSON.parse(text).entry[0].response.status : response.status,
        ).toEqual(path === '' && response.status === 200 ? '502' : 502);
        expect(text).not.toContain('Secret');
      }
    },
  );

  test.each(ofOtherType.filter(([, path]) => path !== ''))(
    'can return all resources to a token for every type: %s',
    async (_what, path, answer, init = {}) => {
      behave = (_request, response) => fhir(response, answer);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = typeof init.body === 'string' && !init.headers ? { ...init, headers: form } : init;
      expect((await gateway.fetch(path, everything, sent)).status).toBe(200);
    },
  );

  test('can return included resources and its OperationOutcome to a token that permits their types', async () => {
    const token = gateway.tokenFor('system/Observation.rs system/Device.rs');
    const outcome = { resourceType: 'OperationOutcome', issue: [] };
    const answer = searchset([observation('p1'), { resourceType: 'Device', id: 'd1' }, outcome]);
    behave = (_request, response) => fhir(response, answer);
    const response = await gateway.fetch('/Observation?_include=Observation:device:Device', token);
    expect(await response.json()).toEqual(answer);
  });
});
