import { stringify } from 'lossless-json';
import { KeptInclusions } from '../../domain/answers/kept-inclusions.js';
import { type FhirRequest, pathOf } from '../../domain/fhir-request.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { losslessParse } from '../server/lossless-parse.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import type { LimitedSearch } from './limited-search.js';

/** Pages of the server that are read for one page. */
const mostPages = 10;

interface Entry {
  resource?: { resourceType?: unknown; id?: unknown };
  search?: { mode?: unknown };
}

interface Bundle {
  link?: { relation?: unknown; url?: unknown }[];
  entry?: Entry[];
  [name: string]: unknown;
}

interface Page {
  answer: GatewayAnswer;
  /** The number of matches that are not shown. */
  removed: number;
  /** The server's address of this page, and of the next one. */
  target: string;
  next: string | undefined;
}

/** The matches of a page that are shown, and its other entries. */
interface Entries {
  matches: readonly Entry[];
  others: readonly Entry[];
}

/** The place at which the next page begins: matches of the server's page that were shown already are skipped. */
interface Place {
  target: string;
  skip: number;
}

/**
 * Pages of a search of which the server cannot be asked to leave out what is private: they are filled from further
 * pages, because the length of a page would tell how much is left out (decision 0138).
 */
export class FilledPages {
  constructor(
    private readonly exchange: ServerExchange,
    private readonly many: LimitedSearch,
  ) {}

  /** Searches as {@link LimitedSearch} does where nothing is kept private. */
  async search(authorized: AuthorizedRequest, counts: () => Promise<number | undefined>): Promise<GatewayAnswer> {
    if (!authorized.token.limit?.keepsSome) return this.many.search(authorized, { counts });
    const { skip = 0 } = authorized.fhir;
    const first = await this.page(authorized, authorized.fhir, counts);
    if (skip === 0 && (first.removed === 0 || first.next === undefined)) return first.answer;
    const { link, entry: _entry, ...more } = losslessParse(String(first.answer.body)) as Bundle;
    const { entry, rest } = await this.filled(authorized, first, skip);
    // Only the next page is known: those before and the last one have other lengths.
    const links: object[] = (link ?? []).filter(({ relation }) => relation === 'self');
    if (rest) links.push({ relation: 'next', url: authorized.pageAfter(rest.target, rest.skip) });
    const bundle = { ...more, ...(links.length > 0 && { link: links }), ...(entry.length > 0 && { entry }) };
    const body = stringify(bundle) ?? '';
    const { isEmptied, ...answer } = first.answer;
    return { ...answer, body, parsed: JSON.parse(body), ...(entry.length === 0 && { isEmptied: isEmptied ?? true }) };
  }

  /** As many matches as the server has on its page, and the place of the next one that is shown. */
  private async filled(
    authorized: AuthorizedRequest,
    first: Page,
    skip: number,
  ): Promise<{ entry: readonly Entry[]; rest: Place | undefined }> {
    const { type } = authorized.fhir;
    const matches: Entry[] = [];
    const others: Entry[] = [];
    let [page, from] = [first, skip];
    let own = entriesOf(page, type);
    const size = own.matches.length + first.removed;
    for (let read = 1; ; read += 1) {
      const taken = own.matches.slice(from, from + size - matches.length);
      matches.push(...taken);
      others.push(...own.others);
      const used = from + taken.length;
      const entry = () => [...matches, ...this.explained(others, matches)];
      if (used < own.matches.length) return { entry: entry(), rest: { target: page.target, skip: used } };
      const { next } = page;
      if (next === undefined) return { entry: entry(), rest: undefined };
      if (read === mostPages) return { entry: entry(), rest: { target: next, skip: 0 } };
      page = await this.page(authorized, { ...authorized.fhir, parameters: [], page: next });
      own = entriesOf(page, type);
      from = 0;
    }
  }

  /** The included resources of several pages, once each, as far as these matches explain them. */
  private explained(others: readonly Entry[], matches: readonly Entry[]): Entry[] {
    const resources = matches.map(({ resource }) => resource);
    const inclusions = new KeptInclusions(resources, this.exchange.names);
    const keys = new Set<string>();
    return others.filter(({ resource, search }) => {
      const key = `${resource?.resourceType}/${resource?.id}`;
      const isNew = search?.mode === 'include' && !keys.has(key) && inclusions.keeps(resource);
      if (isNew) keys.add(key);
      return isNew;
    });
  }

  private async page(
    authorized: AuthorizedRequest,
    fhir: FhirRequest,
    counts?: () => Promise<number | undefined>,
  ): Promise<Page> {
    const { names } = this.exchange;
    const target = pathOf(fhir);
    let [next, removed] = [undefined as string | undefined, 0];
    const pageLink = (url: string, relation: string): string | undefined => {
      if (relation === 'next') next = names.targetOf(url, target);
      return authorized.pageLink(url, relation);
    };
    const answer = await this.many.search(
      { ...authorized, fhir, pageLink },
      {
        headers: {},
        ...(counts && { counts }),
        onRemoved: (count) => {
          removed = count;
        },
      },
    );
    return { answer, removed, target, next };
  }
}

function entriesOf({ answer }: Page, type: string): Entries {
  const { entry = [] } = losslessParse(String(answer.body)) as Bundle;
  const isMatch = ({ resource, search }: Entry) => resource?.resourceType === type && search?.mode !== 'include';
  return { matches: entry.filter(isMatch), others: entry.filter((one) => !isMatch(one)) };
}
