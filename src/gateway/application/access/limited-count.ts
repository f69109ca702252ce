import type { FhirRequest } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import { searchToCount } from '../../domain/trimmed-answers.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { fhirJson } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import type { LimitedSearch } from './limited-search.js';

const onPage = 200;
const mostCounted = 1_000;
/** Pages with few permitted resources. */
const mostPages = 20;

interface Page {
  entry?: { resource?: { resourceType?: unknown }; search?: { mode?: unknown } }[];
}

/**
 * Counts what a limited token may see (`_summary=count`, `_count=0`): a number of the server could include anything.
 */
export class LimitedCount {
  constructor(private readonly many: LimitedSearch) {}

  /** Throws a {@link Refusal} for more than can be counted. */
  async count(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const total = await this.number(authorized);
    if (total !== undefined) return answerOf(total);
    throw new Refusal(403, 'not-supported', `With this token at most ${mostCounted} resources are counted.`);
  }

  /** The number for an answer that is right without it; undefined where it cannot be told. */
  async total(authorized: AuthorizedRequest): Promise<number | undefined> {
    try {
      return await this.number(authorized);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** Undefined for more than can be counted. */
  private async number(authorized: AuthorizedRequest): Promise<number | undefined> {
    const { type, parameters } = authorized.fhir;
    const fhir: FhirRequest = { ...authorized.fhir, parameters: searchToCount(parameters, onPage) };
    let total = 0;
    for await (const { text, isLast } of this.many.pages({ ...authorized, fhir }, {}, mostPages)) {
      const { entry = [] } = JSON.parse(text) as Page;
      total += entry.filter(
        ({ resource, search }) => resource?.resourceType === type && search?.mode !== 'include',
      ).length;
      if (total > mostCounted) return undefined;
      if (isLast) return total;
    }
    return undefined;
  }
}

function answerOf(total: number): GatewayAnswer {
  const bundle = { resourceType: 'Bundle', type: 'searchset', total };
  return { status: 200, headers: { 'Content-Type': fhirJson }, body: JSON.stringify(bundle), parsed: bundle };
}
