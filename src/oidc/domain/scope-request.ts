import { representedPart } from '../../contract/rules/scopes/represented-scopes.js';
import { type NoEffect, noEffectOf } from '../../contract/rules/scopes/scope-effect.js';
import {
  type LaunchScope,
  maxScopes,
  parseScope,
  type SmartScope,
  splitScopes,
} from '../../contract/rules/scopes/smart-scope.js';
import { type Context, ownRecord } from './launch.js';
import { narrow, narrowForUser, type ScopeServers, type ScopeSettings, subjectOf } from './scope-narrowing.js';

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

/** Scopes that a client may have of those it requested through a user's browser. */
export function allowedForClient(
  scopes: readonly SmartScope[],
  settings: ScopeSettings,
  servers: ScopeServers,
): string[] {
  return unique(scopes.flatMap((scope) => narrowForUser(scope, settings, servers).granted));
}

/** The decision on the scopes that a back-end service requests. */
export interface ServiceScopes {
  granted: string[];
  /** The scopes that only a user can grant: with one of them, nothing is granted (`SMART 2.2 backend-services`). */
  forUsers: string[];
}

/** Scopes that a back-end service may have. */
export function allowedForService(
  scopes: readonly SmartScope[],
  settings: ScopeSettings,
  servers: ScopeServers,
): ServiceScopes {
  const forUsers = scopes.filter((scope) => scope.kind !== 'extension' && subjectOf(scope) !== 'system');
  if (forUsers.length > 0) return { granted: [], forUsers: forUsers.map(({ text }) => text) };
  return { granted: unique(scopes.flatMap((scope) => narrow(scope, settings, servers).granted)), forUsers: [] };
}

/** The rule by which an account and its context drop a scope; a missing resource is told by its type. */
export type ContextRule =
  | { rule: 'no-launch' | 'no-record' | 'no-patient' | 'of-user' | 'level' }
  | { rule: 'no-resource'; type: string }
  | NoEffect;

/** Scopes that this account can grant in this context. */
export function allowedForContext(texts: readonly string[], context: Context): string[] {
  const kept = texts.filter((text) => {
    const scope = parseScope(text);
    return scope !== undefined && contextRule(scope, context) === undefined;
  });
  const { levels } = context;
  return levels === undefined ? kept : unique(kept.flatMap((text) => partOf(text, levels)));
}

function partOf(text: string, levels: NonNullable<Context['levels']>): string[] {
  const scope = parseScope(text);
  return scope === undefined ? [] : representedPart(scope, levels);
}

/** True if scopes for a patient's record were asked for, and none of them is left. */
export function nothingOfRecord(asked: readonly string[], left: readonly string[]): boolean {
  const isOfRecord = (text: string) => {
    const scope = parseScope(text);
    return (scope?.kind === 'resource' || scope?.kind === 'operation') && scope.subject === 'patient';
  };
  return asked.some(isOfRecord) && !left.some(isOfRecord);
}

/**
 * The rule that drops a scope in this context; undefined if it is kept. No scope is kept about "the user" without a
 * known user in the FHIR server, none about "the patient" without a patient, no launch context that is missing, and for
 * a user who is a patient none that opens nothing of one patient's record.
 */
export function contextRule(scope: SmartScope, context: Context): ContextRule | undefined {
  const { fhirUser, patient, isTrial = false, isEnforced = false, levels } = context;
  if (scope.kind === 'launch') return launchRule(scope, context);
  const subject = scope.text === 'fhirUser' ? 'user' : subjectOf(scope);
  if (subject === 'patient') {
    if (fhirUser === undefined && !isTrial && !levels) return { rule: 'no-record' };
    if (patient === undefined) return { rule: 'no-patient' };
    return levels && representedPart(scope, levels).length === 0 ? { rule: 'level' } : undefined;
  }
  if (levels && subjectOf(scope) === 'user') return { rule: 'of-user' };
  if (subject === 'user' && fhirUser === undefined) return { rule: 'no-record' };
  return isEnforced && ownRecord(fhirUser) !== undefined ? noEffectOf(scope, {}, true) : undefined;
}

function launchRule({ context: type, role }: LaunchScope, { launched, resources }: Context): ContextRule | undefined {
  if (type === null) return launched ? undefined : { rule: 'no-launch' };
  // There is one patient and one encounter, those of the launch.
  const inAnotherRole = role !== null && role !== 'launch';
  const isThere = resources.has(type) && !(inAnotherRole && (type === 'patient' || type === 'encounter'));
  return isThere ? undefined : { rule: 'no-resource', type };
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
