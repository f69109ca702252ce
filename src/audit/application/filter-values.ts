import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseReference } from '../../contract/activity/reference.js';
import type { AuditFilterQuery } from '../../contract/audit.js';
import { type Message, message } from '../../contract/messages/message.js';
import type { FhirBase } from '../../platform/config/fhir-bases.js';
import { Problem } from '../../platform/errors.js';
import type { EventFilter } from '../domain/audit-event.js';
import { patientFilter } from './patient-filter.js';

type Typed = Pick<AuditFilterQuery, 'patient' | 'tenant' | 'kind' | 'address' | 'correlationId' | 'launch'>;
type TypedFilters = Pick<EventFilter, 'patient' | 'tenant' | 'kind' | 'addresses' | 'correlationId' | 'launch'>;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/**
 * The filters that are typed: what an administrator has copied, in the form of the record. Throws `invalid` next to the
 * field of a value that has none of its forms.
 */
export function typedFilters(
  { patient, tenant, kind, address, correlationId, launch }: Typed,
  bases: readonly FhirBase[],
): TypedFilters {
  const named = patient === undefined ? undefined : patientFilter(patient, bases);
  const tenantId = tenant === undefined ? undefined : tenantNamed(tenant, bases);
  if (named?.tenant !== undefined && tenantId !== undefined && named.tenant !== tenantId) {
    throw refused('tenant', message('audit-patient-tenant'));
  }
  return {
    patient: named?.id,
    tenant: tenantId ?? named?.tenant,
    kind: read('kind', kind, message('audit-kind-form'), (text) => /^([A-Za-z]{1,64})(?:\/|$)/.exec(text)?.[1]),
    addresses: read('address', address, message('audit-address-form'), spellingsOf),
    correlationId: read('correlationId', correlationId, message('audit-request-form'), (text) =>
      uuid.exec(text)?.[0].toLowerCase(),
    ),
    launch: read('launch', launch, message('launch-reference-invalid'), parseReference),
  };
}

/** A tenant that is no longer configured still has events. */
function tenantNamed(typed: string, bases: readonly FhirBase[]): string {
  const text = typed.trim().toLowerCase();
  const known = bases.flatMap(({ tenant }) => tenant ?? []);
  const named = known.find(({ id, name }) => id === text || name.toLowerCase() === text);
  if (!named && !/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) throw refused('tenant', message('audit-tenant-form'));
  return named?.id ?? text;
}

function read<Value>(
  field: keyof Typed,
  typed: string | undefined,
  problem: Message,
  form: (text: string) => Value | undefined,
): Value | undefined {
  if (typed === undefined) return undefined;
  const value = form(typed.trim());
  if (value === undefined) throw refused(field, problem);
  return value;
}

function refused(field: keyof Typed, problem: Message): Problem {
  return Problem.invalid([{ field, messages: [problem] }]);
}

/**
 * All texts by which an address can have been recorded; undefined for a text that is none. Port, brackets and zone are
 * left out.
 */
function spellingsOf(typed: string): string[] | undefined {
  const text = typed.trim();
  const alone = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const bare = alone.replace(/%.*$/, '');
  if (isIP(bare) === 0) return undefined;
  const address = ipaddr.process(bare);
  const v6 = address.kind() === 'ipv4' ? (address as ipaddr.IPv4).toIPv4MappedAddress() : (address as ipaddr.IPv6);
  const mapped = address.kind() === 'ipv4' ? [address.toString(), `::ffff:${address.toString()}`] : [];
  const whole = v6.toNormalizedString().replace(/[^:]+/g, (part) => part.padStart(4, '0'));
  const spellings = [bare, ...mapped, v6.toString(), v6.toRFC5952String(), v6.toNormalizedString(), whole];
  return [...new Set([...spellings, ...spellings.map((one) => one.toUpperCase())])];
}
