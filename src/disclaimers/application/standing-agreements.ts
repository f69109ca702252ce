import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Agreement, Agreements } from '../domain/agreement.js';
import type { Disclaimer, Subject } from '../domain/disclaimer.js';
import { ConfiguredDisclaimers } from './configured-disclaimers.js';

/** An agreement to the current wording of a disclaimer. */
export interface StandingAgreement {
  subject: Subject;
  disclaimer: Disclaimer;
}

/** A disclaimer that an authorization comes under. */
interface Applying {
  disclaimer: Disclaimer;
  subject: Subject;
  tenantName: string | null;
  hasAlreadyAgreed: boolean;
}

/**
 * The agreements of users to disclaimers. An agreement is to a wording: another wording is asked about again, and so is
 * what was agreed to for another app or tenant.
 */
@Injectable()
export class StandingAgreements {
  constructor(
    private readonly configured: ConfiguredDisclaimers,
    private readonly agreements: Agreements,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** The disclaimers that an authorization comes under, in the order of the configuration. */
  async applyingTo(authorization: Authorization): Promise<Applying[]> {
    const disclaimers = this.configured.forAuthorization(authorization);
    if (disclaimers.length === 0) return [];
    const { client, accountId, signIn } = authorization;
    const agreements = await this.agreements.ofAccount(accountId);
    return disclaimers.map((disclaimer) => {
      const subject = disclaimer.subjectFor(client.clientId);
      return {
        disclaimer,
        subject,
        tenantName: this.configured.nameOf(subject.tenantId),
        hasAlreadyAgreed: agreements.some((agreement) =>
          agreement.isSufficientFor(disclaimer, client.clientId, signIn),
        ),
      };
    });
  }

  async agreedBy(accountId: string): Promise<StandingAgreement[]> {
    const agreements = await this.agreements.ofAccount(accountId);
    return agreements.flatMap((agreement) => {
      const { tenantId, clientId, disclaimerId } = agreement;
      const disclaimer = this.configured.bySubject(agreement);
      if (!disclaimer || !agreement.isToWordingOf(disclaimer)) return [];
      return [{ subject: { tenantId, clientId, disclaimerId }, disclaimer }];
    });
  }

  /** All agreements of a user; `disclaimer` is undefined where the wording has changed since. */
  async ofAccount(
    accountId: string,
  ): Promise<{ subject: Subject; agreedAt: Date; disclaimer: Disclaimer | undefined }[]> {
    const agreements = await this.agreements.ofAccount(accountId);
    return agreements.map((agreement) => {
      const { tenantId, clientId, disclaimerId, agreedAt } = agreement;
      const disclaimer = this.configured.bySubject(agreement);
      const isCurrent = disclaimer !== undefined && agreement.isToWordingOf(disclaimer);
      return {
        subject: { tenantId, clientId, disclaimerId },
        agreedAt,
        disclaimer: isCurrent ? disclaimer : undefined,
      };
    });
  }

  /** Stores that the user agreed to these disclaimers for this authorization. */
  async keep({ client, accountId, signIn }: Authorization, disclaimers: Disclaimer[]): Promise<void> {
    const now = new Date();
    const { clientId } = client;
    await this.agreements.keep(
      disclaimers.map((disclaimer) => Agreement.give({ accountId, disclaimer, clientId, signIn, now })),
    );
  }

  /** Withdraws all or none; the next authorization asks again. */
  async withdraw(accountId: string, subjects: Subject[]): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const agreements = await this.agreements.ofAccount(accountId);
      for (const subject of subjects) {
        const agreement = agreements.find((one) => one.isAbout(subject));
        if (!agreement || !(await this.agreements.remove(agreement))) {
          throw new Problem('not-found', message('disclaimer-gone'));
        }
        const { clientId, ...detail } = subject;
        await this.audit.record({
          type: 'disclaimer.withdrawn',
          outcome: 'success',
          clientId: clientId ?? undefined,
          detail,
        });
      }
    });
  }
}
