import { stringify } from 'lossless-json';
import { entryAboutLost, type RewriteLink, rewrittenLinks } from '../../domain/answers/bundle-links.js';
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
  /**
   * True if a `self` link of the server proves that the search was limited to the permitted resources, so that its
   * count is true.
   */
  provesLimit(selfLink: string): boolean;
  /** True if the token may have the server's own words about the search. */
  hears: boolean;
  pageLink: RewriteLink;
}

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

/**
 * Keeps what is shown of an answer and takes out the rest. The `total` stays if it is true of what is shown, and is corrected where all of that
 * is here. An answer that needs no change stays the text that it was; one that does is parsed without losing the precision of decimals.
 */
export async function keepPermitted(text: string, limits: AnswerLimits): Promise<KeptAnswer> {
  const bundle = bundleOf(text, limits.bundle);
  const parts = list(bundle.entry).map((entry) => partOf(entry, limits));
  await prepare(parts, limits);
  const shown = parts.map((part) => shownPart(part, limits));
  const removed = parts.filter(({ included }, index) => !included && shown[index] === 'nothing').length;
  // A resource that is included only for one that is left out would reveal the reference of that one.
  const keeps = parts.map(({ included }, index) => shown[index] !== 'nothing' && !(included && removed > 0));
  const kept = keeps.filter((keep) => keep).length;
  const total = trueTotal(bundle, parts, removed, limits);
  const { links: link, lost } = pageLinks(bundle, removed, limits);
  const told = lost.length > 0 ? [entryAboutLost(lost, limits.bundle)] : [];
  const isWhole = shown.every((one) => one === 'whole') && kept === keeps.length;
  const isUnchanged = isWhole && JSON.stringify(link) === JSON.stringify(bundle.link ?? []);
  if (isUnchanged && total === bundle.total) return { text, bundle, kept, removed };
  const entriesOf = (whole: Bundle) =>
    list(whole.entry).flatMap((entry, index) => (keeps[index] ? [shownEntry(entry, shown[index])] : []));
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

function shownEntry(entry: unknown, shown: Shown | undefined): unknown {
  if (typeof shown !== 'object') return entry;
  return { ...(entry as object), resource: shown.partOf((entry as { resource?: unknown }).resource) };
}

/** The count of the server, if it is one of what is shown, or else of what is here, if that is all there is. */
function trueTotal(bundle: Bundle, parts: readonly Part[], removed: number, limits: AnswerLimits): unknown {
  if (!selfLinks(bundle).some((link) => limits.provesLimit(link))) return undefined;
  if (removed === 0) return bundle.total;
  const here = parts.filter(({ included }) => !included).length;
  return bundle.total === here ? here - removed : undefined;
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

/** Versions that are not open are no pages away either: a link to more of them would tell how many there are. */
function pageLinks({ link }: Bundle, removed: number, { bundle, pageLink }: AnswerLimits) {
  const { links, lost } = rewrittenLinks(link, pageLink);
  if (bundle === 'searchset' || removed === 0) return { links, lost };
  return { links: links.filter((one) => (one as { relation?: unknown }).relation === 'self'), lost: [] };
}

interface Part {
  resource?: Resource;
  included: boolean;
  /** True for an OperationOutcome of the server about the search (`search.mode` outcome), which is no data. */
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

function selfLinks({ link }: Bundle): string[] {
  return list(link).flatMap((item) => {
    const { relation, url } = (item ?? {}) as { relation?: unknown; url?: unknown };
    return relation === 'self' && typeof url === 'string' ? [url] : [];
  });
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
