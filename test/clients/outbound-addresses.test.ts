import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publicApp } from '../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';

const path = '/api/admin/client';
let portal: AdminPortal;
let origin: string;
let connections = 0;
const elsewhere = createServer((_request, response) => response.end());
elsewhere.on('connection', () => {
  connections += 1;
});

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(elsewhere.address() as AddressInfo).port}`;
  portal = await startAdminPortal({ config: { outbound: { allowedPrivateHosts: ['localhost'] } } });
});

afterAll(async () => {
  await portal.close();
  elsewhere.close();
});

test('M-05 the portal never requests the addresses of a client that are only shown to users', async () => {
  const shown = {
    contactUsUrl: `${origin}/contact`,
    privacyPolicyUrl: `${origin}/privacy`,
    termsOfServiceUrl: `${origin}/terms`,
  };
  const { body } = await portal.api.post(path).send({ ...publicApp, clientId: 'shown', ...shown });
  expect(body).toMatchObject({ clientId: 'shown', ...shown });
  await portal.api.get(`${path}/${body.id}`).expect(200);
  await portal.api.get(path).expect(200);
  expect(connections).toBe(0);
});

test.each(['baseUrl', 'fhirBaseUrl', 'fhirServerUrl', 'firelyServerUrl', 'authority', 'issuer'])(
  'M-04 no API call accepts %s: FHIR server and identity providers come from the configuration alone',
  async (name) => {
    await portal.api
      .post(path)
      .send({ ...publicApp, clientId: 'x', [name]: origin })
      .expect(400);
    await portal.api
      .put('/api/admin/settings')
      .send({ [name]: origin })
      .expect(404);
    expect(connections).toBe(0);
  },
);
