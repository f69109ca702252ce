import { Readable } from 'node:stream';
import type { AccessDetail } from '../../../contract/audit/access-detail.js';
import type { AccessTokenFacts } from '../../../oidc/domain/access-tokens.js';
import type { AuditBatch } from '../../../platform/audit/audit-batch.js';
import { type FhirRequest, tryClassify } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import { asRefusal } from '../server/failed-request.js';
import type { GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import { accessPostJobs } from './access-posts.js';
import type { RefusedRequests } from './refused-requests.js';

const longestTarget = 2_000;

/** Gets the request as it is recorded; undefined for one that is not understood, or is none of its own (a batch, a sealed link). */
type CarryOut = (fhir: FhirRequest | undefined) => Promise<GatewayAnswer>;

/**
 * The audit record of accesses to the FHIR server. Requests without a valid token are not recorded: they reach
 * nothing.
 */
export class AccessAudit {
  constructor(
    private readonly batch: AuditBatch,
    private readonly base: { tenant: string | undefined; posts: boolean },
    private readonly refusals: RefusedRequests,
  ) {}

  /** A request without a valid token is not recorded, but told in the launch of its token. */
  refusedToken(request: GatewayRequest, refusal: Refusal): Promise<void> {
    return this.refusals.noteToken(request, refusal);
  }

  /** Carries the request out and records it, with the outcome, and gives the answer only once that is in the database. */
  async recorded(request: GatewayRequest, bearer: AccessTokenFacts, carryOut: CarryOut): Promise<GatewayAnswer> {
    const answer = await this.noted(request, bearer, carryOut).catch(async (error: unknown) => {
      await this.assertWritten();
      throw error;
    });
    await this.assertWritten().catch((error: unknown) => {
      if (answer.body instanceof Readable) answer.body.destroy();
      throw error;
    });
    return answer;
  }

  /** The same for a part of a request that is recorded after it: no client has the answer before that. */
  async noted(request: GatewayRequest, bearer: AccessTokenFacts, carryOut: CarryOut): Promise<GatewayAnswer> {
    this.batch.assertRoom();
    const fhir = tryClassify(request.method, request.target);
    const answer = await carryOut(fhir).catch(async (error: unknown) => {
      const refusal = asRefusal(error);
      this.add(request, bearer, fhir, refusal.status);
      await this.refusals.note(request, bearer, refusal, fhir);
      throw error;
    });
    this.add(request, bearer, fhir, answer.status, answer.headers);
    return answer;
  }

  private async assertWritten(): Promise<void> {
    if (await this.batch.written()) return;
    const text = 'What was done cannot be recorded at the moment, so it is not answered. A change may have been made.';
    throw new Refusal(503, 'transient', text, { 'Retry-After': '2' });
  }

  private add(
    { method, target }: GatewayRequest,
    { accountId, clientId, patient, fhirUser }: AccessTokenFacts,
    fhir: FhirRequest | undefined,
    status: number,
    headers: GatewayAnswer['headers'] = {},
  ): void {
    const { type, id, interaction, inRecordOf } = fhir ?? {};
    const detail: AccessDetail = {
      method,
      target: target.replace(/[^\x20-\x7e]/g, '?').slice(0, longestTarget),
      status,
      ...defined({
        interaction,
        resource: id === undefined ? (placeIn(headers, type) ?? type) : `${type}/${id}`,
        patient: patient ?? inRecordOf ?? (type === 'Patient' ? id : undefined),
        fhirUser,
        tenant: this.base.tenant,
      }),
    };
    const outcome = status < 400 ? 'success' : 'failure';
    const job = this.base.posts ? accessPostJobs(this.base.tenant) : undefined;
    this.batch.add({ type: 'record.accessed', outcome, userId: accountId, clientId, detail, job });
  }
}

/** Returns `Type/id` of a resource that the server made or changed without being told its id. */
function placeIn({ location, 'content-location': other }: GatewayAnswer['headers'], type = ''): string | undefined {
  const [, place] =
    /(?:^|\/)([A-Z][A-Za-z]{0,63}\/[A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(location ?? other ?? '') ?? [];
  return place?.startsWith(`${type}/`) ? place : undefined;
}

function defined<Members extends object>(members: Members): { [name in keyof Members]?: NonNullable<Members[name]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [name in keyof Members]?: NonNullable<Members[name]> };
}
