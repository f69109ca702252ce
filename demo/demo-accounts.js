// @ts-check
import { generateCareProviders } from './data/care-providers.js';
import { emailOf, fullName } from './data/names.js';
import { generatePerson } from './data/patients.js';

/** @import { Practitioner, Patient } from '@medplum/fhirtypes' */

/**
 * @typedef {object} DemoAccount
 * @property {string} fullName
 * @property {string} email
 * @property {string} password
 * @property {'Admin' | 'Patient' | 'Practitioner'} userType
 * @property {{ name: string, value: string }[]} claims
 */

/** The credentials with which the stand-in for an EHR announces launches; public on purpose. */
export const demoEhr = { id: 'demo-ehr', secret: 'demo-ehr-secret-that-is-public-on-purpose' };

/** The resource types that the sample app reads: of one patient, only those it shows, reading and searching only. */
export const DEMO_APP_RESOURCE_TYPES = [
  'Patient',
  'Observation',
  'Condition',
  'Encounter',
  'MedicationRequest',
  'AllergyIntolerance',
];

/**
 * The accounts of the demo. Their passwords are public: the demo holds generated data and listens on this machine only.
 *
 * @returns {DemoAccount[]}
 */
export function demoAccounts() {
  const providers = generateCareProviders();
  const [doctor] = providers.practitioners;
  return [
    {
      fullName: 'Demo Administrator',
      email: 'admin@gatehouse.demo',
      password: 'Copper-Lantern-2026',
      userType: 'Admin',
      claims: [],
    },
    accountOf(generatePerson(1, providers).patient, 'Quiet-Meadow-2026'),
    accountOf(generatePerson(2, providers).patient, 'Paper-Harbour-2026'),
    ...(doctor ? [accountOf(doctor, 'Silver-Orchard-2026')] : []),
  ];
}

/**
 * @param {Patient | Practitioner} person
 * @param {string} password
 * @returns {DemoAccount}
 */
function accountOf({ resourceType, id, name: [name = {}] = [] }, password) {
  return {
    fullName: fullName(name),
    email: emailOf(name),
    password,
    userType: resourceType,
    claims: [{ name: 'fhirUser', value: `${resourceType}/${id}` }],
  };
}

/**
 * The clients of the demo, as entries of the first registration.
 *
 * @param {string} appUrl the address of the sample app
 */
export const demoClients = (appUrl) => [
  {
    clientId: 'demo-app',
    clientName: 'Vitals (sample app)',
    description: 'Shows a patient, their vital signs and what the sign-in answered, and adds a measurement.',
    clientType: 'StandaloneApp',
    enabled: true,
    requireClientSecret: false,
    requirePkce: true,
    requireConsent: true,
    allowOfflineAccess: true,
    allowedGrantTypes: ['authorization_code'],
    allowedSmartActions: ['c', 'r', 's'],
    allowedSmartLegacyActions: ['read'],
    allowedSmartSubjects: ['patient'],
    allowedResourceTypes: DEMO_APP_RESOURCE_TYPES,
    showFineGrainedScopes: true,
    redirectUris: [`${appUrl}/app`],
  },
  {
    clientId: 'demo-backend',
    clientName: 'Nightly export (sample backend)',
    description: 'A backend service that reads every patient with a shared secret.',
    clientType: 'BackendService',
    enabled: true,
    requireClientSecret: true,
    clientSecrets: [
      {
        secretType: 'SharedSecret',
        secret: 'demo-backend-secret-that-is-public-on-purpose',
        description: 'Fixed, so that the demo can be tried with curl',
      },
    ],
    allowedGrantTypes: ['client_credentials'],
    allowedSmartActions: ['r', 's'],
    allowedSmartLegacyActions: ['read'],
    allowedSmartSubjects: ['system'],
    allowedResourceTypes: ['Patient', 'Observation', 'Condition', 'Encounter'],
  },
];
