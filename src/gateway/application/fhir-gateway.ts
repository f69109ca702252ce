import type { FhirServerStatus } from '../../fhir-server/application/fhir-server-status.js';
import type { AccessTokenFacts, AccessTokens } from '../../oidc/domain/access-tokens.js';
import { InvalidProof } from '../../oidc/domain/access-tokens.js';
import { type AccessLevel, conditionOf, isLimitedCondition, refusedConditional } from '../domain/condition.js';
import { classify, type FhirRequest } from '../domain/fhir-request.js';
import type { Parameter } from '../domain/parameter.js';
import {
  forOneSearch,
  intersect,
  isPermitted,
  isPermittedByTargets,
  isUnlimited,
  type Permission,
  permissionsFor,
  permissionsOn,
  refusedRelatedType,
} from '../domain/permission.js';
import { Refusal } from '../domain/refusal.js';
import { type RelatedType, relatedTypesOf } from '../domain/related-types.js';
import { refusedHeaders } from '../domain/request-headers.js';
import { readParameters, refusedInSearch, refusedUnknown } from '../domain/search-parameters.js';
import type { AuthorizedRequest } from './access/authorized-request.js';
import type { LimitedAccess } from './access/limited-access.js';
import type { Operations } from './access/operations.js';
import { invalidProof, invalidToken, presentedToken } from './access/presented-token.js';
import type { UnlimitedAccess } from './access/unlimited-access.js';
import type { AccessAudit } from './audit/access-audit.js';
import type { Bundles } from './bundles.js';
import type { GatewayAnswer, GatewayRequest } from './server/gateway-request.js';
import type { PagingLinks } from './server/paging-links.js';
import { readText } from './server/resource-body.js';
import type { ServerExchange } from './server/server-exchange.js';

/** The FHIR server validates JWTs with clocks that differ and apps refresh late (`spec §9`: 5 minutes, here and nowhere else). */
const graceSeconds = 300;
const maxFormBytes = 64 * 1024;

/**
 * Passes a request on to a FHIR server, or refuses it. In this order, each step refusing by default: the token is
 * valid and issued for this FHIR base; the request is one interaction on one resource type; a scope covers it; the
 * server's answer stays within what the scope permits.
 */
export class FhirGateway {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly status: FhirServerStatus,
    private readonly exchange: ServerExchange,
    private readonly unlimited: UnlimitedAccess,
    private readonly limited: LimitedAccess,
    private readonly bundles: Bundles,
    private readonly operations: Operations,
    private readonly pages: PagingLinks,
    private readonly audit: AccessAudit,
    /** The base as apps see it; tokens for another one permit nothing here. */
    private readonly fhirBase: string,
  ) {}

  /** Throws a {@link Refusal} unless it has an answer. */
  async handle(request: GatewayRequest): Promise<GatewayAnswer> {
    const bearer = await this.authenticate(request);
    if (request.method !== 'POST' || !/^\/?$/.test(request.target)) {
      return this.audit.recorded(request, bearer, () => this.single(request, bearer));
    }
    // The whole is recorded beside its parts: those of a transaction are carried out together, elsewhere.
    return this.audit.recorded(request, bearer, () =>
      this.bundles.handle(request, {
        handle: (single) => this.audit.noted(single, bearer, () => this.single(single, bearer)),
        checked: (single) => this.checked(single, bearer),
      }),
    );
  }

  private async single(request: GatewayRequest, bearer: AccessTokenFacts): Promise<GatewayAnswer> {
    const fhir = this.named(request, bearer);
    const runs = fhir.operation === undefined ? undefined : this.operations.runs(fhir, bearer);
    if (runs && fhir.interaction === 'operation') {
      return this.operations.handle(await this.authorizedRequest(fhir, request, runs, bearer), bearer);
    }
    const open = this.permitted(fhir, request, bearer);
    const permissions = runs ? intersect(open.permissions, runs) : open.permissions;
    const authorized = await this.authorizedRequest(open.fhir, request, permissions, bearer);
    const relatedTypes = authorized.fhir.relatedTypes ?? [];
    for (const related of relatedTypes) {
      const refused = refusedRelatedType(related, permissions, bearer, this.fhirBase);
      if (refused) throw refused;
    }
    const reached = relatedTypes.map(({ type, action }) => permissionsOn(type, action, bearer, this.fhirBase));
    const isLimited = ![permissions, ...reached].every(isUnlimited) || this.isLimitedCondition(authorized.fhir, bearer);
    if (isLimited || fhir.inRecordOf !== undefined) this.assertKnown(authorized.fhir);
    return isLimited ? this.limited.handle(authorized) : this.unlimited.handle(authorized);
  }

  /** Classifies the request: interaction and resource type. */
  private named({ method, target, headers }: GatewayRequest, bearer: AccessTokenFacts): FhirRequest {
    const fhir = this.pages.requestOf(method, target, bearer, Date.now()) ?? given(classify(method, target));
    const refusal = refusedHeaders(fhir.interaction, method, headers);
    if (refusal) throw refusal;
    return fhir;
  }

  /** Returns the token's permissions for the request. */
  private permitted(
    fhir: FhirRequest,
    { headers }: GatewayRequest,
    bearer: AccessTokenFacts,
  ): { fhir: FhirRequest; permissions: Permission[] } {
    const permissions = given(permissionsFor(fhir, bearer, this.fhirBase));
    if (this.status.resourceTypes()?.includes(fhir.type) === false) {
      throw new Refusal(404, 'not-supported', `The FHIR server has no resources of the type ${fhir.type}.`);
    }
    const condition = given(conditionOf(fhir, headers));
    if (!condition) return { fhir, permissions };
    const opened = (action: string) => this.accessLevel(fhir.type, action, bearer);
    const refused = refusedConditional(fhir.interaction, condition, opened, {
      conditional: this.status.conditionalOn(fhir.type),
      searchParameters: this.status.searchParametersOf(fhir.type),
    });
    if (refused) throw refused;
    return { fhir: { ...fhir, condition }, permissions };
  }

  private isLimitedCondition({ type, interaction, condition }: FhirRequest, bearer: AccessTokenFacts): boolean {
    const opened = (action: string) => this.accessLevel(type, action, bearer);
    return condition !== undefined && isLimitedCondition(interaction, opened);
  }

  private accessLevel(type: string, action: string, bearer: AccessTokenFacts): AccessLevel {
    const permissions = permissionsOn(type, action, bearer, this.fhirBase);
    return isUnlimited(permissions) ? 'all' : permissions.length > 0 ? 'some' : 'none';
  }

  private opensEverything(bearer: AccessTokenFacts): boolean {
    return ['r', 's'].every((action) => this.accessLevel('*', action, bearer) === 'all');
  }

  /** When the answer is limited, the server must know every condition: one that it ignores would widen the answer. */
  private assertKnown({ interaction, type, operation, parameters }: FhirRequest): void {
    if (interaction !== 'search' || !this.status.resourceTypes()) return;
    const ofOperation = operation === 'lastn' ? ['max'] : [];
    const refused = refusedUnknown(parameters, [...this.status.searchParametersOf(type), ...ofOperation]);
    if (refused) throw refused;
  }

  /** For a part of a transaction: the version that it has to be bound to, where it is limited that way. */
  private async checked(
    request: GatewayRequest,
    bearer: AccessTokenFacts,
  ): Promise<{ fhir: FhirRequest; version: string | undefined }> {
    const { fhir, permissions } = this.permitted(this.named(request, bearer), request, bearer);
    if (isUnlimited(permissions) && !this.isLimitedCondition(fhir, bearer)) return { fhir, version: undefined };
    const version = await this.limited.check(await this.authorizedRequest(fhir, request, permissions, bearer));
    return { fhir, version };
  }

  private async authorizedRequest(
    fhir: FhirRequest,
    request: GatewayRequest,
    permissions: Permission[],
    bearer: AccessTokenFacts,
  ): Promise<AuthorizedRequest> {
    const searches = fhir.interaction === 'search';
    const parameters = await this.parametersOf(fhir, request);
    const relatedTypes = fhir.relatedTypes ?? (searches ? given(relatedTypesOf(fhir.type, parameters)) : []);
    const { condition } = fhir;
    const whole = { ...fhir, parameters, relatedTypes, ...(condition && { condition: this.forServer(condition) }) };
    return {
      fhir: whole,
      request,
      answerTypes: this.opensEverything(bearer) ? undefined : answerTypesOf(fhir.type, relatedTypes),
      permissions: searches ? forOneSearch(permissions, bearer) : permissions,
      searchParameters: this.status.searchParametersOf(fhir.type),
      permissionsTo: (action) => permissionsOn(fhir.type, action, bearer, this.fhirBase),
      permitsIncluded: (resource, found) =>
        relatedTypes.some(({ type, action, shown }) => {
          if (!shown || (type !== '*' && type !== resource.resourceType)) return false;
          const opened = permissionsOn(resource.resourceType, action, bearer, this.fhirBase);
          const { base } = this.exchange;
          return isPermitted(resource, opened, base) || isPermittedByTargets(resource, opened, found, base);
        }),
      pageLink: (url) => this.pages.linkFor(url, this.exchange.base, whole, bearer, Date.now()),
      exportLink: (url, exported) =>
        this.pages.exportLinkFor(url, this.exchange.base, whole, exported, bearer, Date.now()),
    };
  }

  private async authenticate({ headers, method, target }: GatewayRequest): Promise<AccessTokenFacts> {
    const { token, proof } = presentedToken(headers);
    const proven = proof === undefined ? undefined : { proof, method, url: this.fhirBase + target };
    try {
      const facts = await this.tokens.verify(token, { graceSeconds, proven });
      if (facts?.audience === this.fhirBase) return facts;
    } catch (error) {
      if (error instanceof InvalidProof) throw invalidProof();
      throw error;
    }
    throw invalidToken();
  }

  /** All search parameters: a search by POST may have them in its address and in its body (FHIR R4 §3.1.1.1). */
  private async parametersOf(fhir: FhirRequest, request: GatewayRequest): Promise<Parameter[]> {
    const parameters = [...fhir.parameters];
    if (fhir.interaction === 'search' && request.method === 'POST') {
      parameters.push(...given(readParameters(await readText(request, maxFormBytes))));
      const refusal = refusedInSearch(fhir.type, parameters);
      if (refusal) throw refusal;
    }
    return this.forServer(parameters);
  }

  private forServer(parameters: readonly Parameter[]): Parameter[] {
    return parameters.map(([name, value]) => [name, this.exchange.forServer(value)]);
  }
}

/** The requested type and the included ones. An OperationOutcome of the server about the request is no data. */
function answerTypesOf(type: string, relatedTypes: readonly RelatedType[]): ReadonlySet<string> {
  return new Set([
    type,
    'OperationOutcome',
    ...relatedTypes.filter(({ shown }) => shown).map((related) => related.type),
  ]);
}

function given<T>(decided: T | Refusal): T {
  if (decided instanceof Refusal) throw decided;
  return decided;
}
