// @ts-check
import { at, daysAgo } from './dates.js';
import { CVX, concept, LOINC, referenceTo, SNOMED, testDataMeta, usCore } from './fhir.js';

/**
 * @import { CarePlan, CareTeam, Condition, Goal, Immunization, Procedure, ServiceRequest } from '@medplum/fhirtypes'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/** @type {[code: string, display: string][]} */
const VACCINES = [
  ['140', 'Influenza, seasonal, injectable, preservative free'],
  ['115', 'Tdap'],
  ['133', 'Pneumococcal conjugate PCV 13'],
  ['03', 'MMR'],
];
/** @type {[code: string, display: string][]} */
const PROCEDURES = [
  ['29303009', 'Electrocardiographic procedure'],
  ['127783003', 'Spirometry'],
  ['171207006', 'Depression screening'],
];

/**
 * @param {Person} person
 * @param {Visit[]} visits
 * @returns {Immunization[]}
 */
export function generateImmunizations(person, visits) {
  const random = person.random('immunizations');
  return random.sample(VACCINES, 2).map(([code, display], index) => {
    const visit = random.pick(visits);
    return {
      resourceType: 'Immunization',
      id: `immunization-${person.id}-${index + 1}`,
      meta: testDataMeta(),
      status: 'completed',
      vaccineCode: concept(CVX, code, display),
      patient: person.subject,
      encounter: visit.reference,
      occurrenceDateTime: at(visit.date, visit.time),
      primarySource: true,
      performer: [{ actor: person.carer }],
    };
  });
}

/**
 * The order of the newest visit, and the procedure done for it.
 *
 * @param {Person} person
 * @param {Visit} visit
 * @returns {[ServiceRequest, Procedure]}
 */
export function generateProcedure(person, visit) {
  const [code, display] = person.random('procedures').pick(PROCEDURES);
  /** @type {ServiceRequest} */
  const order = {
    resourceType: 'ServiceRequest',
    id: `service-request-${person.id}`,
    meta: testDataMeta(),
    status: 'completed',
    intent: 'order',
    category: [concept(SNOMED, '103693007', 'Diagnostic procedure')],
    code: concept(SNOMED, code, display),
    subject: person.subject,
    encounter: visit.reference,
    occurrenceDateTime: at(visit.date, visit.time),
    authoredOn: at(visit.date, visit.time),
    requester: person.carer,
  };
  /** @type {Procedure} */
  const procedure = {
    resourceType: 'Procedure',
    id: `procedure-${person.id}`,
    meta: testDataMeta(),
    basedOn: [referenceTo(order)],
    status: 'completed',
    code: concept(SNOMED, code, display),
    subject: person.subject,
    encounter: visit.reference,
    performedDateTime: at(visit.date, visit.time),
    performer: [{ actor: person.carer }],
  };
  return [order, procedure];
}

/**
 * The plan for a patient: who works on it, what for and what it should lead to.
 *
 * @param {Person} person
 * @param {Condition[]} conditions
 * @returns {[CareTeam, Goal, CarePlan]}
 */
export function generateCarePlan(person, conditions) {
  const addresses = conditions.slice(0, 1).map((condition) => referenceTo(condition, condition.code?.text));
  /** @type {CareTeam} */
  const team = {
    resourceType: 'CareTeam',
    id: `care-team-${person.id}`,
    meta: testDataMeta(),
    status: 'active',
    name: `Care team of ${person.subject.display}`,
    subject: person.subject,
    participant: [
      { role: [concept(SNOMED, '116154003', 'Patient')], member: person.subject },
      {
        role: [concept(SNOMED, '158965000', 'Medical practitioner')],
        member: person.carer,
        onBehalfOf: person.provider,
      },
    ],
    managingOrganization: [person.provider],
  };
  /** @type {Goal} */
  const goal = {
    resourceType: 'Goal',
    id: `goal-${person.id}`,
    meta: testDataMeta(),
    lifecycleStatus: 'active',
    description: { text: 'Walk for half an hour on five days a week' },
    subject: person.subject,
    startDate: daysAgo(120),
    target: [
      { measure: concept(LOINC, '89555-7', 'Days per week of moderate to strenuous activity'), dueDate: daysAgo(-60) },
    ],
    addresses,
  };
  /** @type {CarePlan} */
  const plan = {
    resourceType: 'CarePlan',
    id: `care-plan-${person.id}`,
    meta: testDataMeta(),
    text: {
      status: 'additional',
      div: '<div xmlns="http://www.w3.org/1999/xhtml">More movement, and a check-up every five months.</div>',
    },
    status: 'active',
    intent: 'plan',
    category: [usCore('careplan-category', 'assess-plan', 'Assessment and Plan of Treatment')],
    subject: person.subject,
    period: { start: daysAgo(120) },
    careTeam: [referenceTo(team)],
    addresses,
    goal: [referenceTo(goal)],
  };
  return [team, goal, plan];
}
