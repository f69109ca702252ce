import { nameOperation } from '../../platform/metrics/measured.js';
import { actionsOf } from '../domain/condition.js';
import { type FhirRequest, isBinaryRead, isBundle } from '../domain/fhir-request.js';
import type { Place } from '../domain/references/addresses.js';
import { Refusal } from '../domain/refusal.js';
import type { Authentication, VerifiedToken } from './access/authentication.js';
import type { AuthorizedRequest } from './access/authorized-request.js';
import type { LimitedAccess } from './access/limited-access.js';
import type { Operations } from './access/operations.js';
import type { UnlimitedAccess } from './access/unlimited-access.js';
import type { AccessAudit } from './audit/access-audit.js';
import type { BinaryAccess } from './binary/binary-access.js';
import type { Bundles } from './bundles.js';
import type { Decisions } from './decisions.js';
import type { GatewayAnswer, GatewayRequest } from './server/gateway-request.js';
import { withoutServerWords } from './server/server-refusal.js';

/** The ways to carry out permitted requests. */
interface Access {
  unlimited: UnlimitedAccess;
  limited: LimitedAccess;
  operations: Operations;
  binaries: BinaryAccess;
}

/**
 * Passes a request on to a FHIR server, or refuses it. In this order, each step refusing by default: the token is
 * valid and issued for this FHIR base; the access can be recorded; the request is permitted (`decisions.ts`); the
 * server's answer stays within what is permitted.
 */
export class FhirGateway {
  constructor(
    private readonly authentication: Authentication,
    private readonly audit: AccessAudit,
    private readonly bundles: Bundles,
    private readonly decisions: Decisions,
    private readonly access: Access,
  ) {}

  /** Throws a {@link Refusal} unless it has an answer. */
  async handle(request: GatewayRequest): Promise<GatewayAnswer> {
    const token = await this.authenticated(request);
    const isBatch = isBundle(request.method, request.target);
    return this.audit.carryOutRecorded(request, token.facts, (fhir) => {
      // A link to a further page is none of the interactions that an address names.
      nameOperation(isBatch ? 'batch' : (fhir?.interaction ?? 'page'));
      return isBatch ? this.handleBundle(request, token) : this.handleSingle(request, token, fhir);
    });
  }

  /** Records a request for a document that the base does not have. Returns the refusal. */
  refuseDocument(request: GatewayRequest, refusal: Refusal): Promise<Refusal> {
    return this.audit.refusedToken(request, refusal);
  }

  private async authenticated(request: GatewayRequest): Promise<VerifiedToken> {
    try {
      return await this.authentication.verify(request);
    } catch (error) {
      throw error instanceof Refusal ? await this.audit.refusedToken(request, error) : error;
    }
  }

  private async handleSingle(
    request: GatewayRequest,
    token: VerifiedToken,
    fhir: FhirRequest | undefined,
  ): Promise<GatewayAnswer> {
    const authorized = await this.decisions.onRequest(request, token, fhir);
    return this.carryOut(authorized).catch((error: unknown) => {
      throw hearsServer(authorized) ? error : withoutServerWords(error, authorized.fhir.type);
    });
  }

  private carryOut(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    if (authorized.fhir.interaction === 'operation') return this.access.operations.handle(authorized);
    if (isBinaryRead(authorized.fhir)) return this.access.binaries.read(authorized);
    return authorized.isLimited ? this.access.limited.handle(authorized) : this.access.unlimited.handle(authorized);
  }

  /** The whole is recorded next to its parts: those of a transaction are carried out together, by the server. */
  private handleBundle(request: GatewayRequest, token: VerifiedToken): Promise<GatewayAnswer> {
    return this.bundles.handle(request, {
      handle: (part) => this.audit.carryOutPart(part, token.facts, (fhir) => this.handleSingle(part, token, fhir)),
      decideAll: (written) => {
        const canReadBinary = (place: Place) => this.decisions.canReadBinary(place, request, token);
        const targets = this.access.limited.targetsFor({ request, token: token.permissions, canReadBinary }, written);
        return async (part, fullUrl) => {
          const authorized = await this.decisions.onPartOfTransaction(part, token);
          if (authorized.fhir.interaction === 'operation') this.access.operations.assertRuns(authorized);
          if (!authorized.isLimited) {
            await this.access.unlimited.assertFree(authorized);
            return { authorized, binding: {}, before: () => this.access.unlimited.before(authorized) };
          }
          const checked = await this.access.limited.check(authorized, targets, fullUrl);
          return { authorized, binding: checked.binding, before: async () => checked.before };
        };
      },
      lookUp: async (part) => {
        const authorized = await this.decisions.onPartOfTransaction(part, token);
        // Where nothing is limited the condition is the server's to check.
        if (!authorized.isLimited || authorized.fhir.interaction !== 'create') return undefined;
        return { found: await this.access.limited.findExisting(authorized) };
      },
      findOne: async (target) => this.access.limited.findOne(await this.decisions.onReference(target, request, token)),
    });
  }
}

function hearsServer({ fhir, token }: AuthorizedRequest): boolean {
  return token.hearsServer(fhir.type, actionsOf(fhir));
}
