import { patientCompartmentTypes, patientScopeTypes, sharedTypes } from './patient-compartment.js';
import { parseScope, printScope, type ResourceScope, type SmartScope } from './smart-scope.js';

/** The parts of a level that decide about scopes; kinds as in `representation.levels` of the configuration. */
export interface ScopeLevel {
  kinds: 'full' | readonly string[];
  without: {
    types: readonly string[];
    categories: readonly string[];
    securityLabels: readonly string[];
    codes: readonly { element: string }[];
  };
  change: 'full' | readonly string[];
}

/** Types that name representatives, and so are never granted to an app of one. */
const neverGranted = ['AuditEvent'];
/** Types whose narrative may tell everything: a kind that is defined by a label alone names none of them. */
const freeText = [
  'DocumentReference',
  'DocumentManifest',
  'Composition',
  'Binary',
  'Media',
  'Communication',
  'CommunicationRequest',
  'QuestionnaireResponse',
  'ClinicalImpression',
  'List',
];

/** Types whose resources may have an attachment: a limited level withholds these unless it names the element. */
const withAttachments = [
  ...['Claim', 'Communication', 'CommunicationRequest', 'Consent', 'Contract', 'DiagnosticReport'],
  ...['DocumentReference', 'ExplanationOfBenefit', 'Media', 'QuestionnaireResponse', 'Task'],
];

/**
 * The part of a scope that a representative may grant while all of these levels must permit: none of a `user/` scope,
 * and of a wildcard the types that the levels name on that day. A type of which the levels permit a part is granted:
 * the gateway permits that part. Other scopes than those of FHIR data stay.
 */
export function representedPart(scope: SmartScope, levels: readonly ScopeLevel[]): string[] {
  if (scope.kind === 'operation') return scope.subject === 'patient' ? [scope.text] : [];
  if (scope.kind !== 'resource') return [scope.text];
  if (scope.subject !== 'patient') return [];
  if (scope.type !== '*') return printed(scope, levels);
  if (isWholeRecord(levels) && (!changes(scope) || permitChange('*', levels))) return [scope.text];
  // A type of a later release of FHIR is named by the level alone.
  const further = levels.flatMap(({ kinds }) => (kinds === 'full' ? [] : kinds.flatMap(typeOf)));
  return [...new Set([...patientScopeTypes, ...further])].flatMap((type) => printed({ ...scope, type }, levels));
}

/**
 * The kinds of a request of which a representative may see nothing, as scopes, each kind of a wildcard by itself. By
 * the rules of the levels alone: the same whatever the record has. `unfold` gives a scope for each kind of a wildcard.
 */
export function keptPrivateOf(
  asked: readonly string[],
  levels: readonly ScopeLevel[],
  unfold: (wildcard: SmartScope) => string[],
): string[] {
  const ofRecord = asked
    .map(parseScope)
    .filter((scope) => scope?.kind === 'resource')
    .filter(({ subject, type }) => subject === 'patient' && (type !== '*' || !isWholeRecord(levels)));
  const single = ofRecord.flatMap((scope) => (scope.type === '*' ? unfold(scope) : [scope.text])).map(parseScope);
  const seen = single.flatMap((scope) => (scope?.kind === 'resource' ? seenKind(scope) : []));
  const isOut = (scope: SmartScope | undefined) => scope !== undefined && representedPart(scope, levels).length === 0;
  return [...new Set(seen)].filter((kind) => isOut(parseScope(kind)));
}

/** True if the levels permit to see what a scope names, and not all of the changes that it asks for. */
export function losesChanges(scope: SmartScope, levels: readonly ScopeLevel[]): boolean {
  if (scope.kind !== 'resource' || scope.subject !== 'patient' || !changes(scope)) return false;
  const seen = parseScope(seenKind(scope));
  const isSeen = seen !== undefined && representedPart(seen, levels).length > 0;
  return isSeen && !sharedTypes.includes(scope.type) && !permitChange(scope.type, levels);
}

/** A kind is named once, whatever the app would do with it. */
function seenKind({ type, text }: ResourceScope): string {
  const [, query = ''] = /(\?.*)$/.exec(text) ?? [];
  return `patient/${type}.rs${query}`;
}

function isWholeRecord(levels: readonly ScopeLevel[]): boolean {
  return levels.every(({ kinds, without }) => kinds === 'full' && without.types.length === 0);
}

/** True if a part of what a granted scope names may be private, by category, label, code or element. */
export function isPartlyPrivate(text: string, levels: readonly ScopeLevel[]): boolean {
  const scope = parseScope(text);
  if (scope?.kind !== 'resource' || scope.subject !== 'patient') return false;
  return levels.some((level) => !isWholly(scope.type, level, categoryOf(scope)));
}

/** True if the levels permit each resource of the type; those of no record are not theirs to permit. */
export function permitsWhole(type: string, levels: readonly ScopeLevel[]): boolean {
  if (sharedTypes.includes(type)) return true;
  return levels.every((level) => isWithin(type, level, undefined) && isWholly(type, level, undefined));
}

function isWholly(type: string, { kinds, without }: ScopeLevel, category: string | undefined): boolean {
  const { types, categories, securityLabels, codes } = without;
  if (sharedTypes.includes(type)) return true;
  if (securityLabels.length > 0 || codes.some(({ element }) => isOf(type, element))) return false;
  if (category === undefined && categories.some((one) => isOf(type, one))) return false;
  if (kinds === 'full') return type !== '*' || types.length + categories.length === 0;
  if (type === 'Patient') return kinds.includes('contact-details');
  if (withAttachments.includes(type) && !kinds.some((kind) => kind.startsWith(`${type}.`))) return false;
  return category === undefined ? kinds.includes(type) : true;
}

function isOf(type: string, rule: string): boolean {
  return type === '*' || rule.startsWith(`${type}/`);
}

/**
 * The kinds that the levels name together, written as in the configuration, each category by itself; undefined where
 * they permit everything but what is kept private.
 */
export function namedKinds(levels: readonly ScopeLevel[]): string[] | undefined {
  const limited = levels.flatMap(({ kinds }) => (kinds === 'full' ? [] : [kinds]));
  if (limited.length === 0) return undefined;
  const isByCategory = (type: string) =>
    limited.some((kinds) => !kinds.includes(type) && kinds.some((kind) => kind.startsWith(`${type}?`)));
  return [...new Set(limited.flatMap((kinds) => kinds.flatMap(singleKinds)))].filter((kind) => {
    const [type] = typeOf(kind);
    if (type === undefined) return limited.every((kinds) => kinds.includes(kind));
    const [category] = categoriesOf(kind) ?? [];
    return isRepresented(type, levels, category) && (category !== undefined || !isByCategory(type));
  });
}

/** A kind of several categories as one of each. */
function singleKinds(kind: string): string[] {
  return categoriesOf(kind)?.map((category) => `${typeOf(kind)}?category=${category}`) ?? [kind];
}

/** True if the levels permit to see something of the type. */
function isRepresented(type: string, levels: readonly ScopeLevel[], category?: string): boolean {
  return levels.every((level) => isWithin(type, level, category));
}

function printed(scope: ResourceScope, levels: readonly ScopeLevel[]): string[] {
  const { type } = scope;
  if (sharedTypes.includes(type)) return changes(scope) ? withoutChanges(scope) : [printScope(scope)];
  if (!isRepresented(type, levels, categoryOf(scope))) return [];
  if (permitChange(type, levels) || !changes(scope)) return [printScope(scope)];
  return withoutChanges(scope);
}

/** True if the levels permit to change resources of the type; of a wildcard, of each type. */
function permitChange(type: string, levels: readonly ScopeLevel[]): boolean {
  return levels.every(({ change }) => change === 'full' || change.some((kind) => typeOf(kind).includes(type)));
}

function isWithin(type: string, { kinds, without }: ScopeLevel, category: string | undefined): boolean {
  if (neverGranted.includes(type) || without.types.includes(type)) return false;
  if (category !== undefined && without.categories.includes(`${type}/${category}`)) return false;
  if (kinds === 'full' || type === 'Patient') return true;
  return kinds.some((kind) => {
    if (kind.startsWith('?')) return isOfRecord(type) && !freeText.includes(type);
    if (!typeOf(kind).includes(type)) return false;
    const named = categoriesOf(kind);
    return named === undefined || category === undefined || named.includes(category);
  });
}

function isOfRecord(type: string): boolean {
  return (patientCompartmentTypes as readonly string[]).includes(type);
}

/** The type that a kind names; none of an element, a label or the contact details. */
function typeOf(kind: string): string[] {
  const [, type] = /^([A-Z][A-Za-z]*)(?:\?.*)?$/.exec(kind) ?? [];
  return type === undefined ? [] : [type];
}

/** The categories that a kind names, without their systems; undefined where it names none. */
function categoriesOf(kind: string): string[] | undefined {
  return /\?category=(.+)$/.exec(kind)?.[1]?.split(',').map(codeOf);
}

/** The one category of a scope, without its system. */
function categoryOf({ text }: ResourceScope): string | undefined {
  const [, value] = /\?category=([^&,]+)$/.exec(text) ?? [];
  return value === undefined ? undefined : codeOf(decoded(value));
}

function codeOf(text: string): string {
  return text.slice(text.lastIndexOf('|') + 1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function changes({ actions }: ResourceScope): boolean {
  return /[cud]/.test(actions);
}

function withoutChanges(scope: ResourceScope): string[] {
  const actions = scope.actions.replace(/[cud]/g, '');
  return actions === '' ? [] : [printScope({ ...scope, actions })];
}
