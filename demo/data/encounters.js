// @ts-check
import { at, daysAgo } from './dates.js';
import { concept, hl7, referenceTo, SNOMED, testDataMeta } from './fhir.js';

/**
 * @import { Encounter, Reference } from '@medplum/fhirtypes'
 * @import { Person } from './patients.js'
 */

/**
 * @typedef {object} Visit
 * @property {number} number from 1, the oldest
 * @property {Encounter} encounter
 * @property {Reference<Encounter>} reference
 * @property {string} date
 * @property {string} time when the visit starts
 * @property {'checkup' | 'problem' | 'urgent'} kind
 */

/** @type {Record<Visit['kind'], { code: string, display: string, classCode: string, className: string }>} */
const KINDS = {
  checkup: { code: '185349003', display: 'Encounter for check up', classCode: 'AMB', className: 'ambulatory' },
  problem: { code: '185347001', display: 'Encounter for problem', classCode: 'AMB', className: 'ambulatory' },
  urgent: { code: '50849002', display: 'Emergency room admission', classCode: 'EMER', className: 'emergency' },
};

const TIMES = ['08:30', '09:15', '10:00', '11:20', '13:40', '15:05'];

/**
 * A patient's visits, oldest first: a check-up about every five months, and now and then something in between.
 *
 * @param {Person} person
 * @returns {Visit[]}
 */
export function generateVisits(person) {
  const random = person.random('encounters');
  const newest = person.patient.deceasedDateTime ? 120 : 12;
  const days = Array.from({ length: random.int(7, 10) }, (_, index) => newest + index * 150 + random.int(0, 60));
  return days.reverse().map((day, index) => {
    const kind = index % 4 === 2 ? 'problem' : random.chance(0.08) ? 'urgent' : 'checkup';
    return generateVisit(person, index + 1, kind, daysAgo(day), random.pick(TIMES));
  });
}

/**
 * @param {Person} person
 * @param {number} number
 * @param {Visit['kind']} kind
 * @param {string} date
 * @param {string} time
 * @returns {Visit}
 */
function generateVisit(person, number, kind, date, time) {
  const { code, display, classCode, className } = KINDS[kind];
  const { location } = person.site;
  /** @type {Encounter} */
  const encounter = {
    resourceType: 'Encounter',
    id: `encounter-${person.id}-${number}`,
    meta: testDataMeta(),
    identifier: [{ system: 'https://gatehouse.demo/visits', value: `V-${person.id}-${number}` }],
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: classCode, display: className },
    type: [concept(SNOMED, code, display)],
    subject: person.subject,
    participant: [{ type: [hl7('v3-ParticipationType', 'PPRF', 'primary performer')], individual: person.carer }],
    period: { start: at(date, time), end: at(date, `${String(Number(time.slice(0, 2)) + 1).padStart(2, '0')}:00`) },
    location: [{ location: referenceTo(location, location.name) }],
    serviceProvider: person.provider,
  };
  return { number, encounter, reference: referenceTo(encounter), date, time, kind };
}
