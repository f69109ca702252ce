/**
 * Searches and reads whose answers lack elements (`_elements`, `_summary`, FHIR R4 §3.1.1.5.8 and §3.1.1.5.9), so that
 * each resource can be checked nevertheless. A server may answer more than it was asked for, so a resource keeps what
 * was needed for that.
 */

import type { Parameter } from './parameter.js';
import { subjectElementsOf } from './patient-compartment.js';
import { Refusal } from './refusal.js';
import { isInclusion } from './related-types.js';
import { namedElementsOf } from './separation/named-elements.js';

const elementList = /^[A-Za-z][A-Za-z0-9]{0,63}(?:,[A-Za-z][A-Za-z0-9]{0,63}){0,49}$/;

/**
 * The parameters by which the server leaves in what tells whose a resource is, of which categories, and what it
 * contains. `types` are those of all resources in the answer; with `*`, which stands for any, resources are asked for
 * whole.
 */
export function checkableParameters(types: readonly string[], parameters: readonly Parameter[]): Parameter[] {
  return parameters.flatMap((parameter): Parameter[] => {
    const [name, value] = parameter;
    if (name === '_elements') return withNeeded(types, value);
    if (name !== '_summary' || value === 'data') return [parameter];
    // The elements of a summary differ from type to type: the whole resource is an answer, too.
    if (value === 'true' || value === 'false') return [];
    if (value === 'text') return withNeeded(types, 'text');
    throw new Refusal(400, 'not-supported', `The summary '${value.slice(0, 80)}' is not supported here.`);
  });
}

function withNeeded(types: readonly string[], asked: string): Parameter[] {
  if (!elementList.test(asked)) {
    throw new Refusal(400, 'not-supported', 'The _elements must be names of elements, such as code,status.');
  }
  if (types.includes('*')) return [];
  const needed = ['category', 'contained', ...types.flatMap(neededOf)];
  return [['_elements', [...new Set([...asked.split(','), ...needed])].join(',')]];
}

function neededOf(type: string): string[] {
  const { about = [], participants } = namedElementsOf(type) ?? {};
  const paths = [...subjectElementsOf(type), ...about];
  const roots = paths.flatMap(([root]) => (root === undefined ? [] : [root.replace(/\*$/, '')]));
  return [...roots, ...(participants ? [participants.list] : [])];
}

/** True if a search is for the number of what it finds, and nothing else. */
export function asksForCount(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name, value]) => isCount(name, value));
}

/** True if a search wants an exact `total` with its matches. */
export function asksForTotal(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name, value]) => name === '_total' && value === 'accurate');
}

/** The same search for what is to be counted, so many on a page. */
export function searchToCount(parameters: readonly Parameter[], onPage: number): Parameter[] {
  const isControl = (name: string) => control.has(name) || isInclusion(name);
  return [...parameters.filter(([name]) => !isControl(name)), ['_count', String(onPage)]];
}

/** Entries that say nothing of the matches themselves. */
const control = new Set(['_count', '_summary', '_elements', '_total', '_sort', '_offset', '_page', '_skip']);

function isCount(name: string, value: string): boolean {
  return (name === '_summary' && value === 'count') || (name === '_count' && /^0+$/.test(value));
}
