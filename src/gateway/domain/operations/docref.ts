/**
 * The operation `DocumentReference/$docref` (US Core, OperationDefinition docref): the documents of one patient. It is
 * run by the server, or a search for the documents that are there.
 */

import type { Parameter } from '../parameter.js';
import { Refusal } from '../refusal.js';

/** Its own parameters. */
export const docrefParameters: readonly string[] = ['patient', 'start', 'end', 'type', 'on-demand', 'profile'];

const patientId = /^(?:Patient\/)?(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;
const dateTime = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?$/;
const forms: Readonly<Record<string, RegExp>> = {
  patient: patientId,
  start: dateTime,
  end: dateTime,
  'on-demand': /^(?:true|false)$/,
};

/** Throws a {@link Refusal} unless these parameters ask for the documents of one patient. */
export function assertDocref(parameters: readonly Parameter[]): void {
  for (const [name, form] of Object.entries(forms)) {
    const values = parameters.filter(([own]) => own === name).map(([, value]) => value);
    const isThere = values.length === 1 || (values.length === 0 && name !== 'patient');
    if (isThere && values.every((value) => form.test(value))) continue;
    throw new Refusal(400, 'invalid', `The operation $docref needs one usable value of '${name}'.`);
  }
}

/** The parameters as the server is asked to run it: the patient by the id alone. */
export function forServersDocref(parameters: readonly Parameter[]): Parameter[] {
  return parameters.map(([name, value]) => [name, name === 'patient' ? value.replace(/^Patient\//, '') : value]);
}

/**
 * The same as a search, the newest documents first; `known` are the search parameters that the server lists. Dates are
 * of care, and profiles those of the documents. Throws a {@link Refusal} for documents that would have to be made.
 */
export function searchForDocref(parameters: readonly Parameter[], known: readonly string[]): Parameter[] {
  const sorted: Parameter[] = known.includes('date') ? [['_sort', '-date']] : [];
  const asSearch = parameters.flatMap(([name, value]): Parameter[] => {
    switch (name) {
      case 'start':
        return [['period', `ge${value}`]];
      case 'end':
        return [['period', `le${value}`]];
      case 'profile':
        return [['format', value]];
      case 'on-demand':
        if (value === 'false') return [];
        throw new Refusal(400, 'not-supported', 'The FHIR server makes no documents on demand.');
      default:
        return [[name, value]];
    }
  });
  return [...asSearch, ...sorted];
}
