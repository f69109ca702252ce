import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { FhirServer, ServerNames } from '../../../fhir-server/application/fhir-server.js';
import {
  type Cancellation,
  type FhirServerAnswer,
  FhirServerFailure,
  type FhirServerRequest,
  isJson,
} from '../../../fhir-server/application/fhir-server.js';
import type { FhirServerStatus } from '../../../fhir-server/application/fhir-server-status.js';
import type { WatchedServer } from '../../../fhir-server/application/fhir-servers.js';
import { log } from '../../../platform/logging/log.js';
import { AddressMap } from '../../domain/address-map.js';
import { AnswerTypes, assertTypes, type ExpectedTypes, UnexpectedType } from '../../domain/answers/answer-types.js';
import { type BundleLinks, linkStream, withLinksOf, withRewrittenLinks } from '../../domain/answers/bundle-links.js';
import { HeldBytes } from '../../domain/answers/held-bytes.js';
import { Refusal } from '../../domain/refusal.js';
import { outcomeWithoutAddresses } from '../../domain/server-words.js';
import type { GatewayAnswer, GatewayRequest } from './gateway-request.js';
import { copies, type HeldMemory } from './held-memory.js';
import { readBytes, readText } from './resource-body.js';
import { logUnexpected, ofUnknownOutcome, serverFailure, unusableAnswer } from './server-failures.js';
import { ServerRefusal } from './server-refusal.js';

const maxOutcomeBytes = 256 * 1024;
/**
 * Refusals of the server that are about the app's request; any other is about the portal's own standing with the
 * server.
 */
const passedOn = new Set([400, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 428, 429]);
const passedHeaders = ['etag', 'last-modified', 'retry-after'];
const addressHeaders = ['location', 'content-location'];
const addressOfResource =
  /(?:^|\/)([A-Z][A-Za-z]{0,63}\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?)\/?(?:[?#].*)?$/;

/** Failures of the server, or of a proxy in front of it, that say nothing about what became of the request. */
const mayBeCarriedOut = new Set([500, 502, 504]);

type ToServer = Omit<FhirServerRequest, 'headers'> & { headers?: Record<string, string>; cancellation: Cancellation };

interface Changes {
  /** Of the request. */
  cancellation: Cancellation;
  /** The types that the answer is limited to. */
  expected?: ExpectedTypes | undefined;
  /** Rewrites the links of a Bundle of this type to its other pages. */
  links?: BundleLinks | undefined;
}

/**
 * The exchange of one FHIR base with the server behind it: addresses are translated both ways, and whatever is not FHIR
 * answer is a refusal.
 */
export class ServerExchange {
  readonly server: FhirServer;
  /** The capabilities of the server, as far as they are known. */
  readonly status: FhirServerStatus;
  /** The stores in which the server keeps files of exports, by their origins. */
  readonly stores: WatchedServer['stores'];
  private readonly toClients: AddressMap | undefined;
  private readonly toServer: AddressMap | undefined;

  constructor(
    { server, status, stores }: WatchedServer,
    /** The base as clients see it. */
    private readonly fhirBase: string,
    private readonly timeoutMs: number,
    readonly memory: HeldMemory,
    /** True if small answers are parsed, which the record of accesses needs. */
    private readonly parses = false,
  ) {
    this.server = server;
    this.status = status;
    this.stores = stores;
    const { names } = server;
    if (names) {
      this.toClients = new AddressMap([names.base, ...names.aliases], fhirBase, true);
      this.toServer = new AddressMap([fhirBase], names.base);
    }
  }

  /** The names by which addresses mean the server. */
  get names(): ServerNames {
    const { names } = this.server;
    if (!names) throw new Refusal(503, 'transient', 'No FHIR server is connected.');
    return names;
  }

  /** The base URLs by which addresses mean the server: its own, its further names, and the one that clients see. */
  get bases(): readonly string[] {
    const { base, aliases } = this.names;
    return [base, ...aliases, this.fhirBase];
  }

  /** JSON from an app, with the server's addresses instead of ours. */
  forServer(json: string): string {
    return this.toServer?.inJson(json) ?? json;
  }

  /** The value of a parameter from an app, likewise. */
  valueForServer(value: string): string {
    return this.toServer?.inText(value) ?? value;
  }

  /** JSON from the server, with our addresses instead of its own, and `…` for those that apps cannot use. */
  forApp(json: string, isSearchset = false): string {
    return this.toClients?.inJson(json, isSearchset) ?? json;
  }

  /** Sends a request that changes nothing; throws a {@link Refusal} unless the server carried it out. */
  send(request: ToServer): Promise<FhirServerAnswer> {
    return this.carriedOut(request, (failure) => failure);
  }

  /**
   * Sends a request that changes something; throws a {@link Refusal} unless the server carried it out. One that may
   * have been carried out is refused as one whose outcome is not known.
   */
  sendChange(request: ToServer): Promise<FhirServerAnswer> {
    return this.carriedOut({ ...request, deadline: performance.now() + 2 * this.timeoutMs }, ofUnknownOutcome);
  }

  /**
   * Passes the answer to a change on. What was carried out is never told as failed: an answer that cannot be read is
   * replaced by a notice.
   */
  async passOnChange(answer: FhirServerAnswer, changes: Changes): Promise<GatewayAnswer> {
    const { status } = answer;
    const headers = this.headersOf(answer);
    try {
      const body = await answer.bytes(this.memory.limits.answer);
      if (body.length === 0) return { status, headers };
      if (!isJson(answer)) throw new Error('it is not FHIR JSON');
      JSON.parse(body.toString());
      return { status, headers: { ...headers, 'Content-Type': fhirJson }, ...this.rewrite(body, changes) };
    } catch (err) {
      return this.unreadable(answer, err);
    }
  }

  /** Stands in place of an answer to a change that cannot be read; `cause` stays in the log. */
  unreadable(answer: FhirServerAnswer, cause: unknown): GatewayAnswer {
    const { status } = answer;
    answer.discard();
    log.warn({ err: cause, status }, 'the answer of the FHIR server to a change cannot be read');
    const headers = { ...this.headersOf(answer), 'Content-Type': fhirJson };
    return { status, headers, body: unreadableAnswer, isNotice: true };
  }

  /** `onFailure` maps the refusal of a request that the server may have carried out. */
  private async carriedOut(request: ToServer, onFailure: (refusal: Refusal) => Refusal): Promise<FhirServerAnswer> {
    const headers = { accept: 'application/fhir+json', ...request.headers };
    const answer = await this.server.send({ ...request, headers }).catch((error: unknown) => {
      const refusal = serverFailure(error);
      throw error instanceof FhirServerFailure && error.wasSent ? onFailure(refusal) : refusal;
    });
    const { status } = answer;
    if (status === 304 || (status >= 200 && status < 300)) return answer;
    const refusal = await this.refusalOf(answer, `${request.path} ${request.body ?? ''}`);
    throw mayBeCarriedOut.has(status) ? onFailure(refusal) : refusal;
  }

  /** Sends a read whose whole answer is needed before any of it is passed on. */
  async sendAndRead(request: ToServer): Promise<{ answer: FhirServerAnswer; text: string }> {
    const answer = await this.sendRead({ ...request, deadline: performance.now() + this.timeoutMs });
    return { answer, text: await this.readChecked(answer, request.cancellation) };
  }

  /** Sends a read whose answer has to be FHIR JSON. */
  async sendRead(request: ToServer): Promise<FhirServerAnswer> {
    const answer = await this.send(request);
    if (answer.status === 200 && isJson(answer)) return answer;
    answer.discard();
    throw unusableAnswer(`a read was answered ${answer.status} without FHIR JSON`);
  }

  /** Does what has to be done before any of an answer is passed on, as long as the whole of one may take to arrive. */
  async begin<Result>(answer: FhirServerAnswer, work: () => Promise<Result>): Promise<Result> {
    const late = () => answer.body.destroy(new FhirServerFailure('timeout'));
    const timer = setTimeout(late, this.timeoutMs);
    try {
      return await work();
    } catch (error) {
      answer.discard();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The whole of an answer that is checked before any of it is passed on. */
  async readChecked(answer: FhirServerAnswer, cancellation: Cancellation): Promise<string> {
    const small = await this.smallOf(answer);
    if (small) return small.toString();
    const memory = this.memory.forRequest(cancellation);
    const chunks: Buffer[] = [];
    const { add } = memory.counted(copies);
    try {
      for await (const chunk of answer.body) {
        await add(chunk.length);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString();
    } catch (error) {
      throw serverFailure(error);
    }
  }

  /** The body of a request, within the limit of its length. */
  readBody(request: GatewayRequest): Promise<string> {
    const memory = this.memory.forRequest(request.cancellation);
    return readText(request, this.memory.limits.body, (bytes) => memory.take(bytes * copies));
  }

  /** The same for a body that is not text. */
  readContent(request: GatewayRequest): Promise<Buffer> {
    const memory = this.memory.forRequest(request.cancellation);
    return readBytes(request, this.memory.limits.body, (bytes) => memory.take(bytes * copies));
  }

  /** Passes an answer on: a small one in one piece, any other while it arrives. */
  async passOn(answer: FhirServerAnswer, changes: Changes): Promise<GatewayAnswer> {
    const { status } = answer;
    const headers = this.headersOf(answer);
    if (isJson(answer) && status !== 204 && status !== 304) {
      headers['Content-Type'] = fhirJson;
      const small = await this.smallOf(answer);
      if (!small) return { status, headers, body: await this.stream(answer, changes) };
      return { status, headers, ...this.rewrite(small, changes) };
    }
    const rest = await answer.text(0).catch(() => undefined);
    if (rest === undefined) throw unusableAnswer('an answer has a body that is not FHIR JSON');
    return { status, headers };
  }

  /** The whole of an answer that is small and there soon. */
  async smallOf(answer: FhirServerAnswer): Promise<Buffer | undefined> {
    try {
      return await answer.smallBody();
    } catch (error) {
      throw serverFailure(error);
    }
  }

  private rewrite(answer: Buffer, { expected, links }: Changes): { body: Buffer; parsed?: unknown } {
    // Addresses and names of members are ASCII, so bytes need not be decoded to find them.
    const text = answer.toString('latin1');
    const parsed = this.parses ? parsedJson(text) : undefined;
    let changed = text;
    try {
      if (expected) assertTypes(text, expected);
      if (links) changed = parsed ? withLinksOf(parsed, changed, links) : withRewrittenLinks(changed, links);
    } catch (error) {
      if (error instanceof UnexpectedType) logUnexpected(error);
      throw unusableAnswer('an answer cannot be checked, or has a resource of another type');
    }
    changed = this.forApp(changed, links?.bundle === 'searchset');
    return { body: changed === text ? answer : Buffer.from(changed, 'latin1'), parsed };
  }

  private async stream(answer: FhirServerAnswer, { expected, links, cancellation }: Changes): Promise<Readable> {
    const memory = this.memory.forRequest(cancellation);
    const types = expected && new AnswerTypes(expected.types, expected.isBundle, new HeldBytes(memory.limits));
    const linked = links && linkStream(links);
    const body = this.toClients?.jsonStream() ?? new PassThrough();
    // A failure on one side ends the other; the reader of the body sees it there.
    pipeline([answer.body, ...(types ? [types] : []), ...(linked ? [linked] : []), body], (error) => {
      if (error instanceof UnexpectedType) logUnexpected(error);
    });
    await types?.begun.catch(() => {
      throw unusableAnswer('an answer broke off before a resource of the right type');
    });
    return body;
  }

  /** A body of the server with our addresses instead of its own, while it arrives. */
  streamForApp(body: Readable): Readable {
    const changed = this.toClients?.jsonStream() ?? new PassThrough();
    // A failure on one side ends the other; the reader of the body sees it there.
    pipeline(body, changed, () => undefined);
    return changed;
  }

  /** Passes a file of an export on while it arrives: a resource on each line (Bulk Data Access 2.0 §file-request). */
  passLines(answer: FhirServerAnswer): GatewayAnswer {
    if (!lines.test(answer.headers.get('content-type') ?? '')) {
      answer.discard();
      throw unusableAnswer('a file of an export is not NDJSON');
    }
    const body = this.streamForApp(answer.body);
    return { status: answer.status, headers: { 'Content-Type': 'application/fhir+ndjson' }, body };
  }

  /** The headers that an app may see. */
  headersOf({ headers }: FhirServerAnswer): Record<string, string> {
    const seen: Record<string, string> = {};
    for (const name of passedHeaders) {
      const value = headers.get(name);
      if (value !== undefined) seen[name] = value;
    }
    const progress = headers.get('x-progress');
    if (progress !== undefined)
      seen['X-Progress'] = this.toClients?.inText(progress).replaceAll('…', '...') ?? progress;
    for (const name of addressHeaders) {
      const value = this.addressForApp(headers.get(name) ?? '');
      if (value !== undefined) seen[name] = value;
    }
    return seen;
  }

  /**
   * Our address for one that the server answered, whatever it calls itself there: the resource of its answer is its
   * own. Undefined for one that is neither of a resource nor below the base.
   */
  private addressForApp(address: string): string | undefined {
    const resource = addressOfResource.exec(address)?.[1];
    if (resource !== undefined) return `${this.fhirBase}/${resource}`;
    const target = this.server.names?.targetOf(address);
    return target === undefined || /^https?:/.test(target) ? undefined : this.forApp(this.names.base + target);
  }

  /** The words of an OperationOutcome, without addresses of others than the app can use. */
  private wordsForApp(outcome: string, request: string): string {
    const { base, aliases } = this.names;
    const hosts = [base, ...aliases].map((url) => new URL(url).hostname);
    return outcomeWithoutAddresses(this.forApp(outcome), { ours: this.fhirBase, hosts, request: this.forApp(request) });
  }

  /** `request` is what the server was sent. */
  private async refusalOf(answer: FhirServerAnswer, request: string): Promise<Refusal> {
    const { status } = answer;
    if (status === 503 || passedOn.has(status)) {
      const headers = this.headersOf(answer);
      const text = isJson(answer) ? await answer.text(maxOutcomeBytes).catch(() => '') : '';
      answer.discard();
      if (status === 503)
        return new Refusal(503, 'transient', 'The FHIR server is busy. Please try again later.', headers);
      return new ServerRefusal(status, isOutcome(text) ? this.wordsForApp(text, request) : undefined, headers);
    }
    answer.discard();
    return status === 504
      ? serverFailure(new FhirServerFailure('timeout'))
      : unusableAnswer(`a request was answered ${status}`);
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Types of files of an export: storage may know them as octets only, or packed, and then they arrive unpacked. */
const lines = /^\s*(?:application\/(?:(?:fhir\+|x-)?ndjson|(?:x-)?gzip|octet-stream)|binary\/octet-stream)\s*(?:;|$)/i;

export const fhirJson = 'application/fhir+json; charset=utf-8';

const unreadableAnswer = JSON.stringify({
  resourceType: 'OperationOutcome',
  issue: [
    {
      severity: 'warning',
      code: 'incomplete',
      diagnostics:
        'The FHIR server carried the request out, but its answer cannot be read. Please do not send it again.',
    },
  ],
});

function isOutcome(text: string): boolean {
  try {
    return JSON.parse(text).resourceType === 'OperationOutcome';
  } catch {
    return false;
  }
}
