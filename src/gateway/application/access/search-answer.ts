import { stringify } from 'lossless-json';
import { entryAboutLost, type RewriteLink, rewrittenLinks } from '../../domain/answers/bundle-links.js';
import { KeptInclusions } from '../../domain/answers/kept-inclusions.js';
import type { ServerNames } from '../../domain/patient-compartment.js';
import type { Shown } from '../../domain/separation/separation.js';
import { losslessParse } from '../server/lossless-parse.js';
import { outcomeWithoutWords } from '../server/server-refusal.js';
import type { Resource, SeparatedAnswer } from './separated-answer.js';

/** The limits of an answer with many resources. */
export interface AnswerLimits {
  bundle: 'searchset' | 'history';
  /** The requested type; resources of other types are included ones. Undefined where all types were requested. */
  type: string | undefined;
  /** Decides about what was asked for. */
  matches: Pick<SeparatedAnswer, 'prepare' | 'shown'>;
  /** Decides about included resources; without it there are none. */
  included?: Pick<SeparatedAnswer, 'prepare' | 'shown'>;
  /** True if all of the type is permitted, so that the server's count is of nothing else. */
  isOpen: boolean;
  /**
   * Counts what the search finds and the token permits; undefined for too much. Present where the app asks for that.
   */
  counts?: () => Promise<number | undefined>;
  /** True if the token may have the server's own words about the search. */
  hears: boolean;
  /** The names by which references mean the server. */
  server: ServerNames;
  pageLink: RewriteLink;
  /**
   * Present where the order of the entries means nothing: those that depend on other resources of the answer are
   * decided when all of these have arrived.
   */
  late?: Pick<SeparatedAnswer, 'remember' | 'awaits'>;
}

/** A searchset or history without the resources that the token may not see. */
export interface KeptAnswer {
  text: string;
  /** The text, parsed, but for its links and count. */
  bundle: unknown;
  kept: number;
  /** The number of removed resources, without included ones. */
  removed: number;
}

/** The answer is not what a FHIR server answers to a search or a history. */
export class NoSearchAnswer extends Error {}

interface Bundle {
  resourceType?: unknown;
  type?: unknown;
  total?: unknown;
  link?: unknown;
  entry?: unknown;
}

/** The decision about one entry. */
export interface DecidedEntry {
  shown: Shown;
  /** True for an included resource, and a remark of the server on the search. */
  isIncluded: boolean;
}

/** Decides about the entries of one answer, and by these about its count and links. */
export class EntryDecisions {
  /** The number of removed resources, without included ones. */
  removed = 0;
  private matches = 0;

  constructor(private readonly limits: AnswerLimits) {}

  async about(entries: readonly unknown[]): Promise<DecidedEntry[]> {
    const parts = entries.map((entry) => partOf(entry, this.limits));
    await prepare(parts, this.limits);
    return parts.map((part) => {
      const shown = shownPart(part, this.limits);
      if (!part.included) this.matches += 1;
      if (!part.included && shown === 'nothing') this.removed += 1;
      return { shown, isIncluded: part.included };
    });
  }

  /** True for each entry that depends on other resources of the answer which may still arrive. */
  areLate(entries: readonly unknown[]): boolean[] {
    const { late } = this.limits;
    if (!late) return entries.map(() => false);
    const resources = entries.map((entry) => partOf(entry, this.limits).resource);
    late.remember(resources.filter((one) => one !== undefined));
    return resources.map((one) => one !== undefined && late.awaits(one));
  }

  /**
   * Returns which of all entries are kept, once these are decided: one that is included only for what is left out would
   * reveal a reference of that.
   */
  keeps(entries: readonly { entry: unknown; decided: DecidedEntry }[]): boolean[] {
    const isShown = ({ decided }: { decided: DecidedEntry }) => decided.shown !== 'nothing';
    if (this.removed === 0) return entries.map(isShown);
    const resources = entries.map(({ entry, decided }) => shownResource(entry, decided.shown));
    const matches = resources.filter((_, index) => entries[index]?.decided.isIncluded === false);
    const inclusions = new KeptInclusions(
      matches.filter((one) => one !== undefined),
      this.limits.server,
    );
    return entries.map((one, index) => isShown(one) && (!one.decided.isIncluded || inclusions.keeps(resources[index])));
  }

  /**
   * The count of what is shown, where all that the server counts is here; otherwise the server's could be of anything
   * (decision 0117).
   */
  async trueTotal({ total }: Pick<Bundle, 'total'>): Promise<unknown> {
    if (total === this.matches) return this.matches - this.removed;
    if (this.limits.isOpen && this.removed === 0) return total;
    return this.limits.counts?.();
  }

  /**
   * The links for the app, and the entries that tell of others. Versions that are not open have no link to further
   * pages, either: it would tell how many there are.
   */
  links({ link }: Pick<Bundle, 'link'>): { links: unknown[]; told: object[] } {
    const { bundle, pageLink } = this.limits;
    const { links, lost } = rewrittenLinks(link, pageLink);
    if (bundle === 'searchset' || this.removed === 0)
      return { links, told: lost.length > 0 ? [entryAboutLost(lost, bundle)] : [] };
    return { links: links.filter((one) => (one as { relation?: unknown }).relation === 'self'), told: [] };
  }
}

/**
 * Keeps what is shown of an answer and takes out the rest. The `total` stays if it is true of what is shown, and is
 * corrected where all of that is here. An answer that needs no change stays the text that it was; one that does is
 * parsed without losing the precision of decimals.
 */
export async function keepPermitted(text: string, limits: AnswerLimits): Promise<KeptAnswer> {
  const bundle = bundleOf(text, limits.bundle);
  const decisions = new EntryDecisions(limits);
  const entries = await decisions.about(list(bundle.entry));
  const { removed } = decisions;
  const keeps = decisions.keeps(entries.map((decided, index) => ({ entry: list(bundle.entry)[index], decided })));
  const kept = keeps.filter((isKept) => isKept).length;
  const total = await decisions.trueTotal(bundle);
  const { links: link, told } = decisions.links(bundle);
  const isWhole = entries.every(({ shown }) => shown === 'whole') && kept === entries.length;
  const isUnchanged = isWhole && JSON.stringify(link) === JSON.stringify(bundle.link ?? []);
  if (isUnchanged && total === bundle.total) return { text, bundle, kept, removed };
  const entriesOf = (whole: Bundle) =>
    list(whole.entry).flatMap((entry, index) => {
      const decided = entries[index];
      return decided && keeps[index] ? [shownEntry(entry, decided.shown)] : [];
    });
  const changed = rewritten(text, (whole) => {
    if (total === undefined) delete whole.total;
    else if (total !== bundle.total) whole.total = total;
    // FHIR has no empty lists.
    if (link.length > 0) whole.link = link;
    else delete whole.link;
    if (!isWhole || told.length > 0) whole.entry = [...entriesOf(whole), ...told];
    if (kept + told.length === 0) delete whole.entry;
  });
  return { text: changed, bundle: { ...bundle, entry: entriesOf(bundle) }, kept, removed };
}

async function prepare(parts: readonly Part[], { bundle, matches, included }: AnswerLimits): Promise<void> {
  const of = (isIncluded: boolean) =>
    parts.flatMap((one) => (one.resource && !one.isOutcome && one.included === isIncluded ? one.resource : []));
  const [found, more] = [of(false), of(true)];
  // A history has resources as they were.
  const now = bundle === 'history' ? [] : [...found, ...more];
  await matches.prepare(found, now);
  if (more.length > 0) await included?.prepare(more, now);
}

function shownPart({ resource, included, isOutcome }: Part, limits: AnswerLimits): Shown {
  if (isOutcome) return limits.hears ? 'whole' : { partOf: withoutWords };
  if (!resource) return 'nothing';
  return (included ? limits.included : limits.matches)?.shown(resource) ?? 'nothing';
}

function withoutWords(outcome: unknown): unknown {
  const diagnostics = 'The FHIR server has a remark on the search, which is not shown with this token.';
  const other = { severity: 'information', code: 'informational', diagnostics, type: '' };
  return JSON.parse(outcomeWithoutWords(JSON.stringify(outcome), other));
}

function shownResource(entry: unknown, shown: Shown): unknown {
  if (shown === 'nothing') return undefined;
  return (shownEntry(entry, shown) as { resource?: unknown }).resource;
}

export function shownEntry(entry: unknown, shown: Shown): unknown {
  if (typeof shown !== 'object') return entry;
  return { ...(entry as object), resource: shown.partOf((entry as { resource?: unknown }).resource) };
}

function rewritten(text: string, change: (bundle: Bundle) => void): string {
  try {
    const whole = losslessParse(text) as Bundle;
    change(whole);
    return stringify(whole) ?? '';
  } catch (cause) {
    throw new NoSearchAnswer('JSON that is nested too deeply or has a member twice', { cause });
  }
}

/** The answer to a search that can find nothing. */
export function emptySearchAnswer(): string {
  return JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0 });
}

function bundleOf(text: string, type: string): Bundle {
  let bundle: Bundle | null;
  try {
    bundle = JSON.parse(text);
  } catch (cause) {
    throw new NoSearchAnswer('not JSON', { cause });
  }
  const entry = bundle?.entry ?? [];
  if (bundle?.resourceType !== 'Bundle' || bundle.type !== type || !Array.isArray(entry)) {
    throw new NoSearchAnswer(`not a ${type}`);
  }
  return bundle;
}

interface Part {
  resource?: Resource;
  included: boolean;
  /** True for an OperationOutcome of the server about the search (`search.mode` outcome), which is not data. */
  isOutcome: boolean;
}

function partOf(entry: unknown, limits: AnswerLimits): Part {
  const { resource, search } = (entry ?? {}) as { resource?: Resource | null; search?: { mode?: unknown } | null };
  // A deletion in a history does not name the patient of the resource.
  if (typeof resource?.resourceType !== 'string') return { included: false, isOutcome: false };
  const isOutcome = limits.bundle === 'searchset' && resource.resourceType === 'OperationOutcome';
  const included =
    isOutcome || (limits.type !== undefined && (resource.resourceType !== limits.type || search?.mode === 'include'));
  return { resource, included, isOutcome };
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
