/** What conditional creates and references by a search find in a transaction, of what the token may search for. */
import type { WrittenTogether } from './changes.js';
import { Refused } from './verdict.js';
import type { Asked, Query, Resource } from './world.js';

interface LookedUp {
  match: Resource | undefined;
}

/**
 * The parts without creates of what exists, to which the others refer by its address, and without these conditions
 * (decision 0104). `lookUp` gives undefined for a condition that is left to the server.
 */
export function withoutFound(parts: readonly Asked[], lookUp: (part: Asked) => LookedUp | undefined): Asked[] {
  const addresses = new Map<string, string>();
  const conditions = new Set<string>();
  const left = parts.flatMap((part) => {
    const lookedUp = part.ifNoneExist && lookUp(part);
    if (!lookedUp) return part;
    const condition = JSON.stringify([part.type, part.ifNoneExist]);
    if (conditions.has(condition)) throw new Refused('together', 400);
    conditions.add(condition);
    const { match } = lookedUp;
    if (match && part.name !== undefined) addresses.set(part.name, `${match.resourceType}/${match.id}`);
    const { ifNoneExist: _condition, ...plain } = part;
    return match ? [] : plain;
  });
  return left.map((part) => ({ ...part, ...(part.body !== undefined && { body: renamed(part.body, addresses) }) }));
}

/** A reference by a search, without the base. */
const bySearch = /^([A-Z][A-Za-z]*)\?(.+)$/;

/** With the addresses of what references by a search find (decision 0108). */
export function withSearched(parts: readonly Asked[], findOne: (type: string, query: Query) => Resource): Asked[] {
  const addresses = new Map<string, string>();
  for (const reference of parts.flatMap(({ body }) => referencesIn(body))) {
    const [, type, query] = bySearch.exec(reference) ?? [];
    if (type === undefined || addresses.has(reference)) continue;
    const { id } = findOne(type, [...new URLSearchParams(query)]);
    addresses.set(reference, `${type}/${id}`);
  }
  return parts.map((part) => ({
    ...part,
    ...(part.body !== undefined && { body: renamed(part.body, addresses, ['reference']) }),
  }));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    name === 'reference' && typeof child === 'string' ? [child] : referencesIn(child),
  );
}

/** With addresses in place of the names in references and links. */
function renamed(
  value: unknown,
  addresses: ReadonlyMap<string, string>,
  members: readonly string[] = ['reference', 'url'],
): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, addresses, members));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const address = members.includes(name) ? addresses.get(String(child)) : undefined;
      return [name, address ?? renamed(child, addresses, members)];
    }),
  );
}

/** What these parts write. */
export function writtenIn(parts: readonly Asked[]): WrittenTogether {
  const written = parts.flatMap(({ body }) => (body === undefined ? [] : (body as Resource)));
  return {
    byName: new Map(
      parts.flatMap(({ name, body }) => (name === undefined ? [] : ([[name, body as Resource]] as const))),
    ),
    byAddress: new Map(
      parts.flatMap(({ interaction, type, id, body }) =>
        interaction === 'update' ? ([[`${type}/${id}`, body as Resource]] as const) : [],
      ),
    ),
    written,
  };
}
