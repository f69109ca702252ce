// @ts-check
import { concept, hl7, LOINC, quantity } from './fhir.js';
import { observationAt } from './observation.js';

/**
 * @import { Observation, Quantity } from '@medplum/fhirtypes'
 * @import { Problem } from './conditions.js'
 * @import { Visit } from './encounters.js'
 * @import { Person } from './patients.js'
 */

const VITAL_SIGNS = hl7('observation-category', 'vital-signs', 'Vital Signs');

/**
 * Vital signs at every visit. Values wander a little around the patient's own level; a high blood pressure comes down
 * over the visits, because it is being treated.
 *
 * @param {Person} person
 * @param {Visit[]} visits
 * @param {Problem[]} problems
 * @returns {Observation[]}
 */
export function generateVitalSigns(person, visits, problems) {
  const random = person.random('vital-signs');
  const isChild = person.age < 18;
  const adultHeight = person.patient.gender === 'male' ? random.int(168, 192) : random.int(155, 180);
  const height = isChild ? 75 + person.age * 6 : adultHeight;
  const bodyMassIndex = isChild
    ? random.decimal(15, 19)
    : random.decimal(20.5, problems.includes('diabetes') ? 33 : 28);
  const pulse = isChild ? random.int(84, 104) : random.int(60, 80);
  const systolicLevel = isChild ? 100 : 112 + Math.round(person.age / 8);

  return visits.flatMap((visit, index) => {
    const remaining = 1 - index / visits.length;
    const systolic = systolicLevel + random.int(-5, 5) + (problems.includes('hypertension') ? 28 * remaining : 0);
    const diastolic = systolic * 0.62 + random.int(-3, 3);
    const bmi = Math.round((bodyMassIndex + random.decimal(-0.5, 0.5)) * 10) / 10;
    const weight = Math.round(((bmi * height * height) / 10_000) * 10) / 10;
    /**
     * @param {string} id
     * @param {string} code
     * @param {string} display
     * @param {Quantity} valueQuantity
     */
    const sign = (id, code, display, valueQuantity) =>
      observationAt(person, visit, id, [VITAL_SIGNS], concept(LOINC, code, display), { valueQuantity });
    return [
      observationAt(person, visit, 'blood-pressure', [VITAL_SIGNS], concept(LOINC, '85354-9', 'Blood pressure'), {
        component: [
          component('8480-6', 'Systolic blood pressure', Math.round(systolic)),
          component('8462-4', 'Diastolic blood pressure', Math.round(diastolic)),
        ],
      }),
      sign('heart-rate', '8867-4', 'Heart rate', quantity(pulse + random.int(-6, 8), 'beats/min', '/min')),
      sign('respiratory-rate', '9279-1', 'Respiratory rate', quantity(random.int(12, 18), 'breaths/min', '/min')),
      sign('temperature', '8310-5', 'Body temperature', quantity(random.decimal(36.3, 37.3), '°C', 'Cel')),
      oxygenSaturation(sign('oxygen-saturation', '2708-6', 'Oxygen saturation', quantity(random.int(95, 99), '%'))),
      sign('height', '8302-2', 'Body height', quantity(height, 'cm')),
      sign('weight', '29463-7', 'Body weight', quantity(weight, 'kg')),
      sign('bmi', '39156-5', 'Body mass index', quantity(bmi, 'kg/m2')),
    ];
  });
}

/**
 * @param {string} code
 * @param {string} display
 * @param {number} value
 */
function component(code, display, value) {
  return { code: concept(LOINC, code, display), valueQuantity: quantity(value, 'mmHg', 'mm[Hg]') };
}

/**
 * US Core asks for the pulse-oximetry code next to the general one.
 *
 * @param {Observation} saturation
 * @returns {Observation}
 */
function oxygenSaturation(saturation) {
  const oximetry = { system: LOINC, code: '59408-5', display: 'Oxygen saturation in Arterial blood by Pulse oximetry' };
  return { ...saturation, code: { ...saturation.code, coding: [...(saturation.code.coding ?? []), oximetry] } };
}
