import { log } from '../../../platform/logging/log.js';
import { pathOf } from '../../domain/fhir-request.js';
import type { Parameter } from '../../domain/parameter.js';
import { compartmentCondition, namesPatient } from '../../domain/patient-compartment.js';
import { intersect, isUnlimited, type Permission } from '../../domain/permission.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { fhirJson, type ServerExchange, unusableAnswer } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { emptySearchAnswer, type KeptAnswer, keepPermitted, NoSearchAnswer } from './search-answer.js';
import { SeparatedAnswer } from './separated-answer.js';
import { searchRequest } from './unlimited-access.js';

/** Answers of many resources, of which the token permits only some: each is checked before any is passed on. */
export class LimitedSearch {
  constructor(private readonly exchange: ServerExchange) {}

  /** The server is asked to search inside the limit, but not trusted to: it may ignore a parameter. */
  async search(authorized: AuthorizedRequest, more: Record<string, string> = {}): Promise<GatewayAnswer> {
    const { fhir, request, token, permissions, checkResource, pageLink } = authorized;
    const { status } = this.exchange;
    const { conditions, isWhole } = limitOf(fhir.type, permissions, status.searchParametersOf(fhir.type));
    const matches = new SeparatedAnswer(this.exchange, authorized, () => permissions);
    const asked = fhir.page === undefined ? await matches.provable(fhir.type, fhir.parameters) : [];
    const parameters = asked && fhir.page === undefined ? this.limitParameters(asked, conditions, permissions) : asked;
    if (!parameters) return answerOf(emptySearchAnswer());
    const sent = searchRequest({ ...fhir, parameters }, request.method);
    const headers = { ...sent.headers, ...more, prefer: 'handling=strict' };
    const { text } = await this.exchange.sendAndRead({ ...sent, headers, cancellation: request.cancellation });
    const { type } = fhir;
    const isKept = (link: string) => isWhole && conditions.every((condition) => this.linkContains(link, condition));
    const answer = await this.keepPermittedOrRefuse(text, {
      bundle: 'searchset',
      type,
      matches: {
        prepare: (...resources) => matches.prepare(...resources),
        shown: (resource) => {
          const shown = matches.shown(resource);
          if (shown !== 'nothing') checkResource?.(resource);
          return shown;
        },
      },
      included: new SeparatedAnswer(this.exchange, authorized, ({ resourceType }) =>
        (fhir.relatedTypes ?? [])
          .filter(({ type, shown }) => shown && (type === '*' || type === resourceType))
          .flatMap(({ action }) => token.on(resourceType, action)),
      ),
      provesLimit: (link) => isUnlimited(permissions) || (fhir.page === undefined && isKept(link)),
      hears: token.hearsServer(type, 's'),
      pageLink,
    });
    if (answer.removed > 0 && isWhole) {
      log.warn({ type, removed: answer.removed }, 'the FHIR server returned resources outside of the search condition');
    }
    return this.keptAnswer(answer);
  }

  /**
   * The permitted versions of one resource, each checked by itself: a resource may have been another patient's once.
   * Deletions are left out, because they do not name the patient.
   */
  async history(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, permissions, pageLink } = authorized;
    const { type, id } = fhir;
    if (fhir.interaction === 'history-type') {
      // Page after page of what is left out would tell how much is done for others.
      throw new Refusal(403, 'not-supported', 'With this token only the history of one resource is supported.');
    }
    if (type === 'Binary') {
      // Each version is opened by what links it, which takes a search.
      throw new Refusal(403, 'not-supported', 'With this token the history of a Binary is not supported.');
    }
    const { text } = await this.exchange
      .sendAndRead({ method: 'GET', path: pathOf(fhir), cancellation: request.cancellation })
      .catch((error: unknown) => {
        // The server's refusal may depend on the resource (gone, invalid id, locked), so it becomes a 404.
        if (error instanceof Refusal && error.status < 500) throw notFound();
        throw error;
      });
    const answer = await this.keepPermittedOrRefuse(text, {
      bundle: 'history',
      type,
      matches: new SeparatedAnswer(this.exchange, authorized, (resource) => (resource.id === id ? permissions : [])),
      provesLimit: () => false,
      hears: false,
      pageLink,
    });
    if (answer.kept === 0) throw notFound();
    return this.keptAnswer(answer);
  }

  /** All permitted resources of a patient's record; other resources that the server adds are left out. */
  async patientEverything(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, token, permissions, pageLink } = authorized;
    const { text } = await this.exchange.sendAndRead({
      method: 'GET',
      path: pathOf(fhir),
      cancellation: request.cancellation,
    });
    const answer = await this.keepPermittedOrRefuse(text, {
      bundle: 'searchset',
      type: undefined,
      matches: new SeparatedAnswer(this.exchange, authorized, ({ resourceType }) =>
        intersect(token.on(resourceType, 's'), permissions),
      ),
      provesLimit: () => false,
      hears: false,
      pageLink,
    });
    return this.keptAnswer(answer);
  }

  /**
   * The parameters within the limit: its patient replaces the app's condition on it, its categories are added.
   * Undefined when the app and the limit exclude each other.
   */
  private limitParameters(
    parameters: readonly Parameter[],
    conditions: readonly Parameter[],
    permissions: readonly Permission[],
  ): Parameter[] | undefined {
    const patient = permissions[0]?.patient ?? '';
    const limiting = (name: string) => name !== category && conditions.some((condition) => condition[0] === name);
    const own = parameters.filter(([name]) => limiting(name));
    if (!own.every(([, value]) => namesPatient(value, patient, this.exchange.names))) return undefined;
    const others = parameters.filter(
      ([name, value]) => !limiting(name) && !conditions.some((one) => one[0] === name && one[1] === value),
    );
    return [...others, ...conditions];
  }

  private linkContains(link: string, [name, value]: Parameter): boolean {
    const { names } = this.exchange;
    if (!URL.canParse(link, names.base)) return false;
    const echoed = new URL(link, names.base).searchParams.getAll(name);
    return echoed.some((one) => names.local(one) === value);
  }

  /** The record of the access needs the Bundle, which is parsed already. */
  private keptAnswer({ text, bundle }: KeptAnswer): GatewayAnswer {
    return { ...answerOf(this.exchange.forApp(text)), parsed: bundle };
  }

  private async keepPermittedOrRefuse(...parameters: Parameters<typeof keepPermitted>): Promise<KeptAnswer> {
    try {
      return await keepPermitted(...parameters);
    } catch (error) {
      if (error instanceof NoSearchAnswer) throw unusableAnswer(`a search was answered with ${error.message}`);
      throw error;
    }
  }
}

const category = 'category';

/**
 * Returns the conditions that the server can be asked to apply, and whether they are the whole limit. The number of
 * pages of an answer would otherwise reveal matches among the resources that are left out, condition by condition.
 */
function limitOf(
  type: string,
  permissions: readonly Permission[],
  searchParameters: readonly string[],
): { conditions: Parameter[]; isWhole: boolean } {
  const [patient, ...others] = new Set(permissions.map((permission) => permission.patient));
  if (others.length > 0) return { conditions: [], isWhole: false };
  const ofPatient: Parameter[] = patient === undefined ? [] : [compartmentCondition(type, patient)];
  const ofCategories = categoryConditions(permissions.map(({ categories }) => categories));
  const isSearched = ofCategories?.length === 0 || searchParameters.includes(category);
  if (!ofCategories || !isSearched) return { conditions: ofPatient, isWhole: false };
  return { conditions: [...ofPatient, ...ofCategories], isWhole: true };
}

/** Conditions for lists of which one has to match as a whole; undefined when one search cannot express that. */
function categoryConditions(lists: (readonly string[])[]): Parameter[] | undefined {
  const [first = [], ...others] = lists;
  if (lists.some((list) => list.length === 0)) return [];
  if (others.length === 0) return first.map((value) => [category, value]);
  return lists.every((list) => list.length === 1) ? [[category, [...new Set(lists.flat())].join(',')]] : undefined;
}

function answerOf(body: string): GatewayAnswer {
  return { status: 200, headers: { 'Content-Type': fhirJson }, body };
}
