import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { isNestedTooDeeply } from '../../platform/nesting.js';
import { type FileProblem, FileProblems, type Path, type Position } from '../domain/file-problems.js';

/** After these, errors only follow from others. */
const mostSyntaxErrors = 20;
/** The number of times that aliases may repeat parts of the file, all in all. */
const mostAliases = 100;
/** In place of the library's words for its programmers. */
const ownTexts: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'The file must be a single document.',
  RESOURCE_EXHAUSTION: 'It is nested too deeply.',
};
const start: Position = { line: 1, column: 1 };

/** A YAML 1.2 document that knows where each of its values is. */
export class FileDocument {
  private constructor(
    readonly name: string,
    readonly value: unknown,
    private readonly document: Document,
    private readonly lines: LineCounter,
  ) {}

  /** Refuses what is no single document of plain values: other tags, keys that appear twice, aliases without end. */
  static parse(name: string, text: string): FileDocument {
    const lines = new LineCounter();
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      // The library compares each key of a map with all others.
      uniqueKeys: false,
      version: '1.2',
    });
    const syntaxErrors = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
      position: positionIn(lines, pos[0]),
      path: [],
      text: ownTexts[code] ?? message,
    }));
    const errors = syntaxErrors.length > 0 ? syntaxErrors : repeatedKeys(document, lines);
    if (errors.length > 0) throw new FileProblems(name, errors.slice(0, mostSyntaxErrors));
    return new FileDocument(name, plainValue(name, document), document, lines);
  }

  /** The place of the value; that of its key if it is a list or has members, or if `atKey`. The nearest that exists. */
  positionOf(path: Path, { atKey = false } = {}): Position {
    let node: Node | null = this.document.contents;
    let position = start;
    for (const [index, step] of path.entries()) {
      const found = this.step(node, step);
      if (!found) break;
      node = found.value;
      const isLast = index === path.length - 1;
      const isText = isScalar(node) && node.value !== null;
      const place = isText && !(isLast && atKey) ? node : (found.key ?? node);
      position = place?.range ? positionIn(this.lines, place.range[0]) : position;
    }
    return position;
  }

  /** The place in a list of the nth text that is not blank; `nth` itself in any other list. */
  placeOfText(path: Path, nth: number): number {
    const list = path.reduce<unknown>(
      (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
      this.value,
    );
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) return nth;
    return list.flatMap((item, index) => (item.trim() === '' ? [] : [index]))[nth] ?? nth;
  }

  problem(path: Path, text: string, options?: { atKey: boolean }): FileProblem {
    return { position: this.positionOf(path, options), path, text };
  }

  private step(node: Node | null, step: string | number): { key?: Node; value: Node | null } | undefined {
    const at = isAlias(node) ? node.resolve(this.document) : node;
    if (isSeq(at)) {
      const value = at.items[Number(step)] as Node | undefined;
      return value && { value };
    }
    if (!isMap(at)) return undefined;
    const pair = at.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    return pair && { key: pair.key as Node, value: pair.value as Node | null };
  }
}

function repeatedKeys(document: Document, lines: LineCounter): FileProblem[] {
  const problems: FileProblem[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const text = `The key ${key.value} appears twice.`;
        if (seen.has(key.value)) problems.push({ position: positionIn(lines, key.range?.[0] ?? 0), path: [], text });
        seen.add(key.value);
      }
    },
  });
  return problems;
}

function positionIn(lines: LineCounter, offset: number): Position {
  const { line, col: column } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, column) };
}

function plainValue(name: string, document: Document): unknown {
  const refused = (text: string) => new FileProblems(name, [{ position: start, path: [], text }]);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: mostAliases });
  } catch (error) {
    if (error instanceof ReferenceError) throw refused('Its aliases (*name) repeat too much.');
    throw error;
  }
  if (isNestedTooDeeply(value)) throw refused('It is nested too deeply.');
  return value;
}
