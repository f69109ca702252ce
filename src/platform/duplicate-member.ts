import jsonc from 'jsonc-parser';

/**
 * The first name that two members of one object share in this JSON text; undefined if all names are unique. Parsers differ
 * in the member that they take (RFC 8259 §4), so a checked document could be read differently by the next reader. The
 * text must be valid JSON of a bounded depth.
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
