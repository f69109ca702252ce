// @ts-check
import { REFERENCE_DATE } from './dates.js';

/** @import { CodeableConcept, Meta, Quantity, Reference, Resource } from '@medplum/fhirtypes' */

export const LOINC = 'http://loinc.org';
export const SNOMED = 'http://snomed.info/sct';
export const RXNORM = 'http://www.nlm.nih.gov/research/umls/rxnorm';
export const CVX = 'http://hl7.org/fhir/sid/cvx';
const UCUM = 'http://unitsofmeasure.org';

/** Code systems of HL7's terminology and of US Core, by their last segment. */
const HL7 = 'http://terminology.hl7.org/CodeSystem';
const US_CORE = 'http://hl7.org/fhir/us/core/CodeSystem';

/**
 * @param {string} system
 * @param {string} code
 * @param {string} [display] also the text, which is what people are shown
 * @returns {CodeableConcept}
 */
export function concept(system, code, display) {
  return { coding: [{ system, code, ...(display ? { display } : {}) }], ...(display ? { text: display } : {}) };
}

/**
 * @param {string} name of the code system
 * @param {string} code
 * @param {string} [display]
 */
export const hl7 = (name, code, display) => concept(`${HL7}/${name}`, code, display);

/**
 * @param {string} name of the code system
 * @param {string} code
 * @param {string} [display]
 */
export const usCore = (name, code, display) => concept(`${US_CORE}/${name}`, code, display);

/**
 * @param {number} value
 * @param {string} unit as people read it
 * @param {string} [code] as UCUM spells it, when that differs
 * @returns {Quantity}
 */
export function quantity(value, unit, code = unit) {
  return { value, unit, system: UCUM, code };
}

/**
 * @template {Resource} T
 * @param {T} resource
 * @param {string} [display]
 * @returns {Reference<T>}
 */
export function referenceTo(resource, display) {
  return { reference: `${resource.resourceType}/${resource.id}`, ...(display ? { display } : {}) };
}

/**
 * Every generated resource says that it is test data.
 *
 * @returns {Meta}
 */
export function testDataMeta() {
  return {
    versionId: '1',
    lastUpdated: `${REFERENCE_DATE}T00:00:00Z`,
    tag: [{ system: `${HL7}/v3-ActReason`, code: 'HTEST', display: 'test health data' }],
  };
}

/** @param {string} text */
export function base64(text) {
  return Buffer.from(text, 'utf8').toString('base64');
}
