/**
 * Searches by elements that name resources (decision 0094). The server matches what it has, and not what is shown, so a
 * condition that it could meet by a resource of another record would tell of that, by an entry, a count or a page. Such
 * a condition is not sent.
 */

import type { Parameter } from '../parameter.js';
import { type Named, namedBy, type ServerNames } from '../patient-compartment.js';
import { Refusal } from '../refusal.js';
import { namesRelatedType } from '../related-types.js';
import { type Condition, type NamedElements, namedElementsOf } from './named-elements.js';

interface Alternative {
  named: Named;
  /** As it is sent. */
  value: string;
}

/** The patients and values that the conditions of a search name. */
export function namedByConditions(type: string, parameters: readonly Parameter[], server: ServerNames): Named[] {
  const { conditions = {} } = namedElementsOf(type) ?? {};
  return parameters
    .filter(([name]) => conditionOf(name, conditions))
    .flatMap((one) => alternativesOf(one, conditions, server).map(({ named }) => named));
}

/**
 * The parameters without the alternatives that name what is not permitted; undefined if a condition has no others, so
 * that the search finds nothing. Throws a {@link Refusal} for a parameter that looks at what may not be shown in
 * another way.
 */
export function provableParameters(
  type: string,
  parameters: readonly Parameter[],
  isPermitted: (named: Named) => boolean,
  server: ServerNames,
): Parameter[] | undefined {
  const elements = namedElementsOf(type);
  if (!elements) return [...parameters];
  const { conditions } = elements;
  // Whatever the order is: a condition that finds nothing does not hide one that is refused.
  for (const parameter of parameters) assertProvable(parameter, elements);
  const provable: Parameter[] = [];
  for (const parameter of parameters) {
    const [name] = parameter;
    if (!conditionOf(name, conditions)) {
      provable.push(parameter);
      continue;
    }
    const open = alternativesOf(parameter, conditions, server).filter(({ named }) => isPermitted(named));
    if (open.length === 0) return undefined;
    provable.push([nameOf(name), open.map(({ value }) => value).join(',')]);
  }
  return provable;
}

/**
 * True if provable conditions keep a search within the record by themselves: what comes from a resource of the record
 * need not name the patient, so that a condition on the patient would not find it.
 */
export function areWithinRecord(type: string, provable: readonly Parameter[]): boolean {
  return type === 'Provenance' && provable.some(([name]) => name === 'target');
}

function assertProvable([name, value]: Parameter, { conditions, safe }: NamedElements): void {
  const isSafe = (one: string) => one.startsWith('_') || (safe ? safe.has(one) : !Object.hasOwn(conditions, one));
  const asked = name === '_sort' ? value.split(',').map((one) => one.replace(/^-/, '')) : [nameOf(name)];
  if (namesRelatedType(name) || asked.every(isSafe)) return;
  const [, modifier] = name.split(':');
  const isPlain = modifier === undefined || typeModifier.test(modifier);
  if (name !== '_sort' && isPlain && conditionOf(name, conditions)) return;
  const what = name === '_sort' ? `'_sort=${value.slice(0, 80)}'` : `the parameter '${name.slice(0, 80)}'`;
  throw new Refusal(403, 'not-supported', `With this token ${what} is not supported here.`);
}

/** A chain is none: it looks at what is named, and takes scopes for all of that. */
function conditionOf(name: string, conditions: NamedElements['conditions']): Condition | undefined {
  if (namesRelatedType(name)) return undefined;
  const base = nameOf(name);
  return Object.hasOwn(conditions, base) ? conditions[base] : undefined;
}

/** A value with an escape is not a reference. */
function alternativesOf(
  [name, value]: Parameter,
  conditions: NamedElements['conditions'],
  server: ServerNames,
): Alternative[] {
  const [, type] = name.split(':');
  const types = type === undefined ? (conditionOf(name, conditions)?.untyped ?? []) : [type];
  return value.split(',').flatMap((one) => {
    const written = logicalId.test(one) ? types.map((each) => `${each}/${one}`) : [one];
    return written.flatMap((reference) => {
      const named = namedBy({ reference }, server);
      return named?.reference === undefined ? [] : { named, value: reference };
    });
  });
}

function nameOf(name: string): string {
  return name.split(':')[0] ?? '';
}

const logicalId = /^[A-Za-z0-9.-]{1,64}$/;
const typeModifier = /^[A-Z][A-Za-z]{0,63}$/;
