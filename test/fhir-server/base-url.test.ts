import { UndiciConnections } from '../../src/fhir-server/infrastructure/undici-connection.js';
import { Outbound } from '../../src/platform/http/outbound.js';
import { startUpstream } from '../support/fhir/gateway.js';

describe('a request to the FHIR server', () => {
  it.each([
    ['', '', '/'],
    ['/', '', '/'],
    ['', '?_id=1', '/?_id=1'],
    ['', '/Patient/1', '/Patient/1'],
    ['/r4', '', '/r4'],
    ['/r4/', '', '/r4'],
    ['/r4', '/Patient/1', '/r4/Patient/1'],
  ])('with the base path %p and the path %p is sent to %s', async (basePath, path, expected) => {
    const upstream = await startUpstream((_request, response) => response.end());
    const baseUrl = new URL(upstream.url).origin + basePath;
    const connection = new UndiciConnections(new Outbound([])).connectionTo(
      { baseUrl, credentials: { type: 'none' } },
      5_000,
    );
    const answer = await connection.send({ method: 'POST', path, headers: {}, body: '{}' });
    await answer.text(0);
    await connection.close();
    upstream.close();
    expect(upstream.requests.map(({ url }) => url)).toEqual([expected]);
  });
});
