import { Injectable } from '@nestjs/common';
import type { PausedAccess } from '../../oidc-store/infrastructure/paused-apps.js';
import { GrantedPatients, type NamedPatient } from './granted-patients.js';

/** The accesses that a user's apps have now, or get without a question. */
@Injectable()
export class AppsOfUser {
  constructor(private readonly patients: GrantedPatients) {}

  /**
   * Throws `not-found` if the app has no such access, and `conflict` if it has none to the user's own record, but to
   * those of others, which a call must name.
   */
  async find(accountId: string, clientId: string, patient?: NamedPatient): Promise<PausedAccess> {
    const all = await this.patients.accessesOf(accountId, clientId);
    for (const access of await this.named(accountId, clientId, patient)) {
      if (all.some(({ representation }) => representation === access.representation)) return access;
    }
    throw await this.patients.refusalOf(accountId, clientId, patient);
  }

  /** Those that a call may mean. */
  async named(accountId: string, clientId: string, patient?: NamedPatient): Promise<PausedAccess[]> {
    const ids = patient ? await this.patients.idsFor(accountId, patient) : [null];
    return ids.map((representation) => ({ accountId, clientId, representation }));
  }
}
