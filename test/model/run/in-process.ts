import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation } from '../../../src/fhir-server/application/fhir-server.js';
import { FhirServers } from '../../../src/fhir-server/application/fhir-servers.js';
import { readCapabilities } from '../../../src/fhir-server/domain/capabilities.js';
import {
  type FhirServerAnswer,
  FhirServerConnection,
  FhirServerConnections,
  type FhirServerRequest,
} from '../../../src/fhir-server/domain/connection.js';
import { type ServerState, ServerStates } from '../../../src/fhir-server/domain/server-states.js';
import { type GatewayBase, GatewayBases } from '../../../src/gateway/application/gateway-bases.js';
import {
  type AccessTokenFacts,
  AccessTokens,
  type MissingScope,
  type UnknownToken,
} from '../../../src/oidc/domain/access-tokens.js';
import { RefusedTokens } from '../../../src/oidc/domain/refused/refused-tokens.js';
import { AuditBatch } from '../../../src/platform/audit/audit-batch.js';
import { configSchema } from '../../../src/platform/config/config.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { log } from '../../../src/platform/logging/log.js';
import type { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import type { Query, Representation, Resource, StepUpRule, Token } from '../decision/world.js';
import { appBase, type Capabilities, type DataServer, serverBase } from './data.js';
import { OneRelationship, sectionsOf } from './one-relationship.js';

interface Sent {
  method: string;
  path: string;
  body: string | undefined;
}

/** The FHIR server of the case at hand, without a network. It stores nothing. */
class Connection extends FhirServerConnection {
  readonly baseUrl = serverBase;
  server: DataServer | undefined;
  /** The matches on a page, if the app does not say how many. */
  onPage = Number.POSITIVE_INFINITY;
  requests: Sent[] = [];

  async send({ method, path, body, headers: asked }: FhirServerRequest): Promise<FhirServerAnswer> {
    this.requests.push({ method, path, body });
    const answer = this.answerTo(method, path, body);
    const { version } = answer;
    const isKnown = method === 'GET' && version !== undefined && asked?.['if-none-match'] === `W/"${version}"`;
    const { status, json } = isKnown ? { status: 304, json: undefined } : answer;
    const bytes = Buffer.from(json === undefined ? '' : JSON.stringify(json));
    const headers: Record<string, string | undefined> = {
      'content-type': json === undefined ? undefined : 'application/fhir+json',
      etag: version === undefined ? undefined : `W/"${version}"`,
      'content-location': status === 202 ? `${serverBase}/$export-status/1` : undefined,
    };
    return {
      status,
      headers: { get: (name) => headers[name] },
      body: Readable.from([bytes], { objectMode: false }),
      text: async () => bytes.toString(),
      bytes: async () => bytes,
      smallBody: () => bytes,
      discard() {},
    };
  }

  async close(): Promise<void> {}

  private answerTo(method: string, target: string, body = ''): { status: number; json?: unknown; version?: unknown } {
    const { server } = this;
    if (!server) throw new Error('no case is at hand');
    const [path = '', text = ''] = target.split('?');
    const query = [...new URLSearchParams(text)] as Query;
    const [type = '', id, history, version] = path.slice(1).split('/');
    const isForm = path.endsWith('/_search');
    if (type === '' && method === 'POST')
      return { status: 200, json: { resourceType: 'Bundle', type: 'transaction-response' } };
    if (path.endsWith('$export')) return { status: 202 };
    if (path.endsWith('$everything')) {
      const all = server.everything(id === '$everything' ? '' : (id ?? ''));
      return { status: 200, json: pageOf(all, query, target, this.onPage) };
    }
    if (path.includes('/$') && !listing.has(id ?? '')) return { status: 200, json: { resourceType: 'Parameters' } };
    if (method === 'GET' && history === '_history' && version === undefined)
      return { status: 200, json: historyOf(server, type, id ?? '', target) };
    if (method === 'GET' && id === '_history')
      return { status: 200, json: bundleOf('history', server.ofType(type), target) };
    if (isForm || (method === 'GET' && (id === undefined || listing.has(id)))) {
      const asked = isForm ? ([...new URLSearchParams(body)] as Query) : query;
      return { status: 200, json: searchset(server, type, asked, target, this.onPage) };
    }
    if (method === 'GET') {
      const isDeleted = version === undefined && server.isDeleted(type, id ?? '');
      if (isDeleted) return { status: 410, json: { resourceType: 'OperationOutcome' } };
      const versions = server.versions(type, id ?? '');
      const found = version === undefined ? versions.at(-1) : versions[Number(version) - 1];
      const own = (found?.meta as { versionId?: string } | undefined)?.versionId;
      return found
        ? { status: 200, json: found, version: own }
        : { status: 404, json: { resourceType: 'OperationOutcome' } };
    }
    if (method === 'DELETE' || method === 'PATCH') return { status: method === 'PATCH' ? 200 : 204 };
    return { status: method === 'POST' ? 201 : 200, json: JSON.parse(body), version: '9' };
  }
}

/** Operations that are but another search. */
const listing: ReadonlySet<string> = new Set(['$lastn', '$docref']);

/** The place of a page in the results, in the links of the server. */
const place = '_getpagesoffset';

/** A page of the matches, and the link to the next one. */
function pageOf(found: readonly Resource[], query: Query, target: string, onPage: number) {
  const asked = new Map(query);
  const from = Number(asked.get(place) ?? 0);
  const size = Number(asked.get('_count') ?? 0) || onPage;
  const bundle = { ...bundleOf('searchset', found.slice(from, from + size), target), total: found.length };
  if (found.length <= from + size) return bundle;
  const rest = new URLSearchParams(query.filter(([name]) => name !== place) as [string, string][]);
  rest.append(place, String(from + size));
  const next = { relation: 'next', url: `${serverBase}${target.split('?')[0]?.replace('/_search', '')}?${rest}` };
  return { ...bundle, link: [...bundle.link, next] };
}

function searchset(server: DataServer, type: string, query: Query, target: string, onPage: number): object {
  const found = server.find(type, query);
  const included = server.included(found, query).map((resource) => ({ resource, search: { mode: 'include' } }));
  const self = `/${type}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`;
  const bundle = pageOf(found, query, target.includes('_search') ? self : target, onPage);
  return { ...bundle, entry: [...bundle.entry, ...included] };
}

/** A deletion is a version without a resource (FHIR R4 §3.1.0.11). */
function historyOf(server: DataServer, type: string, id: string, target: string): object {
  const bundle = bundleOf('history', server.versions(type, id), target);
  if (!server.isDeleted(type, id)) return bundle;
  const entry = [...bundle.entry, { request: { method: 'DELETE', url: `${type}/${id}` } }];
  return { ...bundle, total: entry.length, entry };
}

function bundleOf(type: string, resources: readonly Resource[], target: string) {
  return {
    resourceType: 'Bundle',
    type,
    total: resources.length,
    link: [{ relation: 'self', url: serverBase + target }],
    entry: resources.map((resource) => ({ resource })),
  };
}

class Connections extends FhirServerConnections {
  constructor(private readonly connection: Connection) {
    super();
  }

  connectionTo(): FhirServerConnection {
    return this.connection;
  }

  connectionToStore(): FhirServerConnection {
    return this.connection;
  }
}

class KnownCapabilities extends ServerStates {
  constructor(private readonly state: ServerState) {
    super();
  }

  async claimCheck(): Promise<undefined> {}

  async record(): Promise<void> {}

  async read(): Promise<ServerState> {
    return this.state;
  }

  async keepStatement(): Promise<void> {}

  async keptStatement(): Promise<undefined> {}
}

/** The token of the case at hand. */
class OneToken extends AccessTokens {
  facts: AccessTokenFacts | undefined;

  async verify(): Promise<AccessTokenFacts | undefined> {
    return this.facts;
  }

  async describeRefused(): Promise<undefined> {}

  async describeUnknown(): Promise<UnknownToken> {
    return { kind: 'unknown' };
  }

  async describeMissing(): Promise<MissingScope> {
    return { remedy: '', field: '', configuration: '', isDeclined: false };
  }

  renewedNonce(): undefined {}

  async launchOf(): Promise<undefined> {}
}

/** There are no launches to note refused requests in. */
class NoLaunches extends RefusedTokens {
  async note(): Promise<undefined> {}

  async fileApart(): Promise<void> {}

  async identifyClient(): Promise<string> {
    return '';
  }

  async identify(): Promise<void> {}
}

/** Every access is recorded, nowhere. */
class NoAudit extends AuditBatch {
  constructor() {
    super(undefined as never);
  }

  override add(): void {}

  override assertRoom(): void {}

  override async flush(): Promise<boolean> {
    return true;
  }
}

/** The section `gateway` of the configuration, and the one about representatives. */
export interface GatewaySettings {
  stepUp: readonly StepUpRule[];
  operationsWithoutScope: readonly string[];
  representation?: Representation;
}

/** A request of an app. */
export interface AppRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answered {
  status: number;
  text: string;
  /** What the server was sent. */
  sent: readonly Sent[];
}

/** The real gateway, without a network: requests are handed over, and so are those to the FHIR server. */
export class InProcessGateway {
  private constructor(
    private readonly base: GatewayBase,
    private readonly connection: Connection,
    private readonly tokens: OneToken,
    private readonly represented: OneRelationship,
    private readonly servers: FhirServers,
  ) {}

  static async start(
    capabilities: Capabilities,
    { representation, ...settings }: GatewaySettings,
  ): Promise<InProcessGateway> {
    log.level = 'silent';
    const config = configSchema.parse({
      server: { issuer: new URL(appBase).origin },
      fhir: { baseUrl: serverBase },
      gateway: settings,
      audit: { attribution: 'context' },
      locale: { timeZone: 'UTC' },
      ...(representation && sectionsOf(representation)),
    });
    const connection = new Connection();
    const state = { available: true, capabilities: readCapabilities(statementOf(capabilities)), loadedAt: undefined };
    const states = new KnownCapabilities({ ...state, checkedAt: new Date() });
    const servers = new FhirServers(config, new Connections(connection), states);
    const tokens = new OneToken();
    const secrets = new Secrets(Buffer.alloc(32, 7));
    const represented = new OneRelationship(config);
    const bases = new GatewayBases(
      servers,
      tokens,
      config,
      secrets,
      new NoLaunches(),
      new NoAudit(),
      represented as unknown as RepresentedAccess,
    );
    servers.onApplicationBootstrap();
    while (!servers.forTenant(undefined).status.resourceTypes()) await sleep(1);
    const base = bases.atUrl(appBase);
    if (!base) throw new Error('the gateway is off');
    return new InProcessGateway(base, connection, tokens, represented, servers);
  }

  /** Follows the links to further pages: the answer has the entries of all. */
  async sendForAll(request: AppRequest, token: Token, server: DataServer, onPage: number): Promise<Answered> {
    this.connection.onPage = onPage;
    try {
      const first = await this.send(request, token, server);
      return first.status === 200 ? await this.withFurtherPages(first, token, server) : first;
    } finally {
      this.connection.onPage = Number.POSITIVE_INFINITY;
    }
  }

  private async withFurtherPages(first: Answered, token: Token, server: DataServer): Promise<Answered> {
    const bundle = JSON.parse(first.text);
    const entry = [...(bundle.entry ?? [])];
    // Pages without an end are told by what they have too often.
    for (let next = nextIn(bundle); next !== undefined && entry.length < mostEntries; ) {
      const page = await this.send({ method: 'GET', target: next.slice(appBase.length), headers: {} }, token, server);
      if (page.status !== 200) return page;
      const more = JSON.parse(page.text);
      entry.push(...(more.entry ?? []));
      next = nextIn(more);
    }
    return { ...first, text: JSON.stringify({ ...bundle, entry }) };
  }

  async send(
    { method, target, headers, body }: AppRequest,
    { scopes, patient, user, acr, age, relationship }: Token,
    server: DataServer,
  ): Promise<Answered> {
    const now = Date.now() / 1000;
    this.tokens.facts = {
      id: 'token',
      clientId: 'app',
      scopes,
      audience: appBase,
      expiresAt: now + 3_600,
      ...(patient !== undefined && { patient }),
      ...((user ?? relationship) !== undefined && { accountId: 'account' }),
      ...(user !== undefined && { fhirUser: `${appBase}/${user}` }),
      ...(relationship && { representation: 'relationship' }),
      ...(acr !== undefined && { acr }),
      ...(age !== undefined && { authTime: now - age }),
    } as AccessTokenFacts;
    this.represented.used = relationship;
    this.connection.server = server;
    this.connection.requests = [];
    const bytes = Buffer.from(body ?? '');
    const length = body === undefined ? {} : { 'content-length': String(bytes.length) };
    const answer = await this.base.handle({
      method,
      target,
      headers: { authorization: 'Bearer token', accept: 'application/fhir+json', ...length, ...headers },
      body: once(bytes),
      cancellation: new Cancellation(),
    });
    return { status: answer.status, text: await textOf(answer.body), sent: this.connection.requests };
  }

  close(): Promise<void> {
    return this.servers.onModuleDestroy();
  }
}

const mostEntries = 500;

function nextIn({ link = [] }: { link?: { relation: string; url: string }[] }): string | undefined {
  return link.find(({ relation }) => relation === 'next')?.url;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function textOf(body: string | Buffer | Readable | undefined): Promise<string> {
  if (!(body instanceof Readable)) return body?.toString() ?? '';
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function statementOf({ types, listed, conditional, makesByUpdate, operations }: Capabilities): object {
  const operation = (of: string | null) =>
    operations.flatMap(({ name, type }) => (type === of ? [{ name, definition: `http://hl7.org/fhir/${name}` }] : []));
  const resource = types.map((type) => ({
    type,
    searchParam: listed(type).map((name) => ({ name })),
    conditionalCreate: conditional(type).includes('create'),
    conditionalUpdate: conditional(type).includes('update'),
    conditionalDelete: conditional(type).includes('delete') ? 'single' : 'not-supported',
    updateCreate: makesByUpdate(type),
    operation: operation(type),
  }));
  const rest = [{ mode: 'server', resource, operation: operation(null) }];
  return { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest };
}
