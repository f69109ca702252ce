import type { ClientSettings } from '../../contract/clients.js';
import {
  type LaunchScope,
  maxScopes,
  narrow,
  parseScope,
  type ScopePolicy,
  type SmartScope,
  splitScopes,
} from '../../contract/rules/smart-scope.js';
import type { Context } from './launch.js';

/** The scopes of a request that mean something, or undefined when there are too many to be serious. */
export function parseRequest(text: string | undefined): SmartScope[] | undefined {
  const texts = splitScopes(text ?? '');
  if (texts.length > maxScopes) return undefined;
  return texts.map(parseScope).filter((scope) => scope !== undefined);
}

/** Whether the request touches FHIR data or launch context, so that it has to name the server it means (`aud`). */
export function needsAudience(scopes: SmartScope[]): boolean {
  return scopes.some(({ kind }) => kind === 'resource' || kind === 'launch' || kind === 'operation');
}

/** What the client may have of what it asked for through a person's browser. */
export function allowedForClient(
  scopes: SmartScope[],
  client: ClientSettings,
  specialScopes: readonly string[],
): string[] {
  const policy = policyOf(client, specialScopes);
  return unique(scopes.filter((scope) => subjectOf(scope) !== 'system').flatMap((scope) => narrow(scope, policy)));
}

/** What a back-end service may have; undefined when it asked for what needs a person (`SMART 2.2 backend-services`). */
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
 * What this account can grant in this context: nothing about "the user" without knowing who that is in the FHIR server,
 * nothing about "the patient" without a patient, no launch context that is not there.
 */
export function allowedForContext(texts: string[], context: Context): string[] {
  const { fhirUser, patient } = context;
  return texts.filter((text) => {
    const scope = parseScope(text);
    if (!scope) return false;
    if (scope.kind === 'launch') return isInContext(scope, context);
    if (scope.kind === 'identity') return scope.text !== 'fhirUser' || fhirUser !== undefined;
    const subject = subjectOf(scope);
    if (subject === 'patient') return fhirUser !== undefined && patient !== undefined;
    return subject !== 'user' || fhirUser !== undefined;
  });
}

function isInContext({ context: type, role }: LaunchScope, { launched, resources }: Context): boolean {
  if (type === null) return launched;
  // There is one patient and one encounter, and they are those of the launch.
  const inAnotherRole = role !== null && role !== 'launch';
  return resources.has(type) && !(inAnotherRole && (type === 'patient' || type === 'encounter'));
}

function policyOf(client: ClientSettings, specialScopes: readonly string[]): ScopePolicy {
  // Named one by one: copying all settings costs more than the rest of a token's scopes.
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
