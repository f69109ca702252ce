import { Transform, type TransformCallback } from 'node:stream';
import type { Attribution } from './attribution.js';
import { HeldBytes } from './held-bytes.js';
import { JsonScanner } from './json-scanner.js';
import { withoutLongTexts } from './long-texts.js';

/** Longer than the name of a patient: bytes that are held back because a name may have begun in them. */
const longestName = 256;
/** Bytes before the first resource. */
const longestOutset = 64 * 1024;

/** The form of an answer, which tells where its resources begin. */
export type AnswerShape =
  /** One resource. */
  | 'resource'
  /** A Bundle whose entries are counted one by one, or any other resource. */
  | 'entries'
  /** A resource on each line (NDJSON). */
  | 'lines';

/**
 * Passes an answer on while it arrives, and adds its resources to an attribution. No byte of a resource is passed on
 * before all of it has arrived and `record` has recorded its patients; when that fails, the answer breaks off. The
 * memory is limited: one resource is held at a time.
 */
export class AttributedAnswer extends Transform {
  /** Resolves when the first resource was recorded, or the answer has ended; rejects when that failed. */
  readonly begun: Promise<void>;
  private settle: { begun(): void; broken(error: Error): void } = { begun: () => undefined, broken: () => undefined };
  private readonly units: ResourceUnits | LineUnits;
  private hasBegun = false;
  private hasResource = false;
  /** Bytes that can be passed on once the first resource is recorded. */
  private outset: Buffer[] = [];
  private outsetBytes = 0;
  /** Bytes of the resource that has not ended. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** The patients found so far in a resource that is too long to be held. */
  private foundInLong: Set<string> | undefined;

  constructor(
    private readonly attribution: Attribution,
    shape: AnswerShape,
    /** Records what the attribution has; the last time with the end of the answer. */
    private readonly record: () => Promise<void>,
    /** A resource that is longer than its limit is searched for names of patients while it passes. */
    private readonly memory = new HeldBytes(),
  ) {
    super();
    this.units = shape === 'lines' ? new LineUnits() : new ResourceUnits(shape === 'entries');
    this.begun = new Promise((resolve, reject) => {
      this.settle = { begun: resolve, broken: reject };
    });
    // The caller that awaits `begun` handles the rejection.
    this.begun.catch(() => undefined);
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.processChunk(chunk).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    this.finish().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.settle.broken(error ?? new Error('the answer broke off'));
    // The resources counted since the last record have left, or may have.
    if (this.hasBegun && !this.attribution.isEmpty) this.record().catch(() => undefined);
    done(error);
  }

  private async processChunk(chunk: Buffer): Promise<void> {
    const ready: Buffer[] = [];
    let from = 0;
    for (const { at, isEnd } of this.units.boundariesIn(chunk)) {
      this.hold(chunk.subarray(from, at));
      if (isEnd) this.attributeHeld();
      ready.push(...this.takeHeld());
      from = at;
    }
    const rest = chunk.subarray(from);
    if (this.units.isInside) this.hold(rest);
    else ready.push(rest);
    if (this.memory.isTooMuch(this.heldBytes) || this.foundInLong) ready.push(...this.releasable());
    const pending = this.memory.count(this.heldBytes);
    if (pending) await pending;
    await this.release(ready);
  }

  private async finish(): Promise<void> {
    // A resource that has not ended is not JSON, and passes as it is.
    this.attributeHeld();
    await this.release(this.takeHeld());
    if (!this.attribution.isEmpty) await this.record();
  }

  private async release(ready: readonly Buffer[]): Promise<void> {
    if (!this.hasBegun && !this.hasResource && this.outsetBytes < longestOutset) {
      for (const bytes of ready) {
        this.outset.push(bytes);
        this.outsetBytes += bytes.length;
      }
      return;
    }
    if (!this.hasBegun || this.attribution.hasUnnamed) await this.record();
    this.begin();
    for (const bytes of ready) this.push(bytes);
  }

  private begin(): void {
    for (const bytes of this.outset.splice(0)) this.push(bytes);
    this.hasBegun = true;
    this.settle.begun();
  }

  private hold(bytes: Buffer): void {
    this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  /** Adds the held bytes, a resource or the end of a long one, to the attribution. */
  private attributeHeld(): void {
    if (this.foundInLong) this.attribution.addUnreadable(Buffer.concat(this.held).toString(), this.foundInLong);
    else this.attribution.addText(withoutLongTexts(this.held));
    this.foundInLong = undefined;
    this.hasResource = true;
  }

  private takeHeld(): Buffer[] {
    this.heldBytes = 0;
    return this.held.splice(0);
  }

  /** The bytes of a long resource in which no name of a patient has begun. */
  private releasable(): Buffer[] {
    const all = Buffer.concat(this.takeHeld());
    this.foundInLong ??= new Set();
    this.hasResource = true;
    this.attribution.addUnreadable(all.toString('latin1'), this.foundInLong);
    const kept = all.subarray(-longestName);
    this.hold(kept);
    return [all.subarray(0, all.length - kept.length)];
  }
}

/** A place in the bytes that have arrived. */
interface Boundary {
  at: number;
  /**
   * True if a resource ends there; false if one begins, or if the one that began is a Bundle, whose entries are the
   * resources.
   */
  isEnd: boolean;
}

/** Finds the entries of a Bundle, or else the whole of the outermost resource. */
class ResourceUnits {
  isInside = false;
  /** Tells no end inside of an entry, only that of the entry. */
  private readonly json = new JsonScanner(2);
  /** True once the outermost resource is known to be a Bundle whose entries are counted one by one. */
  private isBundle = false;
  private canBeBundle = false;

  constructor(private readonly entriesApart: boolean) {}

  boundariesIn(chunk: Buffer): Boundary[] {
    const { json } = this;
    const found: Boundary[] = [];
    json.read(chunk.toString('latin1'));
    for (let event = json.next(); event !== undefined; event = json.next()) {
      const { depth, at } = json;
      const { isInside } = this;
      if (event === 'opened' && !isInside) {
        const isEntry = this.isBundle && depth === 3 && json.members[1] === 'entry';
        if (depth === 1) this.reset();
        this.isInside = depth === 1 || isEntry;
      } else if (event === 'closed' && isInside) this.isInside = depth > 0 && !this.isBundle;
      else if (event === 'text' && isInside && depth === 1) this.readType();
      else if (event === 'named' && depth === 1) this.readName();
      if (this.isInside && !isInside) found.push({ at: at - 1, isEnd: false });
      else if (isInside && !this.isInside) found.push({ at, isEnd: event === 'closed' });
    }
    return found;
  }

  private reset(): void {
    this.isBundle = false;
    this.canBeBundle = this.entriesApart;
  }

  /** From here on only the entries of a Bundle are resources. */
  private readType(): void {
    const { members, text } = this.json;
    if (members[1] !== 'resourceType' || !this.canBeBundle) return;
    this.isBundle = text === 'Bundle';
    if (this.isBundle) this.isInside = false;
    else this.canBeBundle = false;
  }

  /** Entries before the type, or a name in another spelling: the resource is taken as a whole. */
  private readName(): void {
    const { text } = this.json;
    if (text === 'entry' || text.startsWith('\\')) this.canBeBundle = false;
  }
}

/** Finds the ends of the lines of NDJSON. */
class LineUnits {
  /** Each byte after the last end is of a line that has begun. */
  readonly isInside = true;

  boundariesIn(chunk: Buffer): Boundary[] {
    const found: Boundary[] = [];
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, end + 1)) {
      found.push({ at: end + 1, isEnd: true });
    }
    return found;
  }
}
