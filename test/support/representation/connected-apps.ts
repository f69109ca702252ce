import type { RecordServer, Stored } from '../fhir/record-server.js';
import { actingIn, withSecret } from './acting.js';
import { aroundRecords, recordOf } from './acting-records.js';
import type { FamilyPortal } from './family-portal.js';

export const connectedScope = 'openid fhirUser launch/patient patient/*.cruds user/*.cruds';

/** Patients with a record each at the FHIR server, for whom Ana acts with an app that has a token for it. */
export function connectedApps(portal: () => FamilyPortal, server: RecordServer) {
  const records = new Map<string, Stored[]>([['1', [{ resourceType: 'Patient', id: '1', birthDate: '1990-01-01' }]]]);
  const tokens = new Map<string, string>();
  const acting = actingIn(portal);

  function has(patient: string, facts: object): void {
    records.set(patient, recordOf(patient, facts));
    server.have(...aroundRecords, ...[...records.values()].flat());
  }

  /** Ana acts for the patient, and an app has a token for that, a JWT or an opaque one in turn. Returns the id. */
  async function connected(patient: string, relationship: object, facts: object): Promise<string> {
    has(patient, facts);
    const id = await acting.acts(patient, relationship);
    const launch = tokens.size % 2 === 0 ? {} : withSecret;
    tokens.set(patient, (await acting.tokensFor(patient, { scope: connectedScope, ...launch })).tokens.access_token);
    return id;
  }

  const withToken = (patient: string, more: object = {}) => ({
    headers: { authorization: `Bearer ${tokens.get(patient)}`, accept: 'application/fhir+json', ...more },
  });

  return { records, tokens, acting, has, connected, withToken };
}

/** The cells of a table with a column for each patient: patient, request and what is expected. */
export function rowsOf<Patient extends string>(
  table: string,
  patients: readonly Patient[],
): (readonly [Patient, string, string])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.trim()))
    .flatMap(([request = '', ...cells]) =>
      patients.map((patient, index) => [patient, request, cells[index] ?? ''] as const),
    );
}
