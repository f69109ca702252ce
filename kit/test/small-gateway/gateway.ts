import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundle, refusal, type SmallAnswer } from './answers.js';
import { capabilities } from './capabilities.js';
import { answerChange } from './changes.js';
import type { Mutant } from './mutants.js';
import type { Json, Resource } from './records.js';
import { jsonIn, queryValue, type SmallRequest, splitOnce, understood } from './request.js';
import { BadRequest, included, matches, type Query, TYPES, type View } from './search.js';
import { isVisible, keyOf, Store } from './store.js';
import { categoriesOf, permits, type Rights, rightsOf } from './tokens.js';

/**
 * A FHIR server that enforces its tokens soundly: a request is carried out on what its token may see, and nothing
 * else.
 */
export class SmallGateway {
  readonly store = new Store();
  readonly jobs = new Map<string, { patient: string | undefined; resources: Resource[] }>();
  private readonly pages = new Map<string, { patient: string | undefined; rest: Resource[] }>();
  private readonly cache = new Map<string, SmallAnswer>();
  base = '';

  constructor(readonly mutant: Mutant) {}

  handle(method: string, target: string, headers: IncomingHttpHeaders, body: string, isEntry = false): SmallAnswer {
    const read = this.mutant.reads?.(target) ?? target;
    const request = { ...understood(method, read, headers, body, isEntry), isRewritten: read !== target };
    const override = headers['x-http-method-override'];
    if (this.has('header: the method is overridden') && override) request.method = String(override);
    if (request.interaction === 'metadata') return { status: 200, body: capabilities() };
    const rights = rightsOf(request, this.mutant.flaw ?? '');
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

  /** True if something that the request asks for is not shown to it. Only mutants ask. */
  private hides(request: SmallRequest, rights: Rights): boolean {
    if (!this.mutant.tells) return false;
    const { interaction, type, id, query } = request;
    const view = this.viewFor(request, rights);
    const key = interaction === 'search of compartment' ? `Patient/${id}` : `${type}/${id}`;
    if (interaction !== 'search' && interaction !== 'search by post')
      return this.store.current.has(key) && !view.has(key);
    return matches(type, query, view).length < matches(type, query, this.store.current).length;
  }

  has(flaw: string): boolean {
    return this.mutant.flaw === flaw;
  }

  /** What a request is carried out on. */
  viewFor(request: SmallRequest, rights: Rights): View {
    if (rights.patient === undefined || request.isRewritten || this.mutant.sees?.(request)) return this.store.current;
    return new Map([...this.store.current].filter(([, one]) => this.isShown(one, rights)));
  }

  isShown(resource: Resource, rights: Rights): boolean {
    const { resourceType } = resource;
    const isOwn = rights.patient === undefined || isVisible(resource, rights.patient, this.store);
    const isMixed =
      this.has(`shared: ${resourceType} shows the other patient`) &&
      JSON.stringify(resource).includes(`Patient/${rights.patient}"`);
    const isMixedList =
      this.has('shared: List shows the other patient') && resource.id === 'list-mixed' && rights.patient === 'ann';
    if (!isOwn && !isMixed && !isMixedList) return false;
    const isType = permits(rights, resourceType, 'r') || permits(rights, resourceType, 's');
    if (!isType && !this.has('scope: the type is not checked')) return false;
    const categories = this.has('scope: the category is not checked') ? undefined : categoriesOf(rights, resourceType);
    return !categories || categories.some((one) => JSON.stringify(resource.category ?? '').includes(`"${one}"`));
  }

  private answer(request: SmallRequest, rights: Rights): SmallAnswer {
    const { interaction, type, id, parts } = request;
    const view = this.viewFor(request, rights);
    const needs = (action: string) =>
      permits(rights, type, action) ||
      this.has(`scope: ${action} is not checked`) ||
      this.has('scope: the type is not checked');
    switch (interaction) {
      case 'read':
        return needs('r') ? this.read(request, view, rights) : refusal(403, 'The scopes do not permit this.');
      case 'vread':
      case 'history':
        return needs('r') ? this.history(request, view) : refusal(403, 'The scopes do not permit this.');
      case 'history of type':
      case 'history of system': {
        if (!this.mutant.sees?.(request)) return refusal(403, 'The history of all is not given.');
        const all = [...view.values()].filter(
          (one) => interaction === 'history of system' || one.resourceType === type,
        );
        return { status: 200, body: bundle('history', all) };
      }
      case 'search':
      case 'search by post':
        return needs('s')
          ? this.search(request, type, request.query, view)
          : refusal(403, 'The scopes do not permit this.');
      case 'search of compartment': {
        const asked = parts[2] ?? '';
        if (id !== rights.patient && rights.patient !== undefined && !this.mutant.sees?.(request))
          return refusal(404, 'There is no such resource.');
        const inside = new Map(
          [...view]
            .filter(([, one]) => asked === '*' || one.resourceType === asked)
            .filter(([, one]) => isVisible(one, id, this.store)),
        );
        return { status: 200, body: bundle('searchset', [...inside.values()], inside.size) };
      }
      case 'search of system':
        return this.mutant.sees?.(request)
          ? this.search(
              request,
              queryValue(request, '_type') ?? 'Patient',
              request.query.filter(([name]) => name !== '_type'),
              view,
            )
          : refusal(403, 'A search of all types is not given.');
      case 'everything': {
        const asked = id;
        const patients = view.has(`Patient/${asked}`);
        return patients
          ? {
              status: 200,
              body: bundle(
                'searchset',
                [...(this.has('route: the own everything has all') ? this.store.current : view).values()].filter(
                  (one) => isVisible(one, asked, this.store) || this.has('route: the own everything has all'),
                ),
              ),
            }
          : refusal(404, 'There is no such resource.');
      }
      case 'lastn': {
        const found = [...view.values()].filter((one) => one.resourceType === 'Observation');
        const asked = queryValue(request, 'patient') ?? parameterIn(request.body, 'patient');
        const wanted = asked?.replace(/^Patient\//, '');
        return {
          status: 200,
          body: bundle(
            'searchset',
            found.filter((one) => !wanted || (one.subject as Json)?.reference === `Patient/${wanted}`),
          ),
        };
      }
      case 'graphql':
        return this.graph(request, view);
      case 'bundle':
        return this.bundle(request, rights);
      case 'page':
        return this.page(request, rights);
      case 'unknown':
        return refusal(400, 'The request is not known.');
      default:
        return answerChange(this, request, rights, view);
    }
  }

  private read(request: SmallRequest, view: View, rights: Rights): SmallAnswer {
    const key = `${request.type}/${request.id}`;
    const found = view.get(key);
    const hidden = this.store.current.get(key);
    if (!found) {
      if (hidden && this.has('error: the status of a read')) return refusal(403, 'This resource is not yours.');
      if (hidden && this.has('error: the text of a read')) return refusal(404, 'The resource is not in your record.');
      if (hidden && this.has('error: the name in a text'))
        return refusal(
          404,
          `Access denied to ${JSON.stringify((hidden as Resource).identifier ?? hidden.subject)} of ${this.nameOf(hidden)}.`,
        );
      if (hidden && this.has('error: the ETag of a refusal'))
        return { ...refusal(404, 'There is no such resource.'), headers: { ETag: 'W/"1"' } };
      return refusal(404, 'There is no such resource.');
    }
    if (request.type === 'Binary' && !/json/.test(String(request.headers.accept))) {
      return {
        status: 200,
        headers: { 'Content-Type': 'text/plain' },
        body: Buffer.from(String(found.data), 'base64').toString(),
      };
    }
    const etag = `W/"${found.meta.versionId}"`;
    if (request.headers['if-none-match'] === etag) return { status: 304, headers: { ETag: etag } };
    void rights;
    return { status: 200, body: trimmed(found, request.query), headers: { ETag: etag } };
  }

  private nameOf(hidden: Resource): string {
    const owner = ((hidden.subject ?? hidden.patient) as Json)?.reference ?? keyOf(hidden);
    const person = this.store.current.get(String(owner));
    return ((person?.name as Json[])?.[0]?.family as string) ?? '';
  }

  private history({ type, id, parts, interaction }: SmallRequest, view: View): SmallAnswer {
    const key = `${type}/${id}`;
    if (!view.has(key)) {
      if (this.store.current.has(key) && this.has('error: the status of a history'))
        return refusal(403, 'This resource is not yours.');
      return refusal(404, 'There is no such resource.');
    }
    const versions = this.store.versions.get(key) ?? [];
    if (interaction === 'history') return { status: 200, body: bundle('history', versions) };
    const version = versions.find(({ meta }) => meta.versionId === parts[3]);
    return version ? { status: 200, body: version } : refusal(404, 'There is no such version.');
  }

  private search(request: SmallRequest, type: string, query: Query, view: View): SmallAnswer {
    if (!TYPES.includes(type) || type === 'Binary') return refusal(404, 'The type is not served.');
    const all = this.store.current;
    const chains = query.some(([name]) => name.includes('.'));
    const reverse = query.some(([name]) => name.startsWith('_has'));
    const isReaching =
      (this.has('search: chains look at all') && chains) || (this.has('search: reverse chains look at all') && reverse);
    const found = matches(type, query, view, isReaching ? all : view);
    const real = matches(type, query, all).length;
    if (found.length < real && this.has('error: the status of a search'))
      return refusal(403, 'Some of these resources are not yours.');
    const asksCount = queryValue(request, '_summary') === 'count' || queryValue(request, '_count') === '0';
    const total =
      (this.has('count: totals of all') && !asksCount) ||
      (this.has('count: counts of all') && asksCount) ||
      (this.has('count: accurate totals of all') && queryValue(request, '_total') === 'accurate')
        ? real
        : found.length;
    if (asksCount) return { status: 200, body: { resourceType: 'Bundle', type: 'searchset', total } };
    const offset = Math.max(0, Number(queryValue(request, '_offset') ?? 0) || 0);
    const count = Number(queryValue(request, '_count') ?? 50) || 50;
    const page = found.slice(offset, offset + count);
    const forward = query.filter(([name]) => name.startsWith('_include') && this.has('include: looks at all'));
    const backward = query.filter(
      ([name]) => name.startsWith('_revinclude') && this.has('include: backwards looks at all'),
    );
    const iterated = query.filter(
      ([name]) => name.endsWith(':iterate') && this.has('include: an iteration looks at all'),
    );
    const more = [
      ...included(page, query, view),
      ...included([...page, ...included(page, query, view)], [...forward, ...backward, ...iterated], all),
    ];
    const body = bundle(
      'searchset',
      page.map((one) => trimmed(one, query)),
      total,
    ) as Json & { entry: Json[]; link?: Json[] };
    const seen = new Set(page.map(keyOf));
    for (const one of more)
      if (!seen.has(keyOf(one)) && seen.add(keyOf(one)))
        body.entry.push({ resource: one, search: { mode: 'include' } });
    if (offset + count < found.length)
      body.link = [{ relation: 'next', url: this.linkTo(request, found.slice(offset + count), offset + count, view) }];
    if (found.length < real && this.has('count: a link tells'))
      body.link = [{ relation: 'next', url: `${this.base}/${type}?_offset=50` }];
    return { status: 200, body };
  }

  private linkTo({ raw, query }: SmallRequest, rest: Resource[], offset: number, view: View): string {
    if (!this.mutant.flaw?.startsWith('page: a stored')) {
      const kept = query
        .filter(([name]) => name !== '_offset')
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
      return `${this.base}/${raw.replace('/_search', '')}?${[...kept, `_offset=${offset}`].join('&')}`;
    }
    const id = `page-${this.pages.size}-${view.size}`;
    this.pages.set(id, { patient: undefined, rest });
    return `${this.base}?_getpages=${id}`;
  }

  private page(request: SmallRequest, _rights: Rights): SmallAnswer {
    const page = this.pages.get(queryValue(request, '_getpages') ?? '');
    return page ? { status: 200, body: bundle('searchset', page.rest) } : refusal(404, 'There is no such page.');
  }

  private graph(request: SmallRequest, view: View): SmallAnswer {
    const asked = queryValue(request, 'query') ?? String(jsonIn(request.body)?.query ?? '');
    const [, type = '', id = ''] = /\{\s*([A-Z]\w+)\(id:\s*"([^"]+)"\)/.exec(asked) ?? [];
    const [, list = ''] = /\{\s*([A-Z]\w+)List\(/.exec(asked) ?? [];
    if (list) {
      const found = [...view.values()].filter(
        (one) =>
          one.resourceType === list && JSON.stringify(one).includes(/"(?:Patient\/)?(\w+)"/.exec(asked)?.[1] ?? ''),
      );
      return { status: 200, body: { data: { [`${list}List`]: found.map((one) => ({ id: one.id })) } } };
    }
    const found = view.get(`${type}/${id}`);
    return { status: 200, body: { data: { [type || 'none']: found ? { id: found.id } : null } } };
  }

  private bundle(request: SmallRequest, rights: Rights): SmallAnswer {
    const body = jsonIn(request.body);
    const kind = String(body?.type);
    if (kind !== 'batch' && kind !== 'transaction')
      return refusal(400, 'Only a batch or a transaction is carried out.');
    const entries = ((body?.entry ?? []) as { request: Json; resource?: Json }[]).map(
      ({ request: asked, resource }) => {
        const url = String(asked.url).replace(`${this.base}/`, '').replace(/^\//, '');
        const headers = {
          authorization: request.headers.authorization,
          accept: 'application/fhir+json',
          'if-none-exist': asked.ifNoneExist,
          'if-none-match': asked.ifNoneMatch,
        } as IncomingHttpHeaders;
        const [path] = splitOnce(url, '?');
        void path;
        return this.handle(String(asked.method), url, headers, resource ? JSON.stringify(resource) : '', true);
      },
    );
    void rights;
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
          },
        })),
      },
    };
  }
}

function trimmed(resource: Resource, query: Query): unknown {
  const elements = query.find(([name]) => name === '_elements')?.[1];
  if (!elements) return resource;
  const { resourceType, id, meta } = resource;
  const kept = Object.fromEntries(elements.split(',').map((name) => [name, resource[name]]));
  return { resourceType, ...kept, id, meta: { ...meta, tag: [{ code: 'SUBSETTED' }] } };
}

function parameterIn(text: string, name: string): string | undefined {
  const list = (jsonIn(text)?.parameter ?? []) as Json[];
  const found = list.find((one) => one.name === name);
  return found && String((found.valueReference as Json)?.reference ?? found.valueString);
}

/** Starts a small gateway. */
export async function startSmallGateway(
  mutant: Mutant,
): Promise<{ base: string; gateway: SmallGateway; close: () => void }> {
  const gateway = new SmallGateway(mutant);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const target = (request.url ?? '').replace(/^\/fhir\/?/, '');
    const answer = (request.url ?? '').startsWith('/fhir')
      ? gateway.handle(request.method ?? '', target, request.headers, Buffer.concat(chunks).toString())
      : refusal(404, 'FHIR is elsewhere.');
    const text =
      typeof answer.body === 'string' ? answer.body : answer.body === undefined ? '' : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'Content-Type': 'application/fhir+json', ...answer.headers });
    response.end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  gateway.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { base: gateway.base, gateway, close };
}
