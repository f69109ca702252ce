import type { ClientForm, ClientSecretForm } from '../../../src/contract/clients/clients.js';
import {
  applyClientType,
  type ClientFormEnvironment,
  defaultClientForm,
} from '../../../src/contract/rules/clients/client-fields.js';

export const environment: ClientFormEnvironment = {
  identityProviders: ['hospital'],
  externalLoginRestricted: false,
  operationScopesLoaded: true,
  served: undefined,
  resourceTypeGroups: [],
};

export const shared: ClientSecretForm = { secretType: 'SharedSecret', secret: 'correct horse' };

export const app: ClientForm = {
  ...defaultClientForm(),
  clientId: 'heart-companion',
  clientName: 'Heart Companion',
  clientSecrets: [shared],
  redirectUris: ['https://app.example/callback'],
};
export const service = applyClientType({ ...app, clientId: 'lab-relay' }, 'BackendService');
export const management = applyClientType({ ...app, clientId: 'console' }, 'ManagementApi');
