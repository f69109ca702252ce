import type { Interaction } from '../../../contract/audit/access-detail.js';
import type { FhirServerRequest } from '../../../fhir-server/application/fhir-server.js';
import type { ExpectedTypes } from '../../domain/answers/answer-types.js';
import { type FhirRequest, pathOf } from '../../domain/fhir-request.js';
import { existsAlready, Refusal } from '../../domain/refusal.js';
import { makesOnly, mediaType, preconditions, preference } from '../../domain/request-headers.js';
import { printParameters, withoutFormat } from '../../domain/search-parameters.js';
import type { GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import { readJson, readPatch, readResource } from '../server/resource-body.js';
import type { ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';

/** A server that ignored a condition would answer resources that are not changed. */
const strict = { prefer: 'handling=strict' };
const paged: ReadonlySet<Interaction> = new Set(['search', 'history-instance', 'history-type']);

/**
 * Requests whose scopes open every resource of the type: answers are handed on as they arrive, once their type is seen.
 */
export class UnlimitedAccess {
  constructor(
    private readonly exchange: ServerExchange,
    /** True if resources are read before they are deleted or patched, to record whose they are. */
    private readonly attributes: boolean,
  ) {}

  async handle(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, token, pageLink } = authorized;
    const { interaction } = fhir;
    const headers = { ...preconditions(interaction, request.headers), ...wishes(fhir, request) };
    const { written, ...serverRequest } = await this.translated(fhir, request, headers);
    const sent = { ...serverRequest, cancellation: request.cancellation };
    await this.assertFree(authorized);
    const resourcesBefore = await this.before(authorized);
    const isBundle = paged.has(interaction);
    const changes = {
      cancellation: request.cancellation,
      // For an operation only its name is checked, and whether it may be called.
      expected: interaction === 'operation' || token.permitsAll('*', 'rs') ? undefined : expectedOf(fhir, isBundle),
      links: isBundle || isEverything(fhir) ? { bundle: pagedBundleOf(interaction), rewrite: pageLink } : undefined,
    };
    const answer = isChange(interaction, sent)
      ? await this.exchange.passOnChange(await this.exchange.sendChange(sent), changes)
      : await this.exchange.passOn(await this.exchange.send(sent), changes);
    // A conditional create that found a match has made nothing.
    const isMade = written !== undefined && !(interaction === 'create' && answer.status === 200);
    return { ...answer, record: { before: resourcesBefore, after: isMade ? [written] : [] } };
  }

  /**
   * The resources that a deletion or a patch is about, as they are: its own address and answer need not name the
   * patient. If they cannot be read the change takes place nevertheless, and is recorded without them.
   */
  async before({ fhir, request: { cancellation } }: AuthorizedRequest): Promise<unknown[]> {
    if (!this.attributes || !['patch', 'delete'].includes(fhir.interaction)) return [];
    try {
      const path = pathOf(fhir);
      const { text } = await this.exchange.sendAndRead({ method: 'GET', path, headers: strict, cancellation });
      return [JSON.parse(text)];
    } catch {
      return [];
    }
  }

  /**
   * Throws a {@link Refusal} if an update that may only make a resource finds one. Servers check that too, as far as
   * they know the header; those that do not would overwrite what is there.
   */
  async assertFree({ fhir, request: { headers, cancellation } }: AuthorizedRequest): Promise<void> {
    if (!makesOnly(fhir.interaction, headers)) return;
    const read = { method: 'GET', path: pathOf(fhir), headers: { accept: '*/*' }, cancellation } as const;
    const answer = await this.exchange.send(read).catch((error: unknown) => {
      if (error instanceof Refusal && (error.status === 404 || error.status === 410)) return undefined;
      throw error;
    });
    if (!answer) return;
    answer.discard();
    throw existsAlready();
  }

  private async translated(
    fhir: FhirRequest,
    request: GatewayRequest,
    headers: Record<string, string>,
  ): Promise<FhirServerRequest & { written?: unknown }> {
    switch (fhir.interaction) {
      case 'read':
      case 'vread':
      case 'history-instance':
      case 'history-type':
        return { method: 'GET', path: pathOf(fhir), headers };
      case 'search': {
        const search = searchRequest(fhir, request.method);
        return { ...search, headers: { ...search.headers, ...headers } };
      }
      case 'operation': {
        if (request.method !== 'POST') return { method: 'GET', path: pathOf(fhir), headers };
        const body = this.exchange.forServer(await this.exchange.readBody(request));
        if (body !== '') await readJson(body);
        return {
          method: 'POST',
          path: pathOf(fhir),
          headers: { ...headers, 'content-type': 'application/fhir+json' },
          body,
        };
      }
      case 'delete':
        return { method: 'DELETE', path: pathOf(fhir), headers };
      case 'create':
      case 'update':
      case 'patch': {
        const body = this.exchange.forServer(await this.exchange.readBody(request));
        if (fhir.interaction === 'patch') await readPatch(body);
        const written = fhir.interaction === 'patch' ? undefined : await readResource(body, fhir);
        const type = fhir.interaction === 'patch' ? mediaType(request.headers) : 'application/fhir+json';
        const method = ({ create: 'POST', update: 'PUT', patch: 'PATCH' } as const)[fhir.interaction];
        return {
          method,
          path: pathOf(fhir),
          headers: { ...headers, 'content-type': type },
          body,
          written: asWritten(fhir, written),
        };
      }
    }
  }
}

/** By GET an operation changes nothing (FHIR R4 §3.2.0.1), by POST it may; a search never does. */
function isChange(interaction: Interaction, { method }: Pick<FhirServerRequest, 'method'>): boolean {
  return method !== 'GET' && interaction !== 'search';
}

/** The server gives a new resource an id of its own. */
export function asWritten({ interaction }: Pick<FhirRequest, 'interaction'>, resource: unknown): unknown {
  return interaction === 'create' ? { ...(resource as object), id: undefined } : resource;
}

/**
 * A new resource without an id of the app's, which servers ignore (FHIR R4 §3.1.0.8). One that takes it would tell by
 * its refusal that the id exists. Takes JSON of any parser.
 */
export function withoutId(resource: unknown): object {
  const { id: _id, ...others } = resource as { id?: unknown };
  return others;
}

/** The requested type and the included ones. An OperationOutcome of the server about the request is not data. */
function expectedOf({ type, relatedTypes = [] }: FhirRequest, isBundle: boolean): ExpectedTypes | undefined {
  const included = relatedTypes.filter(({ shown }) => shown).map((related) => related.type);
  // An include without a type may bring any, all of which the token opens.
  return included.includes('*') ? undefined : { types: new Set([type, 'OperationOutcome', ...included]), isBundle };
}

/**
 * The one operation that is known to answer a Bundle of pages, and not a resource whose own `link` means something
 * else.
 */
function isEverything({ interaction, operation }: FhirRequest): boolean {
  return interaction === 'operation' && operation === 'everything';
}

function pagedBundleOf(interaction: Interaction): 'searchset' | 'history' {
  return interaction.startsWith('history') ? 'history' : 'searchset';
}

/** The server must not ignore conditions that decide which resources are meant, whatever else the app prefers. */
function wishes(
  { interaction, inRecordOf, condition }: FhirRequest,
  { headers }: GatewayRequest,
): Record<string, string> {
  const { prefer } = preference(interaction, headers);
  if (inRecordOf !== undefined) return { prefer: 'handling=strict' };
  if (condition === undefined) return prefer === undefined ? {} : { prefer };
  const strict = { prefer: [prefer, 'handling=strict'].filter((wish) => wish !== undefined).join(', ') };
  return interaction === 'create' ? { ...strict, 'if-none-exist': printParameters(condition) } : strict;
}

/**
 * A search stays in the address or in the body, as the app chose: long ones fit only into a body. A further page has an
 * address.
 */
export function searchRequest(
  fhir: FhirRequest,
  method: string,
): Pick<FhirServerRequest, 'method' | 'path' | 'headers' | 'body'> {
  if (method !== 'POST' || fhir.page !== undefined) return { method: 'GET', path: pathOf(fhir), headers: {} };
  return {
    method: 'POST',
    path: `/${fhir.type}/_search`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: printParameters(withoutFormat(fhir.parameters)),
  };
}
