// @ts-check

import { generateCareProviders } from './data/care-providers.js';
import { emailOf } from './data/names.js';
import { generatePerson } from './data/patients.js';

/**
 * Three families, by the numbers of their patients: who acts for whom, on which basis and how far. The first shows what
 * a teenager's guardian sees, the second everything of a child, the third the daily care of an old neighbour.
 */
const families = [
  { representative: 1, patient: 49, basis: 'parental-responsibility', level: 'basics', relation: 'guardian' },
  { representative: 2, patient: 35, basis: 'parental-responsibility', level: 'full', relation: 'father' },
  { representative: 1, patient: 13, basis: 'carer', level: 'daily', relation: 'carer' },
];

/** The section of the configuration: the shipped bases, levels and ages. */
export const demoRepresentation = { representation: {}, locale: { timeZone: 'America/New_York' } };

/** @returns {string} a CSV file for the import of relationships */
export function demoFamilies() {
  const providers = generateCareProviders();
  const lines = families.map(({ representative, patient, basis, level, relation }) => {
    const [name = {}] = generatePerson(representative, providers).patient.name ?? [];
    return [emailOf(name), patient, basis, level, relation, 'Demo'].join(',');
  });
  return ['email,patient,basis,level,relation,note', ...lines].join('\n');
}

/**
 * Imports the families as the administrator of the demo; those that are there already stay as they are.
 *
 * @param {string} portal
 * @param {{ email: string, password: string }} administrator
 */
export async function importFamilies(portal, { email, password }) {
  const headers = { 'content-type': 'application/json', origin: portal };
  const body = JSON.stringify({ username: email, password });
  const signedIn = await fetch(`${portal}/api/session/login`, { method: 'POST', headers, body });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const answer = await fetch(`${portal}/api/admin/representation/import`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: JSON.stringify({ csv: demoFamilies(), dryRun: false }),
  });
  if (!answer.ok) throw new Error(`The families of the demo were not imported: ${answer.status}`);
}
