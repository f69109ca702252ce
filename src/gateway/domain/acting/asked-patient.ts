/**
 * Conditions that a representative may ask about a Patient of which a part is shown. The server matches all that it
 * has, so that a condition on anything else would tell of that, guess by guess (decision 0158).
 */
import { isOneOf } from '../../../contract/rules/resources/codes.js';
import { listOf, member } from '../../../contract/rules/resources/elements.js';
import type { Parameter } from '../parameter.js';
import { Refusal } from '../refusal.js';
import type { RecordLimit } from './record-limit.js';

/** The elements at which the R4 search parameters of a Patient look, and those of US Core. */
const parametersOf: Readonly<Record<string, readonly string[]>> = {
  active: ['active'],
  address: ['address', 'address-city', 'address-country', 'address-postalcode', 'address-state', 'address-use'],
  birthDate: ['birthdate'],
  communication: ['language'],
  deceased: ['death-date', 'deceased'],
  extension: ['age', 'birthOrderBoolean', 'ethnicity', 'mothersMaidenName', 'race'],
  gender: ['gender'],
  generalPractitioner: ['general-practitioner'],
  identifier: ['identifier'],
  link: ['link'],
  managingOrganization: ['organization'],
  'meta.source': ['_source'],
  'meta.tag': ['_tag'],
  name: ['family', 'given', 'name', 'phonetic'],
  telecom: ['email', 'phone', 'telecom'],
};
const elements: ReadonlyMap<string, string> = new Map(
  Object.entries(parametersOf).flatMap(([element, names]) => names.map((name) => [name, element] as const)),
);

/** Throws a {@link Refusal} for a search for a Patient by elements that are not shown, or for what these name. */
export function assertAsksAboutShown(parameters: readonly Parameter[], limit: PatientLimit): void {
  const hidden = parameters.find((parameter) => !asksAboutShown(parameter, limit));
  if (hidden === undefined) return;
  const text = `With this token the parameter '${hidden[0].slice(0, 80)}' is not supported here.`;
  // A name could be a value.
  const name = /^[\w:-]{1,40}$/.test(hidden[0]) ? hidden[0] : 'the parameter';
  const what = `what ${name} asks about`;
  const remedy = `Have the app leave ${name} out: it asks about a part of the Patient that is not shown.`;
  const detail = { what, remedy, configuration: '' };
  throw new Refusal(403, 'not-supported', text).because({ code: 'gateway-kept-private', detail });
}

/**
 * The parameters without the identifiers that are not shown, of which some may be the patient's: undefined if a
 * condition has no others, so that the search finds nothing. `shown` is the Patient as it is shown.
 */
export function withShownIdentifiers(parameters: readonly Parameter[], shown: unknown): Parameter[] | undefined {
  const own = listOf(member(shown, 'identifier')).map((one) => ({
    system: member(one, 'system'),
    code: member(one, 'value'),
  }));
  const isShown = (value: string) =>
    isOneOf(own, value) || (value.endsWith('|') && own.some(({ system }) => value === `${system}|`));
  const known: Parameter[] = [];
  for (const [name, value] of parameters) {
    const open = name === 'identifier' ? value.split(',').filter(isShown).join(',') : value;
    if (open === '' && value !== '') return undefined;
    known.push([name, open]);
  }
  return known;
}

type PatientLimit = Pick<RecordLimit, 'isPatientInPart' | 'showsOfPatient'>;

function asksAboutShown([name, value]: Parameter, limit: PatientLimit): boolean {
  const [base = '', modifier] = name.split(':');
  // A modifier could ask about identifiers that are not shown.
  if (base === 'identifier' && limit.isPatientInPart) return modifier === undefined;
  const asked = base === '_include' ? (value.split(':')[1] ?? '') : base;
  const element = elements.get(asked);
  if (element !== undefined) return limit.showsOfPatient(element);
  // Another parameter may look at any element.
  return asked.startsWith('_') || (!limit.isPatientInPart && limit.showsOfPatient('contact'));
}
