import { clientsChanged } from '../../../src/clients/domain/client.js';
import { type TestPortal, tellNodes } from '../portal/portal.js';

/** Clients that a test portal can be started with (`config.clients`). */
export const redirectUri = 'http://localhost:4567/callback';
export const sharedSecret = 'typed-secret-of-a-confidential-app';

export const publicApp = {
  clientId: 'public-app',
  clientName: 'Heart Companion',
  clientType: 'StandaloneApp',
  enabled: true,
  requireClientSecret: false,
  requirePkce: true,
  requireConsent: true,
  allowOfflineAccess: true,
  redirectUris: [redirectUri],
  postLogoutRedirectUris: ['http://localhost:4567/signed-out'],
};

export const confidentialApp = {
  ...publicApp,
  clientId: 'confidential-app',
  clientName: 'Ward Board',
  requireClientSecret: true,
  requirePkce: false,
  requireConsent: false,
  clientSecrets: [{ secretType: 'SharedSecret', secret: sharedSecret, description: 'first' }],
};

export const backendService = {
  clientId: 'backend-service',
  clientName: 'Nightly Export',
  clientType: 'BackendService',
  enabled: true,
  requireClientSecret: true,
  clientSecrets: [{ secretType: 'SharedSecret', secret: sharedSecret, description: 'first' }],
};

/** Changes a stored client in the database, also to values that the API refuses, and notifies the nodes. */
export async function alterClient(
  portal: TestPortal,
  clientId: string,
  { enabled, settings = {} }: { enabled?: boolean; settings?: object },
): Promise<void> {
  await portal.query(
    'UPDATE client SET enabled = coalesce($1, enabled), settings = settings || $2 WHERE client_id = $3',
    [enabled ?? null, settings, clientId],
  );
  await tellNodes(portal, clientsChanged);
}

/** Ends the time in which the ends of clients can be undone, and wakes the nodes. */
export async function endUndoTime(portal: Pick<TestPortal, 'query'>): Promise<void> {
  await portal.query("UPDATE job SET due_at = now() WHERE kind = 'client-endings'");
  await portal.query("SELECT pg_notify('gatehouse_jobs', 'client-endings')");
}
