import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from '../http/agent.js';
import { until } from '../until.js';
import { type PortalOptions, startPortal, type TestPortal } from './portal.js';

/** A portal in front of a FHIR server that only has a CapabilityStatement. */
export async function startFhirPortal({ config = {}, ...options }: PortalOptions = {}): Promise<TestPortal> {
  const server = await startMetadataServer();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fhir = { baseUrl, ...(config.fhir as object) };
  const portal = await startPortal({ ...options, config: { ...config, fhir } }).catch((error: unknown) => {
    server.close();
    throw error;
  });
  return {
    ...portal,
    async close() {
      await portal.close();
      server.close();
    },
  };
}

/** Waits until the portal has read the CapabilityStatement; `admin` is an administrator's browser. */
export function untilFhirServerIsAvailable(admin: Agent): Promise<void> {
  return until(async () => {
    const status = await admin.get('/api/admin/dashboard/firely-server-status');
    return status.json().isFirelyServerAvailable === true;
  });
}

async function startMetadataServer(): Promise<Server> {
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
