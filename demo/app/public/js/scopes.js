// @ts-check

/** The scopes that the app requests, and the purpose of each permission in plain words. */
export const SCOPES = [
  { value: 'launch/patient', title: 'Know whose record to open' },
  { value: 'openid', title: 'Know that it is you' },
  { value: 'fhirUser', title: 'Know which person in the record you are' },
  { value: 'profile', title: 'Know your name' },
  { value: 'offline_access', title: 'Stay connected while you are away' },
  { value: 'patient/Patient.rs', title: 'Read who the patient is' },
  { value: 'patient/Observation.rs', title: 'Read vital signs and other observations' },
  { value: 'patient/Observation.c', title: 'Add a measurement' },
  { value: 'patient/Condition.rs', title: 'Read conditions' },
  { value: 'patient/Encounter.rs', title: 'Read visits' },
  { value: 'patient/MedicationRequest.rs', title: 'Read prescriptions' },
  { value: 'patient/AllergyIntolerance.rs', title: 'Read allergies' },
];

/**
 * @param {string} value a granted scope, possibly narrowed by a category: `patient/Observation.rs?category=…`
 * @returns {string | undefined} in plain words
 */
export function titleOf(value) {
  const [base, narrowing] = value.split('?', 2);
  const title = SCOPES.find((scope) => scope.value === base)?.title;
  const category = new URLSearchParams(narrowing).get('category')?.split('|').pop();
  return title && category ? `${title}, only ${category}` : title;
}

/**
 * The searches that together read all that was granted of a resource type: one, or one per category when the permission
 * was narrowed to categories (SMART App Launch 2.2, finer-grained scopes).
 *
 * @param {string[]} granted
 * @param {string} type
 * @returns {URLSearchParams[]} none when the type was not granted
 */
export function grantedSearches(granted, type) {
  const prefix = `patient/${type}.`;
  const searches = granted
    .filter((value) => value.startsWith(prefix))
    .map((value) => value.slice(prefix.length).split('?', 2))
    .filter(([actions = '']) => actions.includes('s') || actions === 'read' || actions === '*')
    .map(([, narrowing]) => new URLSearchParams(narrowing));
  const unrestricted = searches.find((search) => search.size === 0);
  return unrestricted ? [unrestricted] : searches;
}
