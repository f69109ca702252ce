import { listOf, member } from '../../contract/rules/resources/elements.js';
import type { GoneRelationships } from './patient-facts.js';

/** Basis and level of a RelatedPerson by a code of its `relationship`: `code`, or `{system}|{code}`. */
export interface RelationshipCode {
  code: string;
  basis: string;
  level: string;
  relation?: string | undefined;
}

/** A relationship as the FHIR server has it. */
export interface ServerRelationship {
  /** Id of the Patient. */
  patient: string;
  /** `RelatedPerson/{id}`. */
  relatedPerson: string;
  basis: string;
  level: string;
  relation: string | undefined;
  /** First and last day, `YYYY-MM-DD`. */
  start: string | null;
  end: string | null;
}

/** A reference without the base of its own server, such as `Patient/1`; any other as it is. */
export interface OwnNames {
  local(reference: string): string;
}

/**
 * The relationship that a RelatedPerson is (FHIR R4 §8.9): undefined unless it is active, names a Patient of its own
 * server, and has a relationship that is configured.
 */
export function relationshipIn(
  resource: unknown,
  codes: readonly RelationshipCode[],
  server: OwnNames,
): ServerRelationship | undefined {
  const [type, id] = [member(resource, 'resourceType'), member(resource, 'id')];
  if (type !== 'RelatedPerson' || typeof id !== 'string' || member(resource, 'active') !== true) return undefined;
  const patient = idIn(member(resource, 'patient'), 'Patient', server);
  const known = codes.find(({ code }) => hasCode(member(resource, 'relationship'), code));
  if (patient === undefined || !known) return undefined;
  const { basis, level, relation } = known;
  const period = member(resource, 'period');
  const [start, end] = [dayIn(member(period, 'start'), 'first'), dayIn(member(period, 'end'), 'last')];
  // A period that cannot be read is none that permits.
  if (start === undefined || end === undefined) return undefined;
  return { patient, relatedPerson: `RelatedPerson/${id}`, basis, level, relation, start, end };
}

/** True for an active RelatedPerson of which no code is configured: a fault of the configuration looks the same. */
export function isWithoutKnownCode(resource: unknown, codes: readonly RelationshipCode[]): boolean {
  if (member(resource, 'active') !== true) return false;
  return !codes.some(({ code }) => hasCode(member(resource, 'relationship'), code));
}

/** The FHIR server's last statement about a relationship that it made, as far as it could be read. */
export interface ServerReading {
  /** The last time at which the server had it. */
  hadAt: Date;
  /** The first of the reads since which the server does not have it; undefined if it has it. */
  missingSince: Date | undefined;
}

/** The FHIR servers' statements about relationships that they made, kept for restarts and for the other nodes. */
export abstract class ServerReadings {
  /** Of the relationships of an account in a tenant that are active or suspended, by their ids. */
  abstract ofAccount(account: string, tenant: string | undefined): Promise<Map<string, ServerReading>>;
  /** Of one of them. */
  abstract ofRelationship(id: string): Promise<ServerReading | undefined>;
  /**
   * Keeps which relationships the server had at this time, and which it did not have; others were not read. Returns
   * since when it does not have them.
   */
  abstract keep(
    at: Date,
    read: { had: readonly string[]; missing: readonly string[] },
  ): Promise<ReadonlyMap<string, Date>>;
  /** Relationships of a tenant that may end because the server does not have them, with all that count. */
  abstract missingBefore(at: Date, tenant: string | undefined): Promise<GoneRelationships>;
}

/**
 * Those that count on this day, one for each patient: none whose period is over, and of several the first that has
 * begun, else the first.
 */
export function countingOn(day: string, found: readonly ServerRelationship[]): ServerRelationship[] {
  const left = found.filter(({ end }) => end === null || day <= end);
  const hasBegun = ({ start }: ServerRelationship) => start === null || start <= day;
  const byPrecedence = [...left.filter(hasBegun), ...left.filter((one) => !hasBegun(one))];
  return [...new Map(byPrecedence.toReversed().map((one) => [one.patient, one])).values()];
}

/** True for a RelatedPerson of this patient, and for a Person, who may be related to several patients. */
export function isAbout(resource: unknown, patient: string, server: OwnNames): boolean {
  const type = member(resource, 'resourceType');
  if (member(resource, 'active') === false) return false;
  if (type === 'Person') return true;
  return type === 'RelatedPerson' && idIn(member(resource, 'patient'), 'Patient', server) === patient;
}

/** The RelatedPersons that a Person is linked with: `RelatedPerson/{id}`. */
export function relatedPersonsOf(person: unknown, server: OwnNames): string[] {
  if (member(person, 'resourceType') !== 'Person' || member(person, 'active') === false) return [];
  const ids = listOf(member(person, 'link')).map((link) => idIn(member(link, 'target'), 'RelatedPerson', server));
  return ids.filter((id) => id !== undefined).map((id) => `RelatedPerson/${id}`);
}

/** The id that a Reference names on its own server, also with the server's address or a version (FHIR R4 §2.3.0). */
function idIn(reference: unknown, type: string, server: OwnNames): string | undefined {
  const written = member(reference, 'reference');
  if (typeof written !== 'string') return undefined;
  const [named, id, further, version, ...more] = server.local(written).replace(/\/$/, '').split('/');
  const isVersion = further === undefined || (further === '_history' && version !== undefined);
  return named === type && isId(id) && isVersion && more.length === 0 ? id : undefined;
}

const isId = (text: string | undefined) => text !== undefined && /^[A-Za-z0-9.-]{1,64}$/.test(text);

function hasCode(concepts: unknown, wanted: string): boolean {
  const bar = wanted.lastIndexOf('|');
  return listOf(concepts)
    .flatMap((concept) => listOf(member(concept, 'coding')))
    .some((coding) => {
      const isSystem = bar < 0 || member(coding, 'system') === wanted.slice(0, bar);
      return isSystem && member(coding, 'code') === wanted.slice(bar + 1);
    });
}

/** The first or last day of a FHIR dateTime; null without one, undefined for what is none. */
function dayIn(value: unknown, which: 'first' | 'last'): string | null | undefined {
  if (value === undefined || value === null) return null;
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T.+)?)?)?$/.exec(String(value)) ?? [];
  if (year === undefined) return undefined;
  if (day !== undefined) return `${year}-${month}-${day}`;
  if (which === 'first') return `${year}-${month ?? '01'}-01`;
  const last = new Date(Date.UTC(Number(year), month === undefined ? 12 : Number(month), 0));
  return last.toISOString().slice(0, 10);
}
