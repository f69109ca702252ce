import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RegisteredClients } from '../../../src/clients/application/registered-clients.js';
import type { AccessDetail } from '../../../src/contract/audit/access-detail.js';
import { FhirServers } from '../../../src/fhir-server/application/fhir-servers.js';
import { type Check, type ServerState, ServerStates } from '../../../src/fhir-server/domain/server-states.js';
import { UndiciConnections } from '../../../src/fhir-server/infrastructure/undici-connection.js';
import { GatewayBases } from '../../../src/gateway/application/gateway-bases.js';
import { Gateway } from '../../../src/gateway/http/gateway.handler.js';
import { TokenFaults } from '../../../src/oidc/application/token-faults.js';
import {
  type AccessTokenFacts,
  AccessTokens,
  type MissingScope,
  type RefusedToken,
  type UnknownToken,
} from '../../../src/oidc/domain/access-tokens.js';
import { StrayRecords } from '../../../src/platform/activity/stray-records.js';
import { AuditBatch, type BatchedEvent } from '../../../src/platform/audit/audit-batch.js';
import { type Config, configSchema } from '../../../src/platform/config/config.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { ClientAddress } from '../../../src/platform/http/client-address.js';
import { frontDoor, type Handler } from '../../../src/platform/http/front-door.js';
import { Outbound } from '../../../src/platform/http/outbound.js';
import { Languages } from '../../../src/platform/language/languages.js';
import { log } from '../../../src/platform/logging/log.js';
import type { RepresentedAccess } from '../../../src/representation/application/represented-access.js';

export interface TestGateway {
  /** The FHIR base that apps see. */
  base: string;
  /** The record of accesses. */
  audit: ListedAudit;
  /** A token with this content. */
  tokenFor(scope: string, facts?: Partial<AccessTokenFacts>): string;
  fetch(path: string, token?: string, init?: RequestInit): Promise<Response>;
  /** Lets the gateway read the server's CapabilityStatement, which it otherwise does not do here. */
  loadCapabilities(): Promise<void>;
  close(): Promise<void>;
}

/** Known tokens by their text, instead of those of the engine. */
class KnownTokens extends AccessTokens {
  readonly known = new Map<string, AccessTokenFacts>();

  async verify(token: string): Promise<AccessTokenFacts | undefined> {
    return this.known.get(token);
  }

  async describeRefused(token: string): Promise<RefusedToken | undefined> {
    const found = this.known.get(token);
    const fine = {
      heldReason: undefined,
      isPaused: false,
      isBound: false,
      lacksBinding: false,
      end: undefined,
    } as const;
    return found && { ...found, ...fine, client: 'enabled', account: 'usable' };
  }

  async describeUnknown(): Promise<UnknownToken> {
    return { kind: 'unknown' };
  }

  async describeMissing(): Promise<MissingScope> {
    return { remedy: '', field: '', configuration: '', isDeclined: false };
  }

  renewedNonce(): undefined {
    return undefined;
  }

  async launchOf(): Promise<undefined> {
    return undefined;
  }
}

/** The state of a single node. */
class OwnState extends ServerStates {
  private state: ServerState | undefined;

  async claimCheck(): Promise<number> {
    return 0;
  }

  async record(_baseUrl: string, { isUp, capabilities = this.state?.capabilities }: Check): Promise<void> {
    this.state = { available: isUp, capabilities, loadedAt: undefined, checkedAt: new Date() };
  }

  async read(): Promise<ServerState | undefined> {
    return this.state;
  }

  async keepStatement(): Promise<void> {}

  async keptStatement(): Promise<undefined> {
    return undefined;
  }
}

/** Audit events are listed and not stored, because there is no database. */
class ListedAudit extends AuditBatch {
  readonly events: BatchedEvent[] = [];
  /** Answers whether the events are written. */
  isWritten = async (): Promise<boolean> => true;

  constructor() {
    super(undefined as never);
  }

  override add(event: BatchedEvent): void {
    this.events.push(event);
  }

  override flush(): Promise<boolean> {
    return this.isWritten();
  }

  /** The recorded accesses since the last call. */
  taken(): AccessDetail[] {
    return this.events.splice(0).map(({ detail }) => detail as AccessDetail);
  }
}

/** What relationships permit, in place of stored ones. */
export type StatedRelationships = Pick<RepresentedAccess, 'forRequest' | 'protection'>;

const noRelationships: StatedRelationships = {
  protection: undefined,
  forRequest: async () => ({ permitted: false, cause: 'off' }),
};

/** The section `gateway` of the configuration, with the sections `audit` and `outbound` in it. */
interface GatewaySettings {
  audit?: object;
  outbound?: object;
  represented?: StatedRelationships;
  [key: string]: unknown;
}

/** The real gateway in front of `baseUrl`, without the rest of the portal. */
export async function startGateway(
  baseUrl: string | undefined,
  fhir: object = {},
  { audit: auditSettings = {}, outbound = {}, represented = noRelationships, ...gatewaySettings }: GatewaySettings = {},
): Promise<TestGateway> {
  log.level = process.env.GATEHOUSE_TEST_LOG ?? 'silent';
  const server = createServer();
  const issuer = await listen(server);
  const config: Config = configSchema.parse({
    server: { issuer },
    fhir: { baseUrl, ...fhir },
    gateway: gatewaySettings,
    audit: auditSettings,
    outbound,
  });
  const servers = new FhirServers(
    config,
    new UndiciConnections(new Outbound(config.outbound.allowedPrivateHosts)),
    new OwnState(),
  );
  const tokens = new KnownTokens();
  const base = `${issuer}/fhir`;
  const noClients = { firstRegistered: async () => undefined } as Partial<RegisteredClients> as RegisteredClients;
  const audit = new ListedAudit();
  const secrets = new Secrets(Buffer.alloc(32, 7));
  const refused = new TokenFaults(tokens, secrets, new StrayRecords(secrets), noClients);
  const bases = new GatewayBases(servers, tokens, config, secrets, refused, audit, represented as RepresentedAccess);
  const gateway = new Gateway(bases);
  server.on(
    'request',
    frontDoor(issuer, { addresses: new ClientAddress([]), languages: new Languages([]) }, [gateway, elsewhere]),
  );
  return {
    base,
    audit,
    tokenFor(scope, facts = {}) {
      const id = `token-${tokens.known.size}`;
      const scopes = scope.split(' ');
      const expiresAt = Math.floor(Date.now() / 1000) + 3600;
      tokens.known.set(id, { id, clientId: 'app', scopes, audience: base, expiresAt, ...facts });
      return id;
    },
    fetch: (path, token, init = {}) =>
      fetch(base + path, {
        ...init,
        headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers },
      }),
    async loadCapabilities() {
      servers.onApplicationBootstrap();
      while (!servers.forTenant(undefined).status.resourceTypes()) await sleep(20);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await servers.onModuleDestroy();
    },
  };
}

/** The rest of the portal knows no address that these tests ask for. */
const elsewhere: Handler = {
  isFor: () => true,
  kindOf: () => undefined,
  handle: (_request, response) => void response.writeHead(404).end(),
};

export interface Upstream {
  url: string;
  /** The received requests of the gateway, newest last. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  close(): void;
}

/** A FHIR server whose answers the test decides, also wrong ones. */
export async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse, body: string, bytes: Buffer) => void,
): Promise<Upstream> {
  const requests: Upstream['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString();
    const { method = '', url = '', headers } = request;
    // The node itself looks every few seconds if its server is there.
    const isProbe = method === 'GET' && url === '/r4';
    if (!isProbe) requests.push({ method, url, headers, body });
    answer(request, response, body, bytes);
  });
  const url = await listen(server);
  return {
    url: `${url}/r4`,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
