import { Transform, type TransformCallback } from 'node:stream';
import { HeldBytes } from './held-bytes.js';
import { type JsonEvent, JsonScanner } from './json-scanner.js';

const depthOfEntries = 2;
const depthOfResource = 4;

/** The server answered with a resource of a type that was not asked for. */
export class UnexpectedType extends Error {}

/** The types of resources that an answer may have: the resource itself, or each entry of a Bundle. */
export interface ExpectedTypes {
  types: ReadonlySet<string>;
  isBundle: boolean;
}

/** Throws unless every resource in a whole answer is of one of these types. Each character of the answer is a byte. */
export function assertTypes(answer: string, { types, isBundle }: ExpectedTypes): void {
  const check = new TypeCheck(types, isBundle);
  check.scan(answer);
  check.assertEnd(answer.length > 0);
}

/**
 * Passes an answer on while it arrives, as long as every resource in it is of one of these types: the resource itself,
 * or each entry of a Bundle. Nothing of a resource is passed on before its type was seen. Resources in resources
 * (`contained`, a stored Bundle) belong to the one around them.
 */
export class AnswerTypes extends Transform {
  /** Resolves when the first part was passed on, or the answer has ended; rejects when it broke off before. */
  readonly begun: Promise<void>;
  private settle: { begun(): void; broken(error: Error): void } = { begun: () => undefined, broken: () => undefined };
  private readonly check: TypeCheck;
  private held: Buffer[] = [];
  private heldBytes = 0;

  constructor(
    types: ReadonlySet<string>,
    isBundle: boolean,
    /** For bytes whose resource is still of an unknown type. */
    private readonly memory = new HeldBytes(),
  ) {
    super();
    this.check = new TypeCheck(types, isBundle);
    this.begun = new Promise((resolve, reject) => {
      this.settle = { begun: resolve, broken: reject };
    });
    // The caller that awaits `begun` handles the rejection.
    this.begun.catch(() => undefined);
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    try {
      const good = this.check.scan(chunk.toString('latin1'));
      if (good > 0) this.release(chunk.subarray(0, good));
      const pending = this.hold(chunk.subarray(good));
      if (pending) pending.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      this.check.assertEnd(this.heldBytes > 0);
      this.settle.begun();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.settle.broken(error ?? new Error('the answer broke off'));
    done(error);
  }

  private release(bytes: Buffer): void {
    for (const chunk of this.held.splice(0)) this.push(chunk);
    this.heldBytes = 0;
    this.memory.count(0);
    this.push(bytes);
    this.settle.begun();
  }

  private hold(bytes: Buffer): void | Promise<void> {
    if (bytes.length === 0) return undefined;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.memory.isTooMuch(this.heldBytes))
      throw new UnexpectedType('the type of a resource comes too late in the answer');
    return this.memory.count(this.heldBytes);
  }
}

/** Follows an answer while it arrives. */
class TypeCheck {
  private readonly outermost: ReadonlySet<string>;
  private readonly json = new JsonScanner(depthOfResource);
  private outermostIsKnown = false;
  private resourceIsKnown = true;

  constructor(
    private readonly types: ReadonlySet<string>,
    private readonly isBundle: boolean,
  ) {
    this.outermost = new Set([...(isBundle ? ['Bundle'] : types), 'OperationOutcome']);
  }

  /** Returns how much of the arrived bytes can be passed on, with everything held so far. Each character is a byte. */
  scan(bytes: string): number {
    let good = 0;
    this.json.read(bytes);
    for (let event = this.json.next(); event !== undefined; event = this.json.next()) {
      const wasKnown = this.isKnown();
      this.checkEvent(event, bytes[this.json.at - 1]);
      if (wasKnown && !this.isKnown()) good = this.json.at - 1;
    }
    return this.isKnown() ? bytes.length : good;
  }

  private isKnown(): boolean {
    return this.outermostIsKnown && this.resourceIsKnown;
  }

  /** An answer without any content has no type. */
  assertEnd(hasContent: boolean): void {
    const isEmpty = !this.outermostIsKnown && !hasContent;
    if (!isEmpty && !this.isKnown()) throw new UnexpectedType('the answer ended without the type of a resource');
  }

  private checkEvent(event: JsonEvent, character: string | undefined): void {
    if (event === 'opened') this.open(character);
    else if (event === 'closed') this.close();
    else if (event === 'named') this.checkName();
    else this.readValue();
  }

  /** A name that is spelt in another way would be one that is overlooked here. */
  private checkName(): void {
    const { depth, text } = this.json;
    const matters = depth === 1 || (this.isBundle && depth <= depthOfResource);
    if (matters && text.startsWith('\\')) throw new UnexpectedType('the answer has an escaped name');
  }

  private readValue(): void {
    const { depth, members } = this.json;
    if (members[depth] !== 'resourceType') return;
    if (depth === 1) {
      this.assertType(this.outermost);
      this.outermostIsKnown = true;
    } else if (depth === depthOfResource && this.isInResource()) {
      this.assertType(this.types);
      this.resourceIsKnown = true;
    }
  }

  private assertType(types: ReadonlySet<string>): void {
    const { text } = this.json;
    if (!types.has(text)) throw new UnexpectedType(`${text} in place of ${[...types].join(', ')}`);
  }

  private isInResource(): boolean {
    const { members } = this.json;
    return this.isBundle && members[1] === 'entry' && members[3] === 'resource';
  }

  private open(character: string | undefined): void {
    const { depth, members } = this.json;
    const isOdd =
      depth === 1
        ? this.outermostIsKnown || character !== '{'
        : this.isBundle && members[1] === 'entry' && this.isMisshapen(character);
    if (isOdd) throw new UnexpectedType('the answer does not have the shape of a resource');
    if (depth === depthOfResource && this.isInResource()) this.resourceIsKnown = false;
  }

  private isMisshapen(character: string | undefined): boolean {
    const { depth } = this.json;
    if (depth === depthOfEntries) return character !== '[';
    return (depth === 3 || (depth === depthOfResource && this.isInResource())) && character !== '{';
  }

  private close(): void {
    const { depth } = this.json;
    if (!this.resourceIsKnown && depth === depthOfResource - 1) throw new UnexpectedType('a resource without a type');
    if (!this.outermostIsKnown && depth === 0) throw new UnexpectedType('an answer without a type');
  }
}
