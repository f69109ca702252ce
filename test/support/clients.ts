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
