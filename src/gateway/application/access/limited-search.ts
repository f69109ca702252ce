import { Readable } from 'node:stream';
import { listOf, member } from '../../../contract/rules/resources/elements.js';
import type { FhirServerAnswer } from '../../../fhir-server/application/fhir-server.js';
import { log } from '../../../platform/logging/log.js';
import { pathOf } from '../../domain/fhir-request.js';
import type { Parameter } from '../../domain/parameter.js';
import { compartmentCondition, namesOtherPatient, namesPatient } from '../../domain/patient-compartment.js';
import { intersect, isUnlimited, namesOtherCategories, type Permission } from '../../domain/permission.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import { preference } from '../../domain/request-headers.js';
import { areWithinRecord } from '../../domain/separation/provable-conditions.js';
import { asksForTotal } from '../../domain/trimmed-answers.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { fhirJson, type ServerExchange } from '../server/server-exchange.js';
import { serverFailure, unusableAnswer } from '../server/server-failures.js';
import { ArrivingAnswer } from './arriving-answer.js';
import type { AuthorizedRequest } from './authorized-request.js';
import { type AnswerLimits, emptySearchAnswer, keepPermitted, NoSearchAnswer } from './search-answer.js';
import { SeparatedAnswer } from './separated-answer.js';
import { searchRequest } from './unlimited-access.js';

/** An answer up to this size is decided about as a whole, which takes less time. */
const longestSmall = 128 * 1024;

type AtEnd = Parameters<ArrivingAnswer['shown']>[1];

/** With `headers` for the server, the answer is one text. `onRemoved` is told how many matches are not shown. */
interface AnswerWishes {
  headers?: Record<string, string>;
  onRemoved?: (count: number) => void;
}

interface SearchWishes extends AnswerWishes, Pick<AnswerLimits, 'counts'> {}

/** Answers of many resources, of which the token permits only some: each is checked before it is passed on. */
export class LimitedSearch {
  constructor(private readonly exchange: ServerExchange) {}

  /**
   * The server is asked to search inside the limit, but not trusted to: it may ignore a parameter. `counts` is asked
   * for a `total` that the app wants and the answer cannot tell.
   */
  async search(
    authorized: AuthorizedRequest,
    { headers: own, counts, onRemoved }: SearchWishes = {},
  ): Promise<GatewayAnswer> {
    const { fhir, request, token, permissions, checkResource, pageLink } = authorized;
    const { status } = this.exchange;
    const { type, relatedTypes = [] } = fhir;
    const matches = new SeparatedAnswer(this.exchange, authorized, () => permissions);
    const included = new SeparatedAnswer(this.exchange, authorized, ({ resourceType }) =>
      relatedTypes
        .filter(({ type, shown }) => shown && (type === '*' || type === resourceType))
        .flatMap(({ action }) => token.permissionsFor(resourceType, action)),
    );
    const asked = fhir.page === undefined ? await matches.provable(fhir.type, fhir.parameters) : [];
    const { conditions, isWhole } =
      asked && areWithinRecord(fhir.type, asked)
        ? { conditions: [], isWhole: false }
        : limitOf(fhir.type, permissions, status.searchParametersOf(fhir.type));
    const parameters = asked && fhir.page === undefined ? this.limitParameters(asked, conditions, permissions) : asked;
    if (!parameters) return { ...answerOf(emptySearchAnswer()), isEmptied: true };
    const sent = searchRequest({ ...fhir, parameters }, request.method);
    // Where all of the type is permitted, a condition that the server ignores widens nothing.
    const isStrict = own !== undefined || fhir.inRecordOf !== undefined || !isUnlimited(permissions);
    const wish = isStrict ? { prefer: 'handling=strict' } : preference('search', request.headers);
    const headers = { ...sent.headers, ...own, ...wish };
    const limits: AnswerLimits = {
      bundle: 'searchset',
      type,
      matches: signedInFor(matches, checkResource),
      included: signedInFor(included, checkResource),
      isOpen: isUnlimited(permissions),
      ...(counts && asksForTotal(fhir.parameters) && { counts }),
      hears: token.hearsServer(type, 's'),
      server: this.exchange.names,
      pageLink,
    };
    const whole = { ...sent, headers, cancellation: request.cancellation };
    const isOutside =
      namesOtherCategories(fhir.parameters, permissions) ||
      namesOtherPatient(fhir.parameters, permissions, this.exchange.names);
    let isEmptied: boolean | undefined;
    const atEnd: AtEnd = ({ kept, removed }) => {
      onRemoved?.(removed);
      if (kept === 0) isEmptied = isOutside || removed > 0;
      if (removed === 0 || !isWhole) return;
      log.warn({ type, removed }, 'the FHIR server returned resources outside of the search condition');
    };
    // A removed match decides about all included resources, and a sign-in that is too weak for one resource refuses
    // all.
    const dependsOnAll = checkResource !== undefined || relatedTypes.some(({ shown }) => shown);
    const answer =
      own || dependsOnAll
        ? await this.whole((await this.exchange.sendAndRead(whole)).text, limits, atEnd)
        : await this.answered(whole, limits, atEnd);
    return isEmptied === undefined ? answer : { ...answer, isEmptied };
  }

  /**
   * A search, page by page, up to `most` of the server; the last page is marked. Ends early where a page cannot be
   * opened.
   */
  async *pages(
    authorized: AuthorizedRequest,
    headers: Record<string, string>,
    most: number,
  ): AsyncGenerator<{ text: string; isLast: boolean }> {
    const { names } = this.exchange;
    let { fhir } = authorized;
    for (let read = 0; read < most; read += 1) {
      let next: string | undefined;
      const at = pathOf(fhir);
      const pageLink = (url: string, relation: string): string | undefined => {
        const target = names.targetOf(url, at);
        if (relation === 'next') next = target;
        return relation === 'self' ? url : target;
      };
      const text = String((await this.search({ ...authorized, fhir, pageLink }, { headers })).body);
      if (isIncomplete(text)) return;
      yield { text, isLast: next === undefined };
      if (next === undefined) return;
      fhir = { ...fhir, page: next, parameters: [] };
    }
  }

  /**
   * The permitted versions of one resource, each checked by itself: a resource may have been another patient's once.
   * Deletions are left out, because they do not name the patient.
   */
  async history(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, permissions, checkResource, pageLink } = authorized;
    const { type, id } = fhir;
    if (fhir.interaction === 'history-type') {
      // Page after page of what is left out would tell how much is done for others.
      throw new Refusal(403, 'not-supported', 'With this token only the history of one resource is supported.');
    }
    if (type === 'Binary') {
      // Each version is opened by what links it, which takes a search.
      throw new Refusal(403, 'not-supported', 'With this token the history of a Binary is not supported.');
    }
    const limits: AnswerLimits = {
      bundle: 'history',
      type,
      matches: signedInFor(
        new SeparatedAnswer(this.exchange, authorized, (resource) => (resource.id === id ? permissions : [])),
        checkResource,
      ),
      isOpen: false,
      hears: false,
      server: this.exchange.names,
      pageLink,
    };
    const sent = { method: 'GET', path: pathOf(fhir), cancellation: request.cancellation } as const;
    const atEnd: AtEnd = ({ kept }) => {
      if (kept === 0) throw notFound();
    };
    const answered = async () => {
      if (checkResource === undefined) return this.answered(sent, limits, atEnd);
      return this.whole((await this.exchange.sendAndRead(sent)).text, limits, atEnd);
    };
    return answered().catch((error: unknown) => {
      // The server's refusal may depend on the resource (gone, invalid id, locked), so it becomes a 404.
      if (error instanceof Refusal && error.status < 500 && error.challenge === undefined) throw notFound();
      throw error;
    });
  }

  /** All permitted resources of a patient's record; other resources that the server adds are left out. */
  async patientEverything(
    authorized: AuthorizedRequest,
    { headers, onRemoved }: AnswerWishes = {},
  ): Promise<GatewayAnswer> {
    const { fhir, request, token, permissions, pageLink } = authorized;
    const matches = new SeparatedAnswer(this.exchange, authorized, ({ resourceType }) =>
      intersect(token.permissionsFor(resourceType, 's'), permissions),
    );
    const limits: AnswerLimits = {
      bundle: 'searchset',
      type: undefined,
      matches,
      late: matches,
      isOpen: false,
      hears: false,
      server: this.exchange.names,
      pageLink,
    };
    const sent = { method: 'GET', path: pathOf(fhir), cancellation: request.cancellation } as const;
    const atEnd: AtEnd = ({ removed }) => onRemoved?.(removed);
    if (headers === undefined) return this.answered(sent, limits, atEnd);
    return this.whole((await this.exchange.sendAndRead({ ...sent, headers })).text, limits, atEnd);
  }

  /** The answer of the server within the limits: a small one as a whole, any other entry by entry while it arrives. */
  private async answered(
    request: Parameters<ServerExchange['sendRead']>[0],
    limits: AnswerLimits,
    atEnd: AtEnd,
  ): Promise<GatewayAnswer> {
    const answer = await this.exchange.sendRead(request);
    const small = await this.exchange.smallOf(answer);
    if (small) return this.whole(small.toString(), limits, atEnd);
    return this.exchange.begin(answer, async () => {
      const { first, rest } = await beginningOf(answer);
      if (!rest) return this.whole(Buffer.concat(first).toString(), limits, atEnd);
      const memory = this.exchange.memory.forRequest(request.cancellation);
      const shown = this.forApp(new ArrivingAnswer(limits, memory).shown(all(first, rest), atEnd), limits);
      // A search that fails before its first entry is shown is refused.
      const { value: begin } = await shown.next();
      const body = Readable.from(all([begin], shown), { objectMode: false });
      body.once('close', () => answer.discard());
      return answerOf(body);
    });
  }

  private async *forApp(texts: AsyncIterable<string>, { bundle }: AnswerLimits): AsyncGenerator<Buffer> {
    try {
      for await (const text of texts) yield Buffer.from(this.exchange.forApp(text, bundle === 'searchset'));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** The record of the access needs the Bundle, which is parsed already. */
  private async whole(text: string, limits: AnswerLimits, atEnd: AtEnd): Promise<GatewayAnswer> {
    try {
      const kept = await keepPermitted(text, limits);
      atEnd(kept);
      return { ...answerOf(this.exchange.forApp(kept.text, limits.bundle === 'searchset')), parsed: kept.bundle };
    } catch (error) {
      throw refusalOf(error);
    }
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
}

const category = 'category';

/** True for an answer with an OperationOutcome by which it lacks matches. */
function isIncomplete(text: string): boolean {
  const { entry = [] } = JSON.parse(text) as { entry?: { resource?: { resourceType?: unknown; issue?: unknown } }[] };
  return entry.some(
    ({ resource }) =>
      resource?.resourceType === 'OperationOutcome' &&
      listOf(resource.issue).some((issue) => member(issue, 'code') === 'incomplete'),
  );
}

/** The same decisions, which refuse the whole answer for a resource that takes a stronger sign-in. */
function signedInFor(
  answer: AnswerLimits['matches'],
  checkResource: AuthorizedRequest['checkResource'],
): AnswerLimits['matches'] {
  return {
    prepare: (...resources) => answer.prepare(...resources),
    shown: (resource) => {
      const shown = answer.shown(resource);
      if (shown !== 'nothing') checkResource?.(resource);
      return shown;
    },
  };
}

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
  // No search says what the relationship of a representative opens.
  const isWhole = permissions.every(({ part }) => part === undefined);
  return { conditions: [...ofPatient, ...ofCategories], isWhole };
}

/** Conditions for lists of which one has to match as a whole; undefined when one search cannot express that. */
function categoryConditions(lists: (readonly string[])[]): Parameter[] | undefined {
  const [first = [], ...others] = lists;
  if (lists.some((list) => list.length === 0)) return [];
  if (others.length === 0) return first.map((value) => [category, value]);
  return lists.every((list) => list.length === 1) ? [[category, [...new Set(lists.flat())].join(',')]] : undefined;
}

function answerOf(body: string | Readable): GatewayAnswer {
  return { status: 200, headers: { 'Content-Type': fhirJson }, body };
}

/** The first chunks of an answer, and those after them unless they are all of a small answer. */
async function beginningOf({ body }: FhirServerAnswer): Promise<{ first: Buffer[]; rest?: AsyncIterable<Buffer> }> {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  for (let size = 0; size <= longestSmall; ) {
    const { done, value } = await chunks.next().catch((error: unknown) => {
      throw serverFailure(error);
    });
    if (done) return { first };
    first.push(value);
    size += value.length;
  }
  return { first, rest: { [Symbol.asyncIterator]: () => chunks } };
}

async function* all(first: Iterable<Buffer>, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof NoSearchAnswer) return unusableAnswer(`a search was answered with ${error.message}`);
  return serverFailure(error);
}
