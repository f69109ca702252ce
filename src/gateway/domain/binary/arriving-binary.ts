import { JsonScanner } from '../answers/json-scanner.js';
import { Base64Text } from './base64-text.js';

/** A Binary as a server sent it, without its content. */
export interface BinaryResource {
  resourceType: 'Binary';
  id?: unknown;
  meta?: { versionId?: unknown };
  contentType?: unknown;
  securityContext?: unknown;
}

/** An answer that is not a JSON object. */
export class NoBinary extends Error {}

/** An answer that is called a Binary and cannot be read as one. */
export class BrokenBinary extends Error {}

/** Characters next to the content; a Binary has some hundreds. */
const longestRest = 1024 * 1024;
const closing = /["\\]/g;

/** Reserves memory for bytes that are held, or waits for it. */
export type Reserve = (bytes: number) => void | Promise<void>;

/**
 * A JSON answer that may be a Binary, read while it arrives: first as much as is needed to know what it is, then its
 * content or its text, from the beginning. What was read at first is held until then.
 */
export class ArrivingBinary {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly held: Buffer[] = [];
  private hasEnded = false;

  constructor(
    body: AsyncIterable<Buffer>,
    private readonly reserve: Reserve,
  ) {
    this.chunks = body[Symbol.asyncIterator]();
  }

  /**
   * The Binary without its content, and whether it has any. Reads until the content begins and the type of it is known,
   * or all of it if `isWhole`: the order of members is free. Undefined for another resource or object. Throws
   * {@link NoBinary} for anything else, and {@link BrokenBinary}.
   */
  async head(isWhole: boolean): Promise<{ resource: BinaryResource; hasContent: boolean } | undefined> {
    const parts = new BinaryParts();
    for (let chunk = await this.arrived(); chunk !== undefined; chunk = await this.arrived()) {
      await this.reserve(chunk.length);
      this.held.push(chunk);
      parts.add(chunk.toString('latin1'));
      const early = isWhole ? undefined : parts.early();
      if (early?.resourceType === 'Binary' && early.contentType !== undefined)
        return { resource: early, hasContent: true };
      if (parts.isOther) break;
    }
    const resource = parts.isOther ? undefined : parts.whole();
    return resource && { resource, hasContent: parts.hasContent };
  }

  /** The content, decoded. Fails amid it if the text is not base64 or is cut off. */
  async *content(): AsyncGenerator<Buffer> {
    const parts = new BinaryParts();
    const base64 = new Base64Text();
    for await (const chunk of this.text()) {
      const bytes = base64.decode(parts.add(chunk.toString('latin1')));
      if (bytes.length > 0) yield bytes;
    }
    base64.end();
    parts.whole();
  }

  /** The JSON as it came. */
  async *text(): AsyncGenerator<Buffer> {
    try {
      for (let chunk = this.held.shift(); chunk !== undefined; chunk = this.held.shift()) yield chunk;
      for (let chunk = await this.arrived(); chunk !== undefined; chunk = await this.arrived()) yield chunk;
    } finally {
      await this.close();
    }
  }

  /** Ends an answer that is read no further. */
  async close(): Promise<void> {
    this.held.length = 0;
    if (!this.hasEnded) await this.chunks.return?.();
    this.hasEnded = true;
  }

  private async arrived(): Promise<Buffer | undefined> {
    if (this.hasEnded) return undefined;
    const { done, value } = await this.chunks.next();
    this.hasEnded = done === true;
    return done ? undefined : value;
  }
}

/** Takes the JSON of a Binary apart while it arrives. Each character is a byte. */
class BinaryParts {
  /** Undefined until it is known. */
  private isBinary: boolean | undefined;
  hasContent = false;
  private readonly json = new JsonScanner(1);
  /** The text without what is in the member `data`. */
  private rest = '';
  private place: 'rest' | 'before-content' | 'content' = 'rest';
  private isEscaped = false;

  /** Returns the part of the arrived text that is content, with its escapes. */
  add(text: string): string {
    let content = '';
    for (let from = 0; from < text.length; ) {
      if (this.place === 'rest') from = this.passRest(text, from);
      else if (this.place === 'before-content') from = this.passName(text, from);
      else {
        const end = this.endOfContent(text, from);
        content += text.slice(from, end);
        from = end;
        if (this.place !== 'content') this.rest += text[from++];
      }
    }
    if (this.rest.length > longestRest) throw this.broken('too much besides its content');
    return content;
  }

  get isOther(): boolean {
    return this.isBinary === false;
  }

  /** The members before the content, once that has begun. */
  early(): BinaryResource | undefined {
    return this.place === 'content' ? parsed(`${this.rest}"}`) : undefined;
  }

  /** The Binary, once all of it has arrived; undefined if it is another resource. */
  whole(): BinaryResource | undefined {
    const resource = parsed(this.rest);
    if (resource === undefined) throw this.broken('no JSON, or an end amid it');
    return resource.resourceType === 'Binary' ? resource : undefined;
  }

  /** Passes text that is not content; returns the index of what follows. */
  private passRest(text: string, from: number): number {
    const { json } = this;
    json.read(from === 0 ? text : text.slice(from));
    for (let event = json.next(); event !== undefined; event = json.next()) {
      if (event === 'text' && json.depth === 1 && json.members[1] === 'resourceType') {
        this.isBinary = json.text === 'Binary';
      } else if (event === 'named' && json.depth === 1 && json.text === 'data') {
        const end = from + json.at;
        this.rest += text.slice(from, end);
        this.place = 'before-content';
        return end;
      }
    }
    this.rest += text.slice(from);
    return text.length;
  }

  /** Passes what is between the name of the content and its quotation mark. */
  private passName(text: string, from: number): number {
    const [space = ''] = /^[\t\n\r ]*/.exec(text.slice(from, from + 1)) ?? [];
    if (space !== '') return from + 1;
    if (text[from] !== '"') {
      this.place = 'rest';
      return from;
    }
    if (this.hasContent) throw this.broken('two contents');
    this.hasContent = true;
    this.place = 'content';
    this.rest += '"';
    // For the scanner the content is empty.
    this.json.read('""');
    while (this.json.next() !== undefined);
    return from + 1;
  }

  private broken(what: string): Error {
    return this.isBinary ? new BrokenBinary(`a Binary with ${what}`) : new NoBinary(`an answer with ${what}`);
  }

  private endOfContent(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      if (this.isEscaped) {
        this.isEscaped = false;
        at += 1;
        continue;
      }
      closing.lastIndex = at;
      if (!closing.test(text)) return text.length;
      at = closing.lastIndex - 1;
      if (text[at] === '"') {
        this.place = 'rest';
        return at;
      }
      this.isEscaped = true;
      at += 1;
    }
    return text.length;
  }
}

function parsed(latin1: string): BinaryResource | undefined {
  try {
    const value = JSON.parse(Buffer.from(latin1, 'latin1').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
