import type { AccessDetail } from '../../contract/audit/access-detail.js';
import type { AuditType } from '../../contract/audit/audit-types.js';
import type { OwnEvent } from '../../contract/own-record/own-data.js';

/** An event of which the user is the actor, as it is stored. */
export interface RecordedEvent {
  at: Date;
  type: AuditType;
  outcome: 'success' | 'failure';
  userId: string;
  clientId: string | null;
  subject: string | null;
  address: string | null;
  correlationId: string | null;
  detail: Record<string, unknown>;
}

/** Types whose detail says nothing about another person. */
const aboutActor: readonly AuditType[] = [
  'login',
  'logout',
  'two-factor.proven',
  'authorization.left',
  'disclaimers.agreed',
  'disclaimer.withdrawn',
  'consent.given',
  'consent.declined',
  'token.reused',
  'token.late',
  'keys.replaced',
  'keys.removed',
];

/** The event as its actor may have it: without what it says about other people. */
export function ownEvent(event: RecordedEvent, fhirUser: string | undefined): OwnEvent {
  const { at, type, outcome, clientId, address, correlationId } = event;
  const detail = ownDetail(event, fhirUser);
  const hasDetail = detail !== undefined && Object.keys(detail).length > 0;
  return { at: at.toISOString(), type, outcome, clientId, address, correlationId, ...(hasDetail && { detail }) };
}

function ownDetail(event: RecordedEvent, fhirUser: string | undefined): Record<string, unknown> | undefined {
  const { type, detail, subject, userId } = event;
  if (type === 'record.accessed') return ownAccessDetail(detail as unknown as AccessDetail, fhirUser);
  if (subject === userId || aboutActor.includes(type)) return detail;
  return undefined;
}

/**
 * The action of an access and its kind of data. The patient is named only if the user is the only one: the address of a
 * search may name anyone.
 */
function ownAccessDetail(detail: AccessDetail, fhirUser: string | undefined): Record<string, unknown> {
  const { method, target, status, interaction, resource, patient, patients, unattended, trial, tenant } = detail;
  const [kind, id] = fhirUser?.split('/') ?? [];
  const everyone = [...(patient === undefined ? [] : [patient]), ...(patients ?? [])];
  const isOwn = kind === 'Patient' && everyone.length > 0 && everyone.every((one) => one === id);
  const always = { method, status, interaction, kind: resource?.split('/')[0], unattended, trial, tenant };
  return isOwn ? { ...always, target, resource } : always;
}
