import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { message } from '../../contract/messages/message.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import type { PausedAccess } from '../../oidc-store/infrastructure/paused-apps.js';
import { Problem } from '../../platform/errors.js';
import { GrantedPatients, type NamedPatient } from './granted-patients.js';

/** The accesses that a user's apps have now, or get without a question. */
@Injectable()
export class AppsOfUser {
  constructor(
    private readonly apps: GrantedApps,
    private readonly consents: ConsentDecisions,
    private readonly patients: GrantedPatients,
  ) {}

  /**
   * Throws `not-found` if the app has no such access, and `conflict` if it has none to the user's own record, but to
   * those of others, which a call must name.
   */
  async find(accountId: string, clientId: string, patient?: NamedPatient): Promise<PausedAccess> {
    const all = await this.accessesOf(accountId, clientId);
    for (const access of await this.named(accountId, clientId, patient)) {
      if (all.some(({ representation }) => representation === access.representation)) return access;
    }
    if (!patient && all.length > 0) throw new Problem('conflict', message('app-of-patients'));
    throw new Problem('not-found', message('app-gone'));
  }

  /** Those that a call may mean. */
  async named(accountId: string, clientId: string, patient?: NamedPatient): Promise<PausedAccess[]> {
    const ids = patient ? await this.patients.idsFor(accountId, patient) : [null];
    return ids.map((representation) => ({ accountId, clientId, representation }));
  }

  private async accessesOf(accountId: string, clientId: string): Promise<{ representation: string | null }[]> {
    const [granted, decisions] = [await this.apps.ofAccount(accountId), await this.consents.ofAccount(accountId)];
    const inForce = decisions.filter((one) => one.isInForce(new Date()));
    return [...granted, ...inForce]
      .filter((one) => one.clientId === clientId)
      .map(({ representation }) => ({ representation: representation ?? null }));
  }
}
