/**
 * Templates that 'Add Client' offers: settings for the usual kinds of apps and services, which grant no more than these
 * need.
 */
import type { ClientForm } from '../../clients/clients.js';
import type { ClientType } from '../client-values.js';
import { applyClientType, defaultClientForm } from './client-fields.js';

export const clientTemplates = [
  'patient-app',
  'patient-app-with-backend',
  'ehr-app',
  'backend-service',
  'bulk-export',
] as const;
export type ClientTemplate = (typeof clientTemplates)[number];

interface Template {
  clientType: ClientType;
  settings: Partial<ClientForm>;
}

/** Reading and searching only, in both syntaxes of SMART. */
const reads = { allowedSmartActions: ['r', 's'], allowedSmartLegacyActions: ['read'] } satisfies Partial<ClientForm>;
const asksPatients = { requireConsent: true, showFineGrainedScopes: true, requirePkce: true };
/** A key set instead of a secret that two parties know (SMART 2.2, Client Authentication: Asymmetric). */
const keySet: Partial<ClientForm> = { clientSecrets: [{ secretType: 'JWK', secret: null, secretUrl: '' }] };

const templates: Readonly<Record<ClientTemplate, Template>> = {
  'patient-app': {
    clientType: 'StandaloneApp',
    settings: {
      ...reads,
      ...asksPatients,
      requireClientSecret: false,
      allowedSmartSubjects: ['patient'],
      allowedOperationScopes: ['patient/Patient.$everything'],
      allowOnlineAccess: true,
      accessTokenLifetime: '00:15:00',
      refreshTokenLifetime: '1',
      consentLifetime: '90',
    },
  },
  'patient-app-with-backend': {
    clientType: 'StandaloneApp',
    settings: {
      ...reads,
      ...asksPatients,
      allowedSmartSubjects: ['patient'],
      allowedOperationScopes: ['patient/Patient.$everything'],
      allowOfflineAccess: true,
      accessTokenLifetime: '00:15:00',
      refreshTokenLifetime: '90',
      consentLifetime: '365',
    },
  },
  'ehr-app': {
    clientType: 'StandaloneApp',
    settings: {
      ...reads,
      requirePkce: true,
      allowedSmartSubjects: ['patient', 'user'],
      allowedOperationScopes: ['patient/Patient.$everything', 'user/Patient.$everything'],
      allowOnlineAccess: true,
      accessTokenLifetime: '00:15:00',
      refreshTokenLifetime: '12:00:00',
    },
  },
  'backend-service': {
    clientType: 'BackendService',
    settings: {
      ...reads,
      ...keySet,
      allowedOperationScopes: ['system/Patient.$everything'],
      // SMART 2.2, Backend Services: no more than five minutes.
      accessTokenLifetime: '00:05:00',
    },
  },
  'bulk-export': {
    clientType: 'BackendService',
    settings: {
      ...reads,
      ...keySet,
      allowedOperationScopes: ['system/*.$export', 'system/Group.$export', 'system/Patient.$export'],
      accessTokenLifetime: '00:05:00',
    },
  },
};

/** The initial form of a new client of this kind. */
export function formOfTemplate(template: ClientTemplate): ClientForm {
  const { clientType, settings } = templates[template];
  return { ...applyClientType(defaultClientForm(), clientType), ...settings };
}
