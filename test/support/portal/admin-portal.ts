import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { people } from '../users/people.js';
import { type PortalOptions, startPortal, type TestPortal } from './portal.js';

export interface AdminPortal extends TestPortal {
  /** The administrator's browser. */
  api: ReturnType<typeof supertest.agent>;
}

/** A portal with a signed-in administrator, and by default a FHIR server with patients and observations. */
export async function startAdminPortal({
  fhirServer = true,
  config = {},
}: PortalOptions & { fhirServer?: boolean } = {}): Promise<AdminPortal> {
  const server = fhirServer ? await startMetadataServer() : undefined;
  const fhir = server ? { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } : {};
  const portal = await startPortal({
    config: { ...config, fhir: { ...fhir, ...(config.fhir as object) }, users: [people.admin] },
  }).catch((error: unknown) => {
    server?.close();
    throw error;
  });
  const api = supertest.agent(portal.issuer);
  const { email: username, password } = people.admin;
  await api.post('/api/session/login').send({ username, password }).expect(200);
  const isUp = async () =>
    (await api.get('/api/admin/dashboard/firely-server-status').expect(200)).body.isFirelyServerAvailable;
  while (server && !(await isUp())) await sleep(50);
  return {
    ...portal,
    api,
    async close() {
      await portal.close();
      server?.close();
    },
  };
}

/** A FHIR server that only has a CapabilityStatement. */
export async function startMetadataServer(): Promise<Server> {
  const supportedProfile = ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient'];
  const statement = {
    resourceType: 'CapabilityStatement',
    fhirVersion: '4.0.1',
    rest: [{ mode: 'server', resource: [{ type: 'Observation' }, { type: 'Patient', supportedProfile }] }],
  };
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/fhir+json').end(JSON.stringify(statement));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
