// @ts-check
import { concept, hl7, referenceTo, SNOMED, testDataMeta } from './fhir.js';
import { fullName } from './names.js';

/** @import { HumanName, Location, Organization, Practitioner, PractitionerRole } from '@medplum/fhirtypes' */

/**
 * @typedef {object} Site
 * @property {Organization} organization
 * @property {Location} location
 */

/**
 * @typedef {object} CareProviders
 * @property {Site[]} sites
 * @property {Practitioner[]} practitioners
 * @property {PractitionerRole[]} roles
 * @property {Organization} insurer
 */

const SITES = ['Gatehouse Demo Hospital', 'Millbrook Family Practice', 'Harbor Street Clinic'];

/** @type {[given: string, family: string, gender: 'female' | 'male', specialty: [code: string, display: string]][]} */
const PRACTITIONERS = [
  ['Miriam', 'Healwright', 'female', ['419772000', 'Family practice']],
  ['Anton', 'Curewell', 'male', ['394579002', 'Cardiology']],
  ['Sofia', 'Mendham', 'female', ['394537008', 'Pediatric specialty']],
  ['Daniel', 'Carefield', 'male', ['419192003', 'Internal medicine']],
  ['Ruth', 'Balmworth', 'female', ['394583002', 'Endocrinology']],
  ['Elias', 'Remedios', 'male', ['418112009', 'Pulmonary medicine']],
  ['Nadia', 'Wardley', 'female', ['419772000', 'Family practice']],
  ['Peter', 'Tonicson', 'male', ['419192003', 'Internal medicine']],
];

/**
 * The organizations, places and practitioners that the patients' records refer to.
 *
 * @returns {CareProviders}
 */
export function generateCareProviders() {
  const sites = SITES.map((name, index) => site(name, index + 1));
  const practitioners = PRACTITIONERS.map(([given, family, gender], index) =>
    practitioner(index + 1, { use: 'official', family, given: [given], prefix: ['Dr.'] }, gender),
  );
  const roles = practitioners.map((person, index) => practitionerRole(person, index, sites));
  return { sites, practitioners, roles, insurer: organization('organization-insurer', 'Example Mutual Health', 'pay') };
}

/**
 * @param {string} id
 * @param {string} name
 * @param {'prov' | 'pay'} type
 * @returns {Organization}
 */
function organization(id, name, type) {
  return {
    resourceType: 'Organization',
    id,
    meta: testDataMeta(),
    identifier: [{ system: 'https://gatehouse.demo/organizations', value: id }],
    active: true,
    type: [hl7('organization-type', type, type === 'prov' ? 'Healthcare Provider' : 'Payer')],
    name,
    telecom: [{ system: 'phone', value: '555-0100', use: 'work' }],
    address: [{ line: ['1 Example Square'], city: 'Sampleton', state: 'MA', postalCode: '00000', country: 'US' }],
  };
}

/**
 * @param {string} name
 * @param {number} number
 * @returns {Site}
 */
function site(name, number) {
  const provider = organization(`organization-${number}`, name, 'prov');
  return {
    organization: provider,
    location: {
      resourceType: 'Location',
      id: `location-${number}`,
      meta: testDataMeta(),
      status: 'active',
      name: `${name}, outpatient department`,
      type: [hl7('v3-RoleCode', 'OF', 'Outpatient facility')],
      address: { line: ['1 Example Square'], city: 'Sampleton', state: 'MA', postalCode: '00000', country: 'US' },
      managingOrganization: referenceTo(provider, name),
    },
  };
}

/**
 * @param {number} number
 * @param {HumanName} name
 * @param {'female' | 'male'} gender
 * @returns {Practitioner}
 */
function practitioner(number, name, gender) {
  return {
    resourceType: 'Practitioner',
    id: `practitioner-${number}`,
    meta: testDataMeta(),
    identifier: [{ system: 'https://gatehouse.demo/practitioners', value: `P-${String(number).padStart(4, '0')}` }],
    active: true,
    name: [name],
    telecom: [{ system: 'phone', value: `555-011${number}`, use: 'work' }],
    gender,
  };
}

/**
 * @param {Practitioner} person
 * @param {number} index
 * @param {Site[]} sites
 * @returns {PractitionerRole}
 */
function practitionerRole(person, index, sites) {
  const [code, display] = PRACTITIONERS[index]?.[3] ?? ['', ''];
  const { organization: employer, location } = /** @type {Site} */ (sites[index % sites.length]);
  return {
    resourceType: 'PractitionerRole',
    id: `practitioner-role-${index + 1}`,
    meta: testDataMeta(),
    active: true,
    practitioner: referenceTo(person, fullName(person.name?.[0] ?? {})),
    organization: referenceTo(employer, employer.name),
    code: [hl7('practitioner-role', 'doctor', 'Doctor')],
    specialty: [concept(SNOMED, code, display)],
    location: [referenceTo(location, location.name)],
    telecom: [{ system: 'phone', value: `555-011${index + 1}`, use: 'work' }],
  };
}
