import { log } from '../../platform/logging/log.js';
import { type Allowance, isOpen, isUnlimited } from '../domain/allowance.js';
import type { Parameter } from '../domain/parameter.js';
import { compartmentCondition, namesPatient } from '../domain/patient-compartment.js';
import { notFound, Refusal } from '../domain/refusal.js';
import type { GatewayAnswer } from './gateway-request.js';
import type { Passage } from './passage.js';
import { emptySearchAnswer, keepOpen, NoSearchAnswer } from './search-answer.js';
import { fhirJson, garbage, type ServerExchange } from './server-exchange.js';
import { pathOf, searchRequest } from './unlimited-access.js';

/** Answers of many resources, of which the token opens only some: each is checked before any is passed on. */
export class LimitedSearch {
  constructor(private readonly exchange: ServerExchange) {}

  /** The server is asked to search inside the limit, but not trusted to: it may ignore a parameter. */
  async search(
    { fhir, request, allowances, opensIncluded, pageLink }: Passage,
    more: Record<string, string> = {},
  ): Promise<GatewayAnswer> {
    const condition = fhir.page === undefined ? conditionFor(fhir.type, allowances) : undefined;
    const parameters = condition ? this.within(fhir.parameters, condition, allowances) : fhir.parameters;
    if (!parameters) return answerOf(emptySearchAnswer());
    const sent = searchRequest({ ...fhir, parameters }, request.method);
    const headers = { ...sent.headers, ...more, prefer: 'handling=strict' };
    const { text } = await this.exchange.sendAndRead({ ...sent, headers, signal: request.signal });
    const isWhole = allowances.every(({ categories }) => categories.length === 0);
    const { type } = fhir;
    const answer = this.keepOpen(text, {
      bundle: 'searchset',
      type,
      isOpen: (resource) => isOpen(resource, allowances, this.exchange.base),
      opensIncluded,
      provesLimit: (link) =>
        isUnlimited(allowances) || (isWhole && condition !== undefined && this.echoes(link, condition)),
      pageLink,
    });
    if (answer.removed > 0 && isWhole) {
      log.warn(
        { type, removed: answer.removed },
        'the FHIR server answered a search with resources outside of its condition',
      );
    }
    return answerOf(this.exchange.forApp(answer.text));
  }

  /**
   * The versions of one resource that are open, each by itself: a resource may have been another patient's once. Deletions
   * are left out, for they do not say whose resource it was.
   */
  async history({ fhir, request, allowances, pageLink }: Passage): Promise<GatewayAnswer> {
    const { type, id } = fhir;
    if (fhir.interaction === 'history-type') {
      // Page after page of what is left out would tell how much is done for others.
      throw new Refusal(403, 'not-supported', 'With this token only the history of one resource is supported.');
    }
    const { text } = await this.exchange
      .sendAndRead({ method: 'GET', path: pathOf(fhir), signal: request.signal })
      .catch((error: unknown) => {
        // Any refusal of the server may depend on the resource (gone, invalid id, locked).
        if (error instanceof Refusal && error.status < 500) throw notFound();
        throw error;
      });
    const answer = this.keepOpen(text, {
      bundle: 'history',
      type,
      isOpen: (resource) => resource.id === id && isOpen(resource, allowances, this.exchange.base),
      opensIncluded: () => false,
      provesLimit: () => false,
      pageLink,
    });
    if (answer.kept === 0) throw notFound();
    return answerOf(this.exchange.forApp(answer.text));
  }

  /** All of a patient's record that is open; what else the server finds worth showing beside it stays out. */
  async everything({ fhir, request, opensIncluded, pageLink }: Passage): Promise<GatewayAnswer> {
    const { text } = await this.exchange.sendAndRead({ method: 'GET', path: pathOf(fhir), signal: request.signal });
    const answer = this.keepOpen(text, {
      bundle: 'searchset',
      type: undefined,
      isOpen: opensIncluded,
      opensIncluded,
      provesLimit: () => false,
      pageLink,
    });
    return answerOf(this.exchange.forApp(answer.text));
  }

  /** The parameters with the condition instead of what the app said about it; undefined when both exclude each other. */
  private within(
    parameters: readonly Parameter[],
    condition: Parameter,
    allowances: readonly Allowance[],
  ): Parameter[] | undefined {
    const [name] = condition;
    const patient = allowances[0]?.patient ?? '';
    const own = parameters.filter((parameter) => parameter[0] === name);
    if (!own.every(([, value]) => namesPatient(value, patient, this.exchange.base))) return undefined;
    return [...parameters.filter((parameter) => parameter[0] !== name), condition];
  }

  private echoes(link: string, [name, value]: Parameter): boolean {
    if (!URL.canParse(link, this.exchange.base)) return false;
    const echoed = new URL(link, this.exchange.base).searchParams.getAll(name);
    return echoed.includes(value) || echoed.includes(`${this.exchange.base}/${value}`);
  }

  private keepOpen(...parameters: Parameters<typeof keepOpen>): ReturnType<typeof keepOpen> {
    try {
      return keepOpen(...parameters);
    } catch (error) {
      if (error instanceof NoSearchAnswer) throw garbage(`a search was answered with ${error.message}`);
      throw error;
    }
  }
}

/** The condition that all allowances have in common, when it is one patient. */
function conditionFor(type: string, allowances: readonly Allowance[]): Parameter | undefined {
  const [patient, ...others] = new Set(allowances.map((allowance) => allowance.patient));
  return patient === undefined || others.length > 0 ? undefined : compartmentCondition(type, patient);
}

function answerOf(body: string): GatewayAnswer {
  return { status: 200, headers: { 'Content-Type': fhirJson }, body };
}
