/** The text is not one JSON object, has a member twice, or its entries are not a list. */
export class BrokenBundle extends Error {}

/** A member of a Bundle, or one of its entries (`isEntry`). */
export interface BundlePiece {
  name: string;
  isEntry: boolean;
  /** JSON, as it arrived. */
  text: string;
  value: unknown;
  /** Length of the text, in bytes. */
  bytes: number;
}

/** The place in the Bundle, when it is neither within a name nor within a value. */
type Place =
  | 'before'
  | 'first-name'
  | 'name'
  | 'colon'
  | 'value'
  | 'after-value'
  | 'first-entry'
  | 'entry'
  | 'after-entry'
  | 'after';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const spaces = new Set([0x20, 0x09, 0x0a, 0x0d]);
const endsOfScalar = new Set([...spaces, comma, closeBrace, closeBracket]);

/**
 * Splits a Bundle into its members and entries while it arrives. Only one of them is held at a time, and what is given
 * out is JSON by itself: a text that is not JSON as a whole fails no later than at its end.
 */
export class BundlePieces {
  /** Bytes of the piece that has not ended. */
  heldBytes = 0;
  private held: Buffer[] = [];
  private place: Place = 'before';
  private name = '';
  private readonly names = new Set<string>();
  private isWithin = false;
  private isScalar = false;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  /** The pieces that end in these bytes. Throws a {@link BrokenBundle}. */
  read(chunk: Buffer): BundlePiece[] {
    const found: BundlePiece[] = [];
    for (let at = 0; at < chunk.length; ) {
      const byte = chunk[at] as number;
      if (!this.isWithin && (spaces.has(byte) || this.isPassed(byte))) {
        at += 1;
        continue;
      }
      if (!this.isWithin) this.begin(byte);
      const end = this.endIn(chunk, at);
      const bytes = chunk.subarray(at, end);
      this.held.push(bytes);
      this.heldBytes += bytes.length;
      if (end === undefined) break;
      at = end;
      const piece = this.endPiece();
      if (piece) found.push(piece);
    }
    return found;
  }

  /** Throws a {@link BrokenBundle} unless the Bundle has ended. */
  end(): void {
    if (this.place !== 'after') throw new BrokenBundle('it ended too early');
  }

  /** True if the byte stands between pieces; throws where it cannot. */
  private isPassed(byte: number): boolean {
    const next = this.nextPlace(byte);
    if (next === undefined) return false;
    this.place = next;
    return true;
  }

  /** The place after a byte between pieces; undefined if a piece begins with it. */
  private nextPlace(byte: number): Place | undefined {
    switch (this.place) {
      case 'before':
        if (byte === openBrace) return 'first-name';
        break;
      case 'first-name':
        if (byte === closeBrace) return 'after';
        if (byte === quote) return undefined;
        break;
      case 'name':
        if (byte === quote) return undefined;
        break;
      case 'colon':
        if (byte === colon) return 'value';
        break;
      case 'value':
        return this.name === 'entry' && byte === openBracket ? 'first-entry' : undefined;
      case 'after-value':
        if (byte === comma) return 'name';
        if (byte === closeBrace) return 'after';
        break;
      case 'first-entry':
        return byte === closeBracket ? 'after-value' : undefined;
      case 'entry':
        return undefined;
      case 'after-entry':
        if (byte === comma) return 'entry';
        if (byte === closeBracket) return 'after-value';
        break;
    }
    throw new BrokenBundle(`an unexpected character ${this.place}`);
  }

  private begin(byte: number): void {
    this.isWithin = true;
    this.isScalar = byte !== quote && byte !== openBrace && byte !== openBracket;
  }

  /** Index after the piece; undefined if it does not end in these bytes. */
  private endIn(chunk: Buffer, from: number): number | undefined {
    if (this.isScalar) {
      const end = chunk.subarray(from).findIndex((byte) => endsOfScalar.has(byte));
      return end < 0 ? undefined : from + end;
    }
    let { depth, isInText, isEscaped } = this;
    let end: number | undefined;
    for (let at = from; at < chunk.length && end === undefined; at += 1) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          isInText = false;
          if (depth === 0) end = at + 1;
        }
      } else if (byte === quote) isInText = true;
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) end = at + 1;
      }
    }
    this.depth = depth;
    this.isInText = isInText;
    this.isEscaped = isEscaped;
    return end;
  }

  private endPiece(): BundlePiece | undefined {
    const text = Buffer.concat(this.held).toString();
    const value = parsed(text);
    const bytes = this.heldBytes;
    this.held = [];
    this.heldBytes = 0;
    this.isWithin = false;
    const { name, place } = this;
    if (place === 'name' || place === 'first-name') {
      this.beginMember(String(value));
      return undefined;
    }
    if (place === 'value') {
      this.place = 'after-value';
      if (name !== 'entry') return { name, isEntry: false, text, value, bytes };
      if (value === null) return undefined;
      throw new BrokenBundle('its entries are not a list');
    }
    this.place = 'after-entry';
    return { name, isEntry: true, text, value, bytes };
  }

  private beginMember(name: string): void {
    if (this.names.has(name)) throw new BrokenBundle('it has a member twice');
    this.names.add(name);
    this.name = name;
    this.place = 'colon';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BrokenBundle('it is not JSON', { cause });
  }
}
