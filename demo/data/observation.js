// @ts-check
import { at } from './dates.js';
import { testDataMeta } from './fhir.js';

/**
 * @import { CodeableConcept, Observation } from '@medplum/fhirtypes'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/**
 * An observation made at a visit.
 *
 * @param {Person} person
 * @param {Visit} visit
 * @param {string} id
 * @param {CodeableConcept[]} category
 * @param {CodeableConcept} code
 * @param {Pick<Observation, 'valueQuantity' | 'valueCodeableConcept' | 'component' | 'referenceRange'>} value
 * @returns {Observation}
 */
export function observationAt(person, visit, id, category, code, value) {
  return {
    resourceType: 'Observation',
    id: `${id}-${person.id}-${visit.number}`,
    meta: testDataMeta(),
    status: 'final',
    category,
    code,
    subject: person.subject,
    encounter: visit.reference,
    effectiveDateTime: at(visit.date, visit.time),
    issued: at(visit.date, visit.time),
    performer: [person.carer],
    ...value,
  };
}
