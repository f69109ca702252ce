// @ts-check
import { at, daysAgo } from './dates.js';
import { concept, hl7, quantity, referenceTo, SNOMED, testDataMeta } from './fhir.js';

/**
 * @import { Device, MedicationDispense, MedicationRequest, RelatedPerson, Specimen } from '@medplum/fhirtypes'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/** @type {[code: string, display: string][]} */
const DEVICES = [
  ['14106009', 'Cardiac pacemaker'],
  ['304120007', 'Total hip replacement prosthesis'],
  ['700643004', 'Intraocular lens'],
];
/** @type {[code: string, display: string][]} */
const RELATIVES = [
  ['SPS', 'spouse'],
  ['SIB', 'sibling'],
  ['CHILD', 'child'],
];

/**
 * @param {Person} person
 * @returns {Device}
 */
export function generateDevice(person) {
  const [code, display] = person.random('device').pick(DEVICES);
  return {
    resourceType: 'Device',
    id: `device-${person.id}`,
    meta: testDataMeta(),
    status: 'active',
    udiCarrier: [{ deviceIdentifier: `0084${person.id.padStart(10, '0')}` }],
    serialNumber: `SN-${person.id}`,
    manufactureDate: daysAgo(900),
    type: concept(SNOMED, code, display),
    patient: person.subject,
  };
}

/**
 * @param {Person} person
 * @returns {RelatedPerson}
 */
export function generateRelative(person) {
  const [code, display] = person.random('relative').pick(RELATIVES);
  return {
    resourceType: 'RelatedPerson',
    id: `related-person-${person.id}`,
    meta: testDataMeta(),
    active: true,
    patient: person.subject,
    relationship: [hl7('v3-RoleCode', code, display)],
    name: [{ text: `${person.subject.display}’s ${display}` }],
  };
}

/**
 * The medication that a pharmacy dispensed for a prescription.
 *
 * @param {Person} person
 * @param {MedicationRequest} prescription
 * @returns {MedicationDispense}
 */
export function generateDispense(person, prescription) {
  const { id, medicationCodeableConcept, medicationReference, authoredOn, encounter } = prescription;
  return {
    resourceType: 'MedicationDispense',
    id: `dispense-of-${id}`,
    meta: testDataMeta(),
    status: 'completed',
    ...(medicationCodeableConcept && { medicationCodeableConcept }),
    ...(medicationReference && { medicationReference }),
    subject: person.subject,
    ...(encounter && { context: encounter }),
    performer: [{ actor: person.provider }],
    authorizingPrescription: [referenceTo(prescription)],
    type: hl7('v3-ActCode', 'FF', 'First Fill'),
    quantity: quantity(30, 'tablets', '{tablet}'),
    ...(authoredOn && { whenHandedOver: authoredOn }),
  };
}

/**
 * The blood that a visit's laboratory tests were made on.
 *
 * @param {Person} person
 * @param {Visit} visit
 * @returns {Specimen}
 */
export function generateSpecimen(person, visit) {
  return {
    resourceType: 'Specimen',
    id: `specimen-${person.id}-${visit.number}`,
    meta: testDataMeta(),
    status: 'available',
    type: concept(SNOMED, '122555007', 'Venous blood specimen'),
    subject: person.subject,
    collection: { collectedDateTime: at(visit.date, visit.time) },
  };
}
