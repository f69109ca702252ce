import { inTurns, Turn } from '../process/turns.js';

/** A text that has more is refused before it is parsed. */
export interface JsonLimits {
  levels: number;
  /** Members of one object. */
  members: number;
  /** Items of one list. */
  items: number;
  /** Values in all: each takes memory, and time in each pass over them. */
  parts: number;
}

export interface ReadJson {
  value: unknown;
  /** The first name that two members of one object share. Parsers differ in the member that they take (RFC 8259 §4). */
  duplicate: string | undefined;
  /** True if a member has the name `__proto__`. */
  hasPrototype: boolean;
}

/** The text exceeds this limit. */
export class JsonTooComplex extends Error {
  constructor(readonly limit: keyof JsonLimits) {
    super(`JSON with too many ${limit}`);
  }
}

/** Parses a text that is JSON by itself. */
type Parse = (text: string) => unknown;

/**
 * Parses JSON as `JSON.parse` does, in turns of the event loop, so that no body holds up the requests of others. One
 * text is parsed in one turn, which takes 10 ms for each megabyte of escapes. Rejects with {@link JsonTooComplex}, or
 * as `parse` throws.
 */
export const jsonInTurns = (text: string, limits: JsonLimits, parse: Parse = JSON.parse): Promise<ReadJson> =>
  inTurns(reading(text, limits, parse));

/** Characters that are parsed at once, unless one text has more. */
const sliceLength = 64 * 1024;
/** Steps between two looks at the clock. */
const stride = 4096;

/** Items or members that are parsed at once, or one that is longer than that. */
interface Part {
  from: number;
  to: number;
  /** The items of a long one, which begins at `to`; what is before is its name. */
  long?: LongValue;
}

/** A list or an object that is longer than a slice. */
interface LongValue {
  isList: boolean;
  parts: Part[];
}

/** A list or an object whose end has not been read. */
interface Open extends LongValue {
  start: number;
  /** The begin of what is in no part yet, and of the current item. */
  groupAt: number;
  itemAt: number;
  commas: number;
  /** The end of a long item, if it is the current one. */
  longEnd: number | undefined;
  expectsName: boolean;
  names: Set<string> | undefined;
}

function* reading(text: string, limits: JsonLimits, parse: Parse): Generator<undefined, ReadJson> {
  const scan = new Scan(text, limits);
  const turn = new Turn();
  while (!scan.advance()) {
    if (!turn.isOver()) continue;
    yield;
    turn.begin();
  }
  const { long, duplicate, hasPrototype } = scan;
  const value = long === undefined ? parse(text) : yield* building(text, long, parse, turn);
  return { value, duplicate, hasPrototype };
}

function* building(
  text: string,
  { isList, parts }: LongValue,
  parse: Parse,
  turn: Turn,
): Generator<undefined, unknown> {
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  for (const { from, to, long } of parts) {
    if (turn.isOver()) {
      yield;
      turn.begin();
    }
    const between = text.slice(from, to);
    const group = parse(isList ? `[${between}]` : `{${between}${long ? 'null' : ''}}`) as object;
    const members = Object.entries(group);
    // An empty group is the place of an item that is missing; before a long item of a list is nothing.
    if (members.length === 0 ? !(isList && long) && parts.length > 1 : long && (isList || members.length > 1)) {
      throw new SyntaxError('JSON with commas in wrong places');
    }
    const value = long && (yield* building(text, long, parse, turn));
    if (isList && long) list.push(value);
    for (const [name, member] of members) {
      if (isList) list.push(member);
      else setMember(object, name, long ? value : member);
    }
  }
  return isList ? list : object;
}

/** As `JSON.parse` does: a member of that name is not a prototype. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Finds limits that are exceeded, names, and where to cut a text; what else is wrong is found by the parser of its
 * parts.
 */
class Scan {
  long: LongValue | undefined;
  duplicate: string | undefined;
  hasPrototype = false;

  private at = 0;
  /** Where the text begins that is being read. */
  private textAt: number | undefined;
  private parts = 0;
  private readonly open: Open[] = [];

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits,
  ) {}

  /** Reads some of the text; returns true at its end. */
  advance(): boolean {
    const { text } = this;
    for (let step = 0; step < stride; step += 1) {
      if (this.textAt !== undefined) {
        this.seekEnd(this.textAt);
        continue;
      }
      if (this.at >= text.length) return this.end();
      const at = this.at;
      this.at += 1;
      switch (text.charCodeAt(at)) {
        case 0x22: // "
          this.textAt = at + 1;
          break;
        case 0x2c: // ,
          this.readComma(at);
          break;
        case 0x5b: // [
        case 0x7b: // {
          this.begin(at, text.charCodeAt(at) === 0x5b);
          break;
        case 0x5d: // ]
        case 0x7d: // }
          this.close(at, text.charCodeAt(at) === 0x5d);
          break;
      }
    }
    return false;
  }

  private end(): boolean {
    if (this.open.length > 0) throw new SyntaxError('JSON that is cut off');
    return true;
  }

  /** Looks for the end of the text that begins at `from`, one quotation mark after the other. */
  private seekEnd(from: number): void {
    const mark = this.text.indexOf('"', this.at);
    if (mark < 0) throw new SyntaxError('a text without an end');
    this.at = mark + 1;
    let before = mark;
    while (before > from && this.text.charCodeAt(before - 1) === 0x5c) before -= 1;
    if ((mark - before) % 2 === 1) return;
    this.textAt = undefined;
    const object = this.open.at(-1);
    if (!object?.expectsName) return;
    object.expectsName = false;
    this.noteName(object, this.text.slice(from, mark));
  }

  private noteName(object: Open, written: string): void {
    const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
    object.names ??= new Set();
    if (object.names.has(name)) this.duplicate ??= name;
    object.names.add(name);
    if (name === '__proto__') this.hasPrototype = true;
  }

  private readComma(at: number): void {
    this.count();
    const open = this.open.at(-1);
    if (!open) throw new SyntaxError('a comma outside of lists and objects');
    open.commas += 1;
    const limit = open.isList ? 'items' : 'members';
    if (open.commas >= this.limits[limit]) throw new JsonTooComplex(limit);
    open.expectsName = !open.isList;
    this.cut(open, at, at + 1 - open.groupAt > sliceLength);
    open.itemAt = at + 1;
  }

  private begin(at: number, isList: boolean): void {
    this.count();
    if (this.open.length >= this.limits.levels) throw new JsonTooComplex('levels');
    const inside = { groupAt: at + 1, itemAt: at + 1, commas: 0, longEnd: undefined, names: undefined };
    this.open.push({ isList, parts: [], start: at, expectsName: !isList, ...inside });
  }

  private close(at: number, isList: boolean): void {
    const closed = this.open.pop();
    if (closed?.isList !== isList) throw new SyntaxError('brackets that do not fit');
    const around = this.open.at(-1);
    if (at - closed.start < sliceLength && closed.parts.length === 0) {
      if (closed.longEnd === undefined) return;
    }
    this.cut(closed, at, closed.longEnd === undefined);
    const long = { isList, parts: closed.parts };
    if (around) this.keepLong(around, closed.start, at, long);
    else this.keepRoot(closed.start, at, long);
  }

  /** Ends the current group if it is wanted, and a long item in any case. */
  private cut(open: Open, at: number, isWanted: boolean): void {
    if (open.longEnd !== undefined) this.assertBlank(open.longEnd, at);
    else if (isWanted) open.parts.push({ from: open.groupAt, to: at });
    if (open.longEnd !== undefined || isWanted) open.groupAt = at + 1;
    open.longEnd = undefined;
  }

  private keepLong(around: Open, start: number, end: number, long: LongValue): void {
    if (around.longEnd !== undefined) throw new SyntaxError('two values without a comma');
    if (around.itemAt > around.groupAt) around.parts.push({ from: around.groupAt, to: around.itemAt - 1 });
    around.parts.push({ from: around.itemAt, to: start, long });
    around.longEnd = end + 1;
  }

  private keepRoot(start: number, end: number, long: LongValue): void {
    this.assertBlank(0, start);
    this.assertBlank(end + 1, this.text.length);
    this.long = long;
  }

  private assertBlank(from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)
        throw new SyntaxError('text between values');
    }
  }

  private count(): void {
    this.parts += 1;
    if (this.parts > this.limits.parts) throw new JsonTooComplex('parts');
  }
}
