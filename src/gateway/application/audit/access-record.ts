import { pipeline, Readable } from 'node:stream';
import type { AccessDetail } from '../../../contract/audit/access-detail.js';
import type { AccessTokenFacts } from '../../../oidc/domain/access-tokens.js';
import type { AuditBatch } from '../../../platform/audit/audit-batch.js';
import { requestContext } from '../../../platform/request/scope.js';
import { type AnswerShape, AttributedAnswer } from '../../domain/answers/attributed-answer.js';
import { Attribution, type SeenPatients } from '../../domain/answers/attribution.js';
import { HeldBytes } from '../../domain/answers/held-bytes.js';
import { actionOf, type FhirRequest } from '../../domain/fhir-request.js';
import { Refusal } from '../../domain/refusal.js';
import type { GatewayAnswer, GatewayRequest } from '../server/gateway-request.js';
import type { HeldMemory } from '../server/held-memory.js';
import { unusableAnswer } from '../server/server-failures.js';
import { ServerRefusal } from '../server/server-refusal.js';
import { accessPostJobs } from './access-posts.js';

const longestTarget = 2_000;
const longestWords = 4_000;

/** The settings of the record of accesses at one FHIR base. */
export interface RecordingBase {
  tenant: string | undefined;
  /** True if AuditEvents are posted to the FHIR server. */
  posts: boolean;
  /** True if all patients whose data is in an answer are recorded (`audit.attribution: answers`). */
  attributes: boolean;
  /** The memory in which answers are held until they are recorded. */
  memory: HeldMemory;
  /** The FHIR server's base and the one that clients see. */
  bases: readonly string[];
}

interface Access {
  request: GatewayRequest;
  bearer: AccessTokenFacts;
  fhir: FhirRequest | undefined;
}

interface MoreDetail {
  export?: string | undefined;
  serverWords?: string;
}

/** The events of one access: one, or several where an answer is about many patients. */
export class AccessRecord {
  /** A streamed answer passes in calls that belong to no request. */
  private readonly context = requestContext.getStore();
  private events = 0;

  constructor(
    private readonly batch: AuditBatch,
    private readonly base: RecordingBase,
    private readonly access: Access,
  ) {}

  /** Records a request that failed: about the patient in context, or else the one that the address names. */
  recordRefusal(refusal: Refusal): void {
    const words = refusal instanceof ServerRefusal ? refusal.withheldWords : undefined;
    const { status } = refusal;
    const told = words?.slice(0, longestWords).replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD');
    this.addInContext({ status, headers: {} }, told === undefined ? {} : { serverWords: told });
  }

  /**
   * Records an answer and returns it. A streamed one waits for `written` each time that it brings a patient who is in
   * no event yet, and before its end.
   */
  async recordAnswer(
    { record = {}, parsed, ...answer }: GatewayAnswer,
    written: () => Promise<void>,
  ): Promise<GatewayAnswer> {
    if (!this.base.attributes) {
      this.addInContext(answer, { export: record.export });
      return answer;
    }
    const attribution = new Attribution(this.base.bases);
    attribution.addChanged(record.before ?? []);
    attribution.addChanged(record.after ?? []);
    this.addNamed(attribution, answer);
    const add = () => {
      const events = attribution.takeEvents();
      if (events.length === 0 && this.events === 0) events.push({ patients: [], seen: [] });
      for (const event of events) this.add(answer, { ...event, export: record.export });
    };
    const { body } = answer;
    const isSent = this.access.request.method !== 'HEAD' && body !== undefined && !record.isInParts;
    if (isSent && record.about) {
      for (const resource of record.about) attribution.add(resource);
    } else if (isSent && body instanceof Readable) {
      const memory = this.base.memory.forRequest(this.access.request.cancellation);
      const recordMore = () => {
        add();
        return written();
      };
      const held = new HeldBytes(memory.limits);
      const attributed = new AttributedAnswer(attribution, this.shapeOf(answer), recordMore, held);
      // A failure on one side ends the other; the reader of the answer sees it there.
      pipeline(body, attributed, () => undefined);
      await attributed.begun.catch((error: unknown) => {
        if (error instanceof Refusal) throw error;
        throw this.brokenAnswer();
      });
      return { ...answer, body: attributed };
    } else if (isSent && parsed !== undefined) attribution.add(parsed);
    else if (isSent && body) attribution.addText(body.toString());
    add();
    return answer;
  }

  /** A change names the patient by its address, or by that of the resource that it made. */
  private addNamed(attribution: Attribution, { headers }: GatewayAnswer): void {
    const { fhir } = this.access;
    if (fhir?.type !== 'Patient' || !changes.has(actionOf[fhir.interaction])) return;
    const id = fhir.id ?? placeIn(headers, 'Patient')?.split('/')[1];
    if (id !== undefined && attribution.isEmpty) attribution.addChanged([{ resourceType: 'Patient', id }]);
  }

  private shapeOf({ headers }: GatewayAnswer): AnswerShape {
    if (headers['Content-Type']?.includes('ndjson')) return 'lines';
    const { interaction } = this.access.fhir ?? {};
    return interaction === 'read' || interaction === 'vread' ? 'resource' : 'entries';
  }

  /** The answer ended before any of it was passed on. */
  private brokenAnswer(): Refusal {
    const refusal = unusableAnswer('an answer broke off before its first resource');
    if (this.events === 0) this.recordRefusal(refusal);
    return refusal;
  }

  private addInContext(answer: Pick<GatewayAnswer, 'status' | 'headers'>, more: MoreDetail): void {
    const patient = this.patientInContext();
    this.add(answer, { ...(patient !== undefined && { patients: [patient] }), ...more });
  }

  private patientInContext(): string | undefined {
    const { bearer, fhir } = this.access;
    return bearer.patient ?? fhir?.inRecordOf ?? (fhir?.type === 'Patient' ? fhir.id : undefined);
  }

  private add(
    { status, headers }: Pick<GatewayAnswer, 'status' | 'headers'>,
    more: Partial<SeenPatients> & MoreDetail,
  ): void {
    const { request, bearer, fhir } = this.access;
    const { accountId, clientId, fhirUser, launchId, isUnattended, patientSource, representation } = bearer;
    const { type, id, interaction } = fhir ?? {};
    this.events += 1;
    const detail: AccessDetail = {
      method: request.method,
      target: request.target.replace(/[^\x20-\x7e]/g, '?').slice(0, longestTarget),
      status,
      ...defined({
        interaction,
        resource: id === undefined ? (placeIn(headers, type) ?? type) : `${type}/${id}`,
        patient: this.patientInContext(),
        ...more,
        part: this.events > 1 ? this.events : undefined,
        launch: launchId,
        patientSource: bearer.patient === undefined ? undefined : patientSource,
        representation,
        unattended: isUnattended ? (true as const) : undefined,
        trial: request.trialOf === undefined ? undefined : (true as const),
        fhirUser,
        tenant: this.base.tenant,
      }),
    };
    const outcome = status < 400 ? 'success' : 'failure';
    const job = this.base.posts ? accessPostJobs(this.base.tenant) : undefined;
    const event = {
      type: 'record.accessed',
      outcome,
      userId: request.trialOf ?? accountId,
      clientId,
      detail,
      job,
    } as const;
    if (this.context) requestContext.run(this.context, () => this.batch.add(event));
    else this.batch.add(event);
  }
}

const changes = new Set(['c', 'u', 'd']);

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
