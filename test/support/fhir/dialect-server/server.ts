import { applyPatch } from 'rfc6902';
import type { Dialect } from '../dialects.js';
import { startUpstream, type Upstream } from '../gateway.js';
import { capabilityStatement } from './capabilities.js';
import { Exports } from './exports.js';
import { Pages } from './pages.js';
import type { Stored } from './records.js';
import { everythingOf, matching, trimmed, UnknownParameter } from './search.js';
import { ServerRefusal, Store } from './store.js';
import { transaction } from './transaction.js';
import { type Asked, type PlainAnswer, refusalIn, send } from './wire.js';

export interface DialectServer extends Upstream {
  /** The base that apps see, by which a server with `self: 'public'` names itself. */
  publicBase: string;
  /** Another name of the server, which leads to it as well. */
  readonly alias: string;
  /** What the server has stored now. */
  stored(): Stored[];
  /** Stores a new resource as it is. */
  store(resource: Omit<Stored, 'id'>): Stored;
  /** The addresses that an export lists as its files, in place of its own. */
  listed?: readonly string[];
  /** The most matches on a page, whatever is asked for. */
  longestPage?: number;
  /** Forgets all changes. */
  reset(): void;
}

/** A FHIR server with a small, fixed content (`records.ts`), which answers in the ways of a row. */
export async function startDialectServer(dialect: Dialect): Promise<DialectServer> {
  let stub: Stub;
  const upstream = await startUpstream(({ method = '', url = '', headers }, response, body, bytes) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const path = pathname.replace(/^\/r4/, '');
    const answer = stub.answer({ method, path, query: searchParams, headers, body, bytes });
    const isStatement = path === '/metadata';
    void send(response, answer, dialect, isStatement ? dialect.metadata.mediaType : dialect.mediaType);
  });
  const alias = upstream.url.replace('127.0.0.1', 'localhost');
  const server: DialectServer = Object.assign(upstream, {
    publicBase: upstream.url,
    alias,
    stored: () => stub.store.all(),
    store: (resource: Omit<Stored, 'id'>) => stub.store.add(resource),
    reset: () => {
      stub = new Stub(dialect, server);
    },
  });
  server.reset();
  return server;
}

class Stub {
  readonly store: Store;
  private readonly pages: Pages;
  private readonly exports: Exports;

  constructor(
    private readonly dialect: Dialect,
    private readonly server: DialectServer,
  ) {
    this.store = new Store(dialect.checksReferences);
    this.pages = new Pages(
      dialect,
      () => this.self,
      () => server.longestPage ?? Number.POSITIVE_INFINITY,
    );
    const store = server.alias.replace(/\/r4$/, '/store');
    this.exports = new Exports(
      () => ({
        jobs: `${this.self}/_operations/export`,
        files: dialect.exportFiles === 'base' ? `${this.self}/_files` : store,
      }),
      () => this.store.all(),
      () => server.listed,
    );
  }

  /** The base by which the server names itself. */
  private get self(): string {
    const { publicBase, alias, url } = this.server;
    return { base: url, public: publicBase, alias }[this.dialect.self];
  }

  answer(asked: Asked): PlainAnswer {
    try {
      return this.spoken(this.plain(asked));
    } catch (error) {
      if (error instanceof UnknownParameter) {
        return refusalIn(this.dialect, 400, 'invalid', `Unknown search parameter "${error.message}"`);
      }
      if (error instanceof ServerRefusal) return refusalIn(this.dialect, error.status, error.code, error.message);
      throw error;
    }
  }

  /** With references as the dialect writes them. */
  private spoken(answer: PlainAnswer): PlainAnswer {
    if (!answer.resource || this.dialect.references === 'relative') return answer;
    const text = JSON.stringify(answer.resource).replace(/"reference":"(?=[A-Z])/g, `"reference":"${this.self}/`);
    return { ...answer, resource: JSON.parse(text) as object };
  }

  private plain(asked: Asked): PlainAnswer {
    const { method, path } = asked;
    const page = method === 'GET' ? this.pages.at(path, asked.query) : undefined;
    if (page) return { status: 200, resource: page };
    if (path === '/metadata') return this.metadata(asked);
    if (path === '/' || path === '') {
      if (method !== 'POST') throw new ServerRefusal(404, 'not-found', 'There is nothing at this address');
      return transaction(asked.body, this.store, (one) => this.plain(one));
    }
    const parts = path.split('/').slice(1);
    const [type = '', id] = parts;
    if (type === '_operations') return this.exports.job(method, parts[2] ?? '');
    if (type === '_files' || type === 'store') return this.exports.file(id ?? '');
    if (parts.at(-1)?.startsWith('$')) return this.operation(asked, parts);
    if (id === '_search' || (parts.length === 1 && method === 'GET')) return this.search(type, asked);
    if (type === 'Patient' && /^[A-Z]/.test(parts[2] ?? '')) return this.search(parts[2] ?? '', asked, id);
    return id === undefined ? this.onType(type, asked) : this.onResource(asked, parts);
  }

  private metadata({ headers }: Asked): PlainAnswer {
    const { accepts } = this.dialect.metadata;
    if (accepts !== 'all' && !String(headers.accept ?? '*/*').includes(accepts)) {
      throw new ServerRefusal(406, 'not-supported', 'This media type is not supported here');
    }
    return { status: 200, resource: capabilityStatement(this.self, this.dialect) };
  }

  private search(type: string, asked: Asked, inRecordOf?: string): PlainAnswer {
    const form = asked.method === 'POST' ? [...new URLSearchParams(asked.body)] : [];
    const within: [string, string][] = inRecordOf === undefined ? [] : [['patient', inRecordOf]];
    const parameters = [...asked.query, ...form, ...within];
    const strict = /handling=strict/.test(String(asked.headers.prefer));
    const all = this.store.all();
    const found = matching(all, type, parameters, strict);
    return {
      status: 200,
      resource: this.pages.first({ type, parameters, found, all, isPosted: asked.method === 'POST' }),
    };
  }

  private onType(type: string, { method, query, headers, body, bytes }: Asked): PlainAnswer {
    const condition = method === 'POST' ? new URLSearchParams(String(headers['if-none-exist'] ?? '')) : query;
    const isConditional = method !== 'POST' || headers['if-none-exist'] !== undefined;
    const found = isConditional ? matching(this.store.all(), type, [...condition], true) : [];
    const [first, ...others] = found;
    if (others.length > 0) throw new ServerRefusal(412, 'multiple-matches', `${found.length} resources match`);
    if (method === 'DELETE') {
      if (first) this.store.delete(type, first.id, undefined);
      return { status: 204 };
    }
    if (method === 'PATCH') return this.patched(type, first?.id ?? '', { headers, body });
    const written = this.written(type, headers, body, bytes);
    if (method === 'POST' && first) return this.changed(200, first, headers);
    const id = first?.id ?? this.store.newId();
    return this.changed(first ? 200 : 201, this.store.write({ ...written, id }, undefined), headers);
  }

  private onResource(
    { method, query, headers, body, bytes }: Asked,
    [type = '', id = '', sub, version]: string[],
  ): PlainAnswer {
    if (sub === '_history' && version !== undefined) return this.resource(this.store.version(type, id, version));
    if (sub === '_history') return { status: 200, resource: this.pages.history(this.store.history(type, id)) };
    const ifMatch = headers['if-match'];
    switch (method) {
      case 'GET':
        return type === 'Binary'
          ? this.binary(this.store.read(type, id), headers)
          : this.resource(trimmed(this.store.read(type, id), [...query]), headers);
      case 'PUT': {
        const isNew = !this.store.exists(type, id);
        if (isNew && !this.dialect.updateCreate)
          throw new ServerRefusal(404, 'not-found', `${type}/${id} is not known`);
        if (isNew ? ifMatch !== undefined : headers['if-none-match'] === '*') {
          throw new ServerRefusal(412, 'conflict', `${type}/${id} ${isNew ? 'does not exist' : 'exists'}`);
        }
        const written = this.store.write({ ...this.written(type, headers, body, bytes), id }, ifMatch);
        return this.changed(isNew ? 201 : 200, written, headers);
      }
      case 'PATCH':
        return this.patched(type, id, { headers, body });
      case 'DELETE':
        this.store.delete(type, id, ifMatch);
        return { status: 204 };
      default:
        throw new ServerRefusal(405, 'not-supported', `${method} is not supported here`);
    }
  }

  private patched(type: string, id: string, { headers, body }: Pick<Asked, 'headers' | 'body'>): PlainAnswer {
    const patched = structuredClone(this.store.read(type, id));
    const failures = applyPatch(patched, JSON.parse(body)).filter((failure) => failure !== null);
    if (failures.length > 0) throw new ServerRefusal(422, 'processing', 'The patch does not fit');
    return this.changed(200, this.store.write(patched, headers['if-match']), headers);
  }

  private operation(asked: Asked, parts: string[]): PlainAnswer {
    const name = parts.at(-1);
    const [type = '', id = ''] = parts;
    const input = asked.method === 'POST' && asked.body !== '' ? inputOf(asked.body) : [];
    const parameters: [string, string][] = [...asked.query, ...input];
    const given = (wanted: string) => parameters.find(([one]) => one === wanted)?.[1];
    const all = this.store.all();
    if (name === '$everything') {
      this.store.read(type, id);
      const types = given('_type')?.split(',');
      const found = everythingOf(all, id).filter(({ resourceType }) => types?.includes(resourceType) ?? true);
      return {
        status: 200,
        resource: this.pages.first({ type: `Patient/${id}/$everything`, parameters, found, all, isPosted: false }),
      };
    }
    if (name === '$lastn') {
      const found = matching(
        all,
        'Observation',
        parameters.filter(([one]) => one !== 'max'),
        false,
      );
      return { status: 200, resource: this.pages.first({ type, parameters, found, all, isPosted: false }) };
    }
    if (name === '$docref' && this.dialect.docref) {
      const asSearch: Record<string, string> = {
        start: 'period=ge',
        end: 'period=le',
        type: 'type=',
        patient: 'patient=',
      };
      const form = parameters.flatMap(([one, value]) =>
        asSearch[one] ? [asSearch[one] + encodeURIComponent(value)] : [],
      );
      // The patient is an id there.
      if (given('patient')?.includes('/')) throw new ServerRefusal(400, 'invalid', 'The patient must be an id');
      const found = matching(all, 'DocumentReference', [...new URLSearchParams(form.join('&'))], true);
      return {
        status: 200,
        resource: this.pages.first({ type: 'DocumentReference', parameters: [], found, all, isPosted: false }),
      };
    }
    if (name === '$lookup') {
      const parameter = [{ name: 'display', valueString: String(given('code')) }];
      return { status: 200, resource: { resourceType: 'Parameters', parameter } };
    }
    if (name === '$export') return this.exports.begin(asked.headers.prefer?.toString());
    throw new ServerRefusal(404, 'not-supported', `Operation ${name} is not known`);
  }

  private written(type: string, headers: Asked['headers'], body: string, bytes: Buffer): Stored {
    const mediaType = String(headers['content-type'] ?? '');
    if (type === 'Binary' && !/json/.test(mediaType)) {
      return { resourceType: 'Binary', id: '', contentType: mediaType, data: bytes.toString('base64') };
    }
    // References below the own base are relative from then on.
    const resource = JSON.parse(body.replaceAll(`"reference":"${this.server.url}/`, '"reference":"')) as Stored;
    if (resource.resourceType !== type) throw new ServerRefusal(400, 'invalid', `The body is no ${type}`);
    return resource;
  }

  private resource(resource: Stored, headers: Asked['headers'] = {}): PlainAnswer {
    const version = this.versionHeaders(resource);
    if (version.ETag !== undefined && headers['if-none-match'] === version.ETag)
      return { status: 304, headers: version };
    return { status: 200, headers: version, resource: this.withoutVersion(resource) };
  }

  private binary(resource: Stored, headers: Asked['headers']): PlainAnswer {
    const wantsResource = /(^|[,\s])application\/(fhir\+)?json/.test(String(headers.accept ?? ''));
    const { binary } = this.dialect;
    if (binary === 'resource' || (binary === 'by-accept' && wantsResource)) return this.resource(resource);
    const bytes = Buffer.from(String(resource.data), 'base64');
    return {
      status: 200,
      headers: this.versionHeaders(resource),
      content: { type: String(resource.contentType), bytes },
    };
  }

  private changed(status: number, resource: Stored, headers: Asked['headers']): PlainAnswer {
    const wish = /return=(\w+)/.exec(String(headers.prefer))?.[1] ?? this.dialect.returns;
    const answer = { status, headers: { ...this.versionHeaders(resource), ...this.locationOf(resource) } };
    return wish === 'minimal' ? answer : { ...answer, resource: this.withoutVersion(resource) };
  }

  private locationOf({ resourceType, id, meta }: Stored): Record<string, string> {
    const plain = `${resourceType}/${id}`;
    const versioned = `${plain}/_history/${meta?.versionId}`;
    switch (this.dialect.location) {
      case 'versioned':
        return { Location: `${this.self}/${versioned}` };
      case 'unversioned':
        return { Location: `${this.self}/${plain}` };
      case 'rooted':
        return { Location: `${new URL(this.self).pathname}/${plain}` };
      case 'relative':
        return { Location: plain };
      case 'content-location':
        return { 'Content-Location': `${this.self}/${versioned}` };
    }
  }

  private versionHeaders({ meta }: Stored): Record<string, string> {
    if (!this.dialect.versions) return {};
    return { ETag: `W/"${meta?.versionId}"`, 'Last-Modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
  }

  private withoutVersion(resource: Stored): Stored {
    if (this.dialect.versions) return resource;
    const { meta: _meta, ...rest } = resource;
    return rest as Stored;
  }
}

/** The input of an operation, from a Parameters resource. */
function inputOf(body: string): [string, string][] {
  const { parameter = [] } = JSON.parse(body) as { parameter?: Record<string, unknown>[] };
  return parameter.map(({ name, ...value }) => [String(name), String(Object.values(value)[0])]);
}
