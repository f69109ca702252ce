/** Elements of a Patient that decide about its representatives, as the FHIR server had them at `readAt`. */
export interface PatientFacts {
  /** Undefined if the record has none; not checked. */
  birthDate: string | undefined;
  isDeceased: boolean;
  /** False if the record says so (`active`). */
  isActive: boolean;
  /** Id of the record that replaces this one (`link` of type `replaced-by`). */
  replacedBy: string | undefined;
  /** As pages name the patient; the id where the record has no name. */
  name: string;
  /** The given name alone. */
  firstName: string;
  readAt: Date;
}

/** The key of a patient in all tenants. */
export interface PatientKey {
  /** Undefined for the FHIR base of no tenant. */
  tenant: string | undefined;
  /** Id without the type. */
  patient: string;
}

/** The records of a patient's account, one for each of its tenants; none for other accounts. */
export function ownRecordsOf({
  fhirUser,
  claims,
}: {
  fhirUser: string | null | undefined;
  claims: readonly { name: string; value: string }[];
}): PatientKey[] {
  if (!fhirUser?.startsWith('Patient/')) return [];
  const patient = fhirUser.slice('Patient/'.length);
  const tenants = claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
  return (tenants.length === 0 ? [undefined] : tenants).map((tenant) => ({ tenant, patient }));
}

/** The facts that a node knows of a patient, kept for restarts and for the other nodes. */
export abstract class KnownPatients {
  abstract find(key: PatientKey): Promise<KnownPatient | undefined>;
  /** Returns the time of the first of the reads since which the record is inactive; null for an active one. */
  abstract keep(key: PatientKey, facts: PatientFacts): Promise<Date | null>;
  /** The FHIR server says that there is no such patient. Returns the time at which it first did. */
  abstract keepGone(key: PatientKey, at: Date): Promise<Date>;
  /** Relationships that may be suspended because their patients are gone, with all that count for the limit. */
  abstract goneBefore(at: Date): Promise<GoneRelationships>;
}

/** Relationships of which the FHIR server has the patient or the RelatedPerson no longer, counted. */
export interface GoneRelationships {
  /** Relationships that were read as gone, or whose patients were, in the last hour. */
  inHour: number;
  /** All relationships, counted up to 100 times {@link mostGonePerHour}. */
  all: number;
}

/** Time of an outage of the FHIR server for which what was read last counts. */
export const outageMs = 24 * 3_600_000;
/**
 * A record that is gone for this time, by two reads, suspends the relationships with the patient; a RelatedPerson ends
 * the relationship that it made.
 */
export const goneMs = 5 * 60_000;
/** More in an hour, or more than one in a hundred, is a fault of the server and not of the records. */
export const mostGonePerHour = 20;
/** Time for which an answer of the FHIR server counts. */
export const freshMs = 5 * 60_000;
/** Clocks of a node that agree with the database's may be set back by so much. */
const toleratedMs = 60_000;

/** False as well for an answer that was read while the clock of this node was ahead: it would count too long. */
export function isFresh(until: number, at: Date): boolean {
  const left = until - at.getTime();
  return left > 0 && left <= freshMs + toleratedMs;
}

/** In a small hospital, a few records that were deleted on one day are not a fault. */
const alwaysAllowed = 3;

/** True if so many are gone that a fault of the FHIR server is likelier: none is suspended or ended then. */
export function isFaultOfServer({ inHour, all }: GoneRelationships): boolean {
  return inHour > Math.min(mostGonePerHour, Math.max(alwaysAllowed, Math.floor(all / 100)));
}

/** The last facts of a patient, and the time since which the FHIR server does not have the record. */
export interface KnownPatient {
  facts: PatientFacts | undefined;
  goneSince: Date | undefined;
}

/** Reads the deciding elements of a Patient resource; undefined for another resource. */
export function factsOf(resource: unknown, { patient }: PatientKey, readAt: Date): PatientFacts | undefined {
  const { resourceType, id, birthDate, active, link, ...rest } = (resource ?? {}) as Record<string, unknown>;
  if (resourceType !== 'Patient' || id !== patient) return undefined;
  const { deceasedBoolean, deceasedDateTime } = rest;
  return {
    birthDate: typeof birthDate === 'string' ? birthDate : undefined,
    isDeceased: deceasedBoolean === true || (deceasedDateTime !== undefined && deceasedDateTime !== null),
    isActive: active !== false,
    replacedBy: replacedBy(link),
    ...namesOf(rest.name, patient),
    readAt,
  };
}

/** The usual or official name; of others the first. */
function namesOf(names: unknown, id: string): Pick<PatientFacts, 'name' | 'firstName'> {
  const all = Array.isArray(names) ? (names as Record<string, unknown>[]) : [];
  const [named = {}] = ['usual', 'official'].flatMap((use) => all.filter((one) => one?.use === use)).concat(all);
  const given = Array.isArray(named.given) ? named.given.map(String) : [];
  const written = [...given, ...(typeof named.family === 'string' ? [named.family] : [])].join(' ');
  const name = (typeof named.text === 'string' ? named.text : written).trim() || id;
  return { name, firstName: given[0] ?? name.split(' ')[0] ?? name };
}

function replacedBy(link: unknown): string | undefined {
  const links = Array.isArray(link) ? (link as { type?: unknown; other?: { reference?: unknown } }[]) : [];
  const replaced = links.find((one) => one?.type === 'replaced-by');
  const reference = replaced?.other?.reference;
  // Without the address of a server, and without a version.
  const id = typeof reference === 'string' ? /(?:^|\/)Patient\/([^/]+)/.exec(reference)?.[1] : undefined;
  return replaced && (id ?? '');
}
