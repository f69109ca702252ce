import { observationOf, searchset, sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const server = useScriptedServer();

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
    ['a search', '/Observation', searchset([observationOf('p1'), secret])],
    ['a search by POST', '/Observation/_search', searchset([secret]), { method: 'POST', body: 'code=a' }],
    ['a search that is answered a resource', '/Observation', secret],
    ['a search with what it includes', '/Observation?_include=Observation:device:Device', searchset([secret])],
    ['the history of a resource', '/Observation/o1/_history', history(secret)],
    ['the history of a type', '/Observation/_history', history(secret)],
    ['a batch', '', secret, batch({ method: 'GET', url: 'Observation/o1' })],
    ['a search in a batch', '', searchset([secret]), batch({ method: 'GET', url: 'Observation' })],
  ];
  const changes: typeof ofOtherType = [
    ['a create', '/Observation', secret, write('POST', { resourceType: 'Observation' })],
    ['an update', '/Observation/o1', secret, write('PUT', observationOf('p1'))],
    ['a delete', '/Observation/o1', secret, write('DELETE')],
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
      server.behave = (_request, response) => sendFhir(response, answer);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = typeof init.body === 'string' && !init.headers ? { ...init, headers: form } : init;
      for (const scope of ['system/Observation.cruds system/Device.rs', 'user/Observation.cruds user/Device.rs']) {
        const token = server.gateway.tokenFor(scope, { fhirUser: `${server.gateway.base}/Practitioner/d1` });
        const response = await server.gateway.fetch(path, token, sent);
        expect(server.upstream.requests.length).toBeGreaterThan(0);
        const text = await response.text();
        expect(
          path === '' && response.status === 200 ? JSON.parse(text).entry[0].response.status : response.status,
        ).toEqual(path === '' && response.status === 200 ? '502' : 502);
        expect(text).not.toContain('Secret');
      }
    },
  );

  test.each(changes)(
    'cannot return resources of another type to a token for one type, and what it carried out is told: %s',
    async (_what, path, answer, init) => {
      server.behave = (_request, response) => sendFhir(response, answer);
      for (const scope of ['system/Observation.cruds system/Device.rs', 'user/Observation.cruds user/Device.rs']) {
        const token = server.gateway.tokenFor(scope, { fhirUser: `${server.gateway.base}/Practitioner/d1` });
        const response = await server.gateway.fetch(path, token, init);
        const text = await response.text();
        expect([response.status, JSON.parse(text)]).toEqual([
          200,
          { resourceType: 'OperationOutcome', issue: [expect.objectContaining({ code: 'incomplete' })] },
        ]);
        expect(text).not.toContain('Secret');
      }
    },
  );

  test.each([...ofOtherType, ...changes].filter(([, path]) => path !== ''))(
    'can return all resources to a token for every type: %s',
    async (_what, path, answer, init = {}) => {
      server.behave = (_request, response) => sendFhir(response, answer);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = typeof init.body === 'string' && !init.headers ? { ...init, headers: form } : init;
      expect((await server.gateway.fetch(path, server.systemToken, sent)).status).toBe(200);
    },
  );

  test.each([
    ['their types', 'system/Observation.rs system/Device.rs', 'device:Device'],
    ['reads of every type', 'system/Observation.rs system/*.r', 'device'],
  ])('can return included resources and its OperationOutcome to a token that permits %s', async (_what, scope, by) => {
    const token = server.gateway.tokenFor(scope);
    const outcome = { resourceType: 'OperationOutcome', issue: [] };
    const answer = searchset([observationOf('p1'), { resourceType: 'Device', id: 'd1' }, outcome]);
    server.behave = (_request, response) => sendFhir(response, answer);
    const response = await server.gateway.fetch(`/Observation?_include=Observation:${by}`, token);
    expect(await response.json()).toEqual(answer);
  });
});
