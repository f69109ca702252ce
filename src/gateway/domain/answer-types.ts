import { Transform, type TransformCallback } from 'node:stream';

/** Bytes held back at most while the type of the resource is still unknown. */
const longestHeld = 10 * 1024 * 1024;
const longestName = 64;
const inText = /["\\]/g;
const between = /["{}[\]:,]/g;
/** Matches content deeper than any type that is checked, with all texts whose end has arrived. */
const deepInside = /(?:[^"{}[\]]+|"[^"\\]*")*/y;
const depthOfEntries = 2;
const depthOfResource = 4;

/** The server answered with a resource of a type that was not asked for. */
export class UnexpectedType extends Error {}

/**
 * Passes an answer on while it arrives, as long as every resource in it is of one of these types: the resource itself,
 * or each entry of a Bundle. Nothing of a resource is passed on before its type was seen. Resources in resources
 * (`contained`, a stored Bundle) belong to the one around them.
 */
export class AnswerTypes extends Transform {
  /** Resolves when the first part was passed on, or the answer has ended; rejects when it broke off before. */
  readonly begun: Promise<void>;
  private readonly outermost: ReadonlySet<string>;
  private settle: { begun(): void; broken(error: Error): void } = { begun: () => undefined, broken: () => undefined };
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  /** The beginning of the text read last. */
  private text = '';
  private isValue = false;
  /** The member that each level is in. */
  private readonly members: string[] = [];
  private outermostIsKnown = false;
  private resourceIsKnown = true;
  private held: Buffer[] = [];
  private heldBytes = 0;

  constructor(
    private readonly types: ReadonlySet<string>,
    private readonly isBundle: boolean,
  ) {
    super();
    this.outermost = new Set([...(isBundle ? ['Bundle'] : types), 'OperationOutcome']);
    this.begun = new Promise((resolve, reject) => {
      this.settle = { begun: resolve, broken: reject };
    });
    // The caller that awaits `begun` handles the rejection.
    this.begun.catch(() => undefined);
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    try {
      const good = this.follow(chunk.toString('latin1'));
      if (good > 0) this.release(chunk.subarray(0, good));
      this.hold(chunk.subarray(good));
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    const isEmpty = !this.outermostIsKnown && this.heldBytes === 0;
    if (isEmpty || (this.outermostIsKnown && this.resourceIsKnown)) {
      this.settle.begun();
      done();
    } else done(new UnexpectedType('the answer ended without the type of a resource'));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.settle.broken(error ?? new Error('the answer broke off'));
    done(error);
  }

  /** Returns how much of the arrived bytes can be passed on, with everything held so far. Each character is a byte. */
  private follow(bytes: string): number {
    let good = 0;
    for (let at = 0; at < bytes.length; ) {
      const found = this.next(bytes, at);
      if (found === undefined) break;
      at = found + 1;
      const wasKnown = this.isKnown();
      this.step(bytes[found] ?? '');
      if (wasKnown && !this.isKnown()) good = found;
    }
    return this.isKnown() ? bytes.length : good;
  }

  private isKnown(): boolean {
    return this.outermostIsKnown && this.resourceIsKnown;
  }

  private release(bytes: Buffer): void {
    for (const chunk of this.held.splice(0)) this.push(chunk);
    this.heldBytes = 0;
    this.push(bytes);
    this.settle.begun();
  }

  private hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes > longestHeld) throw new UnexpectedType('the type of a resource comes too late in the answer');
  }

  /** Returns the index of the next significant character. */
  private next(bytes: string, at: number): number | undefined {
    if (this.isEscaped) return at;
    if (!this.isInText && this.depth > depthOfResource) {
      deepInside.lastIndex = at;
      deepInside.exec(bytes);
      return deepInside.lastIndex < bytes.length ? deepInside.lastIndex : undefined;
    }
    const pattern = this.isInText ? inText : between;
    pattern.lastIndex = at;
    const found = pattern.exec(bytes)?.index;
    if (this.isInText) this.text = (this.text + bytes.slice(at, found)).slice(0, longestName);
    return found;
  }

  private step(character: string): void {
    if (this.isEscaped) {
      this.isEscaped = false;
      return;
    }
    switch (character) {
      case '\\':
        this.isEscaped = true;
        // A name that is spelt in another way would be one that is overlooked here.
        this.text = `\\${this.text}`;
        return;
      case '"':
        this.isInText = !this.isInText;
        if (this.isInText) this.text = '';
        else if (this.isValue) this.readValue();
        return;
      case ':':
        this.members[this.depth] = this.nameRead();
        this.isValue = true;
        return;
      case ',':
        this.members[this.depth] = '';
        this.isValue = false;
        return;
      case '{':
      case '[':
        this.open(character);
        return;
      default:
        this.close();
    }
  }

  private nameRead(): string {
    const matters = this.depth === 1 || (this.isBundle && this.depth <= depthOfResource);
    if (matters && this.text.startsWith('\\')) throw new UnexpectedType('the answer has an escaped name');
    return this.text;
  }

  private readValue(): void {
    this.isValue = false;
    if (this.members[this.depth] !== 'resourceType') return;
    if (this.depth === 1) {
      this.assertType(this.outermost);
      this.outermostIsKnown = true;
    } else if (this.depth === depthOfResource && this.isInResource()) {
      this.assertType(this.types);
      this.resourceIsKnown = true;
    }
  }

  private assertType(types: ReadonlySet<string>): void {
    if (!types.has(this.text)) throw new UnexpectedType(`${this.text} in place of ${[...types].join(', ')}`);
  }

  private isInResource(): boolean {
    return this.isBundle && this.members[1] === 'entry' && this.members[3] === 'resource';
  }

  private open(character: string): void {
    this.depth += 1;
    this.isValue = false;
    this.members[this.depth] = '';
    const isOdd =
      this.depth === 1
        ? this.outermostIsKnown || character !== '{'
        : this.isBundle && this.members[1] === 'entry' && this.isMisshapen(character);
    if (isOdd) throw new UnexpectedType('the answer has not the shape of a resource');
    if (this.depth === depthOfResource && this.isInResource()) this.resourceIsKnown = false;
  }

  private isMisshapen(character: string): boolean {
    if (this.depth === depthOfEntries) return character !== '[';
    return (this.depth === 3 || (this.depth === depthOfResource && this.isInResource())) && character !== '{';
  }

  private close(): void {
    if (!this.resourceIsKnown && this.depth === depthOfResource) throw new UnexpectedType('a resource without a type');
    if (!this.outermostIsKnown && this.depth === 1) throw new UnexpectedType('an answer without a type');
    this.depth -= 1;
    this.isValue = false;
  }
}
