/**
 * Scopes in plain words, for consent and grants (`spec §2`); the technical scope stays one click away.
 */
import { listAfterColon } from '../text.js';
import { scopeWords } from './scope-words.js';
import { type OperationScope, parseScope, plainValue, printScope, type ResourceScope } from './smart-scope.js';

export interface ScopeDescription {
  displayName: string;
  description: string;
}

/** The texts of a language. */
export interface Say {
  /** Returns the text at a path of {@link scopeWords} (`types.Observation.noun`), with its values filled in. */
  (place: string, values?: Record<string, string>): string;
  /** RFC 5646. */
  language: string;
}

interface Category {
  code: string;
  system: string;
}

const conditionCategory = 'http://terminology.hl7.org/CodeSystem/condition-category';
const observationCategory = 'http://terminology.hl7.org/CodeSystem/observation-category';
const usCoreCondition = 'http://hl7.org/fhir/us/core/CodeSystem/condition-category';
const usCore = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-category';

/** The categories US Core asks an authorization server to offer separately. */
const categories: Readonly<Record<string, readonly Category[]>> = {
  Condition: [
    { code: 'problem-list-item', system: conditionCategory },
    { code: 'encounter-diagnosis', system: conditionCategory },
    { code: 'health-concern', system: usCoreCondition },
  ],
  Observation: [
    { code: 'laboratory', system: observationCategory },
    { code: 'vital-signs', system: observationCategory },
    { code: 'social-history', system: observationCategory },
    { code: 'survey', system: observationCategory },
    { code: 'sdoh', system: usCore },
    { code: 'procedure', system: observationCategory },
  ],
};

/**
 * Describes the access that a scope gives an app, in English by default. A scope without a description stands for
 * itself.
 */
export function describeScope(text: string, say: Say = inEnglish): ScopeDescription {
  const scope = parseScope(text);
  if (scope?.kind === 'resource') return describeResource(scope, say);
  if (scope?.kind === 'operation') return describeOperation(scope, say);
  // The text is user input and may be any key, also `constructor`.
  if (Object.hasOwn(scopeWords.fixed, text)) {
    return { displayName: say(`fixed.${text}.name`), description: say(`fixed.${text}.help`) };
  }
  if (scope?.kind === 'launch') {
    const context = scope.context ?? '';
    return { displayName: say('otherContext.name', { context }), description: say('otherContext.help') };
  }
  return { displayName: text, description: say('unknown') };
}

/** The name of a kind of data by itself: a type, or type and category (`Observation/laboratory`). */
export function describeKind(kind: string, say?: Say): string {
  const [type = '*', category] = kind.split('/');
  return describeScope(`patient/${type}.rs${category === undefined ? '' : `?category=${category}`}`, say).displayName;
}

/**
 * The narrower scopes that a user may grant instead of this one: one for each category, in version 2, because version
 * 1 has no query. Empty when the type has no categories or the scope is already narrowed.
 */
export function fineGrainedScopes(scope: ResourceScope): string[] {
  if (scope.query.length > 0) return [];
  return (categories[scope.type] ?? []).map(({ system, code }) =>
    printScope({ ...scope, version: 2, query: [['category', `${system}|${code}`]] }),
  );
}

/** The separate scopes to see and to change; empty where the scope permits only the one or the other. */
export function dividedScopes(scope: ResourceScope): string[] {
  const parts = [scope.actions.replace(/[cud]/g, ''), scope.actions.replace(/[rs]/g, '')];
  if (parts.includes('')) return [];
  return parts.map((actions) => printScope({ ...scope, actions }));
}

function describeResource(scope: ResourceScope, say: Say): ScopeDescription {
  const category = categoryOf(scope);
  const words = category ? `categories.${category.code}` : placeOf(scope.type);
  const name = words ? say(`${words}.name`) : spaced(scope.type);
  const what = words ? say(`${words}.noun`) : say('otherType', { type: scope.type });
  const sentence = say(`whose.${scope.subject}`, { verbs: verbs(scope, say), what });
  if (scope.query.length === 0 || category) return { displayName: name, description: sentence };
  const conditions = scope.query.map(([parameter, value]) => `${parameter} ${plainValue(value) ?? value}`);
  return {
    displayName: say('selected', { name }),
    description: say('only', { sentence, conditions: listAfterColon(conditions, say.language) }),
  };
}

function describeOperation({ operation, type }: OperationScope, say: Say): ScopeDescription {
  const words = placeOf(type);
  const what = words ? say(`${words}.noun`) : say('otherType', { type });
  return {
    displayName: say('operation.name', { operation }),
    description: type === '*' ? say('operation.onServer') : say('operation.on', { what }),
  };
}

function placeOf(type: string): string | undefined {
  return Object.hasOwn(scopeWords.types, type) ? `types.${type}` : undefined;
}

/** The category a scope is limited to, when that is its only condition; a bare code is understood as well. */
export function categoryOf(scope: ResourceScope): Category | undefined {
  const [first] = scope.query;
  if (scope.query.length !== 1 || first?.[0] !== 'category') return undefined;
  const value = plainValue(first[1]);
  return categories[scope.type]?.find(({ system, code }) => value === code || value === `${system}|${code}`);
}

/** 'rs' → 'see'; 'cruds' → 'see, add, change, delete'. Reading one and searching many are the same to a user. */
export function verbs({ actions, type }: Pick<ResourceScope, 'actions' | 'type'>, say: Say): string {
  const odd = type === 'Appointment';
  const all = [
    ...(/[rs]/.test(actions) ? [say('verbs.see')] : []),
    ...(actions.includes('c') ? [say(odd ? 'appointmentVerbs.c' : 'verbs.c')] : []),
    ...(actions.includes('u') ? [say('verbs.u')] : []),
    ...(actions.includes('d') ? [say(odd ? 'appointmentVerbs.d' : 'verbs.d')] : []),
  ];
  return listAfterColon(all, say.language);
}

/** The English text at a path of {@link scopeWords}. */
const inEnglish: Say = Object.assign(
  (place: string, values: Record<string, string> = {}): string => {
    const words = place.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], scopeWords);
    return String(words).replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  },
  { language: 'en' },
);

/** 'NutritionOrder' → 'Nutrition Order'. */
function spaced(type: string): string {
  return type.replace(/(?<=[a-z])([A-Z])/g, ' $1');
}
