import { Injectable } from '@nestjs/common';
import type { AgreementRequest, DisclaimerList } from '../../contract/disclaimers.js';
import { message } from '../../contract/messages/message.js';
import { type Caller, Interactions, type OwnRequest, type Waiting } from '../../oidc/application/interactions.js';
import type { Authorization } from '../../oidc/domain/authorization.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Agreement, Agreements } from '../domain/agreement.js';
import { type Destination, type Disclaimer, type Subject, versionOf } from '../domain/disclaimer.js';
import { ConfiguredDisclaimers } from './configured-disclaimers.js';
import { OfferedTexts } from './offered-texts.js';

/** The app and tenant that the caller names; they must match. */
type Claimed = Pick<AgreementRequest, 'clientId' | 'tenantId'>;

/** The part of an authorization that decides which disclaimers apply. */
type Goal = Pick<Authorization, 'client' | 'tenant'>;

/** An agreement to the current wording of a disclaimer. */
export interface StandingAgreement {
  subject: Subject;
  disclaimer: Disclaimer;
}

/**
 * The disclaimers that users have to agree to before an app gets anything. An agreement is to a wording: another
 * wording is asked about again, and so is what was agreed to for another app or tenant.
 */
@Injectable()
export class Disclaimers {
  constructor(
    private readonly configured: ConfiguredDisclaimers,
    private readonly agreements: Agreements,
    private readonly offered: OfferedTexts,
    private readonly interactions: Interactions,
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  async request(caller: Caller, claimed: Claimed): Promise<DisclaimerList> {
    const { waiting } = await this.open(caller, claimed);
    const { client } = waiting.authorization;
    const all = this.all(waiting.authorization);
    const open = new Set(await this.openFor(waiting.authorization));
    await this.offered.keep(waiting.id, all);
    return {
      clientName: client.clientName,
      disclaimers: all.map((disclaimer) => {
        const { tenantId, clientId, disclaimerId } = disclaimer.subjectFor(client.clientId);
        const { description, html } = disclaimer;
        const hasAlreadyAgreed = !open.has(disclaimer);
        const tenantName = this.configured.nameOf(tenantId);
        return {
          id: disclaimerId,
          description,
          disclaimerHtml: html,
          hasAlreadyAgreed,
          tenantId,
          tenantName,
          clientId,
        };
      }),
    };
  }

  /** Agrees to all open disclaimers, as they were shown; any other choice is refused as a whole and changes nothing. */
  async agree(caller: Caller, { disclaimerIds: ids, ...claimed }: AgreementRequest): Promise<void> {
    const { waiting, request } = await this.open(caller, claimed);
    const { client, accountId, signIn } = waiting.authorization;
    const { clientId } = client;
    const shown = await this.offered.forInteraction(waiting.id);
    const all = this.all(waiting.authorization);
    const known = new Set(all.filter(({ id, textHash }) => shown.get(id) === textHash).map(({ id }) => id));
    const open = await this.openFor(waiting.authorization);
    const ticked = new Set(ids);
    const forged = ticked.size !== ids.length || ids.some((id) => !known.has(id));
    if (forged || ids.length === 0 || open.some(({ id }) => !ticked.has(id))) {
      await this.audit.recordRefusal({ type: 'disclaimers.agreed', clientId, detail: { count: ids.length } });
      throw new Problem('invalid', message('disclaimers-unanswered'));
    }
    await this.database.transaction(async () => {
      const now = new Date();
      await this.agreements.keep(
        open.map((disclaimer) => Agreement.give({ accountId, disclaimer, clientId, signIn, now })),
      );
      await this.interactions.passed(request, 'disclaimers');
      const detail = { disclaimers: open.map(({ id, textHash }) => ({ id, textHash })) };
      await this.audit.record({ type: 'disclaimers.agreed', outcome: 'success', clientId, detail });
    });
  }

  /** Returns the disclaimers that the user still has to agree to. */
  async openFor(authorization: Authorization): Promise<Disclaimer[]> {
    const { client, accountId, signIn } = authorization;
    const all = this.all(authorization);
    if (all.length === 0) return [];
    const agreements = await this.agreements.ofAccount(accountId);
    return all.filter(
      (disclaimer) => !agreements.some((agreement) => agreement.answers(disclaimer, client.clientId, signIn)),
    );
  }

  /** Names what an authorization comes under; another one when a disclaimer is added, removed or worded differently. */
  versionFor(authorization: Goal): string {
    return versionOf(this.all(authorization));
  }

  async agreedBy(accountId: string): Promise<StandingAgreement[]> {
    const agreements = await this.agreements.ofAccount(accountId);
    return agreements.flatMap((agreement) => {
      const { tenantId, clientId, disclaimerId } = agreement;
      const disclaimer = this.configured.meantBy(agreement);
      if (!disclaimer || !agreement.isTo(disclaimer)) return [];
      return [{ subject: { tenantId, clientId, disclaimerId }, disclaimer }];
    });
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

  private all(authorization: Goal): Disclaimer[] {
    return this.configured.forDestination(destinationOf(authorization));
  }

  private async open(caller: Caller, claimed: Claimed): Promise<{ waiting: Waiting; request: OwnRequest }> {
    const request = await this.interactions.ofCaller(caller);
    const waiting = await this.interactions.waiting(request);
    const { clientId, tenantId } = destinationOf(waiting.authorization);
    const isOther = (said: string | null | undefined, is: string | null) => said != null && said !== is;
    if (waiting.step !== 'disclaimers' || isOther(claimed.clientId, clientId) || isOther(claimed.tenantId, tenantId)) {
      throw new Problem('invalid', message('request-invalid'));
    }
    return { waiting, request };
  }
}

function destinationOf({ client, tenant }: Goal): Destination {
  return { clientId: client.clientId, tenantId: tenant ?? null };
}
