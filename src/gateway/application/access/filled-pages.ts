import { stringify } from 'lossless-json';
import { KeptInclusions } from '../../domain/answers/kept-inclusions.js';
import { type FhirRequest, pathOf } from '../../domain/fhir-request.js';
import { askedForMore, countIn } from '../../domain/search-parameters.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { losslessParse } from '../server/lossless-parse.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import type { LimitedSearch } from './limited-search.js';

/** Pages of the server that are read for one page. */
const mostPages = 10;
/** The server is asked for so many at least: page by page of one, a page that ends early would tell of few. */
const fewestOfServer = 100;

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
 * Pages for a user who acts for a patient. What is private is on no page of the gateway: pages are filled from further
 * ones of the server, and a next page is named only if it has something, because both would tell how much is left out
 * (decision 0138).
 */
export class FilledPages {
  constructor(
    private readonly exchange: ServerExchange,
    private readonly many: LimitedSearch,
  ) {}

  /** Answers a search or `$everything` as {@link LimitedSearch} does for a user who acts for no one. */
  async answer(authorized: AuthorizedRequest, counts?: () => Promise<number | undefined>): Promise<GatewayAnswer> {
    if (!authorized.token.limit) return this.read(authorized, counts && { counts });
    const { fhir } = authorized;
    const { skip = 0, parameters } = fhir;
    const asked = askedForMore(parameters, fewestOfServer);
    const first = await this.page(authorized, { ...fhir, parameters: asked }, counts);
    const own = entriesOf(first, fhir);
    const size = fhir.size ?? countIn(parameters) ?? (own.matches.length + first.removed || fewestOfServer);
    const { link = [], entry: _entry, ...more } = losslessParse(String(first.answer.body)) as Bundle;
    const isWhole = skip === 0 && first.next === undefined && own.matches.length <= size;
    if (isWhole && link.every(({ relation }) => relation === 'self')) return first.answer;
    const { entry, rest } = await this.filled(authorized, { first, own, skip, size });
    // Only the next page is known: those before and the last one have other lengths.
    const links: object[] = link.filter(({ relation }) => relation === 'self');
    if (rest) links.push({ relation: 'next', url: authorized.pageAfter(rest.target, rest.skip, size) });
    const bundle = { ...more, ...(links.length > 0 && { link: links }), ...(entry.length > 0 && { entry }) };
    const body = stringify(bundle) ?? '';
    const { isEmptied, ...answer } = first.answer;
    return { ...answer, body, parsed: JSON.parse(body), ...(entry.length === 0 && { isEmptied: isEmptied ?? true }) };
  }

  private read(authorized: AuthorizedRequest, wishes?: Parameters<LimitedSearch['search']>[1]): Promise<GatewayAnswer> {
    const isSearch = authorized.fhir.interaction === 'search';
    return isSearch ? this.many.search(authorized, wishes) : this.many.patientEverything(authorized, wishes);
  }

  /** `size` matches, and the place of the next one that is shown. */
  private async filled(
    authorized: AuthorizedRequest,
    { first, own: ofFirst, skip, size }: { first: Page; own: Entries; skip: number; size: number },
  ): Promise<{ entry: readonly Entry[]; rest: Place | undefined }> {
    const matches: Entry[] = [];
    const others: Entry[] = [];
    let [page, own, from] = [first, ofFirst, skip];
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
      own = entriesOf(page, authorized.fhir);
      from = 0;
    }
  }

  /** The included resources of several pages, once each, as far as these matches explain them. */
  private explained(others: readonly Entry[], matches: readonly Entry[]): Entry[] {
    const resources = matches.map(({ resource }) => resource);
    const inclusions = new KeptInclusions(resources, this.exchange.names);
    const keys = new Set<string>();
    return others.filter(({ resource }) => {
      // A remark of the server, or of the gateway about what it cannot give.
      const isRemark = resource?.resourceType === 'OperationOutcome';
      const key = isRemark ? JSON.stringify(resource) : `${resource?.resourceType}/${resource?.id}`;
      const isNew = !keys.has(key) && (isRemark || inclusions.keeps(resource));
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
      return authorized.pageLink(relation === 'self' ? withCountOf(authorized.fhir, url) : url, relation);
    };
    const answer = await this.read(
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

/** The address of a page, with the count that the app asked for. */
function withCountOf({ parameters }: FhirRequest, url: string): string {
  const count = countIn(parameters);
  return count === undefined ? url : url.replace(/([?&]_count=)\d+(?=&|$)/, `$1${count}`);
}

function entriesOf({ answer }: Pick<Page, 'answer'>, { type, interaction }: FhirRequest): Entries {
  const { entry = [] } = losslessParse(String(answer.body)) as Bundle;
  const isMatch = ({ resource, search }: Entry) =>
    interaction === 'search'
      ? resource?.resourceType === type && search?.mode !== 'include'
      : resource?.resourceType !== 'OperationOutcome';
  return { matches: entry.filter(isMatch), others: entry.filter((one) => !isMatch(one)) };
}
