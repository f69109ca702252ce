import { stringify } from 'lossless-json';
import { BrokenBundle, type BundlePiece, BundlePieces } from '../../domain/answers/bundle-pieces.js';
import { HeldBytes } from '../../domain/answers/held-bytes.js';
import { copies, type RequestMemory, tooLarge } from '../server/held-memory.js';
import { losslessParse } from '../server/lossless-parse.js';
import { type AnswerLimits, type DecidedEntry, EntryDecisions, NoSearchAnswer, shownEntry } from './search-answer.js';

/**
 * Bytes of entries that are decided about together, so that few requests find what they name, and that are passed on
 * together.
 */
const batch = 64 * 1024;
/** Members of a Bundle that are not passed on as they are. */
const ownMembers = ['resourceType', 'type', 'total', 'link'] as const;

type OwnMember = (typeof ownMembers)[number];

/**
 * Keeps what is shown of an answer, as `keepPermitted` does, while it arrives: an entry is held until it is decided
 * about, and nothing is passed on before the first one that is shown. What depends on all entries comes last: count,
 * links, and remarks of the server.
 */
export class ArrivingAnswer {
  private readonly pieces = new BundlePieces();
  private readonly decisions: EntryDecisions;
  private readonly held: HeldBytes;
  private entries: BundlePiece[] = [];
  private entriesBytes = 0;
  /** Entries that depend on resources that may still arrive. */
  private late: BundlePiece[] = [];
  /** Included entries, which are kept if nothing is removed. */
  private readonly included: { text: string; entry: DecidedEntry }[] = [];
  private readonly own: { -readonly [name in OwnMember]?: BundlePiece } = {};
  /** Other members that are not passed on yet. */
  private members: BundlePiece[] = [];
  /** Bytes of all that is held until the end. */
  private restBytes = 0;
  private hasEntries = false;
  private kept = 0;

  constructor(
    private readonly limits: AnswerLimits,
    private readonly memory: RequestMemory,
  ) {
    this.decisions = new EntryDecisions(limits);
    this.held = new HeldBytes(memory.limits);
  }

  /** The numbers of matches that are kept and removed so far. */
  get counts(): { kept: number; removed: number } {
    return { kept: this.kept, removed: this.decisions.removed };
  }

  /**
   * The text for the app. Throws a {@link NoSearchAnswer}, or a Refusal, for what cannot be checked; the text so far
   * has no end then. `atEnd` is called when everything is decided.
   */
  async *shown(
    chunks: AsyncIterable<Buffer>,
    atEnd: (counts: ArrivingAnswer['counts']) => void,
  ): AsyncGenerator<string> {
    try {
      for await (const chunk of chunks) {
        for (const piece of this.pieces.read(chunk)) this.take(piece);
        await this.count();
        if (this.entriesBytes >= batch) yield* this.decided(this.takeEntries());
      }
      this.pieces.end();
    } catch (error) {
      throw error instanceof BrokenBundle ? new NoSearchAnswer(error.message, { cause: error }) : error;
    }
    if (!this.own.resourceType || !this.own.type) throw this.otherAnswer();
    yield* this.decided(this.takeEntries());
    yield* this.decided(this.late);
    atEnd(this.counts);
    yield await this.end();
  }

  private take(piece: BundlePiece): void {
    const { name, isEntry, value, bytes } = piece;
    if (this.held.isTooMuch(bytes)) throw tooLarge(this.memory.limits.longest);
    if (isEntry) {
      this.entries.push(piece);
      this.entriesBytes += bytes;
      return;
    }
    this.restBytes += bytes;
    if (!isOwn(name)) this.members.push(piece);
    else this.own[name] = piece;
    const isOther =
      (name === 'resourceType' && value !== 'Bundle') || (name === 'type' && value !== this.limits.bundle);
    if (isOther) throw this.otherAnswer();
  }

  private otherAnswer(): NoSearchAnswer {
    return new NoSearchAnswer(`not a ${this.limits.bundle}`);
  }

  private count(): void | Promise<void> {
    const rest = this.pieces.heldBytes + this.restBytes;
    if (this.held.isTooMuch(rest)) throw tooLarge(this.memory.limits.longest);
    return this.held.count(copies * (rest + this.entriesBytes));
  }

  /** The entries that can be decided about; the others are put aside. */
  private takeEntries(): BundlePiece[] {
    const { entries } = this;
    this.entries = [];
    this.entriesBytes = 0;
    const areLate = this.decisions.areLate(entries.map(({ value }) => value));
    const late = entries.filter((_, index) => areLate[index]);
    this.restBytes += sizeOf(late);
    this.late.push(...late);
    return entries.filter((_, index) => !areLate[index]);
  }

  private async *decided(entries: readonly BundlePiece[]): AsyncGenerator<string> {
    const decided = await this.decisions.about(entries.map(({ value }) => value));
    let shown: string[] = [];
    let size = 0;
    for (const [index, entry] of decided.entries()) {
      const { text = '' } = entries[index] ?? {};
      if (entry.shown === 'nothing') continue;
      if (entry.isIncluded) {
        this.included.push({ text, entry });
        this.restBytes += text.length;
        continue;
      }
      shown.push(shownText(text, entry));
      size += text.length;
      if (size < batch) continue;
      yield this.withEntries(shown);
      [shown, size] = [[], 0];
    }
    if (shown.length > 0) yield this.withEntries(shown);
  }

  private withEntries(shown: readonly string[]): string {
    this.kept += shown.length;
    const before = this.hasEntries ? ',' : `${this.head()},"entry":[`;
    this.hasEntries = true;
    return before + shown.join(',');
  }

  /** The beginning of the Bundle: its type comes first, so that others that read it know the entries when they come. */
  private head(): string {
    return `{"resourceType":"Bundle","type":"${this.limits.bundle}"${this.otherMembers()}`;
  }

  private otherMembers(): string {
    const members = this.members.map(({ name, text }) => `,${JSON.stringify(name)}:${text}`);
    this.members = [];
    return members.join('');
  }

  private async end(): Promise<string> {
    const { total, link } = this.own;
    const bundle = { total: total?.value, link: link?.value };
    const { links, told } = this.decisions.links(bundle);
    const count = await this.decisions.trueTotal(bundle);
    // Where something is removed it is not known any more which matches name them.
    const last = this.decisions.removed > 0 ? [] : this.included;
    const entries = [
      ...last.map(({ text, entry }) => shownText(text, entry)),
      ...told.map((one) => JSON.stringify(one)),
    ];
    const begun = entries.length > 0 ? this.withEntries(entries) : this.hasEntries ? '' : this.head();
    const closed = this.hasEntries ? `${begun}]` : begun;
    const counted =
      count === undefined ? '' : `,"total":${count === total?.value ? total?.text : JSON.stringify(count)}`;
    // FHIR has no empty lists.
    const linked = links.length === 0 ? '' : `,"link":${JSON.stringify(links)}`;
    return `${closed}${this.otherMembers()}${counted}${linked}}`;
  }
}

function isOwn(name: string): name is OwnMember {
  return (ownMembers as readonly string[]).includes(name);
}

function sizeOf(pieces: readonly BundlePiece[]): number {
  return pieces.reduce((size, { bytes }) => size + bytes, 0);
}

/** Decimals of what is shown in part keep their precision. */
function shownText(text: string, { shown }: DecidedEntry): string {
  if (typeof shown !== 'object') return text;
  try {
    return stringify(shownEntry(losslessParse(text), shown)) ?? '';
  } catch (cause) {
    throw new NoSearchAnswer('JSON that is nested too deeply or has a member twice', { cause });
  }
}
