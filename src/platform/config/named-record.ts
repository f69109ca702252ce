import type { FhirBase } from './fhir-bases.js';

/** A record of a FHIR server, as a person names it. */
export interface NamedRecord {
  /** Undefined for an id alone. */
  type: string | undefined;
  id: string;
  /**
   * Id of the tenant of the base that is named, null for the base without a tenant; undefined where no base is named.
   */
  tenant: string | null | undefined;
}

/** An address below no FHIR base of this portal. */
export const elsewhere = 'elsewhere';

const id = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9.-]{1,64}';
const idAlone = new RegExp(`^${id}$`);
const reference = new RegExp(`^/?([A-Za-z]{1,64})/(${id})(?:/_history(?:/${id})?)?/?$`);
/** Marks that come along when a value is copied from a text. */
const copied = /^[\s"'<>([“”‘’„«»`]+|[\s"'<>)\],;“”‘’«»`]+$/g;

/**
 * Reads an id, and a relative, absolute or version-specific reference (FHIR R4 §2.3.0.1). An absolute one is below a
 * base as clients or as the portal address it. Undefined for any other text.
 */
export function readNamedRecord(typed: string, bases: readonly FhirBase[]): NamedRecord | typeof elsewhere | undefined {
  const text = decoded(typed.replace(copied, ''));
  if (idAlone.test(text)) return { type: undefined, id: text, tenant: undefined };
  if (!/^https?:\/\//i.test(text)) return recordAt(text, undefined);
  const address = addressOf(text);
  const below = bases
    .flatMap(({ url, server: { baseUrl, aliases }, tenant }) =>
      [url, baseUrl, ...aliases].map((base) => ({ base: addressOf(base), tenant: tenant?.id ?? null })),
    )
    .flatMap(({ base, tenant }) =>
      base && address?.startsWith(`${base}/`) ? [{ rest: address.slice(base.length + 1), tenant }] : [],
    );
  // One base may be below another: then the record is below the longer one.
  const [nearest] = below.sort((a, b) => a.rest.length - b.rest.length);
  return nearest ? recordAt(nearest.rest, nearest.tenant) : elsewhere;
}

function recordAt(text: string, tenant: NamedRecord['tenant']): NamedRecord | undefined {
  const [, type, found] = reference.exec(text) ?? [];
  return type !== undefined && found !== undefined ? { type, id: found, tenant } : undefined;
}

/** The address as a browser writes it, without query and fragment. */
function addressOf(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return (origin + pathname).replace(/\/+$/, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
