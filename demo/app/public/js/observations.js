// @ts-check

/**
 * @import { CodeableConcept, Observation, Quantity } from '@medplum/fhirtypes'
 */

/**
 * @typedef {{ name: string, points: { time: number, value: number }[] }} Series
 * @typedef {{ title: string, unit: string, series: Series[] }} Chart
 */

/**
 * The charts on offer; each line of a chart is an observation's value or one of its components, by LOINC code.
 *
 * @type {{ title: string, unit: string, code: string, lines: { name: string, code: string }[] }[]}
 */
const CHARTS = [
  {
    title: 'Blood pressure',
    unit: 'mmHg',
    code: '85354-9',
    lines: [
      { name: 'Systolic', code: '8480-6' },
      { name: 'Diastolic', code: '8462-4' },
    ],
  },
  { title: 'Heart rate', unit: 'beats/min', code: '8867-4', lines: [{ name: 'Heart rate', code: '8867-4' }] },
  { title: 'Weight', unit: 'kg', code: '29463-7', lines: [{ name: 'Weight', code: '29463-7' }] },
  { title: 'Body mass index', unit: 'kg/m²', code: '39156-5', lines: [{ name: 'BMI', code: '39156-5' }] },
];

/**
 * @param {Observation[]} observations
 * @returns {Chart[]} those that there is something to draw for
 */
export function chartsOf(observations) {
  return CHARTS.map(({ title, unit, code, lines }) => {
    const measured = observations
      .filter((observation) => hasCode(observation.code, code) && observation.effectiveDateTime !== undefined)
      .sort((a, b) => timeOf(a) - timeOf(b));
    return {
      title,
      unit,
      series: lines.map((line) => ({
        name: line.name,
        points: measured.flatMap((observation) => {
          const value = measurementOf(observation, line.code)?.value;
          return value === undefined ? [] : [{ time: timeOf(observation), value }];
        }),
      })),
    };
  }).filter(({ series }) => series.some(({ points }) => points.length > 0));
}

/**
 * @param {Observation[]} observations newest first
 * @returns {Observation[]} the newest of each code
 */
export function latestOf(observations) {
  /** @type {Map<string, Observation>} */
  const latest = new Map();
  for (const observation of observations) {
    const name = nameOf(observation.code);
    latest.set(name, latest.get(name) ?? observation);
  }
  return [...latest.values()];
}

/** @param {CodeableConcept | undefined} concept */
export function nameOf(concept) {
  return concept?.text ?? concept?.coding?.[0]?.display ?? concept?.coding?.[0]?.code ?? 'N/A';
}

/**
 * @param {Observation} observation
 * @returns {string} the value as people read it
 */
export function textOf({ valueQuantity, valueCodeableConcept, valueString, component }) {
  if (valueQuantity) {
    return quantityText(valueQuantity);
  }
  if (component) {
    const values = component.map((part) => part.valueQuantity?.value ?? '?').join(' / ');
    return `${values} ${component[0]?.valueQuantity?.unit ?? ''}`.trim();
  }
  return valueString ?? nameOf(valueCodeableConcept);
}

/** @param {Quantity} quantity */
function quantityText({ value, unit = '', code = '' }) {
  // A unit in braces is an annotation of UCUM, such as {score}: the number stands for itself.
  return unit === '%' ? `${value}%` : `${value} ${code.startsWith('{') ? '' : unit}`.trim();
}

/**
 * @param {Observation} observation
 * @param {string} code
 */
function measurementOf({ code: own, valueQuantity, component = [] }, code) {
  return hasCode(own, code) ? valueQuantity : component.find((part) => hasCode(part.code, code))?.valueQuantity;
}

/** @param {Observation} observation */
const timeOf = ({ effectiveDateTime = '' }) => Date.parse(effectiveDateTime);

/**
 * @param {CodeableConcept | undefined} concept
 * @param {string} code
 */
function hasCode(concept, code) {
  return concept?.coding?.some((coding) => coding.system === 'http://loinc.org' && coding.code === code) ?? false;
}
