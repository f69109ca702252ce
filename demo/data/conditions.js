// @ts-check
import { at, daysAfter, daysAgo } from './dates.js';
import { concept, hl7, SNOMED, testDataMeta, usCore } from './fhir.js';

/**
 * @import { CodeableConcept, Condition, Reference, Encounter } from '@medplum/fhirtypes'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/** @typedef {'hypertension' | 'diabetes' | 'hyperlipidemia' | 'asthma' | 'rhinitis' | 'osteoarthritis'} Problem */

/** @type {Record<Problem, [code: string, display: string]>} */
const PROBLEMS = {
  hypertension: ['38341003', 'Hypertensive disorder'],
  diabetes: ['44054006', 'Type 2 diabetes mellitus'],
  hyperlipidemia: ['55822004', 'Hyperlipidemia'],
  asthma: ['195967001', 'Asthma'],
  rhinitis: ['232353008', 'Perennial allergic rhinitis with seasonal variation'],
  osteoarthritis: ['239873007', 'Osteoarthritis of knee'],
};

const CHILD_PROBLEMS = /** @type {const} */ (['asthma', 'rhinitis']);
const ADULT_PROBLEMS = /** @type {const} */ (['diabetes', 'hyperlipidemia', 'asthma', 'rhinitis', 'osteoarthritis']);

/** @type {[code: string, display: string][]} */
const DIAGNOSES = [
  ['444814009', 'Viral sinusitis'],
  ['195662009', 'Acute viral pharyngitis'],
  ['10509002', 'Acute bronchitis'],
  ['44465007', 'Sprain of ankle'],
  ['65363002', 'Otitis media'],
];
/** @type {[code: string, display: string][]} */
const CONCERNS = [
  ['733423003', 'Food insecurity'],
  ['73595000', 'Stress'],
  ['415510005', 'Sedentary lifestyle'],
];

const PROBLEM_LIST_ITEM = hl7('condition-category', 'problem-list-item', 'Problem List Item');
const ENCOUNTER_DIAGNOSIS = hl7('condition-category', 'encounter-diagnosis', 'Encounter Diagnosis');
const HEALTH_CONCERN = usCore('condition-category', 'health-concern', 'Health Concern');

/**
 * The long-term problems of a patient, which their vital signs, laboratory values and medication follow from.
 *
 * @param {Person} person
 * @returns {Problem[]}
 */
export function problemsOf(person) {
  const random = person.random('problems');
  if (person.age < 18) {
    return random.sample(CHILD_PROBLEMS, 1);
  }
  /** @type {Problem[]} */
  const problems = random.chance(person.age / 90) || person.id === '1' ? ['hypertension'] : [];
  return [...problems, ...random.sample(ADULT_PROBLEMS, random.int(1, 2))];
}

/**
 * Conditions of the three categories that US Core distinguishes: problem list, diagnoses of a visit, health concerns.
 *
 * @param {Person} person
 * @param {Visit[]} visits
 * @param {Problem[]} problems
 * @returns {Condition[]}
 */
export function generateConditions(person, visits, problems) {
  const random = person.random('conditions');
  /**
   * @param {string} id
   * @param {CodeableConcept} category
   * @param {[code: string, display: string]} code
   * @param {string} onset
   * @param {{ encounter?: Reference<Encounter>, resolvedOn?: string }} [more]
   * @returns {Condition}
   */
  const condition = (id, category, [code, display], onset, { encounter, resolvedOn } = {}) => ({
    resourceType: 'Condition',
    id: `condition-${person.id}-${id}`,
    meta: testDataMeta(),
    clinicalStatus: hl7('condition-clinical', resolvedOn ? 'resolved' : 'active', resolvedOn ? 'Resolved' : 'Active'),
    verificationStatus: hl7('condition-ver-status', 'confirmed', 'Confirmed'),
    category: [category],
    code: concept(SNOMED, code, display),
    subject: person.subject,
    ...(encounter ? { encounter } : {}),
    onsetDateTime: onset,
    ...(resolvedOn ? { abatementDateTime: resolvedOn } : {}),
    recordedDate: onset,
    recorder: person.carer,
  });
  const longTerm = problems.map((problem) =>
    condition(problem, PROBLEM_LIST_ITEM, PROBLEMS[problem], daysAgo(random.int(400, 700))),
  );
  const diagnoses = visits
    .filter(({ kind }) => kind !== 'checkup')
    .map(({ reference, date, time }, index) =>
      condition(`diagnosis-${index + 1}`, ENCOUNTER_DIAGNOSIS, random.pick(DIAGNOSES), at(date, time), {
        encounter: reference,
        resolvedOn: daysAfter(date, 10),
      }),
    );
  return [...longTerm, ...diagnoses, condition('concern', HEALTH_CONCERN, random.pick(CONCERNS), daysAgo(180))];
}
