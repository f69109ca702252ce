import { Injectable } from '@nestjs/common';
import { FhirServers } from '../../fhir-server/application/fhir-servers.js';
import { AccessTokens } from '../../oidc/domain/access-tokens.js';
import type { CarriedRequest } from '../../oidc/domain/refused/named-client.js';
import { RefusedTokens } from '../../oidc/domain/refused/refused-tokens.js';
import { note } from '../../platform/activity/launch-notes.js';
import { AuditBatch } from '../../platform/audit/audit-batch.js';
import { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { nameOperation, nameOutcome } from '../../platform/metrics/measured.js';
import { RepresentedAccess } from '../../representation/application/represented-access.js';
import { Refusal } from '../domain/refusal.js';
import { ActingUsers } from './access/acting-users.js';
import { Authentication, challengeOf } from './access/authentication.js';
import { LimitedAccess } from './access/limited-access.js';
import { Operations } from './access/operations.js';
import { UnlimitedAccess } from './access/unlimited-access.js';
import { AccessAudit } from './audit/access-audit.js';
import { RefusedRequests } from './audit/refused-requests.js';
import { BinaryAccess } from './binary/binary-access.js';
import { BinaryRights } from './binary/binary-rights.js';
import { Bundles } from './bundles.js';
import { Decisions } from './decisions.js';
import { Metadata } from './documents/metadata.js';
import { OpenDocuments } from './documents/open-documents.js';
import { FhirGateway } from './fhir-gateway.js';
import { asRefusal } from './server/failed-request.js';
import type { GatewayAnswer, GatewayRequest } from './server/gateway-request.js';
import { HeldMemory } from './server/held-memory.js';
import { PagingLinks } from './server/paging-links.js';
import { fhirJson, ServerExchange } from './server/server-exchange.js';

const mb = 1024 * 1024;

/** The FHIR bases that apps see: each tenant's below the one of no tenant. The bases share only token verification. */
@Injectable()
export class GatewayBases {
  private readonly bases: readonly GatewayBase[];
  private readonly memory: HeldMemory;

  constructor(
    private readonly servers: FhirServers,
    private readonly tokens: AccessTokens,
    private readonly config: Config,
    private readonly secrets: Secrets,
    private readonly refused: RefusedTokens,
    private readonly batch: AuditBatch,
    private readonly represented: RepresentedAccess,
  ) {
    const { answerMegabytes, bodyMegabytes, heldMegabytes } = config.gateway.limits;
    const limits = { answer: answerMegabytes * mb, body: bodyMegabytes * mb, held: heldMegabytes * mb };
    this.memory = new HeldMemory(limits, config.fhir.timeoutMs);
    const bases = config.gateway.enabled ? fhirBasesOf(config) : [];
    // The longest path first: a tenant's address is also one below the base of no tenant.
    this.bases = bases.map((base) => this.assemble(base)).reverse();
  }

  /** The base that an address belongs to, and what follows it there; undefined for any other address. */
  findByUrl(url: string): { base: GatewayBase; target: string } | undefined {
    for (const base of this.bases) {
      const target = base.targetOf(url);
      if (target !== undefined) return { base, target };
    }
    return undefined;
  }

  /** Notes a request that was refused before the gateway. */
  async noteUnread(
    method: string,
    unread: { fault: string; remedy: string; configuration: string },
    carried: CarriedRequest,
  ): Promise<void> {
    await this.refused.fileApart(unread.fault, carried);
    note('gateway-unreadable', { method, type: 'the FHIR base', ...unread });
  }

  /** The host that requests must name. */
  get host(): string {
    return new URL(this.config.server.issuer).host;
  }

  /** True if answers are compressed for apps that accept it. */
  get compresses(): boolean {
    return this.config.gateway.compress;
  }

  /** The base with this URL, as clients name it; undefined while the gateway is off. */
  atUrl(url: string): GatewayBase | undefined {
    return this.bases.find((base) => base.url === url);
  }

  private assemble(base: FhirBase): GatewayBase {
    const { path, url, tenant } = base;
    const { operationsWithoutScope, postAuditEvents, stepUp } = this.config.gateway;
    const attributes = this.config.audit.attribution === 'answers';
    const server = this.servers.forTenant(tenant?.id);
    const exchange = new ServerExchange(server, url, this.config.fhir.timeoutMs, this.memory, attributes);
    const [unlimited, limited] = [new UnlimitedAccess(exchange, attributes), new LimitedAccess(exchange)];
    const { names } = exchange.server;
    const bases = [url, ...(names ? [names.base, ...names.aliases] : [])];
    const binaries = new BinaryAccess(exchange, new BinaryRights(exchange));
    const gateway = new FhirGateway(
      new Authentication(this.tokens, url, new ActingUsers(this.represented, tenant?.id, exchange)),
      new AccessAudit(
        this.batch,
        { tenant: tenant?.id, posts: postAuditEvents, attributes, memory: this.memory, bases },
        new RefusedRequests(this.tokens, this.refused, url, () => exchange.status.resourceTypes()),
      ),
      new Bundles(exchange),
      new Decisions({ exchange, binaries, operationsWithoutScope, stepUp }, new PagingLinks(this.secrets, url)),
      {
        unlimited,
        limited,
        operations: new Operations(exchange, unlimited, limited),
        binaries,
      },
    );
    return new GatewayBase(
      { path, url },
      new OpenDocuments(new Metadata(exchange, this.config), this.config, base),
      gateway,
      this.tokens,
    );
  }
}

/** One FHIR base. */
export class GatewayBase {
  constructor(
    private readonly address: { path: string; url: string },
    private readonly documents: OpenDocuments,
    private readonly gateway: FhirGateway,
    private readonly tokens: AccessTokens,
  ) {}

  /** Its URL as clients see it. */
  get url(): string {
    return this.address.url;
  }

  /** Returns the part of an address after the base; undefined for other addresses. */
  targetOf(url: string): string | undefined {
    const { path } = this.address;
    if (!url.startsWith(path)) return undefined;
    const target = url.slice(path.length);
    return target === '' || target.startsWith('/') || target.startsWith('?') ? target : undefined;
  }

  /** Always answers: what fails is an OperationOutcome with a plain sentence. */
  async handle(request: GatewayRequest): Promise<GatewayAnswer> {
    const { dpop } = request.headers;
    if (dpop === undefined) return this.handleOrRefuse(request);
    const respond = await this.handleOrRefuse(request);
    const nonce = this.tokens.renewedNonce(dpop);
    return nonce === undefined ? respond : { ...respond, headers: { 'DPoP-Nonce': nonce, ...respond.headers } };
  }

  private async handleOrRefuse(request: GatewayRequest): Promise<GatewayAnswer> {
    try {
      const document = await this.documents.handle(request).catch(async (error: unknown) => {
        throw error instanceof Refusal && error.finding ? await this.gateway.refuseDocument(request, error) : error;
      });
      if (!document) return await this.gateway.handle(request);
      nameOperation('document');
      return document;
    } catch (error) {
      return answerOf(asRefusal(error), request);
    }
  }
}

/** The answer to a request that is refused before the gateway, because of the spelling of its address. */
export function refusedByFrontDoor(status: number, sentence: string): GatewayAnswer {
  return answerOf(new Refusal(status, status === 431 ? 'too-long' : 'invalid', sentence));
}

function answerOf(refusal: Refusal, request?: GatewayRequest): GatewayAnswer {
  nameOutcome(refusal.metricOutcome);
  const challenge = request && challengeOf(refusal, request.headers);
  const headers = { 'Content-Type': fhirJson, ...refusal.headers, ...challenge };
  return { status: refusal.status, headers, body: refusal.outcome() };
}
