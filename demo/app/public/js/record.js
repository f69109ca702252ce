// @ts-check
import { element, longDate } from './dom.js';
import { nameOf } from './observations.js';
import { grantedSearches } from './scopes.js';

/**
 * @import { AllergyIntolerance, Condition, Encounter, MedicationRequest, Resource } from '@medplum/fhirtypes'
 */

/**
 * @template {Resource} T
 * @typedef {object} Part
 * @property {T['resourceType']} type
 * @property {string} title
 * @property {(resource: T) => string} text
 * @property {(resource: T) => string | undefined} date
 */

const PARTS = [
  /** @type {Part<Condition>} */ ({
    type: 'Condition',
    title: 'Conditions',
    text: ({ code }) => nameOf(code),
    date: ({ onsetDateTime }) => onsetDateTime,
  }),
  /** @type {Part<MedicationRequest>} */ ({
    type: 'MedicationRequest',
    title: 'Prescriptions',
    text: ({ medicationReference, medicationCodeableConcept }) =>
      medicationReference?.display ?? nameOf(medicationCodeableConcept),
    date: ({ authoredOn }) => authoredOn,
  }),
  /** @type {Part<AllergyIntolerance>} */ ({
    type: 'AllergyIntolerance',
    title: 'Allergies',
    text: ({ code }) => nameOf(code),
    date: ({ recordedDate }) => recordedDate,
  }),
  /** @type {Part<Encounter>} */ ({
    type: 'Encounter',
    title: 'Visits',
    text: ({ type }) => nameOf(type?.[0]),
    date: ({ period }) => period?.start,
  }),
];

const SHOWN = 5;

/**
 * Reads everything of a type that was granted and that belongs to the patient.
 *
 * @param {FhirClient} client
 * @param {string[]} granted
 * @param {string} type
 * @param {Record<string, string>} [parameters]
 * @returns {Promise<Resource[] | undefined>} nothing when the type was not shared
 */
export async function readGranted(client, granted, type, parameters = {}) {
  const searches = grantedSearches(granted, type);
  if (searches.length === 0) {
    return undefined;
  }
  const answers = await Promise.all(
    searches.map((search) => {
      const query = new URLSearchParams([
        ['patient', client.patient.id ?? ''],
        ...search,
        ...Object.entries(parameters),
      ]);
      return client.request(`${type}?${query}`, { pageLimit: 5, flat: true });
    }),
  );
  // A resource may be in several of the categories that were granted.
  return [...new Map(answers.flat().map((resource) => [resource.id, resource])).values()];
}

/**
 * @param {Resource[] | undefined | null} resources as {@link readGranted} gave them, null when it failed
 * @returns {string} why there is nothing to show
 */
export function whyNothing(resources) {
  if (resources === undefined) {
    return 'Not shared with this app.';
  }
  return resources === null ? 'Could not be read.' : 'There is nothing in the record.';
}

/**
 * What {@link readGranted} would have given: a kind that is refused is not shared any more.
 *
 * @param {{ status?: number }} error
 */
export const refusedOrFailed = ({ status }) => (status === 403 ? undefined : null);

/**
 * The other parts of the record, a few lines each.
 *
 * @param {FhirClient} client
 * @param {string[]} granted
 * @returns {Promise<HTMLElement[]>}
 */
export function recordParts(client, granted) {
  return Promise.all(
    PARTS.map(async (part) => {
      const { type, title, text, date } = /** @type {Part<Resource>} */ (part);
      const heading = element('h3', {}, title);
      const resources = await readGranted(client, granted, type).catch(refusedOrFailed);
      if (!resources?.length) {
        return element('div', { class: 'group' }, heading, element('p', { class: 'quiet' }, whyNothing(resources)));
      }
      const newest = resources.sort((a, b) => (date(b) ?? '').localeCompare(date(a) ?? '')).slice(0, SHOWN);
      const rows = newest.map((resource) =>
        element('li', {}, element('span', {}, text(resource)), longDate(date(resource))),
      );
      return element('div', { class: 'group' }, heading, element('ul', {}, ...rows));
    }),
  );
}
