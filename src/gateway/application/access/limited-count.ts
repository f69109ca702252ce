import type { FhirRequest } from '../../domain/fhir-request.js';
import { pathOf } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import { searchToCount } from '../../domain/trimmed-answers.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { fhirJson, type ServerExchange } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import type { LimitedSearch } from './limited-search.js';

const onPage = 200;
const mostCounted = 1_000;
/** Pages with few permitted resources. */
const mostPages = 20;

interface Page {
  entry?: { resource?: { resourceType?: unknown; issue?: unknown }; search?: { mode?: unknown } }[];
}

/**
 * Counts what a limited token may see (`_summary=count`, `_count=0`): a number of the server could include anything.
 */
export class LimitedCount {
  constructor(
    private readonly exchange: ServerExchange,
    private readonly many: LimitedSearch,
  ) {}

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
    const { names } = this.exchange;
    const { type, parameters } = authorized.fhir;
    let fhir: FhirRequest = { ...authorized.fhir, parameters: searchToCount(parameters, onPage) };
    let total = 0;
    for (let page = 0; page < mostPages && total <= mostCounted; page += 1) {
      let next: string | undefined;
      const at = pathOf(fhir);
      const pageLink = (url: string, relation: string): string | undefined => {
        const target = names.targetOf(url, at);
        if (relation === 'next') next = target;
        return relation === 'self' ? url : target;
      };
      const { body } = await this.many.search({ ...authorized, fhir, pageLink }, { headers: {} });
      const { entry = [] } = JSON.parse(String(body)) as Page;
      // A page that cannot be opened is told by an entry.
      if (entry.some(({ resource }) => resource?.resourceType === 'OperationOutcome' && isIncomplete(resource))) break;
      total += entry.filter(
        ({ resource, search }) => resource?.resourceType === type && search?.mode !== 'include',
      ).length;
      if (next === undefined && total <= mostCounted) return total;
      fhir = { ...fhir, page: next ?? '', parameters: [] };
    }
    return undefined;
  }
}

function isIncomplete({ issue }: { issue?: unknown }): boolean {
  return Array.isArray(issue) && issue.some((one) => (one as { code?: unknown } | null)?.code === 'incomplete');
}

function answerOf(total: number): GatewayAnswer {
  const bundle = { resourceType: 'Bundle', type: 'searchset', total };
  return { status: 200, headers: { 'Content-Type': fhirJson }, body: JSON.stringify(bundle), parsed: bundle };
}
