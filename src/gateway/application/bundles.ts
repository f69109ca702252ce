import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import { assertUniqueNames, nameEntries, needsNames } from '../domain/bundle-names.js';
import { assertMayBeLimited, type BundleEntry, readBundle, readEntry } from '../domain/bundle-request.js';
import { replaceReferences, searchesIn } from '../domain/references/search-references.js';
import { Refusal } from '../domain/refusal.js';
import { assertAccepts, assertHeaders, preference } from '../domain/request-headers.js';
import type { AuthorizedRequest } from './access/authorized-request.js';
import { ChangeAnswers, changeOf } from './access/change-answers.js';
import type { WrittenTogether } from './access/reference-check.js';
import { asWritten, withoutId } from './access/unlimited-access.js';
import { type LookedUp, nothingLeft, withExisting, withLookedUpCreates } from './conditional-creates.js';
import { isUnlimitedInTransaction } from './decisions.js';
import { asRefusal } from './server/failed-request.js';
import type { GatewayAnswer, GatewayRequest } from './server/gateway-request.js';
import { losslessInTurns } from './server/lossless-parse.js';
import { readJson, readResource } from './server/resource-body.js';
import { fhirJson, type ServerExchange } from './server/server-exchange.js';
import { unusableAnswer } from './server/server-failures.js';
import { withoutServerWords } from './server/server-refusal.js';

interface DecidedPart {
  authorized: AuthorizedRequest;
  /** The headers of a change that bind it to what was checked. */
  binding: Readonly<Partial<Record<'if-match' | 'if-none-match', string>>>;
  /** Reads the resources that it changes, as they are. */
  before: () => Promise<readonly unknown[]>;
}

/** The handler for each request in a bundle. */
export interface RequestsInBundle {
  /** Carries out a request of a batch. */
  handle(request: GatewayRequest): Promise<GatewayAnswer>;
  /**
   * For the requests of a transaction that writes these resources: a function that decides on one of them, with its
   * `fullUrl`. It returns what a change has to be bound to where the resource on the server was checked.
   */
  decideAll(written: WrittenTogether): (request: GatewayRequest, fullUrl: string | undefined) => Promise<DecidedPart>;
  /**
   * Looks up a create with a condition among what the token permits; returns undefined where the server has to check
   * the condition.
   */
  lookUp(request: GatewayRequest): Promise<LookedUp | undefined>;
  /** Finds the one resource that a search (`/Patient?identifier=…`) finds, as `Type/id`. */
  findOne(target: string): Promise<string>;
}

/** References by a search in one transaction: each costs a request to the server. */
const mostSearches = 50;

/**
 * Batches and transactions. A batch is carried out here, one request after the other, each like one of its own. A
 * transaction must succeed or fail as one, which only the server can do: every request in it is checked first, and what
 * had to be looked at for that is bound to the version that was seen.
 */
export class Bundles {
  private readonly answers: ChangeAnswers;

  constructor(private readonly exchange: ServerExchange) {
    this.answers = new ChangeAnswers(exchange);
  }

  async handle(request: GatewayRequest, requests: RequestsInBundle): Promise<GatewayAnswer> {
    assertHeaders('create', request.method, request.headers);
    assertAccepts(request.headers);
    const text = await withPlainNames(await this.exchange.readBody(request));
    const { type, entries } = readBundle(await readJson(text));
    if (type === 'transaction') {
      assertUniqueNames(entries);
      const plain = await withLookedUpCreates(text, entries, (entry) =>
        requests.lookUp(requestOfEntry(entry, entry.resource, request)),
      );
      const resolved = await this.withFoundReferences(plain.text, plain.entries, requests);
      const literal = resolved === plain.text ? plain.entries : readBundle(await readJson(resolved)).entries;
      const isDone = literal.length === 0 && plain.existing.size > 0;
      return withExisting(isDone ? nothingLeft : await this.transaction(resolved, literal, request, requests), plain);
    }
    // The text of each resource, so that its decimals stay as they were written.
    const { entry = [] } = (await losslessInTurns(text)) as { entry?: { resource?: unknown }[] };
    const answers: string[] = [];
    let size = 0;
    // The answers are held in memory until the last one is there.
    const memory = this.exchange.memory.forRequest(request.cancellation);
    const longest = this.exchange.memory.limits.answer;
    for (const [index, part] of entries.entries()) {
      if (request.cancellation.isCancelled) break;
      const answer = await this.handleEntry(part, entry[index]?.resource, request, requests, longest - size);
      size += answer.length;
      await memory.take(2 * answer.length);
      answers.push(answer);
    }
    const body = `{"resourceType":"Bundle","type":"batch-response","entry":[${answers}]}`;
    return { status: 200, headers: { 'Content-Type': fhirJson }, body, record: { isInParts: true } };
  }

  private async handleEntry(
    entry: unknown,
    resource: unknown,
    request: GatewayRequest,
    requests: RequestsInBundle,
    maxBytes: number,
  ): Promise<string> {
    try {
      return await answeredEntry(await requests.handle(requestOfEntry(readEntry(entry), resource, request)), maxBytes);
    } catch (error) {
      const refusal = asRefusal(error);
      return `{"response":{"status":"${refusal.status}","outcome":${refusal.outcome()}}}`;
    }
  }

  /** A server would look these references up among all resources, whatever the token permits. */
  private async withFoundReferences(
    text: string,
    entries: readonly unknown[],
    requests: RequestsInBundle,
  ): Promise<string> {
    const searches = searchesIn(entries, this.exchange.names);
    if (searches.size === 0) return text;
    if (searches.size > mostSearches) {
      const sentence = `A transaction may have ${mostSearches} references by a search at most.`;
      throw new Refusal(403, 'not-supported', sentence);
    }
    const found = new Map<string, string>();
    for (const [reference, target] of searches) found.set(reference, await requests.findOne(target));
    const bundle = (await losslessInTurns(text)) as { entry: unknown[] };
    replaceReferences(bundle.entry, found);
    return stringify(bundle) ?? '';
  }

  private async transaction(
    text: string,
    entries: readonly unknown[],
    request: GatewayRequest,
    requests: RequestsInBundle,
  ): Promise<GatewayAnswer> {
    const parts: DecidedPart[] = [];
    const written: WrittenEntry[] = [];
    const types = new Set(['OperationOutcome']);
    const decide = requests.decideAll(writtenBy(await readJson(this.exchange.forServer(text))));
    for (const part of entries) {
      const entry = readEntry(part);
      const { fullUrl } = part as { fullUrl?: string };
      const decided = await decide(requestOfEntry(entry, entry.resource, request), fullUrl);
      const { fhir, isLimited } = decided.authorized;
      if (isLimited) assertMayBeLimited(entries);
      parts.push(decided);
      // The input of an operation is not written.
      const resource = fhir.interaction === 'operation' ? undefined : asWritten(fhir, entry.resource);
      written.push({ fullUrl, resource });
      types.add(fhir.type);
      if (entry.resource !== undefined && fhir.interaction !== 'operation')
        await readResource(JSON.stringify(entry.resource), fhir);
    }
    const before: unknown[] = [];
    for (const part of parts) before.push(...(await part.before()));
    const headers = { 'content-type': 'application/fhir+json', ...preference('update', request.headers) };
    const { cancellation } = request;
    const body = this.exchange.forServer(await asDecided(parts, text));
    const changes = parts.map(({ authorized }) => changeOf(authorized, this.exchange.names));
    const hasLimits = changes.some((change) => change !== undefined);
    const sent = { method: 'POST', path: '', headers, body, cancellation } as const;
    const answer = await this.exchange.sendChange(sent).catch((error: unknown) => {
      throw hasLimits ? withoutServerWords(error, 'Bundle') : error;
    });
    const searches = parts.map(({ authorized: { fhir, pageLink } }) =>
      fhir.interaction === 'search' ? pageLink : undefined,
    );
    const isOpen = parts.some(({ authorized }) => isUnlimitedInTransaction(authorized.fhir));
    const passed =
      hasLimits || isOpen
        ? await this.answers.ofTransaction(answer, { changes, searches }, cancellation)
        : await this.exchange.passOnChange(answer, { expected: { types, isBundle: true }, cancellation });
    return { ...passed, record: { before, after: [withIds(written, passed.body)] } };
  }
}

/** The Bundle with entries that are named as the gateway decides on them; the same text where they are already. */
async function withPlainNames(text: string): Promise<string> {
  if (!needsNames(readBundle(await readJson(text)).entries)) return text;
  const bundle = (await losslessInTurns(text)) as { entry: unknown[] };
  nameEntries(bundle.entry, () => `urn:uuid:${randomUUID()}`);
  return stringify(bundle) ?? '';
}

function writtenBy(bundle: unknown): WrittenTogether {
  const byName = new Map<string, unknown>();
  const byAddress = new Map<string, unknown>();
  const all: unknown[] = [];
  for (const entry of readBundle(bundle).entries) {
    const { fullUrl, resource, request } = (entry ?? {}) as Partial<WrittenEntry> & {
      request?: { method?: unknown; url?: unknown } | null;
    };
    if (resource !== undefined) all.push(resource);
    if (request?.method === 'PUT') byAddress.set(String(request.url), resource);
    if (typeof fullUrl === 'string') byName.set(fullUrl, byName.has(fullUrl) ? undefined : resource);
  }
  return { byName, byAddress, all };
}

interface WrittenEntry {
  fullUrl: unknown;
  resource: unknown;
}

/**
 * The written resources as a Bundle, with the ids that the answer has for new ones: other entries refer to their
 * `fullUrl`.
 */
function withIds(written: readonly WrittenEntry[], answer: GatewayAnswer['body']): object {
  const locations = answer === undefined || answer instanceof Readable ? [] : locationsIn(answer.toString());
  const entry = written.map(({ fullUrl, resource }, index) => {
    const [, id] =
      /(?:^|\/)[A-Z][A-Za-z]{0,63}\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(locations[index] ?? '') ?? [];
    const isNew = id !== undefined && resource !== undefined && (resource as { id?: unknown }).id === undefined;
    return { fullUrl, resource: isNew ? { ...(resource as object), id } : resource };
  });
  return { resourceType: 'Bundle', entry: entry.filter(({ resource }) => resource !== undefined) };
}

function locationsIn(answer: string): (string | undefined)[] {
  try {
    const { entry } = JSON.parse(answer) as { entry?: { response?: { location?: unknown } }[] };
    return (Array.isArray(entry) ? entry : []).map((one) => {
      const location = one?.response?.location;
      return typeof location === 'string' ? location : undefined;
    });
  } catch {
    return [];
  }
}

/**
 * The Bundle with the changes bound to what was checked, and without the ids of resources that a limited token creates.
 */
async function asDecided(parts: readonly DecidedPart[], text: string): Promise<string> {
  const isNew = ({ authorized: { isLimited, fhir } }: DecidedPart) => isLimited && fhir.interaction === 'create';
  if (!parts.some((part) => isNew(part) || Object.keys(part.binding).length > 0)) return text;
  const bundle = (await losslessInTurns(text)) as { entry: { request: object; resource?: object }[] };
  const entry = bundle.entry.map((one, index) => {
    const part = parts[index];
    if (!part) return one;
    if (isNew(part)) return { ...one, resource: withoutId(one.resource) };
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = part.binding;
    return { ...one, request: { ...one.request, ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }) } };
  });
  return stringify({ ...bundle, entry }) ?? '';
}

/** The entry as a request of its own. */
function requestOfEntry(
  entry: BundleEntry,
  resource: unknown,
  { headers, cancellation }: GatewayRequest,
): GatewayRequest {
  const body = resource === undefined ? Buffer.alloc(0) : Buffer.from(stringify(resource) ?? '');
  const wish = headers.prefer === undefined ? {} : { prefer: headers.prefer };
  // In a Bundle a Binary is a resource, and not its content.
  const form = { accept: 'application/fhir+json' };
  const own = { ...wish, ...form, ...entry.headers, 'content-length': String(body.length) };
  return { method: entry.method, target: entry.target, headers: own, body: singleChunk(body), cancellation };
}

async function* singleChunk(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

async function answeredEntry({ status, headers, body, isNotice }: GatewayAnswer, maxBytes: number): Promise<string> {
  const names = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const modified = Date.parse(names['last-modified'] ?? '');
  const response = {
    status: String(status),
    location: names.location,
    etag: names.etag,
    lastModified: Number.isNaN(modified) ? undefined : new Date(modified).toISOString(),
  };
  const text = await textOf(body, maxBytes);
  if (text === undefined) {
    const tooLong = new Refusal(status, 'too-long', 'The answers are too large together. Please ask for less at once.');
    return `{"response":${JSON.stringify({ ...response, outcome: JSON.parse(tooLong.outcome()) })}}`;
  }
  if (text === '') return JSON.stringify({ response });
  if (isNotice) return JSON.stringify({ response: { ...response, outcome: JSON.parse(text) } });
  return `{"resource":${text},"response":${JSON.stringify(response)}}`;
}

/** The answer, or undefined when it is too long; it is made part of another document, so it has to be one itself. */
async function textOf(body: GatewayAnswer['body'], maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body instanceof Readable ? body : [Buffer.from(body ?? '')]) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) return undefined;
      chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString();
    if (text !== '') JSON.parse(text);
    return text;
  } catch {
    throw unusableAnswer('an answer to an entry of a batch is not JSON or broke off');
  }
}
