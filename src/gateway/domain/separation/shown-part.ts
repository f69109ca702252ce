import { listOf, member, valuesAt } from '../../../contract/rules/resources/elements.js';
import { markedAsPart } from '../../../contract/rules/resources/parts.js';
import type { Participants } from './named-elements.js';

type Json = Record<string, unknown>;

/** Content that is nested more deeply is not shown. */
const deepest = 40;
/** One that names something has no meaning without that. */
const extensions = new Set(['extension', 'modifierExtension']);
/** Tell of the resource as a whole, or belong to what is taken out. */
const accompanying = ['text', 'contained'];

/** All references in a resource, except those in contained resources. */
export function referencesIn(resource: unknown): unknown[] {
  const found: unknown[] = [];
  openMembers(resource as Json, 0, (reference) => found.push(reference) > 0);
  return found;
}

/**
 * A shared resource without all that is not open: entries of those who take part, and any other reference. With one of
 * them the texts and numbers go that may tell of it, and the resource is marked. Without any, the resource itself.
 * Takes JSON of any parser.
 */
export function withoutOthers(
  resource: unknown,
  { list, who, onlyPatients, hidden }: Participants,
  isOpen: (reference: unknown) => boolean,
): unknown {
  const whole = resource as Json;
  const entries = listOf(whole[list]);
  const open = entries.filter((entry) => valuesAt(entry, who).every(isOpen));
  const named = open.length === entries.length ? whole : { ...whole, [list]: open };
  const shown = onlyPatients ? named : openMembers(named, 0, isOpen);
  if (shown === whole) return whole;
  const left = Object.entries({ ...shown, contained: onlyPatients ? containedWithoutPatients(whole) : [] }).filter(
    ([name, value]) =>
      !['text', ...hidden].includes(name.replace(/^_/, '')) && !(Array.isArray(value) && value.length === 0),
  );
  return { ...Object.fromEntries(left), meta: markedAsPart(whole.meta) };
}

function containedWithoutPatients({ contained }: Json): unknown[] {
  return listOf(contained).filter((one) => member(one, 'resourceType') !== 'Patient');
}

/** The object itself if all references in it are open, otherwise a copy without those that are not. */
function openMembers(object: Json, depth: number, isOpen: (reference: unknown) => boolean): Json {
  const members = Object.entries(object).map(([name, value]) => {
    if (depth === 0 && accompanying.includes(name)) return [name, value] as const;
    const open = openPart(value, depth + 1, isOpen, extensions.has(name));
    return [name, open] as const;
  });
  if (members.every(([name, open]) => open === object[name])) return object;
  return Object.fromEntries(members.filter(([, open]) => open !== undefined));
}

/**
 * The value without what is not open; undefined if that is nothing. With `asWhole` an object is open as a whole or not
 * at all.
 */
function openPart(value: unknown, depth: number, isOpen: (reference: unknown) => boolean, asWhole: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return undefined;
  if (Array.isArray(value)) {
    const open = value.map((one) => openPart(one, depth + 1, isOpen, asWhole));
    if (open.every((one, index) => one === value[index])) return value;
    const left = open.filter((one) => one !== undefined);
    return left.length > 0 ? left : undefined;
  }
  if (isReference(value)) return isOpen(value) ? value : undefined;
  const open = openMembers(value as Json, depth, isOpen);
  if (open === value) return value;
  return asWhole || Object.keys(open).length === 0 ? undefined : open;
}

/** A Reference that names something, by whatever element; no other type has such a member. */
function isReference(value: object): boolean {
  const identifier = member(value, 'identifier');
  return (
    typeof member(value, 'reference') === 'string' ||
    (typeof identifier === 'object' && identifier !== null && !Array.isArray(identifier))
  );
}
