import type { DetailOf } from '../../contract/activity/catalogue.js';
import { describeEntry } from '../../contract/activity/cause.js';
import { scopeCauses } from '../../contract/activity/scopes/scope-causes.js';
import { mended, placeholderIn } from '../../contract/rules/damage.js';
import { mostLike } from '../../contract/rules/nearest.js';
import { patientScopeTypes } from '../../contract/rules/scopes/patient-compartment.js';
import { keptPrivateOf, losesChanges } from '../../contract/rules/scopes/represented-scopes.js';
import type { Served } from '../../contract/rules/scopes/scope-effect.js';
import { maxScopeLength, parseScope, printScope, type SmartScope } from '../../contract/rules/scopes/smart-scope.js';
import { managementScope } from './access-tokens.js';
import type { Context } from './launch.js';
import {
  type Narrowed,
  narrow,
  narrowForUser,
  type ScopeRule,
  type ScopeServers,
  type ScopeSettings,
} from './scope-narrowing.js';
import { contextRule } from './scope-request.js';
import { meantScope } from './scope-spelling.js';

type ScopeCode = keyof typeof scopeCauses;

/** An entry about one scope. */
export type ScopeEntry = { [Code in ScopeCode]: { code: Code; detail: DetailOf<Code> } }[ScopeCode];

/** The outcome of one requested scope: the part that the client may have, and the rules that narrowed or dropped it. */
export interface ScopeVerdict {
  text: string;
  granted: readonly string[];
  changes: ScopeEntry[];
}

/** How a request of which nothing can be granted is explained: by what dropped its scopes. */
export function explainNoneLeft(asked: number, entries: readonly ScopeEntry[]): DetailOf<'scopes-none-left'> {
  const texts = entries.map(({ code, detail }) => ({ detail, ...describeEntry(scopeCauses[code], detail) }));
  const some = (all: (string | undefined)[]) => [...new Set(all.filter((one) => one !== undefined))].slice(0, 3);
  const changes = texts.flatMap(({ change }) => change ?? []);
  const { field = '' } = changes.find((change) => change.field !== undefined) ?? {};
  const { configuration = '' } = (field === '' && changes.find((change) => change.configuration !== undefined)) || {};
  return {
    asked,
    reason: some(texts.map(({ decidedBy }) => decidedBy))[0] ?? 'each was dropped',
    reasons: some(texts.map(({ decidedBy, detail }) => `${decidedBy}: ${'scope' in detail ? detail.scope : ''}.`)).join(
      ' ',
    ),
    told: some(texts.map(({ developer }) => developer)).join(' '),
    remedy: some(changes.map(({ text }) => text)).join(' ') || 'See what dropped each of the scopes.',
    field,
    configuration,
  };
}

/** A scope as an entry may keep it: without the values of search parameters. */
export function shownScope(text: string): string {
  return text.replace(/=[^&]*/g, '=…');
}

/**
 * The verdict on each scope that a client requested through a user's browser. Together they grant what
 * `allowedForClient` grants of those that have a meaning.
 */
export function explainForClient(
  texts: readonly string[],
  settings: ScopeSettings,
  servers: ScopeServers,
): ScopeVerdict[] {
  return texts.map((text) => verdict(text, (scope) => narrowForUser(scope, settings, servers), servers));
}

/** The verdict on each scope that a service requested. */
export function explainForService(
  texts: readonly string[],
  settings: ScopeSettings,
  servers: ScopeServers,
): ScopeVerdict[] {
  return texts.map((text) => verdict(text, (scope) => narrow(scope, settings, servers), servers));
}

/**
 * Explains why tokens lack scopes that were granted before. A scope that the client may only have in part now is
 * missing as a whole.
 */
export function explainLost(
  scopes: readonly SmartScope[],
  settings: ScopeSettings,
  servers: ScopeServers,
): ScopeEntry[] {
  return scopes.flatMap((scope) => {
    const { droppedBy, narrowedBy } = narrowForUser(scope, settings, servers);
    const rule = droppedBy ?? narrowedBy[0];
    return rule ? [droppedEntry(scope.text, rule, servers)] : [];
  });
}

/** Explains which of these scopes the account and its context drop. */
export function explainContext(texts: readonly string[], context: Context): ScopeEntry[] {
  return texts.flatMap((text) => contextEntries(text, context));
}

function contextEntries(text: string, context: Context): ScopeEntry[] {
  const parsed = parseScope(text);
  if (!parsed) return [];
  const rule = contextRule(parsed, context);
  const changes = changesLostByLevel(parsed, context);
  if (!rule) return [...narrowedByLevel(parsed, context), ...changes];
  return rule.rule === 'level' && changes.length > 0 ? changes : [entryOf(text, rule, context)];
}

function entryOf(text: string, rule: NonNullable<ReturnType<typeof contextRule>>, context: Context): ScopeEntry {
  const { patient, isTrial = false, hasChosen = false, isWithdrawn = false } = context;
  const detail = { scope: shownScope(text) };
  switch (rule.rule) {
    case 'no-launch':
      return { code: 'scope-not-launched', detail };
    case 'no-resource':
      if (isTrial && text === 'launch/patient' && patient === undefined)
        return { code: 'scope-no-test-patient', detail };
      if (isWithdrawn && rule.type === 'patient') return { code: 'scope-patient-withdrawn', detail };
      if (hasChosen) return { code: 'scope-choice-skipped', detail: { ...detail, type: rule.type } };
      return { code: 'scope-no-context', detail: { ...detail, type: rule.type } };
    case 'of-user':
      return { code: 'scope-acting-user', detail };
    case 'level':
      return { code: 'scope-level', detail };
    case 'no-patient':
      if (isTrial) return { code: 'scope-no-test-patient', detail };
      if (isWithdrawn) return { code: 'scope-patient-withdrawn', detail };
      return { code: hasChosen ? 'scope-patient-skipped' : 'scope-no-patient', detail };
    case 'no-record':
      if (isWithdrawn && text.startsWith('patient/')) return { code: 'scope-patient-withdrawn', detail };
      if (context.levels) return { code: 'scope-no-related-person', detail };
      return { code: isTrial ? 'scope-of-person' : 'scope-no-record', detail };
    default:
      return droppedEntry(text, rule);
  }
}

/** The kinds of a wildcard that the levels of a user who acts for the patient leave out; the shorter of two lists. */
function narrowedByLevel({ text }: SmartScope, { levels }: Context): ScopeEntry[] {
  const kinds = levels === undefined ? [] : keptPrivateOf([text], levels, typesOf);
  if (kinds.length === 0) return [];
  const names = kinds.map((kind) => kind.replace(/^patient\/|\.rs.*$/g, ''));
  const others = patientScopeTypes.filter((type) => !names.includes(type));
  const shorter = names.length <= others.length ? names.join(', ') : `all but ${others.join(', ')}`;
  return [{ code: 'scope-level-narrowed', detail: { scope: shownScope(text), kinds: shorter } }];
}

function changesLostByLevel(scope: SmartScope, { levels }: Context): ScopeEntry[] {
  const isLost = levels !== undefined && losesChanges(scope, levels);
  return isLost ? [{ code: 'scope-level-change', detail: { scope: shownScope(scope.text) } }] : [];
}

function typesOf(wildcard: SmartScope): string[] {
  if (wildcard.kind !== 'resource') return [];
  return patientScopeTypes.map((type) => printScope({ ...wildcard, type }));
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

function verdict(text: string, decide: (scope: SmartScope) => Narrowed, servers: ScopeServers): ScopeVerdict {
  const scope = parseScope(text);
  if (!scope) return { text, granted: [], changes: [explainUnreadable(text)] };
  const narrowed = decide(scope);
  const { granted, droppedBy } = narrowed;
  return {
    text,
    granted,
    changes: droppedBy ? [droppedEntry(text, droppedBy, servers)] : narrowedEntries(text, narrowed),
  };
}

function explainUnreadable(text: string): ScopeEntry {
  const scope = shownScope(text.slice(0, maxScopeLength));
  const separators = separatorsIn(text);
  if (separators !== undefined) return { code: 'scope-separator', detail: { scope: scope.slice(0, 200), separators } };
  if (text.length > maxScopeLength)
    return { code: 'scope-too-long', detail: { scope: scope.slice(0, 100), maximum: maxScopeLength } };
  const whole = mended(text).find((one) => parseScope(one.text) !== undefined);
  if (whole) {
    return { code: 'scope-damaged', detail: { scope, meant: shownScope(whole.text), damage: whole.damage } };
  }
  if (placeholderIn(text) !== undefined) return { code: 'scope-placeholder', detail: { scope } };
  const meant = meantScope(text);
  if (meant === undefined) return { code: 'scope-unreadable', detail: { scope } };
  return { code: 'scope-misspelled', detail: { scope, meant: shownScope(meant) } };
}

const separatorNames: Readonly<Record<string, string>> = {
  ',': 'commas',
  '+': 'plus signs',
  ';': 'semicolons',
  '|': 'vertical lines',
  '&': 'ampersands',
};

/** The text between several scopes; undefined if most of its parts are not scopes. */
function separatorsIn(text: string): string | undefined {
  for (const [separator, name] of Object.entries(separatorNames)) {
    const parts = text.split(separator).filter((part) => part !== '');
    const known = parts.filter((part) => parseScope(part) !== undefined);
    if (parts.length > 1 && known.length * 2 > parts.length) return name;
  }
  return undefined;
}

function droppedEntry(text: string, of: ScopeRule, { served }: Partial<ScopeServers> = {}): ScopeEntry {
  const scope = shownScope(text);
  const detail = { scope };
  switch (of.rule) {
    case 'subject':
      return { code: 'scope-subject', detail: { scope, subject: of.subject } };
    case 'type':
      return { code: 'scope-type', detail: { scope, type: of.type === '*' ? 'every type' : of.type } };
    case 'actions': {
      const code = of.version === 1 ? 'scope-legacy-actions' : 'scope-actions';
      return { code, detail: { scope, actions: of.actions } };
    }
    case 'special-unknown':
      return { code: text === managementScope ? 'scope-management' : 'scope-special-unknown', detail };
    case 'service':
      return { code: 'scope-needs-service', detail };
    case 'search-parameter':
      return { code: 'scope-search-parameter', detail: { scope, parameter: of.parameter } };
    case 'category-value':
      return { code: 'scope-category-value', detail };
    case 'without-category':
      return { code: 'scope-without-category', detail: { scope, type: of.type } };
    case 'outside-record':
      return { code: 'scope-outside-record', detail: { scope, type: of.type } };
    case 'type-unknown':
      return {
        code: 'scope-type-unknown',
        detail: { scope, type: of.type, nearest: nearestOf(of.type, served?.types) },
      };
    case 'actions-of-record':
      return { code: 'scope-actions-of-record', detail: { scope, type: of.type, actions: of.actions } };
    case 'operation-of-record':
      return { code: 'scope-operation-of-record', detail: { scope, operation: of.operation } };
    case 'operation-unknown':
      return {
        code: 'scope-operation-unknown',
        detail: { scope, operation: of.operation, nearest: nearestOperation(of, served) },
      };
    default:
      return { code: `scope-${of.rule}`, detail };
  }
}

/** Names the one that was probably meant, in a sentence; empty if none has a similar name. */
function nearestOf(text: string, names: readonly string[] = []): string {
  const meant = mostLike(text, names);
  return meant === undefined ? '' : `The nearest is ${meant}.`;
}

/** The operation that was probably meant, or the types that have this one. */
function nearestOperation({ operation, type }: { operation: string; type: string }, served: Served = {}): string {
  const { operations = [] } = served;
  const elsewhere = operations.filter(({ name }) => name === operation).map((one) => one.type ?? 'the whole server');
  if (elsewhere.length > 0) return `It has the operation for: ${elsewhere.join(', ')}.`;
  const here = operations.filter((one) => one.type === null || one.type === type);
  return nearestOf(
    operation,
    here.map(({ name }) => name),
  );
}

function narrowedEntries(text: string, { granted, narrowedBy }: Narrowed): ScopeEntry[] {
  const detail = { scope: shownScope(text), granted: granted.map(shownScope).join(' ') };
  return narrowedBy.map((of): ScopeEntry => {
    if (of.rule === 'type') return { code: 'scope-types-narrowed', detail: { ...detail, count: granted.length } };
    const code = of.version === 1 ? 'scope-legacy-actions-narrowed' : 'scope-actions-narrowed';
    return { code, detail: { ...detail, actions: of.actions } };
  });
}
