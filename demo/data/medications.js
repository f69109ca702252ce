// @ts-check
import { concept, hl7, RXNORM, referenceTo, SNOMED, testDataMeta } from './fhir.js';

/**
 * @import { AllergyIntolerance, Medication, MedicationRequest } from '@medplum/fhirtypes'
 * @import { Problem } from './conditions.js'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

/**
 * The prescription for each long-term problem.
 *
 * @type {Record<Problem, { code: string, display: string, dosage: string }>}
 */
const TREATMENTS = {
  hypertension: { code: '197361', display: 'Amlodipine 5 MG Oral Tablet', dosage: 'One tablet every morning' },
  diabetes: { code: '861007', display: 'Metformin 500 MG Oral Tablet', dosage: 'One tablet with breakfast and dinner' },
  hyperlipidemia: { code: '312961', display: 'Simvastatin 20 MG Oral Tablet', dosage: 'One tablet every evening' },
  asthma: { code: '745679', display: 'Albuterol 0.09 MG/ACTUAT Metered Dose Inhaler', dosage: 'Two puffs when needed' },
  rhinitis: { code: '311372', display: 'Loratadine 10 MG Oral Tablet', dosage: 'One tablet every morning' },
  osteoarthritis: { code: '310965', display: 'Ibuprofen 200 MG Oral Tablet', dosage: 'One tablet when needed' },
};

/** @type {{ code: string, display: string, category: 'food' | 'environment' }[]} */
const ALLERGIES = [
  { code: '91935009', display: 'Allergy to peanuts', category: 'food' },
  { code: '300913006', display: 'Shellfish allergy', category: 'food' },
  { code: '424213003', display: 'Allergy to bee venom', category: 'environment' },
];

/**
 * The medications that requests refer to instead of naming a code.
 *
 * @returns {Medication[]}
 */
export function generateMedications() {
  return Object.entries(TREATMENTS).map(([problem, { code, display }]) => ({
    resourceType: 'Medication',
    id: `medication-${problem}`,
    meta: testDataMeta(),
    code: concept(RXNORM, code, display),
    status: 'active',
  }));
}

/**
 * One prescription per long-term problem. Every second one refers to a Medication, so that clients meet both forms.
 *
 * @param {Person} person
 * @param {Visit[]} visits
 * @param {Problem[]} problems
 * @param {Medication[]} medications
 * @returns {MedicationRequest[]}
 */
export function generateMedicationRequests(person, visits, problems, medications) {
  const random = person.random('medications');
  return problems.map((problem, index) => {
    const { code, display, dosage } = TREATMENTS[problem];
    const medication = index % 2 === 1 ? medications.find(({ id }) => id === `medication-${problem}`) : undefined;
    const visit = random.pick(visits);
    return {
      resourceType: 'MedicationRequest',
      id: `medication-request-${person.id}-${problem}`,
      meta: testDataMeta(),
      status: 'active',
      intent: 'order',
      category: [hl7('medicationrequest-category', 'community', 'Community')],
      ...(medication
        ? { medicationReference: referenceTo(medication, display) }
        : { medicationCodeableConcept: concept(RXNORM, code, display) }),
      subject: person.subject,
      encounter: visit.reference,
      authoredOn: visit.date,
      requester: person.carer,
      reasonReference: [{ reference: `Condition/condition-${person.id}-${problem}` }],
      dosageInstruction: [{ text: dosage }],
    };
  });
}

/**
 * An allergy, or the statement that there is none.
 *
 * @param {Person} person
 * @returns {AllergyIntolerance}
 */
export function generateAllergy(person) {
  const random = person.random('allergies');
  const allergy = random.chance(0.5) ? random.pick(ALLERGIES) : undefined;
  return {
    resourceType: 'AllergyIntolerance',
    id: `allergy-${person.id}`,
    meta: testDataMeta(),
    clinicalStatus: hl7('allergyintolerance-clinical', 'active', 'Active'),
    verificationStatus: hl7('allergyintolerance-verification', 'confirmed', 'Confirmed'),
    ...(allergy ? { type: 'allergy', category: [allergy.category], criticality: 'low' } : {}),
    code: allergy ? concept(SNOMED, allergy.code, allergy.display) : concept(SNOMED, '716186003', 'No known allergy'),
    patient: person.subject,
  };
}
