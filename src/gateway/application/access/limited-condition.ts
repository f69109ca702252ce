import { stringify } from 'lossless-json';
import { member } from '../../../contract/rules/resources/elements.js';
import type { FhirRequest } from '../../domain/fhir-request.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { losslessInTurns, losslessParse } from '../server/lossless-parse.js';
import { readJson, withBody } from '../server/resource-body.js';
import { fhirJson, type ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import type { LimitedSearch } from './limited-search.js';

/**
 * Conditional changes of an app with limited access: the condition is searched among the permitted resources, and the
 * match is then changed as if the app had named it. So nothing outside of the permissions is revealed or changed,
 * however the server reads the condition. Of two clients that create at the same time, both do.
 */
export class LimitedCondition {
  constructor(
    private readonly exchange: ServerExchange,
    private readonly many: LimitedSearch,
  ) {}

  /** Resolves a conditional request to a plain one, or returns the answer if there is nothing to do. */
  async resolve(authorized: AuthorizedRequest): Promise<AuthorizedRequest | GatewayAnswer> {
    const { fhir, request } = authorized;
    const { condition: _condition, ...plain } = fhir;
    const match = await this.foundOnce(authorized);
    switch (fhir.interaction) {
      case 'create':
        return match ? existing(authorized, match) : { ...authorized, fhir: plain };
      case 'update':
        return this.update(authorized, match?.id);
      default:
        if (!match && fhir.interaction === 'patch') throw notFound();
        if (!match) return { status: 204, headers: {} };
        return { ...authorized, fhir: { ...plain, id: match.id, parameters: [] }, request };
    }
  }

  /**
   * The address of the one resource that a search finds. None and several have one refusal, so that it tells nothing.
   */
  async findOne(authorized: AuthorizedRequest): Promise<string> {
    const { type, parameters } = authorized.fhir;
    const condition = { ...authorized.fhir, condition: parameters };
    const [match, ...others] = await this.found({ ...authorized, fhir: condition }).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 412) return [];
      throw error;
    });
    if (match && others.length === 0) return `${type}/${match.id}`;
    throw new Refusal(412, 'conflict', 'A reference by a search must find exactly one resource.');
  }

  /** The JSON of the permitted resource that a condition finds, if any. Throws a {@link Refusal} for several. */
  async findExisting(authorized: AuthorizedRequest): Promise<string | undefined> {
    return (await this.foundOnce(authorized))?.text;
  }

  private async update(authorized: AuthorizedRequest, id: string | undefined): Promise<AuthorizedRequest> {
    const { fhir, request } = authorized;
    const { condition: _condition, ...plain } = fhir;
    const text = await this.exchange.readBody(request);
    const own = ((await readJson(text)) as { id?: unknown } | null)?.id;
    if (id === undefined) {
      if (own !== undefined)
        throw new Refusal(412, 'conflict', 'There is nothing to update, and a new resource has no id.');
      const created: FhirRequest = { ...plain, interaction: 'create', parameters: [] };
      return {
        ...authorized,
        fhir: created,
        permissions: authorized.token.permissionsFor(fhir.type, 'c'),
        request: withBody(request, text),
      };
    }
    if (own !== undefined && own !== id) throw new Refusal(412, 'conflict', 'The condition finds another resource.');
    const named = stringify({ ...((await losslessInTurns(text)) as object), id }) ?? '';
    return { ...authorized, fhir: { ...plain, id, parameters: [] }, request: withBody(request, named) };
  }

  private async foundOnce(authorized: AuthorizedRequest): Promise<{ id: string; text: string } | undefined> {
    const [match, ...others] = await this.found(authorized);
    if (others.length > 0) throw new Refusal(412, 'conflict', 'The condition finds more than one resource.');
    return match;
  }

  /** Matching resources the app may see; capped at two, which is enough to detect ambiguity. */
  private async found(authorized: AuthorizedRequest): Promise<{ id: string; text: string }[]> {
    const { condition: parameters = [], ...fhir } = authorized.fhir;
    const search: FhirRequest = { ...fhir, interaction: 'search', parameters: [...parameters, ['_count', onPage]] };
    const request = { ...authorized.request, method: 'GET' };
    // HAPI answers a search like one a minute ago by what it found then.
    const fresh = { 'cache-control': 'no-cache' };
    const permissions = authorized.token.permissionsFor(fhir.type, 's');
    const found: { id: string; text: string }[] = [];
    // Of what is kept private from a representative there may be any number, which the refusal must not tell.
    const most = authorized.token.limit ? mostPages : 1;
    for await (const page of this.many.pages({ ...authorized, fhir: search, request, permissions }, fresh, most)) {
      const { entry = [] } = losslessParse(page.text) as { entry?: { resource: unknown }[] };
      found.push(...entry.flatMap(({ resource }) => matchOf(resource, fhir.type)));
      if (page.isLast || found.length > 1) return found;
    }
    throw new Refusal(412, 'conflict', 'The condition finds too much to tell whether it is one resource.');
  }
}

const onPage = '50';
const mostPages = 20;

/** An OperationOutcome of the server about the search is not a match. */
function matchOf(resource: unknown, type: string): { id: string; text: string }[] {
  if (member(resource, 'resourceType') !== type) return [];
  return [{ id: String(member(resource, 'id')), text: stringify(resource) ?? '' }];
}

/** An existing match prevents the creation (FHIR R4 §3.1.0.8.1). */
function existing({ fhir }: AuthorizedRequest, { id, text }: { id: string; text: string }): GatewayAnswer {
  return { status: 200, headers: { 'Content-Type': fhirJson, 'Content-Location': `${fhir.type}/${id}` }, body: text };
}
