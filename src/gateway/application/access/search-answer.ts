import { parse, stringify } from 'lossless-json';
import { type RewriteLink, rewrittenLinks } from '../../domain/answers/bundle-links.js';

/** The limits of an answer with many resources. */
export interface AnswerLimits {
  bundle: 'searchset' | 'history';
  /** The requested type; resources of other types are included ones. Undefined where all types were requested. */
  type: string | undefined;
  isPermitted(resource: Resource): boolean;
  /** `found` is what is open of what was asked for, by `Type/id`. */
  isPermittedIncluded(resource: Resource, found: ReadonlyMap<string, unknown>): boolean;
  /**
   * True if a `self` link of the server proves that the search was limited to the permitted resources, so that its
   * count is true.
   */
  provesLimit(selfLink: string): boolean;
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

interface Resource {
  resourceType: string;
  id?: unknown;
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
 * Keeps what is open of an answer and takes out the rest, with the `total`, which would count it. An answer that needs no
 * change stays the text that it was; one that does is parsed without losing the precision of decimals.
 */
export function keepPermitted(text: string, limits: AnswerLimits): KeptAnswer {
  const bundle = bundleOf(text, limits.bundle);
  const parts = list(bundle.entry).map((entry) => partOf(entry, limits));
  let found: Map<string, Resource> | undefined;
  const isOpen = ({ resource, open }: Part): boolean => {
    if (open !== undefined || resource === undefined) return open === true;
    found ??= foundIn(parts);
    return limits.isPermittedIncluded(resource, found);
  };
  const entries = parts.map((part) => ({ included: part.included, open: isOpen(part) }));
  const removed = entries.filter(({ included, open }) => !included && !open).length;
  // A resource that is included only for one that is left out would reveal the reference of that one.
  const keeps = entries.map(({ included, open }) => open && !(included && removed > 0));
  const kept = keeps.filter((keep) => keep).length;
  const countIsTrue = removed === 0 && selfLinks(bundle).some((link) => limits.provesLimit(link));
  const link = pageLinks(bundle, removed, limits);
  const isUnchanged = kept === keeps.length && JSON.stringify(link) === JSON.stringify(bundle.link ?? []);
  if (isUnchanged && (countIsTrue || bundle.total === undefined)) return { text, bundle, kept, removed };
  const changed = rewritten(text, (whole) => {
    const open = list(whole.entry).filter((_, index) => keeps[index]);
    if (!countIsTrue) delete whole.total;
    // FHIR has no empty lists.
    if (link.length > 0) whole.link = link;
    else delete whole.link;
    if (kept < keeps.length) whole.entry = open;
    if (open.length === 0) delete whole.entry;
  });
  const keptBundle = { ...bundle, entry: list(bundle.entry).filter((_, index) => keeps[index]) };
  return { text: changed, bundle: keptBundle, kept, removed };
}

function rewritten(text: string, change: (bundle: Bundle) => void): string {
  try {
    const whole = parse(text) as Bundle;
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
function pageLinks({ link }: Bundle, removed: number, { bundle, pageLink }: AnswerLimits): unknown[] {
  return rewrittenLinks(link, bundle === 'history' && removed > 0 ? () => undefined : pageLink);
}

interface Part {
  resource?: Resource;
  included: boolean;
  /** Undefined where that depends on what was found. */
  open: boolean | undefined;
}

function partOf(entry: unknown, limits: AnswerLimits): Part {
  const { resource, search } = (entry ?? {}) as { resource?: Resource | null; search?: { mode?: unknown } | null };
  // A deletion in a history does not name the patient of the resource.
  if (typeof resource?.resourceType !== 'string') return { included: false, open: false };
  // An OperationOutcome of the server about the search (`search.mode` outcome) is no data.
  if (limits.bundle === 'searchset' && resource.resourceType === 'OperationOutcome') {
    return { included: true, open: true };
  }
  const included = limits.type !== undefined && (resource.resourceType !== limits.type || search?.mode === 'include');
  return { resource, included, open: included ? undefined : limits.isPermitted(resource) };
}

function foundIn(parts: Part[]): Map<string, Resource> {
  return new Map(
    parts.flatMap(({ resource, open }) =>
      resource && open ? [[`${resource.resourceType}/${resource.id}`, resource]] : [],
    ),
  );
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
