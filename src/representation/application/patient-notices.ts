import { Injectable } from '@nestjs/common';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { agesOn, dayIn } from '../domain/ages.js';
import type { PatientKey } from '../domain/patient-facts.js';
import type { Relationship } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import { NamedRepresentatives } from './named-representatives.js';
import { RepresentationRules } from './representation-rules.js';

/**
 * `family-changed`: something has changed; `family-changes`: something will, or needs an answer;
 * `record-seen-in-error`: a user acted for the patient who should not have.
 */
type Name = 'family-changed' | 'family-changes' | 'record-seen-in-error';

/** Mails about who acts for a patient, to both sides. They name no user, no kind of data and no day. */
@Injectable()
export class PatientNotices {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly notices: SecurityNotices,
    private readonly representatives: NamedRepresentatives,
    private readonly rules: RepresentationRules,
  ) {}

  /**
   * Tells the patient that an app was connected for them, in the caller's transaction: at the addresses of the
   * patient's own accounts, unless the patient is too young to be told (`representation.ownAccountFrom`).
   */
  async appConnected(relationship: string): Promise<void> {
    const found = await this.relationships.findById(relationship);
    if (!found) return;
    const { tenant, patient } = found;
    const own = await this.accounts.withRecord(`Patient/${patient}`, tenant);
    if (own.length === 0 || (await this.representatives.areHiddenFrom([found]))) return;
    for (const { id } of own) await this.familyChanged(id, { tenant, patient });
  }

  /**
   * Tells the patient's account that something changed, in the caller's transaction. An address that an account which
   * acts or acted for the patient has or had as well gets no mail: its reader may be the one who must not know. Returns
   * true if a mail is sent.
   */
  async familyChanged(accountId: string, key: PatientKey, name: Name = 'family-changed'): Promise<boolean> {
    const email = (await this.accounts.findById(accountId))?.email;
    if (!email || (await this.relationships.hasAddress(key, email))) return false;
    return this.notices.send(accountId, { name });
  }

  /** Tells the patient of an approval in error, at any age. Returns true if a mail is sent. */
  async seenInError(key: PatientKey): Promise<boolean> {
    const own = await this.accounts.withRecord(`Patient/${key.patient}`, key.tenant);
    const sent = await Promise.all(own.map(({ id }) => this.familyChanged(id, key, 'record-seen-in-error')));
    return sent.some(Boolean);
  }

  /** True if the yearly question about it goes to the patient: one who chose the helper, and has an account. */
  async isPatientAsked({ basis, tenant, patient }: Relationship): Promise<boolean> {
    if (!this.rules.isChosenByPatient(basis)) return false;
    return (await this.accounts.withRecord(`Patient/${patient}`, tenant)).length > 0;
  }

  /** Tells the patient, in the caller's transaction, if the patient has an account and the age to be told. */
  async tellPatient(key: PatientKey, birthDate: string | undefined, at: Date, name: Name): Promise<void> {
    const ages = agesOn(birthDate, dayIn(at, this.rules.timeZone(key.tenant)));
    if (ages && ages.least < this.rules.ownAccountFrom(key.tenant)) return;
    const own = await this.accounts.withRecord(`Patient/${key.patient}`, key.tenant);
    for (const { id } of own) await this.familyChanged(id, key, name);
  }

  /** Tells the representative, in the caller's transaction. */
  async tellRepresentative({ accountId }: Relationship, name: Name): Promise<void> {
    if (accountId !== null) await this.notices.send(accountId, { name });
  }
}
