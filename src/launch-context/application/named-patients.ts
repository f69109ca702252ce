import { Injectable } from '@nestjs/common';
import type { PatientInContext } from '../../contract/launch-context.js';
import { message } from '../../contract/messages/message.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import type { ChosenResource, LaunchSources } from '../../oidc/domain/launch.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { Candidates, type ServerCandidates } from './candidates.js';

/** The patient of a request, for its pages: a user who acts for a patient sees on each of them who that is. */
@Injectable()
export class NamedPatients {
  constructor(private readonly candidates: Candidates) {}

  /** As {@link patientInContext}. */
  forRequest({ launch, tenant }: Pick<Authorization, 'launch' | 'tenant'>): Promise<PatientInContext | null> {
    return patientInContext(this.candidates.forTenant(tenant), launch);
  }
}

/**
 * Null when the user is the patient, and when there is none. Throws `unavailable` while the record cannot be read: no
 * page shows a request about a patient without the name.
 */
export async function patientInContext(
  candidates: ServerCandidates,
  { own, ehr, chosen }: LaunchSources,
): Promise<PatientInContext | null> {
  const patient = ehr?.patient ?? chosen.find(({ type }) => type === 'Patient')?.id;
  if (own !== undefined || patient === undefined) return null;
  const found = await candidates.identify(patient);
  if (!found) throw new Problem('unavailable', message('patient-unreadable'));
  const { name, birthDate, recordNumber } = found;
  return {
    id: `Patient/${patient}`,
    name,
    birthDate: birthDate || null,
    recordNumber: recordNumber || null,
    canChange: ehr?.patient === undefined,
  };
}

/** A text that changes with what the user has chosen for a request, and tells nothing of it. */
export function contextVersionOf(chosen: ChosenResource[]): string {
  return sha256(JSON.stringify(chosen.map(({ type, id }) => `${type}/${id}`).toSorted()));
}
