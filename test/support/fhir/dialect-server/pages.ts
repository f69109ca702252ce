import type { Dialect } from '../dialects.js';
import type { Stored } from './records.js';
import { addressOf, included, trimmed } from './search.js';

interface Search {
  /** The path of the search below the base. */
  type: string;
  parameters: readonly [string, string][];
  found: readonly Stored[];
  all: readonly Stored[];
  isPosted: boolean;
}

const usualCount = 50;
const control = new Set(['_count', '_offset', '_total', '_elements', '_summary']);

/** The pages of searches; the server keeps each page that it has named in a link. */
export class Pages {
  private readonly kept = new Map<string, { search: Search; offset: number }>();
  private searches = 0;

  constructor(
    private readonly dialect: Dialect,
    private readonly self: () => string,
    private readonly longest: () => number,
  ) {}

  /** The page with this address; undefined if no link had it. */
  at(path: string, query: URLSearchParams): object | undefined {
    const kept = this.kept.get(keyOf(path, query));
    return kept && this.page(kept.search, kept.offset);
  }

  first(search: Search): object {
    this.searches += 1;
    return this.page(search, 0);
  }

  /** All versions of a resource, newest first. */
  history(versions: readonly Stored[]): object {
    const entry = versions.map((resource) => ({
      ...this.fullUrlOf(resource),
      resource,
      request: { method: 'PUT', url: addressOf(resource) },
      response: { status: '200', etag: `W/"${resource.meta?.versionId}"` },
    }));
    return { resourceType: 'Bundle', type: 'history', total: entry.length, entry };
  }

  private page(search: Search, offset: number): object {
    const { parameters, found, all } = search;
    const given = (name: string) => parameters.find(([one]) => one === name)?.[1];
    const count = Math.min(Number(given('_count') ?? usualCount), this.longest());
    const isCount = count === 0 || given('_summary') === 'count';
    const page = isCount ? [] : found.slice(offset, offset + count);
    const others = isCount ? [] : included(all, page, parameters);
    const isCounted =
      isCount || this.dialect.total === 'always' || (this.dialect.total === 'asked' && given('_total') === 'accurate');
    const entry = [
      ...page.map((one) => this.entryOf(one, parameters, 'match')),
      ...others.map((one) => this.entryOf(one, parameters, 'include')),
    ];
    return {
      resourceType: 'Bundle',
      type: 'searchset',
      ...(isCounted && { total: found.length }),
      link: [{ relation: 'self', url: this.selfLink(search) }, ...(isCount ? [] : this.links(search, offset, count))],
      ...(entry.length > 0 && { entry }),
    };
  }

  private entryOf(resource: Stored, parameters: Search['parameters'], mode: string): object {
    return { ...this.fullUrlOf(resource), resource: trimmed(resource, parameters), search: { mode } };
  }

  private links(search: Search, offset: number, count: number): object[] {
    const last = Math.max(0, (Math.ceil(search.found.length / count) - 1) * count);
    const offsets = { first: 0, previous: offset - count, next: offset + count, last };
    return this.dialect.relations.flatMap((relation) => {
      const to = offsets[relation];
      const isThere = to >= 0 && to < Math.max(1, search.found.length);
      return isThere ? [{ relation, url: this.linkTo(search, to, count) }] : [];
    });
  }

  private linkTo(search: Search, offset: number, count: number): string {
    const { type, parameters, isPosted } = search;
    const query = new URLSearchParams(parameters.filter(([name]) => !control.has(name))).toString();
    const token = `${this.searches.toString(16).padStart(4, '0')}${offset.toString(16).padStart(8, '0')}`;
    const target = this.dialect.page({ type, query, offset, count, token, isPosted });
    const url = new URL(this.self() + target);
    this.kept.set(keyOf(url.pathname.replace(/^\/(r4|fhir)/, ''), url.searchParams), { search, offset });
    return this.dialect.links === 'rooted' ? new URL(this.self()).pathname + target : this.self() + target;
  }

  private selfLink({ type, parameters }: Search): string {
    const query = new URLSearchParams([...parameters]).toString();
    const address = `/${type}${query && `?${query}`}`;
    return this.dialect.links === 'rooted' ? new URL(this.self()).pathname + address : this.self() + address;
  }

  private fullUrlOf(resource: Stored): { fullUrl?: string } {
    switch (this.dialect.fullUrl) {
      case 'absolute':
        return { fullUrl: `${this.self()}/${addressOf(resource)}` };
      case 'rooted':
        return { fullUrl: `${new URL(this.self()).pathname}/${addressOf(resource)}` };
      case 'none':
        return {};
    }
  }
}

/** The same for the same parameters in another order or spelling. */
function keyOf(path: string, query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return `${path.replace(/\/$/, '')}?${sorted}`;
}
