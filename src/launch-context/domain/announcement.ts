import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import { isNestedTooDeeply } from '../../platform/values/json.js';

/** A further resource that an app is opened for (SMART 2.2 §fhircontext). */
interface ContextItem {
  reference?: string;
  canonical?: string;
  identifier?: Record<string, unknown>;
  type?: string;
  role?: string;
}

/** The content of an EHR's announcement that it is about to launch an app. */
export interface Announcement {
  clientId: string | undefined;
  /** `Practitioner/1` for a record below the FHIR base; otherwise as it was given. */
  user: string | undefined;
  /** Id of the tenant whose patient it is about. */
  tenant: string | undefined;
  context: {
    patient?: string;
    encounter?: string;
    fhirContext?: ContextItem[];
    needPatientBanner?: boolean;
    intent?: string;
    smartStyleUrl?: string;
  };
  /** Members of the announcement that are not read. */
  unread: Unread[];
}

/** A parameter, or a member of a `fhirContext` item, that is not read; `known` are the names that would be. */
export interface Unread {
  /** `fhirContext` for a member of its items. */
  within?: 'fhirContext';
  name: string;
  known: readonly string[];
}

export const announcementParameters: readonly string[] = [
  ...['client_id', 'user', 'tenant', 'patient', 'encounter'],
  ...['fhirContext', 'need_patient_banner', 'intent', 'smart_style_url'],
];
const itemMembers = ['reference', 'canonical', 'identifier', 'type', 'role'];

const resourceId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;
const relativeReference = /^([A-Z][A-Za-z]{0,63})\/(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;
const plainText = /^[\x20-\x7e]{1,200}$/;

/**
 * Reads the form of `POST /connect/launchContext`; unknown parameters are not read (RFC 6749 §3.2), and named.
 * `basesOf` returns the addresses of the FHIR bases, below which records are.
 */
export function readAnnouncement(
  form: Record<string, unknown>,
  basesOf: (tenant: string | undefined) => KnownBases,
): Announcement {
  const given = (name: string) => parameter(form, name);
  const tenant = text('tenant', given('tenant'));
  const bases = basesOf(tenant);
  const idOf = (name: string, type: string) => recordId(name, type, withoutBase(given(name), bases));
  const context: Announcement['context'] = {
    patient: idOf('patient', 'Patient'),
    encounter: idOf('encounter', 'Encounter'),
    fhirContext: fhirContext(given('fhirContext')),
    needPatientBanner: flag('need_patient_banner', given('need_patient_banner')),
    intent: text('intent', given('intent')),
    smartStyleUrl: webAddress('smart_style_url', given('smart_style_url')),
  };
  return {
    clientId: text('client_id', given('client_id')),
    user: withoutBase(text('user', given('user')), bases),
    tenant,
    context: Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined)),
    unread: [
      ...unreadNames(form, announcementParameters),
      ...(context.fhirContext === undefined ? [] : unreadMembers(String(form.fhirContext))),
    ],
  };
}

function unreadNames(of: object, known: readonly string[]): Unread[] {
  return Object.entries(of)
    .filter(([name, value]) => !known.includes(name) && value !== undefined && value !== '')
    .map(([name]) => ({ name, known }));
}

/** Of a `fhirContext` that has been read. */
function unreadMembers(text: string): Unread[] {
  const unread = (JSON.parse(text) as object[]).flatMap((item) => unreadNames(item, itemMembers));
  const byName = new Map(unread.map((one) => [one.name, one]));
  return [...byName.values()].map((one) => ({ within: 'fhirContext', ...one }));
}

/** A parameter of the announcement is not valid; the message names it, and no value. */
export class InvalidAnnouncement extends Problem {
  constructor(readonly reason: string) {
    super('invalid', message('technical', { reason }));
  }
}

/** The address of a record that is not below the FHIR base of the launch. */
export class ForeignRecord extends InvalidAnnouncement {
  constructor(
    readonly parameter: string,
    readonly type: string,
    readonly sent: string,
  ) {
    super(`${parameter} must be below the FHIR base of the launch: send ${type}/{id}, not an address of another`);
  }
}

/** RFC 6749 §3.2: a parameter without a value counts as left out, and none comes twice. */
function parameter(form: Record<string, unknown>, name: string): string | undefined {
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  if (value === undefined || value === '') return undefined;
  if (Array.isArray(value)) throw invalidLaunch(`${name} is given more than once`);
  if (typeof value !== 'string') throw invalidLaunch(`${name} must be a text`);
  return value;
}

/**
 * `1`, `Patient/1` and an address of it below the FHIR base mean the same. Below another one the same id is another
 * record, and a path that begins with a slash is not a reference (FHIR R4 §2.3.0.1).
 */
function recordId(name: string, type: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.includes('|')) throw invalidLaunch(`${name} must be ${type}/{id}, and not an identifier (system|value)`);
  if (value.includes('://')) throw new ForeignRecord(name, type, value);
  const id = value.startsWith(`${type}/`) ? value.slice(type.length + 1) : value;
  if (id.toLowerCase().startsWith(`${type.toLowerCase()}/`))
    throw invalidLaunch(`${name} must be written ${type}/{id}`);
  if (!resourceId.test(id)) throw invalidLaunch(`${name} must be the id of a ${type}`);
  return id;
}

/** The addresses of the FHIR base of the launch, and of those of the other tenants. */
export interface KnownBases {
  own: readonly string[];
  others: readonly string[];
}

/** An address below the base of the launch without this base; any other as it is. */
function withoutBase(address: string | undefined, { own, others }: KnownBases): string | undefined {
  const base = address === undefined ? undefined : baseOf(address, [...own, ...others]);
  return base !== undefined && own.includes(base) ? address?.slice(base.length + 1) : address;
}

/** The base that the address is below; of those that are below each other the longest. */
export function baseOf(address: string, bases: readonly string[]): string | undefined {
  return bases.filter((base) => address.startsWith(`${base}/`)).sort((a, b) => b.length - a.length)[0];
}

function text(name: string, value: string | undefined): string | undefined {
  if (value !== undefined && !plainText.test(value))
    throw invalidLaunch(`${name} must be 1 to 200 printable characters`);
  return value;
}

function flag(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalidLaunch(`${name} must be true or false`);
  return value === 'true';
}

function webAddress(name: string, value: string | undefined): string | undefined {
  if (
    value !== undefined &&
    !(URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol) && value.length <= 2000)
  ) {
    throw invalidLaunch(`${name} must be an http(s) URL`);
  }
  return value;
}

/** A JSON array of objects, each with at least one of the three members that identify it (SMART 2.2 §fhircontext). */
function fhirContext(value: string | undefined): ContextItem[] | undefined {
  if (value === undefined) return undefined;
  let items: unknown;
  try {
    items = JSON.parse(value);
  } catch {
    throw invalidLaunch('fhirContext must be JSON');
  }
  if (!Array.isArray(items)) throw invalidLaunch('fhirContext must be an array of objects, and is none');
  if (items.length > 50) throw invalidLaunch(`fhirContext must have at most 50 objects, and has ${items.length}`);
  if (isNestedTooDeeply(items)) throw invalidLaunch('fhirContext is nested too deeply');
  // PostgreSQL cannot store NUL and unpaired surrogates.
  if (/\\u(0000|d[89a-f])/.test(JSON.stringify(items)))
    throw invalidLaunch('fhirContext has characters that cannot be stored');
  return items.length === 0 ? undefined : items.map(contextItem);
}

function contextItem(item: unknown): ContextItem {
  const { reference, canonical, identifier, type, role } = (item ?? {}) as Record<string, unknown>;
  if (reference === undefined && canonical === undefined && identifier === undefined) {
    throw invalidLaunch('each fhirContext item needs a reference, a canonical or an identifier');
  }
  const referenced = typeof reference === 'string' ? relativeReference.exec(reference)?.[1] : undefined;
  if (reference !== undefined && referenced === undefined) {
    throw invalidLaunch('a fhirContext reference must be relative, such as ImagingStudy/1');
  }
  if (canonical !== undefined && !(typeof canonical === 'string' && /^https?:\/\/[!-~]{1,2000}$/.test(canonical))) {
    throw invalidLaunch('a fhirContext canonical must be an http(s) URL');
  }
  if (
    identifier !== undefined &&
    (typeof identifier !== 'object' || identifier === null || Array.isArray(identifier))
  ) {
    throw invalidLaunch('a fhirContext identifier must be an object');
  }
  if (type !== undefined && !(typeof type === 'string' && /^[A-Z][A-Za-z]{0,63}$/.test(type))) {
    throw invalidLaunch('a fhirContext type must be a resource type');
  }
  if (role !== undefined && !(typeof role === 'string' && plainText.test(role))) {
    throw invalidLaunch('a fhirContext role must be 1 to 200 printable characters');
  }
  const own = referenced ?? type;
  if ((own === 'Patient' || own === 'Encounter') && (role === undefined || role === 'launch')) {
    throw invalidLaunch(`a ${own} in fhirContext needs a role of its own; the one of the launch is the parameter`);
  }
  const known = { reference, canonical, identifier, type, role } as ContextItem;
  return Object.fromEntries(Object.entries(known).filter(([, member]) => member !== undefined));
}

function invalidLaunch(why: string): InvalidAnnouncement {
  return new InvalidAnnouncement(why);
}
