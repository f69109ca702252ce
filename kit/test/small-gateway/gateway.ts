import type { IncomingHttpHeaders } from 'node:http';
import { bundle, refusal, type SmallAnswer } from './answers.js';
import { capabilities } from './capabilities.js';
import { answerChange } from './changes.js';
import type { Mutant } from './mutants/mutant.js';
import { taken } from './openings.js';
import { answerCompartment, answerOperation } from './operations.js';
import type { Json, Resource } from './records.js';
import { type EntryOf, jsonIn, queryValue, type SmallRequest, understood } from './request.js';
import { BadRequest, matches, type Query, type View } from './search.js';
import { Searches, trimmed } from './search-answers.js';
import { isVisible, keyOf, Store } from './store.js';
import { categoriesOf, permits, type Rights, Tokens } from './tokens.js';

const noEntry: EntryOf = { depth: 0, at: 0, hasBundleParameters: false };

/**
 * A FHIR server that enforces its tokens soundly: a request is carried out on what its token may see, and nothing
 * else.
 */
export class SmallGateway {
  readonly store = new Store();
  readonly jobs = new Map<string, { patient: string | undefined; resources: Resource[] }>();
  private readonly searches = new Searches(this);
  private readonly tokens: Tokens;
  private readonly cache = new Map<string, SmallAnswer>();
  base = '';

  constructor(readonly mutant: Mutant) {
    this.tokens = new Tokens(mutant);
  }

  handle(method: string, target: string, headers: IncomingHttpHeaders, body: string, entry = noEntry): SmallAnswer {
    const { isRewritten, isOpen, ...read } = taken(this.mutant, method, target, headers);
    const request = this.asCarriedOut({ ...understood(read.method, read.target, headers, body, entry), isRewritten });
    if (request.interaction === 'metadata') return { status: 200, body: capabilities() };
    const rights = isOpen ? { patient: undefined, scope: 'system/*.rs' } : this.tokens.rightsOf(request);
    if (!rights) return refusal(401, 'A valid token is needed.');
    const cached = this.cache.get(target);
    if (cached && method === 'GET' && this.has('route: a cache by address')) return cached;
    try {
      const plain = this.answer(request, rights);
      const answer = this.hides(request, rights) ? (this.mutant.tells?.(plain, request) ?? plain) : plain;
      if (method === 'GET') this.cache.set(target, answer);
      return method === 'HEAD' ? { ...answer, body: undefined } : answer;
    } catch (error) {
      if (error instanceof BadRequest) return refusal(400, error.message);
      throw error;
    }
  }

  private asCarriedOut(request: SmallRequest): SmallRequest {
    const { interaction, inAddress, query } = request;
    const hasBoth = interaction === 'search by post' && inAddress.length > 0 && query.length > inAddress.length;
    const isByAddress = hasBoth && this.has('search: the body of a POST is checked, and its address is carried out');
    return isByAddress ? { ...request, query: inAddress, isRewritten: true } : request;
  }

  /** True if something that the request asks for is not shown to it. Only mutants ask. */
  private hides(request: SmallRequest, rights: Rights): boolean {
    if (!this.mutant.tells) return false;
    const { interaction, type, id, headers } = request;
    const view = this.viewFor(request, rights);
    const query = interaction === 'create' ? conditionIn(headers) : request.query;
    if (!/^(?:search|search by post|create|conditional .*)$/.test(interaction))
      return this.store.current.has(`${type}/${id}`) && !view.has(`${type}/${id}`);
    return matches(type, query, view).length < matches(type, query, this.store.current).length;
  }

  has(flaw: string): boolean {
    return this.mutant.flaw === flaw;
  }

  /** What a request is carried out on. */
  viewFor(request: SmallRequest, rights: Rights): View {
    if (rights.patient === undefined || request.isRewritten || this.mutant.sees?.(request)) return this.store.current;
    if (this.has('batch: other kinds of bundles are carried out unchecked') && isOfOtherBundle(request))
      return this.store.current;
    return this.shownTo(rights, request);
  }

  private shownTo(rights: Rights, request: SmallRequest): View {
    return new Map([...this.store.current].filter(([, one]) => this.isShown(one, rights, request)));
  }

  private isShown(resource: Resource, rights: Rights, request: SmallRequest): boolean {
    const { resourceType } = resource;
    const isOwn = rights.patient === undefined || isVisible(resource, rights.patient, this.store);
    if (!isOwn && !this.isShownByMistake(resource, rights)) return false;
    const isType = this.permits(rights, resourceType, 'r', request) || this.permits(rights, resourceType, 's', request);
    if (!isType) return false;
    const isForgotten =
      this.has('scope: the category is not checked') || this.mutant.forgets?.('category', request) === true;
    const categories = isForgotten ? undefined : categoriesOf(rights, resourceType);
    return !categories || categories.some((one) => JSON.stringify(resource.category ?? '').includes(`"${one}"`));
  }

  private isShownByMistake(resource: Resource, { patient }: Rights): boolean {
    const names = (value: unknown) => JSON.stringify(value ?? '').includes(`Patient/${patient}"`);
    return (
      (this.has(`shared: ${resource.resourceType} shows the other patient`) && names(resource)) ||
      (this.has('shared: List shows the other patient') && resource.id === 'list-mixed' && patient === 'ann') ||
      (this.has('shared: Provenance shows the other patient') && resource.id === 'provenance-shared') ||
      (this.has('shared: what has the own patient as focus is shown') && names(resource.focus)) ||
      (this.has('shared: what the own patient has performed is shown') && names(resource.performer))
    );
  }

  private permits(rights: Rights, type: string, action: string, request: SmallRequest): boolean {
    return (
      permits(rights, type, action, this.mutant.flaw) ||
      this.has('scope: the type is not checked') ||
      this.mutant.forgets?.('type', request) === true
    );
  }

  private answer(request: SmallRequest, rights: Rights): SmallAnswer {
    const { interaction, type, id } = request;
    const view = this.viewFor(request, rights);
    const isOpen = view === this.store.current;
    const needs = (action: string) =>
      this.permits(rights, type, action, request) || this.has(`scope: ${action} is not checked`);
    switch (interaction) {
      case 'read':
        return needs('r') ? this.read(request, view) : refused;
      case 'vread':
      case 'history':
        return needs('r') ? this.history(request, view, rights) : refused;
      case 'history of type':
      case 'history of system': {
        if (!isOpen) return refusal(403, 'The history of all is not given.');
        const all = [...view.values()].filter(
          (one) => interaction === 'history of system' || one.resourceType === type,
        );
        return { status: 200, body: bundle('history', all) };
      }
      case 'search':
      case 'search by post':
        return needs('s') ? this.searches.answer(request, type, request.query, view, rights) : refused;
      case 'search of compartment':
        return type === 'Patient' && id !== rights.patient && !isOpen
          ? missing
          : answerCompartment(this, request, view);
      case 'search of system':
        return isOpen
          ? this.searchOfSystem(request, view, rights)
          : refusal(403, 'A search of all types is not given.');
      case 'everything':
      case 'lastn':
      case 'graphql':
      case 'operation':
        return request.parts.at(-1)?.startsWith('$meta-')
          ? answerChange(this, request, rights, view)
          : answerOperation(this, request, view);
      case 'bundle':
        return this.bundle(request);
      case 'page':
        return this.searches.page(request, (patient) => this.shownTo({ ...rights, patient }, request), rights);
      case 'options':
        return { status: 405, headers: { Allow: 'GET' } };
      case 'unknown':
        return refusal(400, 'The request is not known.');
      default:
        return answerChange(this, request, rights, view);
    }
  }

  private searchOfSystem(request: SmallRequest, view: View, rights: Rights): SmallAnswer {
    const types = (queryValue(request, '_type') ?? 'Patient').split(',');
    const query = request.query.filter(([name]) => name !== '_type');
    const [first, ...others] = types.map((type) => this.searches.answer(request, type, query, view, rights));
    const entriesOf = (answer?: SmallAnswer) => ((answer?.body as Json)?.entry ?? []) as Json[];
    if (!first || others.length === 0) return first ?? missing;
    return { ...first, body: { ...(first.body as Json), entry: [first, ...others].flatMap(entriesOf) } };
  }

  private read(request: SmallRequest, view: View): SmallAnswer {
    const key = `${request.type}/${request.id}`;
    const found = view.get(key);
    const isGone = this.store.versions.has(key) && !this.store.current.has(key);
    if (isGone && this.has('write: a deleted resource is gone for all')) return refusal(410, 'It is gone.');
    if (!found) return this.missingOf(this.store.current.get(key));
    if (request.type === 'Binary' && !/json/.test(String(request.headers.accept))) {
      return {
        status: 200,
        headers: { 'Content-Type': 'text/plain' },
        body: Buffer.from(String(found.data), 'base64').toString(),
      };
    }
    const etag = `W/"${found.meta.versionId}"`;
    if (request.headers['if-none-match'] === etag) return { status: 304, headers: { ETag: etag } };
    return { status: 200, body: trimmed(found, request.query), headers: { ETag: etag } };
  }

  private missingOf(hidden: Resource | undefined): SmallAnswer {
    if (!hidden) return missing;
    if (this.has('error: the status of a read')) return refusal(403, 'This resource is not yours.');
    if (this.has('error: the text of a read')) return refusal(404, 'The resource is not in your record.');
    if (this.has('error: the name in a text'))
      return refusal(
        404,
        `Access denied to ${JSON.stringify(hidden.identifier ?? hidden.subject)} of ${this.nameOf(hidden)}.`,
      );
    if (this.has('error: the ETag of a refusal')) return { ...missing, headers: { ETag: 'W/"1"' } };
    return missing;
  }

  private nameOf(hidden: Resource): string {
    const owner = ((hidden.subject ?? hidden.patient) as Json)?.reference ?? keyOf(hidden);
    const person = this.store.current.get(String(owner));
    return ((person?.name as Json[])?.[0]?.family as string) ?? '';
  }

  private history({ type, id, parts, interaction, ...more }: SmallRequest, view: View, rights: Rights): SmallAnswer {
    const request = { type, id, parts, interaction, ...more };
    const key = `${type}/${id}`;
    const kept = this.store.versions.get(key) ?? [];
    const isGone = !this.store.current.has(key) && kept.length > 0;
    const isShown =
      view.has(key) ||
      (isGone && this.has('write: what was deleted is shown by its version') && interaction === 'vread') ||
      (isGone && this.has('write: what was deleted is shown by its history') && interaction === 'history');
    if (!isShown) {
      if (this.store.current.has(key) && this.has('error: the status of a history'))
        return refusal(403, 'This resource is not yours.');
      return missing;
    }
    const isAll = isGone || view === this.store.current || this.has('history: what was of another patient is shown');
    const versions = isAll ? kept : kept.filter((one) => this.isShown(one, rights, request));
    const total = this.has('history: the total of a history') ? kept.length : versions.length;
    if (interaction === 'history') return { status: 200, body: bundle('history', versions, total) };
    const version = versions.find(({ meta }) => meta.versionId === parts[3]);
    return version ? { status: 200, body: version } : refusal(404, 'There is no such version.');
  }

  private bundle(request: SmallRequest): SmallAnswer {
    const body = jsonIn(request.body);
    const kind = String(body?.type);
    const isKnown = kind === 'batch' || kind === 'transaction';
    if (!isKnown && !this.has('batch: other kinds of bundles are carried out unchecked'))
      return refusal(400, 'Only a batch or a transaction is carried out.');
    const sent = (body?.entry ?? []) as { request?: Json; resource?: Json }[];
    const entries = sent.map(({ request: asked = {}, resource }, at) => {
      const address = String(asked.url);
      const url = address.replace(this.base, '').replace(/^\//, '');
      const headers = {
        authorization: request.headers.authorization,
        accept: 'application/fhir+json',
        'if-none-exist': asked.ifNoneExist,
        'if-none-match': asked.ifNoneMatch,
        'if-match': asked.ifMatch,
        'if-modified-since': asked.ifModifiedSince,
      } as IncomingHttpHeaders;
      return this.handle(String(asked.method).toUpperCase(), url, headers, resource ? JSON.stringify(resource) : '', {
        depth: request.depth + 1,
        at,
        bundle: kind,
        isAbsolute: address.startsWith('http'),
        sentMethod: String(asked.method),
        hasBundleParameters: request.inAddress.length > 0,
      });
    });
    const failed = entries.find(({ status }) => status >= 400);
    if (kind === 'transaction' && failed) return failed;
    return {
      status: 200,
      body: {
        resourceType: 'Bundle',
        type: `${kind}-response`,
        entry: entries.map(({ status, body: one, headers }) => ({
          ...(status < 400 && one !== undefined && { resource: one }),
          response: {
            status: String(status),
            ...(status >= 400 && { outcome: one }),
            ...(headers?.ETag && { etag: headers.ETag }),
            ...(headers?.['Last-Modified'] && { lastModified: headers['Last-Modified'] }),
          },
        })),
      },
    };
  }
}

const conditionIn = (headers: IncomingHttpHeaders): Query => [
  ...new URLSearchParams(String(headers['if-none-exist'] ?? '_id=none')),
];
const missing = refusal(404, 'There is no such resource.');
const refused = refusal(403, 'The scopes do not permit this.');
const isOfOtherBundle = ({ bundle: kind }: SmallRequest) =>
  kind !== undefined && kind !== 'batch' && kind !== 'transaction';
