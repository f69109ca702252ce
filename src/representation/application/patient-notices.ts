import { Injectable } from '@nestjs/common';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { Relationships } from '../domain/relationships.js';
import { NamedRepresentatives } from './named-representatives.js';

/** Mails to patients about who acts for them. They name no user and no kind of data. */
@Injectable()
export class PatientNotices {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly notices: SecurityNotices,
    private readonly representatives: NamedRepresentatives,
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
   * acts or acted for the patient has as well gets no mail: its reader may be the one who must not know.
   */
  async familyChanged(accountId: string, key: PatientKey): Promise<void> {
    const email = (await this.accounts.findById(accountId))?.email;
    if (!email) return;
    const others = await this.relationships.ofPatient(key);
    const known = await Promise.all(
      others.map((one) => (one.accountId === null ? undefined : this.accounts.findById(one.accountId))),
    );
    if (known.some((one) => one?.email?.toLowerCase() === email.toLowerCase())) return;
    await this.notices.send(accountId, { name: 'family-changed' });
  }
}
