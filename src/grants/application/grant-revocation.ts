import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { message } from '../../contract/messages/message.js';
import type { DisclaimerReference } from '../../contract/own-record/grants.js';
import type { TakenBackBy } from '../../contract/own-record/receipts.js';
import { StandingAgreements } from '../../disclaimers/application/standing-agreements.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { GrantedPatients } from './granted-patients.js';
import { ReceiptIssue } from './receipt-issue.js';

/** The end of what a user granted. */
@Injectable()
export class GrantRevocation {
  constructor(
    private readonly consents: ConsentDecisions,
    private readonly agreements: StandingAgreements,
    private readonly revocations: Revocations,
    private readonly receipts: ReceiptIssue,
    private readonly patients: GrantedPatients,
    private readonly database: Database,
  ) {}

  /**
   * Ends the app's tokens of both formats and what it was allowed to do without asking, at once. Returns the id of the
   * receipt: that of the last end, if nothing is left to end, because the answer to the first call may have been lost.
   */
  async revokeApp(
    accountId: string,
    clientId: string,
    by: Exclude<TakenBackBy, 'everyone' | 'representation'>,
  ): Promise<string> {
    return this.database.repeatableTransaction(async () => {
      const at = await this.receipts.begin(accountId);
      const consent = await this.consents.forgetAll(accountId, clientId);
      const { any, ended } = await this.revocations.revokeApp(accountId, clientId, `ended-by-${by}`);
      if (!consent?.applied && !ended?.signIns) {
        const earlier = await this.receipts.lastId(accountId, clientId, null);
        if (earlier !== undefined) return earlier;
      }
      if (!consent && !any) throw new Problem('not-found', message('app-gone'));
      return this.receipts.issue({ accountId, clientId, consent, ended, by, at });
    });
  }

  /**
   * As {@link revokeApp}, for one patient for whom the user acts, or for the user's own record. Throws `conflict` if
   * there is none of the user's own, and some of others, which a call must name.
   */
  async revokeAppFor(
    accountId: string,
    clientId: string,
    patient: { patient: string; tenant?: string | undefined } | undefined,
  ): Promise<string> {
    const actsForOthers = (await this.patients.ofAccount(accountId)).size > 0;
    if (!patient && !actsForOthers) return this.revokeApp(accountId, clientId, 'person');
    return this.database.repeatableTransaction(async () => {
      const at = await this.receipts.begin(accountId);
      const ids = patient ? await this.patients.idsFor(accountId, patient) : [null];
      for (const of of ids) {
        const consent = await this.consents.forget(accountId, clientId, of ?? undefined);
        const { any, ended } = await this.revocations.revokeAppFor({ accountId, clientId, of }, 'ended-by-person');
        if (consent || any) {
          return this.receipts.issue({ accountId, clientId, consent, ended, by: 'person', at, representation: of });
        }
      }
      const refusal = await this.patients.refusalOf(accountId, clientId, patient);
      for (const of of refusal.kind === 'conflict' ? [] : ids) {
        const earlier = await this.receipts.lastId(accountId, clientId, of);
        if (earlier !== undefined) return earlier;
      }
      throw refusal;
    });
  }

  /** The next authorization that comes under them asks again; what was granted continues. */
  async withdrawDisclaimers(accountId: string, references: DisclaimerReference[]): Promise<void> {
    const subjects = references.map(({ tenantId = null, clientId = null, disclaimerId }) => ({
      tenantId,
      clientId,
      disclaimerId,
    }));
    await this.agreements.withdraw(accountId, subjects);
  }
}
