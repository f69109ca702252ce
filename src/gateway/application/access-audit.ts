import type { AccessTokenFacts } from '../../oidc/application/access-tokens.js';
import type { AuditBatch } from '../../platform/audit/audit-batch.js';
import type { AccessDetail } from '../domain/access-event.js';
import { actionOf, classify, type FhirRequest } from '../domain/fhir-request.js';
import { Refusal } from '../domain/refusal.js';
import { asRefusal } from './failed-request.js';
import type { GatewayAnswer, GatewayRequest } from './gateway-request.js';

const longestTarget = 2_000;

/** The record of who asked the FHIR server for what. Requests without a good token are none: they reach nothing. */
export class AccessAudit {
  constructor(
    private readonly batch: AuditBatch,
    private readonly base: { tenant: string | undefined; posts: boolean },
  ) {}

  /**
   * Carries the request out and records it, with the outcome. A change is answered only once it is recorded; a read may be
   * answered a moment before.
   */
  async recorded(
    request: GatewayRequest,
    bearer: AccessTokenFacts,
    carryOut: () => Promise<GatewayAnswer>,
  ): Promise<GatewayAnswer> {
    this.batch.assertRoom();
    const found = classify(request.method, request.target);
    const fhir = found instanceof Refusal ? undefined : found;
    const answer = await carryOut().catch((error: unknown) => {
      this.add(request, bearer, fhir, asRefusal(error).status);
      throw error;
    });
    this.add(request, bearer, fhir, answer.status);
    const reads = fhir !== undefined && fhir.interaction !== 'operation' && /[rs]/.test(actionOf[fhir.interaction]);
    if (!reads && request.method !== 'GET' && request.method !== 'HEAD') await this.batch.written();
    return answer;
  }

  private add(
    { method, target }: GatewayRequest,
    { accountId, clientId, patient, fhirUser }: AccessTokenFacts,
    fhir: FhirRequest | undefined,
    status: number,
  ): void {
    const { type, id, interaction, inRecordOf } = fhir ?? {};
    const detail: AccessDetail = {
      method,
      target: target.replace(/[^\x20-\x7e]/g, '?').slice(0, longestTarget),
      status,
      ...defined({
        interaction,
        resource: id === undefined ? type : `${type}/${id}`,
        patient: patient ?? inRecordOf ?? (type === 'Patient' ? id : undefined),
        fhirUser,
        tenant: this.base.tenant,
      }),
    };
    const outcome = status < 400 ? 'success' : 'failure';
    this.batch.add({ type: 'record.accessed', outcome, userId: accountId, clientId, detail, post: this.base.posts });
  }
}

function defined<Members extends object>(members: Members): { [name in keyof Members]?: NonNullable<Members[name]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [name in keyof Members]?: NonNullable<Members[name]> };
}
