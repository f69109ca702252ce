// @ts-check
import { ageOn, daysAgo } from './dates.js';
import { concept, hl7, referenceTo, testDataMeta } from './fhir.js';
import { emailOf, fullName, NUMBER_OF_NAMES, personName } from './names.js';
import { Random } from './random.js';

/**
 * @import { Organization, Patient, Practitioner, Reference } from '@medplum/fhirtypes'
 * @import { CareProviders, Site } from './care-providers.js'
 */

/**
 * A patient with what the themes of their record need to know.
 *
 * @typedef {object} Person
 * @property {string} id
 * @property {Patient} patient
 * @property {Reference<Patient>} subject
 * @property {number} age in years
 * @property {Site} site where they are cared for
 * @property {Practitioner} practitioner who cares for them
 * @property {Reference<Practitioner>} carer
 * @property {Reference<Organization>} provider
 * @property {(theme: string) => Random} random the random numbers of one theme of this record
 */

export const NUMBER_OF_PATIENTS = NUMBER_OF_NAMES;

const US_CORE = 'http://hl7.org/fhir/us/core/StructureDefinition';
const RACE_AND_ETHNICITY = 'urn:oid:2.16.840.1.113883.6.238';

/** @type {[code: string, display: string][]} */
const RACES = [
  ['2106-3', 'White'],
  ['2054-5', 'Black or African American'],
  ['2028-9', 'Asian'],
  ['1002-5', 'American Indian or Alaska Native'],
];
/** @type {[code: string, display: string][]} */
const LANGUAGES = [
  ['en-US', 'English (United States)'],
  ['es', 'Spanish'],
  ['fr', 'French'],
  ['ja', 'Japanese'],
];
const STREETS = ['Specimen Street', 'Fixture Lane', 'Placeholder Road', 'Draft Avenue', 'Prototype Way'];
const CITIES = ['Sampleton', 'Testbury', 'Mockville', 'Demo Harbor'];

/**
 * @param {number} number from 1, and the patient's id
 * @param {CareProviders} providers
 * @returns {Person}
 */
export function generatePerson(number, { sites, practitioners }) {
  const id = String(number);
  /** @param {string} theme */
  const random = (theme) => new Random(`${id}/${theme}`);
  const site = /** @type {Site} */ (sites[number % sites.length]);
  const practitioner = /** @type {Practitioner} */ (practitioners[(number - 1) % practitioners.length]);
  const patient = generatePatient(number, random('patient'), site, practitioner);
  return {
    id,
    patient,
    subject: referenceTo(patient, fullName(patient.name?.[0] ?? {})),
    age: ageOn(patient.birthDate ?? ''),
    site,
    practitioner,
    carer: referenceTo(practitioner, fullName(practitioner.name?.[0] ?? {})),
    provider: referenceTo(site.organization, site.organization.name),
    random,
  };
}

/**
 * @param {number} number
 * @param {Random} random
 * @param {Site} site
 * @param {Practitioner} practitioner
 * @returns {Patient}
 */
function generatePatient(number, random, site, practitioner) {
  const { name, gender } = personName(number - 1);
  const birthDate = daysAgo(Math.round(ageOfNumber(number, random) * 365.25) + random.int(0, 364));
  const [language, languageName] = random.chance(0.75) ? ['en-US', 'English (United States)'] : random.pick(LANGUAGES);
  return {
    resourceType: 'Patient',
    id: String(number),
    meta: testDataMeta(),
    extension: [
      raceOrEthnicity('race', random.pick(RACES)),
      raceOrEthnicity(
        'ethnicity',
        random.chance(0.2) ? ['2135-2', 'Hispanic or Latino'] : ['2186-5', 'Not Hispanic or Latino'],
      ),
    ],
    identifier: [
      {
        use: 'usual',
        type: hl7('v2-0203', 'MR', 'Medical record number'),
        system: 'https://gatehouse.demo/medical-record-numbers',
        value: `MRN-${String(number).padStart(6, '0')}`,
      },
    ],
    active: true,
    name: [name],
    telecom: [
      { system: 'phone', value: `555-01${String(number).padStart(2, '0')}`, use: 'home' },
      { system: 'email', value: emailOf(name) },
    ],
    gender,
    birthDate,
    ...(number % 20 === 19 ? { deceasedDateTime: daysAgo(random.int(20, 90)) } : {}),
    address: [
      {
        use: 'home',
        line: [`${random.int(1, 240)} ${random.pick(STREETS)}`],
        city: random.pick(CITIES),
        state: 'MA',
        postalCode: `000${random.int(10, 99)}`,
        country: 'US',
      },
    ],
    communication: [{ language: concept('urn:ietf:bcp:47', language, languageName), preferred: true }],
    generalPractitioner: [referenceTo(practitioner, fullName(practitioner.name?.[0] ?? {}))],
    managingOrganization: referenceTo(site.organization, site.organization.name),
  };
}

/**
 * The first patients have demo accounts and are adults with something to look at; after them every seventh is a child,
 * old enough to have been born before the first visit, and those who have died were old.
 *
 * @param {number} number
 * @param {Random} random
 */
function ageOfNumber(number, random) {
  if (number <= 2) {
    return random.int(48, 62);
  }
  if (number % 20 === 19) {
    return random.int(79, 92);
  }
  return number % 7 === 0 ? random.int(5, 16) : random.int(19, 84);
}

/**
 * @param {'race' | 'ethnicity'} kind
 * @param {[code: string, display: string]} value
 */
function raceOrEthnicity(kind, [code, display]) {
  return {
    url: `${US_CORE}/us-core-${kind}`,
    extension: [
      { url: 'ombCategory', valueCoding: { system: RACE_AND_ETHNICITY, code, display } },
      { url: 'text', valueString: display },
    ],
  };
}
