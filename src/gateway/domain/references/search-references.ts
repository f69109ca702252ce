import type { ServerNames } from '../patient-compartment.js';

/** A reference by a search, without the base: what finds it, and the type that it finds. */
const bySearch = /^[A-Z][A-Za-z]{0,63}\?[^#]+$/;

/**
 * The references by a search in what is written, such as `Patient?identifier=…` (FHIR R4 §3.1.0.11.3): the targets of
 * the searches, below the base, by the texts of the references.
 */
export function searchesIn(
  value: unknown,
  server: ServerNames,
  found = new Map<string, string>(),
): Map<string, string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, child] of Object.entries(value)) {
    const search = name === 'reference' && typeof child === 'string' ? server.local(child) : '';
    if (bySearch.test(search)) found.set(child, `/${search}`);
    else searchesIn(child, server, found);
  }
  return found;
}

/** Puts others in the place of these references, which have one of the names `members`. They are changed in place. */
export function replaceReferences(
  value: unknown,
  others: ReadonlyMap<string, string>,
  members: readonly string[] = ['reference'],
): void {
  if (typeof value !== 'object' || value === null) return;
  const object = value as Record<string, unknown>;
  for (const [name, child] of Object.entries(object)) {
    const other = members.includes(name) && typeof child === 'string' ? others.get(child) : undefined;
    if (other === undefined) replaceReferences(child, others, members);
    else object[name] = other;
  }
}
