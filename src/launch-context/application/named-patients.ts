import { Injectable } from '@nestjs/common';
import type { ActingFor, PatientInContext } from '../../contract/launch-context.js';
import { message } from '../../contract/messages/message.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import type { ChosenResource, Represented } from '../../oidc/domain/launch.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { RepresentationRules } from '../../representation/application/representation-rules.js';
import { Candidates } from './candidates.js';

/** The patient of a request, for its pages: a user who acts for a patient sees on each of them who that is. */
@Injectable()
export class NamedPatients {
  constructor(
    private readonly candidates: Candidates,
    private readonly rules: RepresentationRules,
  ) {}

  /**
   * Null when the user is the patient, and when there is none. Throws `unavailable` while the record cannot be read: no
   * page shows a request about a patient without the name.
   */
  async forRequest({ launch, tenant }: Pick<Authorization, 'launch' | 'tenant'>): Promise<PatientInContext | null> {
    const { own, ehr, chosen, acting } = launch;
    const patient = ehr?.patient ?? chosen.find(({ type }) => type === 'Patient')?.id;
    if (own !== undefined || patient === undefined) return null;
    const found = await this.candidates.forTenant(tenant).identify(patient);
    if (!found) throw new Problem('unavailable', message('patient-unreadable'));
    const { name, birthDate, recordNumber } = found;
    return {
      id: `Patient/${patient}`,
      name,
      birthDate: birthDate || null,
      recordNumber: recordNumber || null,
      canChange: ehr?.patient === undefined,
      ...(acting && { acting: this.actingFor({ ...acting, tenant }, birthDate || undefined) }),
    };
  }

  private actingFor(acting: Represented & { tenant: string | undefined }, birthDate: string | undefined): ActingFor {
    const { levels, relationship } = acting;
    const limiting = levels.filter(({ kinds }) => kinds !== 'full');
    return {
      relation: this.rules.relationWords(acting).patient,
      basis: this.rules.basis(acting.basis)?.label ?? '',
      relationship,
      changesOn: this.rules.soonChange(
        { ...acting.underAges, basis: acting.basis, tenant: acting.tenant },
        birthDate,
        new Date(),
      ),
      levels: [...new Set((limiting.length > 0 ? limiting : levels).map(({ label }) => label))],
    };
  }
}

/**
 * A text that changes with what the user has chosen for a request, and with what the user who acts for a patient may
 * see of it; it tells nothing of them.
 */
export function contextVersionOf(chosen: ChosenResource[], acting?: Represented): string {
  const resources = chosen.map(({ type, id }) => `${type}/${id}`).toSorted();
  const levels = acting?.levels.map(({ id }) => id);
  return sha256(JSON.stringify(levels ? [resources, levels] : resources));
}
