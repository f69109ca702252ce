import supertest from 'supertest';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Agent } from '../../support/http/agent.js';
import { startAdminPortal } from '../../support/portal/admin-portal.js';
import { startPortal } from '../../support/portal/portal.js';

const path = '/api/admin/configuration/fs-smart-configuration';

/** The configuration that an administrator sees while apps use the FHIR server directly. */
async function shownWithoutGateway(answer: Parameters<typeof startUpstream>[0]) {
  const upstream: Upstream = await startUpstream((request, response, body, bytes) => {
    if (request.url === '/r4/.well-known/smart-configuration') return answer(request, response, body, bytes);
    response.setHeader('content-type', 'application/fhir+json');
    response.end(
      JSON.stringify({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server' }] }),
    );
  });
  const fhir = { baseUrl: upstream.url, timeoutMs: 1000 };
  const portal = await startAdminPortal({ fhirServer: false, config: { fhir, gateway: { enabled: false } } });
  try {
    return await portal.api.get(path);
  } finally {
    await portal.close();
    upstream.close();
  }
}

describe('The SMART configuration shown to administrators', () => {
  it('is the one at the gateway’s FHIR base', async () => {
    const portal = await startAdminPortal();
    const atBase = await new Agent(portal.issuer).get(`${portal.fhirBase}/.well-known/smart-configuration`);
    const shown = await portal.api.get(path);
    expect([shown.status, shown.body]).toEqual([200, atBase.json()]);
    expect(shown.body).toMatchObject({
      issuer: portal.issuer,
      capabilities: expect.arrayContaining(['launch-standalone']),
    });
    await portal.close();
  });

  it("is the FHIR server's own where the gateway is off", async () => {
    const own = {
      token_endpoint: 'https://fhir.example/token',
      capabilities: ['launch-ehr'],
      more: { of: ['its', 'own'] },
    };
    const shown = await shownWithoutGateway((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(own));
    });
    expect([shown.status, shown.body]).toEqual([200, own]);
  });

  it.each<[string, Parameters<typeof startUpstream>[0]]>([
    ['has none', (_, response) => response.writeHead(404).end()],
    ['answers with a page', (_, response) => response.setHeader('content-type', 'text/html').end('<html>')],
    ['answers with a list', (_, response) => response.setHeader('content-type', 'application/json').end('[]')],
    [
      'answers with too much',
      (_, response) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ much: 'x'.repeat(300_000) })),
    ],
  ])('is unavailable when the FHIR server %s', async (_, answer) => {
    expect((await shownWithoutGateway(answer)).status).toBe(503);
  });

  it('is unavailable when apps use a FHIR server that is not configured', async () => {
    const portal = await startAdminPortal({ fhirServer: false, config: { gateway: { enabled: false } } });
    expect((await portal.api.get(path)).status).toBe(503);
    await portal.close();
  });

  it('is forbidden to other users', async () => {
    const portal = await startPortal();
    expect((await supertest(portal.issuer).get(path)).status).toBe(401);
    await portal.close();
  });
});
