import type { DetailOf } from '../../contract/activity/catalogue.js';
import type { scopeCauses } from '../../contract/activity/scope-causes.js';
import type { ClientSettings } from '../../contract/clients/client-settings.js';
import {
  maxScopeLength,
  narrow,
  type OperationScope,
  parseScope,
  type ResourceScope,
  type ScopePolicy,
  type SmartScope,
} from '../../contract/rules/scopes/smart-scope.js';
import type { Context } from './launch.js';
import { policyOf } from './scope-request.js';
import { meantScope } from './scope-spelling.js';

type ScopeCode = keyof typeof scopeCauses;

/** An entry about one scope. */
export type ScopeEntry = { [Code in ScopeCode]: { code: Code; detail: DetailOf<Code> } }[ScopeCode];

/** The outcome of one requested scope: the part that the client may have, and the rules that narrowed or dropped it. */
export interface ScopeVerdict {
  text: string;
  granted: string[];
  changes: ScopeEntry[];
}

/** A scope as an entry may keep it: without the values of search parameters. */
export function shownScope(text: string): string {
  return text.replace(/=[^&]*/g, '=…');
}

/**
 * The verdict on each scope that a client requested through a user's browser. Together they grant what `allowedForClient` grants of
 * those that have a meaning.
 */
export function explainForClient(
  texts: readonly string[],
  client: ClientSettings,
  specialScopes: readonly string[],
): ScopeVerdict[] {
  const policy = policyOf(client, specialScopes);
  return texts.map((text) => {
    const scope = parseScope(text);
    if (!scope) return { text, granted: [], changes: [explainUnreadable(text)] };
    if (isOfSystem(scope))
      return { text, granted: [], changes: [{ code: 'scope-needs-service', detail: { scope: shownScope(text) } }] };
    return explainScope(scope, policy, specialScopes);
  });
}

/** The verdict on each scope that a service requested. */
export function explainForService(
  texts: readonly string[],
  client: ClientSettings,
  specialScopes: readonly string[],
): ScopeVerdict[] {
  const policy = policyOf(client, specialScopes);
  return texts.map((text) => {
    const scope = parseScope(text);
    return scope
      ? explainScope(scope, policy, specialScopes)
      : { text, granted: [], changes: [explainUnreadable(text)] };
  });
}

/**
 * Explains why tokens lack scopes that were granted before. A scope that the client may only have in part now is
 * missing as a whole.
 */
export function explainLost(
  scopes: readonly SmartScope[],
  client: ClientSettings,
  specialScopes: readonly string[],
): ScopeEntry[] {
  const policy = policyOf(client, specialScopes);
  return scopes.flatMap((scope) => changesOf(scope, [], policy, specialScopes));
}

/** The rule by which this account and context drop a scope. */
export function droppedByContext(text: string, { fhirUser, patient, isTrial = false }: Context): ScopeEntry {
  const scope = shownScope(text);
  const parsed = parseScope(text);
  if (isTrial && patient === undefined && needsPatient(text))
    return { code: 'scope-no-test-patient', detail: { scope } };
  if (parsed?.kind === 'launch') {
    if (parsed.context === null) return { code: 'scope-not-launched', detail: { scope } };
    return { code: 'scope-no-context', detail: { scope, type: parsed.context } };
  }
  const lacksPatient = text.startsWith('patient/') && patient === undefined;
  if (lacksPatient && fhirUser !== undefined) return { code: 'scope-no-patient', detail: { scope } };
  return { code: isTrial ? 'scope-of-person' : 'scope-no-record', detail: { scope } };
}

function needsPatient(text: string): boolean {
  return text.startsWith('patient/') || text === 'launch/patient';
}

/** The changes by a user's choice: a scope is dropped, or only the ticked part of it is granted. */
export function changedByUser(offered: readonly string[], granted: readonly string[]): ScopeEntry[] {
  const requested = new Set(offered);
  const parts = granted.filter((text) => !requested.has(text));
  return offered
    .filter((text) => !granted.includes(text))
    .map((text): ScopeEntry => {
      const scope = shownScope(text);
      const ticked = parts.filter((part) => isPartOf(part, text)).map(shownScope);
      if (ticked.length === 0) return { code: 'scope-unticked', detail: { scope } };
      return { code: 'scope-unticked-narrowed', detail: { scope, granted: ticked.join(' ') } };
    });
}

function isPartOf(part: string, whole: string): boolean {
  const [one, other] = [parseScope(part), parseScope(whole)];
  if (one?.kind !== 'resource' || other?.kind !== 'resource') return false;
  const isOfType = other.type === '*' || other.type === one.type;
  return (
    isOfType && one.subject === other.subject && [...one.actions].every((action) => other.actions.includes(action))
  );
}

function explainUnreadable(text: string): ScopeEntry {
  const scope = shownScope(text.slice(0, maxScopeLength));
  if (text.length > maxScopeLength)
    return { code: 'scope-too-long', detail: { scope: scope.slice(0, 100), maximum: maxScopeLength } };
  const meant = meantScope(text);
  if (meant === undefined) return { code: 'scope-unreadable', detail: { scope } };
  return { code: 'scope-misspelled', detail: { scope, meant: shownScope(meant) } };
}

function isOfSystem(scope: SmartScope): boolean {
  return (scope.kind === 'resource' || scope.kind === 'operation') && scope.subject === 'system';
}

function explainScope(scope: SmartScope, policy: ScopePolicy, specialScopes: readonly string[]): ScopeVerdict {
  const granted = narrow(scope, policy);
  const isWhole = granted.length === 1 && granted[0] === scope.text;
  return { text: scope.text, granted, changes: isWhole ? [] : changesOf(scope, granted, policy, specialScopes) };
}

function changesOf(
  scope: SmartScope,
  granted: readonly string[],
  policy: ScopePolicy,
  specialScopes: readonly string[],
): ScopeEntry[] {
  const detail = { scope: shownScope(scope.text) };
  switch (scope.kind) {
    case 'resource':
      return granted.length > 0 ? narrowedBy(scope, granted, policy) : [dropped(scope, policy)];
    case 'operation':
      return [droppedOperation(scope, policy)];
    case 'refresh':
      return [{ code: scope.text === 'offline_access' ? 'scope-offline' : 'scope-online', detail }];
    case 'extension':
      return [{ code: specialScopes.includes(scope.text) ? 'scope-special' : 'scope-special-unknown', detail }];
    default:
      return [{ code: 'scope-contact', detail }];
  }
}

function dropped(of: ResourceScope, policy: ScopePolicy): ScopeEntry {
  const scope = shownScope(of.text);
  if (!policy.allowedSmartSubjects.includes(of.subject))
    return { code: 'scope-subject', detail: { scope, subject: of.subject } };
  const actions = refusedActions(of, policy);
  const isTypeAllowed =
    policy.allowedResourceTypes.length === 0 || [...policy.allowedResourceTypes, '*'].includes(of.type);
  // A wildcard that may have all its actions lacks types.
  if (!isTypeAllowed || actions === '') {
    return { code: 'scope-type', detail: { scope, type: of.type === '*' ? 'every type' : of.type } };
  }
  return { code: of.version === 1 ? 'scope-legacy-actions' : 'scope-actions', detail: { scope, actions } };
}

function narrowedBy(of: ResourceScope, granted: readonly string[], policy: ScopePolicy): ScopeEntry[] {
  const scope = shownScope(of.text);
  const actions = refusedActions(of, policy);
  const shown = granted.map(shownScope).join(' ');
  const byType = of.type === '*' && policy.allowedResourceTypes.length > 0;
  return [
    ...(actions === '' ? [] : [narrowedActions(of, { scope, granted: shown, actions })]),
    ...(byType
      ? [{ code: 'scope-types-narrowed' as const, detail: { scope, granted: shown, count: granted.length } }]
      : []),
  ];
}

function narrowedActions({ version }: ResourceScope, detail: DetailOf<'scope-actions-narrowed'>): ScopeEntry {
  return { code: version === 1 ? 'scope-legacy-actions-narrowed' : 'scope-actions-narrowed', detail };
}

/** The requested actions that the client may not do, by their names in its form. */
function refusedActions({ version, actions }: ResourceScope, policy: ScopePolicy): string {
  if (version === 2) {
    const allowed: readonly string[] = policy.allowedSmartActions;
    return [...actions].filter((action) => !allowed.includes(action)).join(', ');
  }
  const { allowedSmartLegacyActions: allowed } = policy;
  const words = [
    ...(actions.includes('r') ? ['read' as const] : []),
    ...(actions.includes('c') ? ['write' as const] : []),
  ];
  return words.filter((word) => !allowed.includes(word) && !allowed.includes('*')).join(', ');
}

function droppedOperation(of: OperationScope, policy: ScopePolicy): ScopeEntry {
  const scope = shownScope(of.text);
  const { allowedSmartSubjects, allowedResourceTypes } = policy;
  if (!allowedSmartSubjects.includes(of.subject))
    return { code: 'scope-subject', detail: { scope, subject: of.subject } };
  const isType = of.type === '*' || allowedResourceTypes.length === 0 || allowedResourceTypes.includes(of.type);
  return isType
    ? { code: 'scope-operation', detail: { scope } }
    : { code: 'scope-type', detail: { scope, type: of.type } };
}
