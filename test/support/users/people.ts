export interface Person {
  email: string;
  password: string;
  fullName: string;
  userType: 'Admin' | 'Patient' | 'Practitioner';
  claims: { name: string; value: string }[];
}

/** Accounts that a test portal can be started with (`config.users`). */
export const people = {
  admin: {
    email: 'ada.admin@example.org',
    password: 'slate-window-4417',
    fullName: 'Ada Admin',
    userType: 'Admin',
    claims: [],
  },
  patient: {
    email: 'amelia.ward@example.org',
    password: 'amber-kettle-9023',
    fullName: 'Amelia Ward',
    userType: 'Patient',
    claims: [{ name: 'fhirUser', value: 'Patient/1' }],
  },
  otherPatient: {
    email: 'noah.reed@example.org',
    password: 'cobalt-ladder-3318',
    fullName: 'Noah Reed',
    userType: 'Patient',
    claims: [{ name: 'fhirUser', value: 'Patient/2' }],
  },
  practitioner: {
    email: 'mira.hart@example.org',
    password: 'velvet-anchor-7745',
    fullName: 'Mira Hart',
    userType: 'Practitioner',
    claims: [{ name: 'fhirUser', value: 'Practitioner/practitioner-1' }],
  },
} satisfies Record<string, Person>;

/** Credentials of a user, also of one that a test creates. */
export type Credentials = { email: string; password: string };
