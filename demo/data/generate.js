// @ts-check
import { generateDevice, generateDispense, generateRelative, generateSpecimen } from './belongings.js';
import { generateCareProviders } from './care-providers.js';
import { generateConditions, problemsOf } from './conditions.js';
import { generateCoverage, generateLaboratoryReport, generateNote, generateProvenance } from './documents.js';
import { generateVisits } from './encounters.js';
import { generateAllergy, generateMedicationRequests, generateMedications } from './medications.js';
import { generateObservations } from './observations.js';
import { generatePerson, NUMBER_OF_PATIENTS } from './patients.js';
import { generateCarePlan, generateImmunizations, generateProcedure } from './treatment.js';
import { generateVitalSigns } from './vital-signs.js';

/**
 * @import { Medication, Organization, Resource } from '@medplum/fhirtypes'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/**
 * All resources of the demo: the same ones on every call, on every machine.
 *
 * @returns {Resource[]}
 */
export function generateDemoData() {
  const providers = generateCareProviders();
  const medications = generateMedications();
  const records = Array.from({ length: NUMBER_OF_PATIENTS }, (_, index) =>
    generateRecord(generatePerson(index + 1, providers), medications, providers.insurer),
  );
  return [
    ...providers.sites.flatMap(({ organization, location }) => [organization, location]),
    providers.insurer,
    ...providers.practitioners,
    ...providers.roles,
    ...medications,
    ...records.flat(),
  ];
}

/**
 * @param {Person} person
 * @param {Medication[]} medications
 * @param {Organization} insurer
 * @returns {Resource[]}
 */
function generateRecord(person, medications, insurer) {
  const visits = generateVisits(person);
  const newest = /** @type {Visit} */ (visits.at(-1));
  const problems = problemsOf(person);
  const conditions = generateConditions(person, visits, problems);
  const { laboratory, others } = generateObservations(person, visits, problems);
  const prescriptions = generateMedicationRequests(person, visits, problems, medications);
  const record = [
    person.patient,
    generateCoverage(person, insurer),
    ...visits.map(({ encounter }) => encounter),
    ...conditions,
    generateAllergy(person),
    ...prescriptions,
    ...prescriptions.map((prescription) => generateDispense(person, prescription)),
    generateDevice(person),
    generateRelative(person),
    ...generateVitalSigns(person, visits, problems),
    ...[...laboratory].flatMap(([visit, results]) => [
      generateSpecimen(person, visit),
      ...results,
      generateLaboratoryReport(person, visit, results),
    ]),
    ...others,
    ...generateImmunizations(person, visits),
    ...generateProcedure(person, newest),
    ...generateCarePlan(person, conditions),
    ...generateNote(person, newest),
  ];
  return [...record, generateProvenance(person, record)];
}
