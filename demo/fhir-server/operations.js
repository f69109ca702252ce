// @ts-check
import { patientCompartmentParameters, SERVED_TYPES } from './definitions.js';
import { FhirError } from './fhir-error.js';
import { find, toEntry } from './search.js';

/**
 * @import { Bundle, Observation, Resource } from '@medplum/fhirtypes'
 * @import { Engine } from './search.js'
 * @import { SearchRequest } from './search-request.js'
 */

/** Types that a patient's record refers to without containing them, and that `$everything` adds. */
const SUPPORTING_TYPES = ['Practitioner', 'Organization', 'Location', 'Medication'];

/**
 * `Patient/{id}/$everything`: the patient, their compartment, and the people, places and medications it names.
 *
 * @see http://hl7.org/fhir/OperationDefinition/Patient-everything
 * @param {Engine} engine
 * @param {string} id
 * @returns {Promise<Bundle>}
 */
export async function patientEverything(engine, id) {
  const patient = (await find(engine, 'Patient', [['_id', id]])).resources;
  if (patient.length === 0) {
    throw new FhirError(404, 'not-found', `Patient/${id} is not known`);
  }
  /** @type {Map<string, Resource>} */
  const record = new Map([[`Patient/${id}`, /** @type {Resource} */ (patient[0])]]);
  for (const [type, parameters] of patientCompartmentParameters()) {
    // The compartment of a patient also names patients that link to them, who have a record of their own.
    for (const parameter of type === 'Patient' ? [] : parameters) {
      for (const resource of (await find(engine, type, [[parameter, `Patient/${id}`]])).resources) {
        record.set(`${type}/${resource.id}`, resource);
      }
    }
  }
  const named = new Set([...record.values()].flatMap(referencesIn));
  for (const type of SERVED_TYPES.filter((served) => SUPPORTING_TYPES.includes(served))) {
    const ids = [...named].filter((key) => key.startsWith(`${type}/`)).map((key) => key.slice(type.length + 1));
    const resources = ids.length > 0 ? (await find(engine, type, [['_id', ids.join(',')]])).resources : [];
    for (const resource of resources) {
      record.set(`${type}/${resource.id}`, resource);
    }
  }
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total: record.size,
    link: [{ relation: 'self', url: `${engine.baseUrl}/Patient/${id}/$everything` }],
    entry: [...record.values()].map((resource) => toEntry(engine.baseUrl, resource, 'match')),
  };
}

/** @param {Resource} resource */
function referencesIn(resource) {
  return [...JSON.stringify(resource).matchAll(/"reference":"([^"]+)"/g)].map(([, reference]) => reference ?? '');
}

/**
 * `Observation/$lastn`: the newest observations of each code among those that match, one of each unless `max` says
 * more.
 *
 * @see http://hl7.org/fhir/OperationDefinition/Observation-lastn
 * @param {Engine} engine
 * @param {SearchRequest} request
 * @param {number} max
 * @returns {Promise<Bundle>}
 */
export async function lastObservations(engine, request, max) {
  if (!request.filters.some(([key]) => key === 'patient' || key === 'subject')) {
    throw new FhirError(400, 'required', '$lastn needs a patient or subject');
  }
  const { resources } = await find(engine, 'Observation', request.filters, { sort: ['-date'] });
  /** @type {Map<string, number>} */
  const counts = new Map();
  const newest = resources.filter((resource) => {
    const { code } = /** @type {Observation} */ (resource);
    const key = `${code.coding?.[0]?.system}|${code.coding?.[0]?.code}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return (counts.get(key) ?? 0) <= max;
  });
  const query = new URLSearchParams([...request.understood, ['max', String(max)]]);
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    total: newest.length,
    link: [{ relation: 'self', url: `${engine.baseUrl}/Observation/$lastn?${query}` }],
    ...(newest.length > 0 ? { entry: newest.map((resource) => toEntry(engine.baseUrl, resource, 'match')) } : {}),
  };
}
