// @ts-check
import { at, REFERENCE_DATE } from './dates.js';
import { base64, concept, hl7, LOINC, referenceTo, testDataMeta, usCore } from './fhir.js';

/**
 * @import { Coverage, DiagnosticReport, DocumentReference, Observation, Organization, Provenance, Resource } from '@medplum/fhirtypes'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/**
 * The report on a visit's laboratory tests.
 *
 * @param {Person} person
 * @param {Visit} visit
 * @param {Observation[]} results
 * @returns {DiagnosticReport}
 */
export function generateLaboratoryReport(person, visit, results) {
  return {
    resourceType: 'DiagnosticReport',
    id: `laboratory-report-${person.id}-${visit.number}`,
    meta: testDataMeta(),
    status: 'final',
    category: [hl7('v2-0074', 'LAB', 'Laboratory')],
    code: concept(LOINC, '11502-2', 'Laboratory report'),
    subject: person.subject,
    encounter: visit.reference,
    effectiveDateTime: at(visit.date, visit.time),
    issued: at(visit.date, visit.time),
    performer: [person.provider],
    result: results.map((result) => referenceTo(result, result.code.text)),
  };
}

/**
 * The note on a visit, as a document and as the report that clients find among the results.
 *
 * @param {Person} person
 * @param {Visit} visit
 * @returns {[DocumentReference, DiagnosticReport]}
 */
export function generateNote(person, visit) {
  const text = `Visit of ${person.subject.display} on ${visit.date}. Feels well; vital signs and laboratory reviewed.`;
  const attachment = { contentType: 'text/plain; charset=utf-8', data: base64(text), title: 'Visit note' };
  /** @type {DocumentReference} */
  const document = {
    resourceType: 'DocumentReference',
    id: `document-${person.id}`,
    meta: testDataMeta(),
    identifier: [{ system: 'https://gatehouse.demo/documents', value: `D-${person.id}` }],
    status: 'current',
    type: concept(LOINC, '11506-3', 'Progress note'),
    category: [usCore('us-core-documentreference-category', 'clinical-note', 'Clinical Note')],
    subject: person.subject,
    date: at(visit.date, visit.time),
    author: [person.carer],
    custodian: person.provider,
    content: [{ attachment }],
    context: { encounter: [visit.reference] },
  };
  /** @type {DiagnosticReport} */
  const report = {
    resourceType: 'DiagnosticReport',
    id: `note-report-${person.id}`,
    meta: testDataMeta(),
    status: 'final',
    category: [concept(LOINC, 'LP29708-2', 'Cardiology')],
    code: concept(LOINC, '11524-6', 'EKG study'),
    subject: person.subject,
    encounter: visit.reference,
    effectiveDateTime: at(visit.date, visit.time),
    issued: at(visit.date, visit.time),
    performer: [person.carer],
    presentedForm: [{ ...attachment, title: 'Electrocardiogram', data: base64('Sinus rhythm, no abnormality seen.') }],
  };
  return [document, report];
}

/**
 * @param {Person} person
 * @param {Organization} insurer
 * @returns {Coverage}
 */
export function generateCoverage(person, insurer) {
  const memberId = `M-${person.id.padStart(5, '0')}`;
  return {
    resourceType: 'Coverage',
    id: `coverage-${person.id}`,
    meta: testDataMeta(),
    identifier: [
      { type: hl7('v2-0203', 'MB', 'Member number'), system: 'https://gatehouse.demo/members', value: memberId },
    ],
    status: 'active',
    type: hl7('v3-ActCode', 'HIP', 'Health insurance plan policy'),
    subscriberId: memberId,
    beneficiary: person.subject,
    relationship: hl7('subscriber-relationship', 'self', 'Self'),
    payor: [referenceTo(insurer, insurer.name)],
  };
}

/**
 * The author of a record, over everything in it.
 *
 * @param {Person} person
 * @param {Resource[]} record
 * @returns {Provenance}
 */
export function generateProvenance(person, record) {
  return {
    resourceType: 'Provenance',
    id: `provenance-${person.id}`,
    meta: testDataMeta(),
    target: record.map((resource) => referenceTo(resource)),
    recorded: `${REFERENCE_DATE}T00:00:00Z`,
    agent: [
      {
        type: hl7('provenance-participant-type', 'author', 'Author'),
        who: person.carer,
        onBehalfOf: person.provider,
      },
    ],
  };
}
