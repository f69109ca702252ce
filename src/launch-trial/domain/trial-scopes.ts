import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { TrialKind } from '../../contract/clients/launch-trial.js';

const legacyVerbs = { read: 'read', write: 'write', '*': '*' } as const;

/** The scopes that a client may have, in their widest form, for a trial of this kind. */
export function scopesToTry(settings: ClientSettings, kind: TrialKind): string[] {
  const { allowedSmartSubjects, allowedOperationScopes, requiredScopes } = settings;
  const isService = kind === 'service';
  const subjects = allowedSmartSubjects.filter((subject) => (subject === 'system') === isService);
  const resources = subjects.flatMap((subject) => resourceScopes(subject, settings));
  const operations = allowedOperationScopes.filter((scope) => isOfSystem(scope) === isService);
  const ofUsers = [
    'openid',
    'fhirUser',
    ...(kind === 'ehr' ? ['launch'] : subjects.includes('patient') ? ['launch/patient'] : []),
    ...(settings.allowOfflineAccess ? ['offline_access'] : []),
    ...(settings.allowOnlineAccess ? ['online_access'] : []),
    ...requiredScopes,
  ];
  return [...new Set([...(isService ? [] : ofUsers), ...resources, ...operations])];
}

function resourceScopes(subject: string, settings: ClientSettings): string[] {
  const { allowedSmartActions, allowedSmartLegacyActions, allowedResourceTypes } = settings;
  const actions = [...'cruds'].filter((action) => (allowedSmartActions as readonly string[]).includes(action)).join('');
  const types = allowedResourceTypes.length === 0 ? ['*'] : allowedResourceTypes;
  const verbs = actions === '' ? allowedSmartLegacyActions.map((action) => legacyVerbs[action]) : [actions];
  return types.flatMap((type) => verbs.map((verb) => `${subject}/${type}.${verb}`));
}

function isOfSystem(scope: string): boolean {
  return scope.includes('system/');
}
