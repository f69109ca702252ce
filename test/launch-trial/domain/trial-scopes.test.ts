import { assert, constantFrom, property } from 'fast-check';
import type { ClientSettings } from '../../../src/contract/clients/client-settings.js';
import { type TrialKind, trialKinds } from '../../../src/contract/clients/launch-trial.js';
import { defaultClientSettings } from '../../../src/contract/rules/clients/client-fields.js';
import { scopesToTry } from '../../../src/launch-trial/domain/trial-scopes.js';
import { allowedForClient, allowedForService, parseRequest } from '../../../src/oidc/domain/scope-request.js';
import { scopeSettings, unread } from '../../support/clients/scope-policies.js';
import { runs } from '../../support/runs.js';

const nothing: Partial<ClientSettings> = {
  allowedSmartActions: [],
  allowedSmartLegacyActions: [],
  allowedSmartSubjects: [],
  allowedResourceTypes: [],
  allowedOperationScopes: [],
  allowOfflineAccess: false,
  allowOnlineAccess: false,
  requiredScopes: [],
};

describe('the scopes of a trial', () => {
  it.each<[name: string, settings: Partial<ClientSettings>, kind: TrialKind, scopes: string]>([
    ['of a client without data', {}, 'standalone', 'openid fhirUser'],
    [
      'of a patient',
      { allowedSmartSubjects: ['patient'], allowedSmartActions: ['r', 's'] },
      'standalone',
      'openid fhirUser launch/patient patient/*.rs',
    ],
    [
      'of a practitioner',
      { allowedSmartSubjects: ['user'], allowedSmartActions: ['r'] },
      'standalone',
      'openid fhirUser user/*.r',
    ],
    [
      'launched by an EHR',
      { allowedSmartSubjects: ['patient'], allowedSmartActions: ['r'] },
      'ehr',
      'openid fhirUser launch patient/*.r',
    ],
    [
      'with actions in another order than SMART has them',
      { allowedSmartSubjects: ['patient'], allowedSmartActions: ['s', 'd', 'u', 'r', 'c'] },
      'ehr',
      'openid fhirUser launch patient/*.cruds',
    ],
    [
      'with actions of version 1 alone',
      { allowedSmartSubjects: ['patient'], allowedSmartLegacyActions: ['read', 'write', '*'] },
      'ehr',
      'openid fhirUser launch patient/*.read patient/*.write patient/*.*',
    ],
    [
      'with actions of both versions',
      { allowedSmartSubjects: ['patient'], allowedSmartActions: ['r'], allowedSmartLegacyActions: ['write'] },
      'ehr',
      'openid fhirUser launch patient/*.r',
    ],
    [
      'for some types',
      { allowedSmartSubjects: ['user'], allowedSmartActions: ['r'], allowedResourceTypes: ['Patient', 'Goal'] },
      'standalone',
      'openid fhirUser user/Patient.r user/Goal.r',
    ],
    [
      'with further access and required scopes, each once',
      { allowOfflineAccess: true, allowOnlineAccess: true, requiredScopes: ['openid', 'profile'] },
      'standalone',
      'openid fhirUser offline_access online_access profile',
    ],
    [
      'with operations',
      { allowedOperationScopes: ['user/Patient.$everything', 'system/Patient.$export'] },
      'standalone',
      'openid fhirUser user/Patient.$everything',
    ],
    [
      'of a service have no user',
      {
        allowedSmartSubjects: ['patient', 'system', 'user'],
        allowedSmartActions: ['r'],
        allowedOperationScopes: ['user/Patient.$everything', 'system/Patient.$export'],
        allowOfflineAccess: true,
        requiredScopes: ['openid'],
      },
      'service',
      'system/*.r system/Patient.$export',
    ],
    [
      'of a user are not those of services',
      { allowedSmartSubjects: ['system', 'user'], allowedSmartActions: ['r'] },
      'standalone',
      'openid fhirUser user/*.r',
    ],
  ])('%s', (_, settings, kind, scopes) => {
    expect(scopesToTry({ ...defaultClientSettings(), ...nothing, ...settings }, kind)).toEqual(scopes.split(' '));
  });
});

it('Each scope of a trial is one that the client may have as it is, whatever its settings permit', () => {
  const kinds = constantFrom(...trialKinds);
  assert(
    property(scopeSettings, kinds, (limits, kind) => {
      const settings = { ...defaultClientSettings(), ...limits, allowedOperationScopes: [] };
      const scopes = scopesToTry(settings, kind);
      const parsed = parseRequest(scopes.join(' ')) ?? [];
      const granted =
        kind === 'service'
          ? allowedForService(parsed, settings, unread).granted
          : allowedForClient(parsed, settings, unread);
      expect(granted).toEqual(scopes);
    }),
    runs(500, 20_000),
  );
});
