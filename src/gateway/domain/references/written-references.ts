/**
 * Finds what a resource refers to, in every form that FHIR R4 has for it (§2.3.0): literal references, references by
 * identifier, and addresses of this server in any other element. The types of elements are not known here: what may be
 * a reference counts as one.
 */

import { Refusal } from '../refusal.js';
import {
  addressesIn,
  addressIn,
  isUrn,
  type Place,
  pathOfPlace,
  placeFrom,
  plainPath,
  type ServerAddress,
} from './addresses.js';

/** A reference in a resource that an app writes. */
export interface WrittenReference {
  /** The names of the elements on the way to it, such as `Observation.contained.performer`. */
  element: string;
  /** The reference as it is written; two with the same text mean the same. */
  text: string;
  target: Target;
}

/** The target of a reference. */
export type Target =
  /** A resource of this server. */
  | ({ kind: 'resource' } & Place)
  /** An entry of the same transaction, by its `urn:`. */
  | { kind: 'entry'; name: string }
  /** Any resource with this identifier. The place is that of the literal reference next to it, if there is one. */
  | { kind: 'identifier'; type: string | undefined; identifier: Identifier; place: Place | undefined }
  /** A resource of another server, with the words of the address that may be its type. */
  | { kind: 'elsewhere'; types: readonly string[] }
  /** Text that each reader may take for another resource. */
  | { kind: 'unclear' };

/** An identifier of FHIR. */
export interface Identifier {
  system: string | undefined;
  /** Undefined for one without a value, which names no resource. */
  value: string | undefined;
}

type Json = Record<string, unknown>;

/** The members of FHIR's type Reference. */
const referenceMembers = new Set([
  ...['id', 'extension', 'reference', '_reference', 'type', '_type', 'identifier', 'display', '_display'],
]);
/**
 * Elements that hold an address, which may be relative to the base (`Attachment.url`, `valueUri`,
 * `instantiatesCanonical`).
 */
const addressMember = /^(?:url|uri|canonical|profile|library|questionnaire|instantiates)$|(?:Url|Uri|Canonical)$/;
const narrativeLinks = /\s(?:href|src)\s*=\s*["']([^"']*)/gi;
/** Elements that refer to organizations alone: no identifier in one names a patient. */
const ofOrganizations = /^(?:assigner|custodian|manufacturer|serviceProvider)$|organization$/i;
/** Each is read as a URL, which takes some microseconds. */
const mostAddresses = 10_000;
const definitions = 'http://hl7.org/fhir/StructureDefinition/';

/**
 * All references of a parsed resource, in the order of the text. `bases` are the base URLs by which addresses mean this
 * server, without a slash at the end; `entries` the names of the other entries of its transaction. Throws a
 * {@link Refusal} if there are too many addresses for one turn.
 */
export function referencesIn(
  resource: unknown,
  bases: readonly string[],
  entries: ReadonlySet<string> = new Set(),
): WrittenReference[] {
  const walk = new Walk(bases, entries);
  const { resourceType } = (resource ?? {}) as Json;
  walk.visit(resource, typeof resourceType === 'string' ? resourceType : '', true);
  return walk.found;
}

class Walk {
  readonly found: WrittenReference[] = [];
  private addresses = 0;

  constructor(
    private readonly bases: readonly string[],
    private readonly entries: ReadonlySet<string>,
  ) {}

  private readonly read = (text: string): ServerAddress | undefined => {
    this.addresses += 1;
    if (this.addresses > mostAddresses) {
      const sentence = `With this token a resource may have ${mostAddresses} addresses and absolute references at most.`;
      throw new Refusal(413, 'too-long', sentence);
    }
    return addressIn(text, this.bases);
  };

  /** The depth is bounded: a body that is nested too deeply is refused when it is read. */
  visit(value: unknown, element: string, isRoot = false): void {
    if (Array.isArray(value)) {
      for (const item of value) this.visitItem(item, element);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const members = value as Json;
    if (!isRoot && members.resourceType === 'Patient') this.visitPatient(members, element);
    this.visitIdentifier(members, element);
    for (const [name, child] of Object.entries(members)) {
      const isReference = name.toLowerCase() === 'reference';
      // The text of a reference belongs to its element.
      const inside = isReference && typeof child === 'string' ? element : `${element}.${name}`;
      if (typeof child === 'string') this.visitText(name, child, inside);
      else if (Array.isArray(child)) {
        for (const item of child) this.visitItem(item, inside, name);
      } else this.visit(child, inside);
    }
  }

  private visitItem(item: unknown, element: string, name = ''): void {
    if (typeof item === 'string') this.visitText(name, item, element);
    else this.visit(item, element);
  }

  private visitText(name: string, text: string, element: string): void {
    if (name.toLowerCase() === 'reference') {
      const target = this.targetOf(text);
      if (target) this.found.push({ element, text, target });
      return;
    }
    if (this.entries.has(text)) {
      this.found.push({ element, text, target: { kind: 'entry', name: text } });
      return;
    }
    const whole = addressMember.test(name)
      ? [text]
      : name === 'div'
        ? [...text.matchAll(narrativeLinks)].map(([, link = '']) => link)
        : [];
    const addresses = [
      ...whole.flatMap((one) => this.addressAt(one) ?? []),
      ...addressesIn(text, this.bases, this.read),
    ];
    const places = new Map(addresses.map(({ place }) => [place && pathOfPlace(place), place]));
    for (const place of places.values()) this.found.push({ element, text, target: targetAt({ place }) });
  }

  /** The address of the server that the whole of a text is. */
  private addressAt(text: string): ServerAddress | undefined {
    if (/^\s*(?:https?:|[\\/])/i.test(text)) return this.read(text);
    const place = placeOf(text);
    return place && { place };
  }

  /** The target of a literal reference; undefined for one into the resource itself. */
  private targetOf(text: string): Target | undefined {
    if (text.startsWith('#')) return undefined;
    if (this.entries.has(text) || isUrn(text)) return { kind: 'entry', name: text };
    const place = placeOf(text);
    if (place) return resourceAt(place);
    if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return { kind: 'unclear' };
    const address = this.read(text);
    return address ? targetAt(address) : { kind: 'elsewhere', types: typesIn(text) };
  }

  /** Finds a reference by identifier, which may have a literal reference next to it. */
  private visitIdentifier(members: Json, element: string): void {
    const { reference, type, identifier, resourceType } = members;
    const isIdentifier = typeof identifier === 'object' && identifier !== null && !Array.isArray(identifier);
    if (!isIdentifier || resourceType !== undefined || (type !== undefined && typeof type !== 'string')) return;
    const isLiteral = typeof reference === 'string';
    if (!isLiteral && !Object.keys(members).every((name) => referenceMembers.has(name))) return;
    const target = isLiteral ? this.targetOf(reference) : undefined;
    const place = target?.kind === 'resource' ? { type: target.type, id: target.id } : undefined;
    const name = element.slice(element.lastIndexOf('.') + 1);
    const own = type === undefined && place === undefined && ofOrganizations.test(name) ? 'Organization' : type;
    this.addIdentifier(identifier as Json, element, { type: own === undefined ? place?.type : typeNamed(own), place });
  }

  /** A contained Patient is not a resource of the server, but its identifiers tell who is meant. */
  private visitPatient({ identifier }: Json, element: string): void {
    for (const one of [identifier ?? []].flat()) {
      this.addIdentifier((one ?? {}) as Json, `${element}.identifier`, { type: 'Patient', place: undefined });
    }
  }

  private addIdentifier(
    { system, value }: Json,
    element: string,
    { type, place }: { type: string | undefined; place: Place | undefined },
  ): void {
    const identifier = { system: textOrNothing(system), value: textOrNothing(value) };
    const text = JSON.stringify([type, identifier.system, identifier.value, place]);
    this.found.push({ element, text, target: { kind: 'identifier', type, identifier, place } });
  }
}

const relative = /^([A-Z][A-Za-z]{0,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/([A-Za-z0-9.-]{1,64}))?(?:#.*)?$/;

/** Reads a relative reference, of any version; undefined for any other text. */
function placeOf(text: string): Place | undefined {
  return placeFrom(relative.exec(text) ?? []);
}

function resourceAt(place: Place): Target {
  return { kind: 'resource', ...place };
}

function targetAt({ place }: ServerAddress): Target {
  return place ? resourceAt(place) : { kind: 'unclear' };
}

/** The type of `Reference.type`, which is a URI relative to FHIR's definitions. */
function typeNamed(type: string): string {
  return type.startsWith(definitions) ? type.slice(definitions.length) : type;
}

/** The words of an address that may be types: each that another segment follows. */
function typesIn(address: string): string[] {
  const { pathname } = new URL(address);
  return [...plainPath(pathname).matchAll(/\/([A-Z][A-Za-z]{0,63})(?=\/[^/])/g)].map(([, type = '']) => type);
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
