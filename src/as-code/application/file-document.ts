import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isNestedTooDeeply } from '../../platform/values/json.js';
import { type FileProblem, FileProblems, type Path, type Position } from '../domain/file-problems.js';
import { boundedDocuments, YamlTooLarge } from './bounded-yaml.js';

/** After these, errors only follow from others. */
const mostSyntaxErrors = 20;
/** The number of values, with each that an alias repeats. */
const mostValues = 1_500_000;
const start: Position = { line: 1, column: 1 };

/** A YAML 1.2 document that knows where each of its values is. */
export class FileDocument {
  private readonly pairs = new WeakMap<YAMLMap, Map<string, Pair>>();

  private constructor(
    readonly name: string,
    readonly value: unknown,
    private readonly document: Document,
    private readonly lines: LineCounter,
  ) {}

  /** Refuses all but a single document of plain values: other tags, keys that appear twice, aliases without end. */
  static parse(name: string, text: string): FileDocument {
    const lines = new LineCounter();
    const [document, another] = documentsOf(name, text, lines);
    const syntaxErrors = withoutConsequences([...document.errors, ...document.warnings]).map(({ message, pos }) => ({
      position: positionIn(lines, pos[0]),
      path: [],
      text: message,
    }));
    if (another) {
      const position = positionIn(lines, another.range[0]);
      syntaxErrors.push({ position, path: [], text: 'The file must be a single document.' });
    }
    const errors = syntaxErrors.length > 0 ? syntaxErrors : wrongNames(document, lines);
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
    const pair = this.pairOf(at, String(step));
    return pair && { key: pair.key as Node, value: pair.value as Node | null };
  }

  /** The first pair with this key. Kept by key: a file may have a problem at each of very many keys. */
  private pairOf(map: YAMLMap, name: string): Pair | undefined {
    let pairs = this.pairs.get(map);
    if (!pairs) {
      pairs = new Map(
        map.items.toReversed().flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])),
      );
      this.pairs.set(map, pairs);
    }
    return pairs.get(name);
  }
}

const options = {
  prettyErrors: false,
  stringKeys: true,
  // The library compares each key of a map with all others.
  uniqueKeys: false,
  version: '1.2',
} as const;

/** The document, and the one that follows. */
function documentsOf(name: string, text: string, lines: LineCounter): [Document.Parsed, Document.Parsed | undefined] {
  const documents = boundedDocuments(text, mostSyntaxErrors, { ...options, lineCounter: lines });
  try {
    const { value: first } = documents.next();
    return [first, documents.next().value ?? undefined];
  } catch (error) {
    if (!(error instanceof YamlTooLarge)) throw error;
    throw new FileProblems(name, [{ position: positionIn(lines, error.offset), path: [], text: error.message }]);
  }
}

/** After a token that ends the document too early, the library reports each token of the rest. */
function withoutConsequences<Problem extends { code: string }>(problems: Problem[]): Problem[] {
  const first = problems.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN');
  return problems.filter(({ code }, index) => code !== 'UNEXPECTED_TOKEN' || index === first);
}

/** Keys that appear twice in a mapping, and aliases whose anchor is not before them. */
function wrongNames(document: Document, lines: LineCounter): FileProblem[] {
  const problems: FileProblem[] = [];
  const anchors = new Set<string>();
  const add = (node: Node, text: string) =>
    problems.push({ position: positionIn(lines, node.range?.[0] ?? 0), path: [], text });
  visit(document, (_, node) => {
    if (isAlias(node)) {
      if (!anchors.has(node.source)) add(node, `There is no anchor &${node.source} before this alias.`);
    } else if (hasAnchor(node)) anchors.add(String(node.anchor));
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) add(key, `The key ${key.value} appears twice.`);
      seen.add(key.value);
    }
  });
  return problems;
}

function hasAnchor(node: unknown): node is Scalar | YAMLMap | YAMLSeq {
  return (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined;
}

function positionIn(lines: LineCounter, offset: number): Position {
  const { line, col: column } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, column) };
}

function plainValue(name: string, document: Document): unknown {
  const refused = (text: string) => new FileProblems(name, [{ position: start, path: [], text }]);
  // The content of an alias is there once. The library would look at the whole document to count each of them.
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  const size = sizeOf(value, new Map());
  if (size > mostValues && size < Infinity) throw refused('Its aliases (*name) repeat too much.');
  if (size === Infinity || isNestedTooDeeply(value)) throw refused('It is nested too deeply.');
  return value;
}

/** The number of values in this one; infinite if it has itself in it. */
function sizeOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, Infinity);
  let size = 1;
  for (const item of Object.values(value)) size += sizeOf(item, known);
  known.set(value, size);
  return size;
}
