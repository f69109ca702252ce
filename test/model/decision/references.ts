/** Rule `reference`: what a token of one patient writes refers to that patient's record, or to what is in no record. */
import { recordless, subjectElements } from './definitions.js';
import { isWithinLevels, partFor } from './levels.js';
import { isAbout, takesPart } from './records.js';
import { type Acting, at, type Json, local, of, type Resource, type Server } from './world.js';

/** Resources that are written together, by the names of their parts and by the addresses of their updates. */
export interface Together {
  byName: ReadonlyMap<string, Resource | undefined>;
  byAddress: ReadonlyMap<string, Resource>;
}

export interface Record {
  patient: string;
  /** Present if the user acts for the patient. */
  acting: Acting | undefined;
  /** The signed-in user as `Type/id`, where the app may know who that is. */
  user: string | undefined;
  together: Together;
  /** True if the token may read this Binary, of the address that is named. */
  readsBinary(address: string): boolean;
}

interface Mention {
  /** The names of the elements on the way. */
  element: string;
  text: string;
  /** A part, by its `urn:`; a place `Type/id`; an identifier; another server's address; or what cannot be read. */
  means: { part: string } | { place: string } | Identified | { elsewhere: string } | 'unclear';
}

interface Identified {
  identifier: { system?: unknown; value?: unknown };
  type: string | undefined;
  place: string | undefined;
}

/** Elements that hold an address, which may be relative (Attachment.url, valueUri, canonical URLs). */
const addressElement = /^(?:url|uri|canonical|profile|library|questionnaire|instantiates)$|(?:Url|Uri|Canonical)$/;
const ofOrganizations = /^(?:assigner|custodian|manufacturer|serviceProvider)$|organization$/i;
const place = /^([A-Z][A-Za-z]*\/[A-Za-z0-9.-]+)(?:\/_history\/[A-Za-z0-9.-]+)?(?=$|[/#?|])/;

/** Some readers take no notice of the case of a name. */
function isReference(name: string): boolean {
  return name.toLowerCase() === 'reference';
}

/** Everything in a resource that some reader may take for a reference. */
function mentionsIn(resource: unknown, server: Server, parts: ReadonlySet<string> = new Set()): Mention[] {
  const found: Mention[] = [];
  const visit = (value: unknown, element: string, isRoot: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, element, false);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    if (!isRoot && of(value, 'resourceType') === 'Patient') {
      for (const one of at(value, ['identifier']))
        add(`${element}.identifier`, { identifier: one as Json, type: 'Patient', place: undefined });
    }
    addIdentifier(value as Json, element);
    for (const [name, child] of Object.entries(value)) {
      const inside = isReference(name) ? element : `${element}.${name}`;
      for (const one of Array.isArray(child) ? child : [child]) {
        if (typeof one === 'string') addText(name, one, inside);
        else visit(one, inside, false);
      }
    }
  };
  const add = (element: string, means: Mention['means'], text = JSON.stringify(means)) =>
    found.push({ element, text, means });
  const addText = (name: string, text: string, element: string): void => {
    if (isReference(name)) {
      const means = referenceTo(text, server, parts);
      if (means) add(element, means, text);
    } else if (parts.has(text)) add(element, { part: text }, text);
    else {
      const relative = addressElement.test(name) ? [text] : name === 'div' ? linksIn(text) : [];
      const absolute = server.bases.flatMap((base) => text.split(`${base}/`).slice(1).map(upToItsEnd));
      const places = [...relative, ...absolute].flatMap((one) => addressOf(one, server) ?? []);
      for (const one of new Set(places)) add(element, { place: one }, text);
    }
  };
  const addIdentifier = (value: Json, element: string): void => {
    const { identifier, reference, type, resourceType } = value;
    const isReference = ['id', 'extension', 'reference', 'type', 'identifier', 'display'];
    if (
      typeof identifier !== 'object' ||
      identifier === null ||
      Array.isArray(identifier) ||
      resourceType !== undefined
    )
      return;
    if (typeof reference !== 'string' && !Object.keys(value).every((name) => isReference.includes(name))) return;
    const literal = typeof reference === 'string' ? referenceTo(reference, server, parts) : undefined;
    const named =
      literal && typeof literal === 'object' && 'place' in literal ? literal.place?.split('/_history/')[0] : undefined;
    const last = element.slice(element.lastIndexOf('.') + 1);
    const own =
      typeof type === 'string' ? type.replace('http://hl7.org/fhir/StructureDefinition/', '') : named?.split('/')[0];
    add(element, { identifier, type: own ?? (ofOrganizations.test(last) ? 'Organization' : undefined), place: named });
  };
  visit(resource, String(of(resource, 'resourceType')), true);
  return found;
}

/** The address at the beginning of a text, without the end of a sentence. */
function upToItsEnd(text: string): string {
  return (text.split(/[\s"'<>]/)[0] ?? '').replace(/[.,;:!?)\]}]+$/, '');
}

function linksIn(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src)="([^"]*)/g)].map(([, link = '']) => link);
}

/** `Type/id` of an address that is relative to a base, with the version of a Binary, which has a right of its own. */
function addressOf(text: string, server: Server): string | undefined {
  const [whole, plain] = place.exec(local(text, server)) ?? [];
  return plain?.startsWith('Binary/') ? whole : plain;
}

function referenceTo(text: string, server: Server, parts: ReadonlySet<string>): Mention['means'] | undefined {
  if (text.startsWith('#')) return undefined;
  if (parts.has(text) || text.startsWith('urn:')) return { part: text };
  const own = addressOf(text, server);
  if (own !== undefined) return { place: own };
  return /^https?:\/\/\S+$/.test(text) && !server.bases.some((base) => text.startsWith(base))
    ? { elsewhere: text }
    : 'unclear';
}

/** True if the reference stays inside the record; one to a missing resource is refused like one to another record. */
function isInside({ means }: Mention, record: Record, server: Server): boolean {
  if (means === 'unclear') return false;
  if ('part' in means) {
    const part = record.together.byName.get(means.part);
    return (
      part !== undefined &&
      (recordless.has(part.resourceType) || part.resourceType === 'Binary' || isInRecord(part, record, server))
    );
  }
  if ('elsewhere' in means) {
    const types = new URL(means.elsewhere).pathname.split('/').slice(0, -1);
    return !types.some((type) => type === 'Patient' || subjectElements.has(type));
  }
  if ('identifier' in means) return isIdentified(means, record, server);
  return isPlaceInside(means.place, record, server);
}

function isPlaceInside(address: string, record: Record, server: Server): boolean {
  const [type = '', id = ''] = address.split('/');
  if (recordless.has(type) || `${type}/${id}` === record.user) return true;
  if (type === 'Patient') return id === record.patient;
  if (type === 'Binary') return record.together.byAddress.has(address) || record.readsBinary(address);
  const stored = record.together.byAddress.get(address) ?? shownOf(type, id, record, server);
  return subjectElements.has(type) && stored !== undefined && isInRecord(stored, record, server);
}

/** What a level keeps private is as what does not exist. */
function shownOf(type: string, id: string, { acting }: Record, server: Server): Resource | undefined {
  const stored = server.stored(type, id);
  if (!stored || !acting) return stored;
  return isWithinLevels(acting, stored, 'r', server) ? partFor(acting, stored, server) : undefined;
}

function isInRecord(resource: Resource, { patient }: Record, server: Server): boolean {
  if (isAbout(resource, patient, server)) return true;
  const type = resource.resourceType;
  if (type === 'Appointment' || type === 'Group') return takesPart(resource, patient, server);
  return type === 'Device' && resource.patient === undefined;
}

/** An identifier has to be one of the resource next to it, or of the patient: of no other it is known whose it is. */
function isIdentified({ identifier, type, place: own }: Identified, record: Record, server: Server): boolean {
  if (type !== undefined && recordless.has(type)) return true;
  if (typeof identifier.value !== 'string') return false;
  const isNamed = own?.startsWith(`${type}/`) === true && (subjectElements.has(String(type)) || type === 'Patient');
  if (!isNamed && type !== undefined && type !== 'Patient') return false;
  const [ownType = '', id = ''] = (isNamed ? own : `Patient/${record.patient}`)?.split('/') ?? [];
  const stored = record.together.byAddress.get(`${ownType}/${id}`) ?? shownOf(ownType, id, record, server);
  if (!stored || !isInRecord(stored, record, server)) return false;
  return at(stored, ['identifier']).some(
    (one) => of(one, 'value') === identifier.value && of(one, 'system') === identifier.system,
  );
}

/** A reference that the stored resource has in the same element is not new; `stored` is what the token may read. */
export function refersInside(resource: unknown, stored: unknown, record: Record, server: Server): boolean {
  // An address means the same at each name of the server.
  const keyOf = ({ element, text }: Mention) =>
    server.bases.reduce((key, base) => key.replaceAll(base, ''), `${element} ${text}`);
  const before = new Set(mentionsIn(stored, server).map(keyOf));
  return mentionsIn(resource, server, new Set(record.together.byName.keys()))
    .filter((one) => !before.has(keyOf(one)))
    .every((one) => isInside(one, record, server));
}
