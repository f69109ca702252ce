/** Elements of resources as JSON that nothing has validated. */

/** A server may nest sections or actions; what is nested deeper than this is not read. */
const deepestNesting = 16;

/**
 * The path of an element. A name that ends with `*` may be nested in itself, as `section*` in
 * `Composition.section.section`.
 */
export type ElementPath = readonly string[];

export function pathOfElement(dotted: string): ElementPath {
  return dotted.split('.');
}

/**
 * The values of an element, in any of the lists on the way to it; `null` in place of those that are nested too deeply.
 */
export function valuesAt(value: unknown, path: ElementPath, depth = 0, nesting = 0): unknown[] {
  const name = path[depth];
  if (name === undefined) return [value];
  if (name.endsWith('*')) return nestedValuesAt(value, path, depth, nesting);
  const found = member(value, name) ?? [];
  if (Array.isArray(found)) return found.flatMap((child) => valuesAt(child, path, depth + 1));
  return valuesAt(found, path, depth + 1);
}

function nestedValuesAt(value: unknown, path: ElementPath, depth: number, nesting: number): unknown[] {
  const children = listOf(member(value, String(path[depth]).slice(0, -1)));
  if (nesting > deepestNesting) return children.length > 0 ? [null] : [];
  return children.flatMap((child) => [
    ...valuesAt(child, path, depth + 1),
    ...valuesAt(child, path, depth, nesting + 1),
  ]);
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Servers may send a single value in place of a list, which an app may read nevertheless. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}
