import { bundle, refusal, type SmallAnswer } from './answers.js';
import type { Json, Resource } from './records.js';
import { queryValue, type SmallRequest } from './request.js';
import { conditionsOf, included, matches, type Query, TYPES, type View } from './search.js';
import { keyOf, type Store } from './store.js';
import type { Rights } from './tokens.js';

/** The parts of the gateway that searches need. */
export interface Searched {
  readonly store: Store;
  readonly base: string;
  has(flaw: string): boolean;
}

interface Page {
  patient: string | undefined;
  rest: Resource[];
}

/** Carries out searches on what a token may see, page by page. */
export class Searches {
  private readonly pages = new Map<string, Page>();

  constructor(private readonly gateway: Searched) {}

  answer(request: SmallRequest, type: string, query: Query, view: View, rights: Rights): SmallAnswer {
    if (!TYPES.includes(type) || type === 'Binary') return refusal(404, 'The type is not served.');
    const { gateway } = this;
    const everything = gateway.store.current;
    const found = matches(type, query, view, this.isReaching(query) ? everything : view);
    const real = matches(type, query, everything);
    if (found.length < real.length && gateway.has('error: the status of a search'))
      return refusal(403, 'Some of these resources are not yours.');
    const asksCount = queryValue(request, '_summary') === 'count' || queryValue(request, '_count') === '0';
    const total = this.totalOf(request, query, found, real, asksCount);
    if (asksCount) return { status: 200, body: { resourceType: 'Bundle', type: 'searchset', total } };
    const offset = Math.max(0, Number(queryValue(request, '_offset') ?? 0) || 0);
    const count = Math.max(0, Number(queryValue(request, '_count') ?? 50)) || 50;
    const isLate = gateway.has('page: it is cut before it is limited');
    const cut = (isLate ? real : found).slice(offset, offset + count);
    const page = isLate ? cut.filter((one) => found.includes(one)) : cut;
    const body = bundle(
      'searchset',
      page.map((one) => trimmed(one, query)),
      total,
    ) as Json & { entry: Json[]; link?: Json[] };
    const seen = new Set(page.map(keyOf));
    for (const one of this.more(page, query, view))
      if (!seen.has(keyOf(one)) && seen.add(keyOf(one)))
        body.entry.push({ resource: one, search: { mode: 'include' } });
    if (offset + count < (isLate ? real : found).length) {
      const rest = (gateway.has('page: a stored rest is of all') ? real : found).slice(offset + count);
      body.link = [{ relation: 'next', url: this.linkTo(request, type, rest, offset + count, rights) }];
    }
    if (found.length < real.length && gateway.has('count: a link tells'))
      body.link = [{ relation: 'next', url: `${gateway.base}/${type}?_offset=50` }];
    return { status: 200, body };
  }

  page(request: SmallRequest, viewOf: (patient: string | undefined) => View, rights: Rights): SmallAnswer {
    const isForAnyone =
      this.gateway.has('page: a stored page is for anyone') ||
      (request.isEntry && this.gateway.has('page: a stored page is for anyone in a batch'));
    const id = queryValue(request, '_getpages') ?? '';
    const stored = this.pages.get(id);
    if (stored && (isForAnyone || stored.patient === rights.patient))
      return { status: 200, body: bundle('searchset', stored.rest) };
    const token = this.gateway.has('page: a token that can be changed') ? parsed(id) : undefined;
    if (!token) return refusal(404, 'There is no such page.');
    const rest = [...viewOf(String(token.patient)).values()].filter((one) => one.resourceType === token.type);
    return { status: 200, body: bundle('searchset', rest.slice(Number(token.offset))) };
  }

  private isReaching(query: Query): boolean {
    const chains = query.some(([name]) => name.includes('.'));
    const reverse = query.some(([name]) => name.startsWith('_has'));
    return (
      (this.gateway.has('search: chains look at all') && chains) ||
      (this.gateway.has('search: reverse chains look at all') && reverse)
    );
  }

  private totalOf(
    request: SmallRequest,
    query: Query,
    found: Resource[],
    real: Resource[],
    asksCount: boolean,
  ): number {
    const { gateway } = this;
    const tells =
      (gateway.has('count: totals of all') && !asksCount) ||
      (gateway.has('count: counts of all') && asksCount) ||
      (gateway.has('count: accurate totals of all') && queryValue(request, '_total') === 'accurate') ||
      (gateway.has('count: the total of a search without conditions') && conditionsOf(query).length === 0);
    return tells ? real.length : found.length;
  }

  private more(page: Resource[], query: Query, view: View): Resource[] {
    const all = this.gateway.store.current;
    const open = (flaw: string, test: (name: string) => boolean) =>
      this.gateway.has(flaw) ? query.filter(([name]) => test(name)) : [];
    const opened = [
      ...open('include: looks at all', (name) => name.startsWith('_include')),
      ...open('include: backwards looks at all', (name) => name.startsWith('_revinclude')),
      ...open('include: an iteration looks at all', (name) => name.endsWith(':iterate')),
    ];
    const plain = included(page, query, view);
    return [...plain, ...included([...page, ...plain], opened, all)];
  }

  private linkTo({ raw, query }: SmallRequest, type: string, rest: Resource[], offset: number, rights: Rights): string {
    const { base } = this.gateway;
    if (this.gateway.has('page: a token that can be changed')) {
      const token = JSON.stringify({ type, patient: rights.patient, offset });
      return `${base}?_getpages=${Buffer.from(token).toString('base64url')}`;
    }
    if (!STORED.some((flaw) => this.gateway.has(flaw))) {
      const kept = query
        .filter(([name]) => name !== '_offset')
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
      return `${base}/${raw.replace('/_search', '')}?${[...kept, `_offset=${offset}`].join('&')}`;
    }
    const id = `page-${this.pages.size}`;
    this.pages.set(id, { patient: rights.patient, rest });
    return `${base}?_getpages=${id}`;
  }
}

/** The mutants that store the rest of a search. */
const STORED = [
  'page: a stored page is for anyone',
  'page: a stored page is for anyone in a batch',
  'page: a stored rest is of all',
];

/** A resource with the elements that a request asks for. */
export function trimmed(resource: Resource, query: Query): unknown {
  const elements = query.find(([name]) => name === '_elements')?.[1];
  if (!elements) return resource;
  const { resourceType, id, meta } = resource;
  const kept = Object.fromEntries(elements.split(',').map((name) => [name, resource[name]]));
  return { resourceType, ...kept, id, meta: { ...meta, tag: [{ code: 'SUBSETTED' }] } };
}

function parsed(id: string): Json | undefined {
  try {
    return JSON.parse(Buffer.from(id, 'base64url').toString());
  } catch {
    return undefined;
  }
}
