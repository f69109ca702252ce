/**
 * The types that a search reaches beyond its own resource type: included resources, and resources of other types that
 * its conditions refer to (FHIR R4 §3.1.1.5).
 */

import { mostLike } from '../../contract/rules/nearest.js';
import type { Parameter } from './parameter.js';
import { Refusal } from './refusal.js';
import { faultyParameter, shownName } from './search-faults.js';

/** A type that a search reaches beyond its own. */
export interface RelatedType {
  /** `*` where the request does not name it. */
  type: string;
  /** The letter of the scope that it needs: what is referred to is read, what refers is searched for. */
  action: 'r' | 's';
  /**
   * True if the resources come with the answer. If not, or if an included resource includes more, only a filter
   * applies.
   */
  shown: boolean;
}

const deepestChain = 4;
const code = '[A-Za-z][A-Za-z0-9_-]{0,63}';
const typeName = '[A-Z][A-Za-z]{0,63}';
const inclusionName = /^_(rev)?include(:iterate)?$/;
/** No `*`: what it includes is for the server to know. */
const inclusionValue = new RegExp(`^(${typeName}):(${code})(?::(${typeName}))?$`);
const link = new RegExp(`^${code}(?::(${typeName}))?$`);
const reverseLink = new RegExp(`^_has:(${typeName}):${code}:(.+)$`);
const lastOfChain = new RegExp(`^(?:_id|${code})(?::(?:exact|contains|missing|not|text|identifier))?$`);

/** True if a parameter of this name adds resources to the matches. */
export function isInclusion(name: string): boolean {
  return inclusionName.test(name);
}

/** True if a parameter of this name reaches beyond the searched type. */
export function namesRelatedType(name: string): boolean {
  return isInclusion(name) || name.startsWith('_has:') || name.includes('.');
}

/** All types that these parameters reach. Throws a {@link Refusal} for one that cannot be resolved. */
export function relatedTypesOf(type: string, parameters: readonly Parameter[]): RelatedType[] {
  const relatedTypes: RelatedType[] = [];
  for (const [name, value] of parameters.filter((parameter) => namesRelatedType(parameter[0]))) {
    const found = isInclusion(name) ? inclusion(type, name, value) : conditions(name, deepestChain);
    if (!found) {
      const sentence = `The search parameter '${name.slice(0, 80)}' is not supported like this.`;
      throw faultyParameter(
        400,
        sentence,
        isInclusion(name) ? inclusionFault(type, name, value) : conditionFault(name),
      );
    }
    relatedTypes.push(...found);
  }
  return relatedTypes;
}

function inclusionFault(searched: string, name: string, value: string) {
  const [base = ''] = name.split(':', 1);
  const [, source] = inclusionValue.exec(value) ?? [];
  const form = 'a resource type, a colon and a search parameter as its value, such as Observation:subject';
  if (value === '*' || value.endsWith(':*')) {
    return { name: base, fault: 'asks for everything that is referred to, which is not passed on', right: form };
  }
  if (source === undefined) return { name: base, fault: 'has a value that names no search parameter', right: form };
  return {
    name: base,
    fault: `has a value for ${source}, and the search is for ${searched}`,
    right: `${searched} before the first colon of the value, or ${base}:iterate`,
  };
}

function conditionFault(name: string) {
  if (name.startsWith('_has:')) {
    const right = '_has:, then a resource type, its search parameter for the reference and the one for its value';
    return { name: '_has', fault: 'is not followed by a type and two search parameters, each after a colon', right };
  }
  const [first = ''] = name.split('.', 1);
  const right = 'names of search parameters, with a dot between them, as in subject:Patient.name';
  const isDeep = name.split('.').length > deepestChain;
  const fault = isDeep
    ? `chains more than ${deepestChain} search parameters`
    : 'has a chain with a part that no name of a search parameter has';
  return { name: shownName(first), fault, right };
}

/**
 * The refusal in place of one for a missing scope: no scope opens a related type that the FHIR server does not have.
 * Where the token opens it, the server decides what it means.
 */
export function refusalOfRelatedType(
  error: unknown,
  { type, parameters }: { type: string; parameters: readonly Parameter[] },
  related: RelatedType,
  served: readonly string[] = [],
): unknown {
  const { type: unserved } = related;
  if (!(error instanceof Refusal) || served.length === 0 || unserved === '*' || served.includes(unserved)) return error;
  const names = (parameter: Parameter) => relatedTypesOf(type, [parameter]).some((one) => one.type === unserved);
  const near = mostLike(unserved, served);
  return faultyParameter(403, `The FHIR server has no resources of the type ${unserved}.`, {
    name: shownName(parameters.find(names)?.[0] ?? ''),
    fault: `names the resource type ${unserved}, which the FHIR server does not have`,
    nearest: near === undefined ? 'No type of the server has a similar name.' : `The nearest is ${near}.`,
    right: near === undefined ? 'a type of its CapabilityStatement' : `${near} in place of ${unserved}`,
  });
}

function inclusion(searched: string, name: string, value: string): RelatedType[] | undefined {
  const [, reverse, iterate] = inclusionName.exec(name) ?? [];
  const [, source = '', , target] = inclusionValue.exec(value) ?? [];
  if (source === '') return undefined;
  const [included, from] = reverse ? [source, target ?? searched] : [target ?? '*', source];
  if (iterate === undefined && from !== searched) return undefined;
  const related: RelatedType = { type: included, action: reverse ? 's' : 'r', shown: true };
  // An iterated include passes through resources that the answer may not show.
  return iterate === undefined
    ? [related]
    : [related, { type: from, action: 'r', shown: false }, { ...related, shown: false }];
}

/**
 * The types whose resources a chain (`subject:Patient.name`) or a reverse chain (`_has:Observation:subject:code`) asks
 * about.
 */
function conditions(name: string, depth: number): RelatedType[] | undefined {
  if (depth === 0) return undefined;
  const [, referring, rest] = reverseLink.exec(name) ?? [];
  if (referring !== undefined && rest !== undefined)
    return nextRelatedTypes({ type: referring, action: 's', shown: false }, rest, depth);
  const dot = name.indexOf('.');
  if (dot === -1) return lastOfChain.test(name) ? [] : undefined;
  const by = name.slice(0, dot);
  const match = link.exec(by);
  if (!match) return undefined;
  // A parameter of this name looks at patients alone (FHIR R4 SearchParameter clinical-patient).
  const type = match[1] ?? (by === 'patient' ? 'Patient' : '*');
  return nextRelatedTypes({ type, action: 's', shown: false }, name.slice(dot + 1), depth);
}

function nextRelatedTypes(related: RelatedType, rest: string, depth: number): RelatedType[] | undefined {
  const more = conditions(rest, depth - 1);
  return more && [related, ...more];
}
