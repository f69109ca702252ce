import { Readable } from 'node:stream';
import type { AccessTokenFacts } from '../../../oidc/domain/access-tokens.js';
import type { AuditBatch } from '../../../platform/audit/audit-batch.js';
import { type FhirRequest, tryClassify } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import { asRefusal } from '../server/failed-request.js';
import type { GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import { AccessRecord, type RecordingBase } from './access-record.js';
import type { RefusedRequests } from './refused-requests.js';

/**
 * Gets the request as it is recorded; undefined for one that is not understood, or is none of its own (a batch, a
 * sealed link).
 */
type CarryOut = (fhir: FhirRequest | undefined) => Promise<GatewayAnswer>;

/**
 * The audit record of accesses to the FHIR server. Requests without a valid token are not recorded: they reach
 * nothing.
 */
export class AccessAudit {
  constructor(
    private readonly batch: AuditBatch,
    private readonly base: RecordingBase,
    private readonly refusals: RefusedRequests,
  ) {}

  /**
   * A request without a valid token is not recorded, but told in the launch of its token. Returns the refusal that its
   * app gets.
   */
  refusedToken(request: GatewayRequest, refusal: Refusal): Promise<Refusal> {
    return this.refusals.noteToken(request, refusal);
  }

  /**
   * Carries the request out and records it, with the outcome, and gives the answer only once that is in the database.
   * Of a streamed answer each resource waits until the event that names its patients is there (decision 0061).
   */
  async carryOutRecorded(
    request: GatewayRequest,
    bearer: AccessTokenFacts,
    carryOut: CarryOut,
  ): Promise<GatewayAnswer> {
    const answer = await this.carriedOut(request, bearer, carryOut, () => this.assertWritten()).catch(
      async (error: unknown) => {
        await this.assertWritten();
        throw error;
      },
    );
    await this.assertWritten().catch((error: unknown) => {
      if (answer.body instanceof Readable) answer.body.destroy();
      throw error;
    });
    return answer;
  }

  /** The same for a part of a request that is recorded after it: no client has the answer before that. */
  carryOutPart(request: GatewayRequest, bearer: AccessTokenFacts, carryOut: CarryOut): Promise<GatewayAnswer> {
    return this.carriedOut(request, bearer, carryOut, async () => undefined);
  }

  private async carriedOut(
    request: GatewayRequest,
    bearer: AccessTokenFacts,
    carryOut: CarryOut,
    written: () => Promise<void>,
  ): Promise<GatewayAnswer> {
    this.batch.assertRoom();
    const fhir = tryClassify(request.method, request.target);
    const record = new AccessRecord(this.batch, this.base, { request, bearer, fhir });
    const answer = await carryOut(fhir).catch(async (error: unknown) => {
      const refusal = asRefusal(error);
      record.recordRefusal(refusal);
      await this.refusals.note(request, bearer, refusal, fhir);
      throw error;
    });
    if (answer.isEmptied !== undefined) await this.refusals.noteSearch(bearer, answer.isEmptied);
    return record.recordAnswer(answer, written);
  }

  private async assertWritten(): Promise<void> {
    if (await this.batch.flush()) return;
    const text = 'The access could not be recorded, so it is not answered. A change may have been made.';
    throw new Refusal(503, 'transient', text, { 'Retry-After': '2' });
  }
}
