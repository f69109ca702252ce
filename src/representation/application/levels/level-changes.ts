import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type { ChangeLevelRequest } from '../../../contract/representation.js';
import { withKinds } from '../../../contract/rules/representation/level-text.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { UserDirectory } from '../../../users/application/user-directory.js';
import { agesOn } from '../../domain/ages.js';
import { ownRecordsOf } from '../../domain/patient-facts.js';
import {
  assertSeen,
  fieldInvalid,
  givenBy,
  mostOf,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { PatientNotices } from '../patient-notices.js';
import { PatientRecords } from '../patient-records.js';
import { RepresentationRules } from '../representation-rules.js';

/** Patients give another level to those who act for them. */
@Injectable()
export class LevelChanges {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly notices: PatientNotices,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Changes the level of an active relationship of the patient. `prove` throws for a user who has not proven to be
   * there; it is asked for a level that permits more. Throws `conflict` if another level was given meanwhile, `invalid`
   * for one that the patient may not give, and `not-found` for a relationship of others.
   */
  async change(
    accountId: string,
    id: string,
    { seen, seenChange, ...asked }: Pick<ChangeLevelRequest, 'seen' | 'level' | 'kinds' | 'seenChange'>,
    prove: () => Promise<void>,
  ): Promise<void> {
    const before = await this.ofPatient(accountId, id);
    const level = this.levelOf(before, asked);
    const { present, choices } = await this.choicesOf(before, asked.kinds ? [level] : []);
    if (before.status !== 'active' || present !== seen) throw relationshipChanged();
    const chosen = choices.find((one) => one.level === level);
    if (!chosen) this.rules.assertGivenByServer(before, level, asked.kinds ? 'kinds' : 'level');
    if (!chosen && asked.kinds) throw fieldInvalid('kinds', 'representation-kind-not-permitted');
    if (!chosen) throw fieldInvalid('level', 'representation-level-not-offered');
    const { isMore, aboveTable } = chosen;
    if (isMore) {
      if (!(await this.relationships.canBeDecided())) {
        throw new Problem('conflict', message('representation-rules-differ'));
      }
      await prove();
    }
    await this.database.transaction(async () => {
      const current = await this.relationships.findForChange(id);
      if (current?.level !== before.level || mostOf(current) !== mostOf(before)) throw relationshipChanged();
      assertSeen(current, seenChange);
      const changed = await this.relationships.change(id, ['active'], {
        ...{ level, aboveTable },
        ...givenBy(current, { kind: 'account', id: accountId }),
      });
      if (!changed) throw relationshipChanged();
      if (isMore) await this.notices.familyChanged(accountId, changed);
      const detail = { decision: 'level', by: 'patient', from: present, level, aboveTable };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
    });
  }

  /** Whole, or with the chosen kinds. */
  private levelOf({ basis }: Relationship, { level, kinds }: Pick<ChangeLevelRequest, 'level' | 'kinds'>): string {
    if (kinds === undefined) return level;
    const problem = this.rules.kindsProblem(basis, { level, kinds, limits: [] });
    if (problem) throw fieldInvalid('kinds', problem);
    return withKinds(level, kinds);
  }

  /** Of a patient who is old enough to decide, what may be given today. */
  private async choicesOf(relationship: Relationship, further: readonly string[]) {
    const now = new Date();
    const answer = await this.records.forPatient(relationship, now);
    if (!('facts' in answer)) throw new Problem('unavailable', message('fhir-server-unavailable'));
    const today = this.rules.onDay(relationship, answer.facts.birthDate, now);
    const ages = agesOn(today.birthDate, today.day);
    if (ages && ages.least < this.rules.ownAccountFrom(relationship.tenant)) throw relationshipGone();
    return this.rules.levelChoices(relationship, today, further);
  }

  private async ofPatient(accountId: string, id: string): Promise<Relationship> {
    const [found, account] = await Promise.all([this.relationships.findById(id), this.accounts.findById(accountId)]);
    const own = account ? ownRecordsOf(account) : [];
    const isPatient = own.some(({ tenant, patient }) => tenant === found?.tenant && patient === found?.patient);
    if (!found || !isPatient) throw relationshipGone();
    return found;
  }
}
