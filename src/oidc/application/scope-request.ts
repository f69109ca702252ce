import type { ClientSettings } from '../../contract/clients.js';
import {
  maxScopes,
  narrow,
  parseScope,
  type ScopePolicy,
  type SmartScope,
  splitScopes,
} from '../../contract/rules/smart-scope.js';

/** Whom an authorization is for and what context it has. */
export interface Context {
  /** `Patient/123`, when the account has a valid one. */
  fhirUser: string | undefined;
  /** Id of the patient in context. */
  patient: string | undefined;
}

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
 * nothing about "the patient" without a patient.
 */
export function allowedForContext(texts: string[], { fhirUser, patient }: Context): string[] {
  return texts.filter((text) => {
    const scope = parseScope(text);
    if (!scope) return false;
    if (scope.kind === 'launch') return scope.context === 'patient' && patient !== undefined;
    if (scope.kind === 'identity') return scope.text !== 'fhirUser' || fhirUser !== undefined;
    const subject = subjectOf(scope);
    if (subject === 'patient') return fhirUser !== undefined && patient !== undefined;
    return subject !== 'user' || fhirUser !== undefined;
  });
}

/** Whether the request wants a patient in context (`SMART 2.2 scopes-and-launch-context`). */
export function wantsPatient(texts: string[]): boolean {
  return texts.some((text) => {
    const scope = parseScope(text);
    return (
      scope !== undefined &&
      (subjectOf(scope) === 'patient' || (scope.kind === 'launch' && scope.context === 'patient'))
    );
  });
}

function policyOf(client: ClientSettings, specialScopes: readonly string[]): ScopePolicy {
  return { ...client, specialScopes: client.allowFirelySpecialScopes ? specialScopes : [] };
}

function subjectOf(scope: SmartScope): string | undefined {
  return scope.kind === 'resource' || scope.kind === 'operation' ? scope.subject : undefined;
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
