/** Creates with a condition in a transaction: what they find among what the token may search for. */
import type { WrittenTogether } from './changes.js';
import { Refused } from './verdict.js';
import type { Asked, Resource } from './world.js';

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

/** With addresses in place of the names in references and links. */
function renamed(value: unknown, addresses: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, addresses));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const address = name === 'reference' || name === 'url' ? addresses.get(String(child)) : undefined;
      return [name, address ?? renamed(child, addresses)];
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
