import type { ClientSettings } from '../../contract/clients/client-settings.js';
import {
  type LaunchScope,
  maxScopes,
  narrow,
  parseScope,
  type ScopePolicy,
  type SmartScope,
  splitScopes,
} from '../../contract/rules/scopes/smart-scope.js';
import type { Context } from './launch.js';

/** The valid scopes of a request; undefined when there are too many. */
export function parseRequest(text: string | undefined): SmartScope[] | undefined {
  const texts = splitScopes(text ?? '');
  if (texts.length > maxScopes) return undefined;
  return texts.map(parseScope).filter((scope) => scope !== undefined);
}

/** True if the request concerns FHIR data or launch context, so that it has to name its FHIR server (`aud`). */
export function needsAudience(scopes: SmartScope[]): boolean {
  return scopes.some(({ kind }) => kind === 'resource' || kind === 'launch' || kind === 'operation');
}

/** Scopes that the client may have of those it requested through a user's browser. */
export function allowedForClient(
  scopes: SmartScope[],
  client: ClientSettings,
  specialScopes: readonly string[],
): string[] {
  const policy = policyOf(client, specialScopes);
  return unique(scopes.filter((scope) => subjectOf(scope) !== 'system').flatMap((scope) => narrow(scope, policy)));
}

/**
 * Scopes that a back-end service may have; undefined when it requested a scope that needs a user (`SMART 2.2
 * backend-services`).
 */
export function allowedForService(
  scopes: SmartScope[],
  client: ClientSettings,
  specialScopes: readonly string[],
): string[] | undefined {
  if (scopes.some((scope) => scope.kind !== 'extension' && subjectOf(scope) !== 'system')) return undefined;
  const policy = policyOf(client, specialScopes);
  return unique(scopes.flatMap((scope) => narrow(scope, policy)));
}

/**
 * Scopes that this account can grant in this context: none about "the user" without a known user in the FHIR server,
 * none about "the patient" without a patient, no launch context that is missing.
 */
export function allowedForContext(texts: string[], context: Context): string[] {
  const { fhirUser, patient, isTrial = false } = context;
  return texts.filter((text) => {
    const scope = parseScope(text);
    if (!scope) return false;
    if (scope.kind === 'launch') return isInContext(scope, context);
    if (scope.kind === 'identity') return scope.text !== 'fhirUser' || fhirUser !== undefined;
    const subject = subjectOf(scope);
    if (subject === 'patient') return (fhirUser !== undefined || isTrial) && patient !== undefined;
    return subject !== 'user' || fhirUser !== undefined;
  });
}

function isInContext({ context: type, role }: LaunchScope, { launched, resources }: Context): boolean {
  if (type === null) return launched;
  // There is one patient and one encounter, those of the launch.
  const inAnotherRole = role !== null && role !== 'launch';
  return resources.has(type) && !(inAnotherRole && (type === 'patient' || type === 'encounter'));
}

export function policyOf(client: ClientSettings, specialScopes: readonly string[]): ScopePolicy {
  // The settings are named one by one: copying all settings costs more than the rest of a token's scopes.
  const { allowedSmartActions, allowedSmartLegacyActions, allowedSmartSubjects, allowedResourceTypes } = client;
  const { allowedOperationScopes, allowOfflineAccess, allowOnlineAccess, allowContactScopes } = client;
  return {
    allowedSmartActions,
    allowedSmartLegacyActions,
    allowedSmartSubjects,
    allowedResourceTypes,
    allowedOperationScopes,
    allowOfflineAccess,
    allowOnlineAccess,
    allowContactScopes,
    specialScopes: client.allowFirelySpecialScopes ? specialScopes : [],
  };
}

function subjectOf(scope: SmartScope): string | undefined {
  return scope.kind === 'resource' || scope.kind === 'operation' ? scope.subject : undefined;
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
