import jsonc from 'jsonc-parser';

/** Far more levels than any document of a user or server has; recursive readers fail at some thousands. */
export const mostLevels = 100;

/** True if parsed JSON is nested so deeply that a recursive function may exhaust the stack. */
export function isNestedTooDeeply(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isNestedTooDeeply(item, levels - 1));
  for (const name in value) {
    if (isNestedTooDeeply((value as Record<string, unknown>)[name], levels - 1)) return true;
  }
  return false;
}

/**
 * The first name that two members of one object share in this JSON text; undefined if all names are unique. Parsers
 * differ in the member that they take (RFC 8259 §4), so a checked document could be read differently by the next
 * reader. The text must be valid JSON of a bounded depth.
 */
export function duplicateMember(text: string): string | undefined {
  const open: Set<string>[] = [];
  let duplicate: string | undefined;
  jsonc.visit(text, {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectProperty: (name) => {
      const names = open.at(-1);
      if (names?.has(name)) duplicate ??= name;
      names?.add(name);
    },
    onObjectEnd: () => {
      open.pop();
    },
  });
  return duplicate;
}
