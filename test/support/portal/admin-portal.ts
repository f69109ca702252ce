import { setTimeout as sleep } from 'node:timers/promises';
import supertest from 'supertest';
import { type Person, people } from '../users/people.js';
import { startFhirPortal } from './fhir-portal.js';
import { type PortalOptions, startPortal, type TestPortal } from './portal.js';

export interface AdminPortal extends TestPortal {
  /** The administrator's browser. */
  api: ReturnType<typeof supertest.agent>;
}

/** A portal with a signed-in administrator, and by default a FHIR server with patients and observations. */
export async function startAdminPortal({
  fhirServer = true,
  config = {},
  ...options
}: PortalOptions & { fhirServer?: boolean } = {}): Promise<AdminPortal> {
  const start = fhirServer ? startFhirPortal : startPortal;
  const portal = await start({
    ...options,
    config: { ...config, users: [people.admin, ...((config.users ?? []) as Person[])] },
  });
  const api = supertest.agent(portal.issuer);
  const { email: username, password } = people.admin;
  await api.post('/api/session/login').send({ username, password }).expect(200);
  const isUp = async () =>
    (await api.get('/api/admin/dashboard/firely-server-status').expect(200)).body.isFirelyServerAvailable;
  while (fhirServer && !(await isUp())) await sleep(50);
  return { ...portal, api };
}
