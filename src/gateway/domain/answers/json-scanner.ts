const longestText = 64;
const inText = /["\\]/g;
const between = /["{}[\]:,]/g;
/** Matches content deeper than any that matters, with all texts whose end has arrived: most of an answer at once. */
const deepInside = /(?:[^"{}[\]]+|"[^"\\]*")*/y;

/**
 * The beginning or end of an object or a list, a member's name with its colon, or a text that is the value of a member.
 */
export type JsonEvent = 'opened' | 'closed' | 'named' | 'text';

/**
 * Follows JSON text while it arrives, in constant memory, just closely enough to know in which member of which object
 * it is. It takes wrong JSON for granted: what depends on it has to be true of any text.
 */
export class JsonScanner {
  /**
   * The number of objects and lists around the position; that of an event counts the one that it opens, and no longer
   * the one that it closes.
   */
  depth = 0;
  /** By depth: the name of the member that the place is in. */
  readonly members: string[] = [];
  /**
   * The beginning of the text read last. One with escapes begins with a backslash: its spelling is not the usual one.
   */
  text = '';
  /** Index after the event. */
  at = 0;
  private bytes = '';
  private isInText = false;
  private isEscaped = false;
  private isValue = false;

  /** Members deeper than `deepest` are skipped. */
  constructor(private readonly deepest: number) {}

  /** Continues with text that has arrived, when there are no more events in that before. Each character is a byte. */
  read(bytes: string): void {
    this.bytes = bytes;
    this.at = 0;
  }

  /** The next event; undefined when there are no more in the text that has arrived. */
  next(): JsonEvent | undefined {
    while (this.at < this.bytes.length) {
      const found = this.significant();
      if (found === undefined) return undefined;
      this.at = found + 1;
      const event = this.step(this.bytes[found] ?? '');
      if (event !== undefined) return event;
    }
    return undefined;
  }

  /** Returns the index of the next significant character. */
  private significant(): number | undefined {
    const { bytes, at } = this;
    if (this.isEscaped) return at;
    if (!this.isInText && this.depth > this.deepest) {
      deepInside.lastIndex = at;
      deepInside.test(bytes);
      return deepInside.lastIndex < bytes.length ? deepInside.lastIndex : undefined;
    }
    const pattern = this.isInText ? inText : between;
    pattern.lastIndex = at;
    const found = pattern.test(bytes) ? pattern.lastIndex - 1 : undefined;
    if (this.isInText && this.depth <= this.deepest) {
      this.text = (this.text + bytes.slice(at, found)).slice(0, longestText);
    }
    return found;
  }

  private step(character: string): JsonEvent | undefined {
    if (this.isEscaped) {
      this.isEscaped = false;
      return undefined;
    }
    switch (character) {
      case '\\':
        this.isEscaped = true;
        this.text = `\\${this.text}`;
        return undefined;
      case '"':
        return this.quote();
      case ':':
        this.members[this.depth] = this.text;
        this.isValue = true;
        return 'named';
      case ',':
        this.members[this.depth] = '';
        this.isValue = false;
        return undefined;
      case '{':
      case '[':
        this.depth += 1;
        this.isValue = false;
        if (this.depth > this.deepest + 1) return undefined;
        this.members[this.depth] = '';
        return 'opened';
      default:
        this.depth -= 1;
        this.isValue = false;
        return this.depth > this.deepest ? undefined : 'closed';
    }
  }

  private quote(): JsonEvent | undefined {
    this.isInText = !this.isInText;
    if (this.isInText) this.text = '';
    else if (this.isValue) {
      this.isValue = false;
      return 'text';
    }
    return undefined;
  }
}
