// @ts-check
import { concept, hl7, LOINC, quantity, SNOMED, usCore } from './fhir.js';
import { observationAt } from './observation.js';

/**
 * @import { Observation } from '@medplum/fhirtypes'
 * @import { Problem } from './conditions.js'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

const LABORATORY = hl7('observation-category', 'laboratory', 'Laboratory');
const SOCIAL_HISTORY = hl7('observation-category', 'social-history', 'Social History');
const SURVEY = hl7('observation-category', 'survey', 'Survey');
const PROCEDURE = hl7('observation-category', 'procedure', 'Procedure');
const SDOH = usCore('us-core-category', 'sdoh', 'SDOH');

/**
 * Laboratory tests with their reference range, and the problem that puts a patient above it.
 *
 * @type {{ id: string, code: string, display: string, unit: string, range: [number, number], raisedBy?: Problem }[]}
 */
const TESTS = [
  { id: 'hba1c', code: '4548-4', display: 'Hemoglobin A1c', unit: '%', range: [4.8, 5.6], raisedBy: 'diabetes' },
  { id: 'glucose', code: '2339-0', display: 'Glucose', unit: 'mg/dL', range: [74, 99], raisedBy: 'diabetes' },
  {
    id: 'cholesterol',
    code: '2093-3',
    display: 'Cholesterol',
    unit: 'mg/dL',
    range: [148, 196],
    raisedBy: 'hyperlipidemia',
  },
  { id: 'hdl', code: '2085-9', display: 'HDL cholesterol', unit: 'mg/dL', range: [42, 68] },
  { id: 'creatinine', code: '2160-0', display: 'Creatinine', unit: 'mg/dL', range: [0.6, 1.1] },
  { id: 'hemoglobin', code: '718-7', display: 'Hemoglobin', unit: 'g/dL', range: [12.2, 16.4] },
];

/** @type {[code: string, display: string][]} */
const SMOKING = [
  ['266919005', 'Never smoked tobacco'],
  ['8517006', 'Ex-smoker'],
  ['449868002', 'Smokes tobacco daily'],
];

/**
 * Observations of the US Core categories besides vital signs: laboratory at every second visit, and social history,
 * survey, social determinants of health and the result of a procedure at the newest visit.
 *
 * @param {Person} person
 * @param {Visit[]} visits oldest first
 * @param {Problem[]} problems
 * @returns {{ laboratory: Map<Visit, Observation[]>, others: Observation[] }}
 */
export function generateObservations(person, visits, problems) {
  const laboratory = new Map(
    visits
      .map((visit, index) => /** @type {const} */ ([visit, index]))
      .filter(([, index]) => index % 2 === 1)
      .map(([visit, index]) => /** @type {const} */ ([visit, laboratoryOf(person, visit, index, problems)])),
  );
  const newest = visits.at(-1);
  return { laboratory, others: newest ? assessmentsOf(person, newest) : [] };
}

/**
 * @param {Person} person
 * @param {Visit} visit
 * @param {number} index
 * @param {Problem[]} problems
 */
function laboratoryOf(person, visit, index, problems) {
  const random = person.random(`laboratory-${index}`);
  return TESTS.map(({ id, code, display, unit, range: [low, high], raisedBy }) => {
    const raised = raisedBy !== undefined && problems.includes(raisedBy);
    const value = raised ? random.decimal(high * 1.1, high * 1.5) : random.decimal(low, high);
    return observationAt(person, visit, id, [LABORATORY], concept(LOINC, code, display), {
      valueQuantity: quantity(value, unit),
      referenceRange: [{ low: quantity(low, unit), high: quantity(high, unit) }],
    });
  });
}

/**
 * @param {Person} person
 * @param {Visit} visit
 */
function assessmentsOf(person, visit) {
  const random = person.random('assessments');
  const [smoking, smokingName] = person.age < 18 ? ['266919005', 'Never smoked tobacco'] : random.pick(SMOKING);
  const [hunger, hungerName] = random.chance(0.2) ? ['LA19952-3', 'At risk'] : ['LA19983-8', 'No risk'];
  return [
    observationAt(person, visit, 'smoking', [SOCIAL_HISTORY], concept(LOINC, '72166-2', 'Tobacco smoking status'), {
      valueCodeableConcept: concept(SNOMED, smoking, smokingName),
    }),
    observationAt(person, visit, 'phq9', [SURVEY], concept(LOINC, '44261-6', 'PHQ-9 total score'), {
      valueQuantity: quantity(random.int(0, 14), 'score', '{score}'),
    }),
    observationAt(person, visit, 'food', [SDOH, SURVEY], concept(LOINC, '88124-3', 'Food insecurity risk'), {
      valueCodeableConcept: concept(LOINC, hunger, hungerName),
    }),
    observationAt(person, visit, 'ecg', [PROCEDURE], concept(LOINC, '8634-8', 'Q-T interval'), {
      valueQuantity: quantity(random.int(362, 438), 'ms'),
    }),
  ];
}
