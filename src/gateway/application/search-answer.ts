import { parse, stringify } from 'lossless-json';

/** What an answer to a search must keep to. */
export interface SearchLimits {
  isOpen(resource: unknown): boolean;
  type: string;
  /** Whether a `self` link of the server proves that the search was kept to what is open, so that its count is true. */
  provesLimit(selfLink: string): boolean;
}

/** The answer is not what a FHIR server answers to a search. */
export class NoSearchAnswer extends Error {}

interface Bundle {
  resourceType?: unknown;
  type?: unknown;
  total?: unknown;
  link?: unknown;
  entry?: unknown;
}

/**
 * Keeps what is open of a search's answer and takes out the rest, with the `total`, which would count it. An answer that
 * needs no change stays the text that it was; one that does is parsed without losing the precision of decimals.
 */
export function keepOpen(text: string, limits: SearchLimits): { text: string; removed: number } {
  const bundle = bundleOf(text);
  const entries = list(bundle.entry);
  const kept = entries.map((entry) => isKept(entry, limits));
  const removed = kept.filter((keep) => !keep).length;
  const hasTotal = bundle.total !== undefined;
  if (removed === 0 && (!hasTotal || selfLinks(bundle).some((link) => limits.provesLimit(link))))
    return { text, removed };
  const { total: _total, entry, ...rest } = parse(text) as Bundle;
  const open = list(entry).filter((_, index) => kept[index]);
  return { text: stringify({ ...rest, ...(open.length > 0 ? { entry: open } : {}) }) ?? '', removed };
}

/** The answer to a search that can find nothing. */
export function emptySearchAnswer(): string {
  return JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0, link: [] });
}

function bundleOf(text: string): Bundle {
  let bundle: Bundle | null;
  try {
    bundle = JSON.parse(text);
  } catch (cause) {
    throw new NoSearchAnswer('not JSON', { cause });
  }
  const entry = bundle?.entry ?? [];
  if (bundle?.resourceType !== 'Bundle' || bundle.type !== 'searchset' || !Array.isArray(entry)) {
    throw new NoSearchAnswer('not a searchset');
  }
  return bundle;
}

function isKept(entry: unknown, { type, isOpen }: SearchLimits): boolean {
  const resource = (entry as { resource?: { resourceType?: unknown } } | null)?.resource;
  // What the server has to say about the search (`search.mode` outcome) is no data.
  if (resource?.resourceType === 'OperationOutcome') return true;
  return resource?.resourceType === type && isOpen(resource);
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
