import { Injectable } from '@nestjs/common';
import type { AgreementRequest, DisclaimerList } from '../../contract/disclaimers.js';
import { message } from '../../contract/messages/message.js';
import { type Caller, Interactions, type OwnRequest, type Waiting } from '../../oidc/application/interactions.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Disclaimer } from '../domain/disclaimer.js';
import { StandingAgreements } from './standing-agreements.js';

const model = 'DisclaimerOffer';
/** The longest life of the request that they belong to. */
const lifetimeSeconds = 15 * 60;

/** The app and tenant that the caller names; they must match. */
type Claimed = Pick<AgreementRequest, 'clientId' | 'tenantId'>;

/**
 * The page on which a user agrees to the disclaimers before an app gets anything. The wordings that a request was shown
 * are remembered: nothing else can be agreed to in it (security L-03), also while nodes with an older and a newer
 * configuration run side by side.
 */
@Injectable()
export class Disclaimers {
  constructor(
    private readonly agreements: StandingAgreements,
    private readonly records: OidcRecords,
    private readonly interactions: Interactions,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async request(caller: Caller, claimed: Claimed): Promise<DisclaimerList> {
    const { waiting } = await this.open(caller, claimed);
    const all = await this.agreements.applyingTo(waiting.authorization);
    await this.keepOffered(
      waiting.id,
      all.map(({ disclaimer }) => disclaimer),
    );
    return {
      clientName: waiting.authorization.client.clientName,
      disclaimers: all.map(({ disclaimer, subject, tenantName, hasAlreadyAgreed }) => {
        const { tenantId, clientId, disclaimerId: id } = subject;
        const { description, html: disclaimerHtml } = disclaimer;
        return { id, description, disclaimerHtml, hasAlreadyAgreed, tenantId, tenantName, clientId };
      }),
    };
  }

  /** Agrees to all open disclaimers, as they were shown; any other choice is refused as a whole and changes nothing. */
  async agree(caller: Caller, { disclaimerIds: ids, ...claimed }: AgreementRequest): Promise<void> {
    const { waiting, request } = await this.open(caller, claimed);
    const { authorization } = waiting;
    const { clientId } = authorization.client;
    const shown = await this.offeredIn(waiting.id);
    const all = await this.agreements.applyingTo(authorization);
    const known = new Set(all.flatMap(({ disclaimer: { id, textHash } }) => (shown.get(id) === textHash ? [id] : [])));
    const open = all.filter(({ hasAlreadyAgreed }) => !hasAlreadyAgreed).map(({ disclaimer }) => disclaimer);
    const ticked = new Set(ids);
    const forged = ticked.size !== ids.length || ids.some((id) => !known.has(id));
    if (forged || ids.length === 0 || open.some(({ id }) => !ticked.has(id))) {
      await this.audit.recordRefusal({ type: 'disclaimers.agreed', clientId, detail: { count: ids.length } });
      throw new Problem('invalid', message('disclaimers-unanswered'));
    }
    await this.database.transaction(async () => {
      await this.agreements.keep(authorization, open);
      await this.interactions.goOnAfter(request, 'disclaimers');
      const detail = { disclaimers: open.map(({ id, textHash }) => ({ id, textHash })) };
      await this.audit.record({ type: 'disclaimers.agreed', outcome: 'success', clientId, detail });
      this.database.afterCommit(() => note('disclaimers-agreed', { count: open.length }));
    });
  }

  private async open(caller: Caller, claimed: Claimed): Promise<{ waiting: Waiting; request: OwnRequest }> {
    const request = await this.interactions.ofCaller(caller);
    const waiting = await this.interactions.waiting(request);
    const { client, tenant = null } = waiting.authorization;
    const isOther = (claimedId: string | null | undefined, actual: string | null) =>
      claimedId != null && claimedId !== actual;
    const isOtherGoal = isOther(claimed.clientId, client.clientId) || isOther(claimed.tenantId, tenant);
    if (waiting.step !== 'disclaimers' || isOtherGoal) {
      throw new Problem('invalid', message('request-invalid'));
    }
    return { waiting, request };
  }

  private async keepOffered(interactionId: string, disclaimers: Disclaimer[]): Promise<void> {
    const texts = Object.fromEntries(disclaimers.map(({ id, textHash }) => [id, textHash]));
    await this.records.upsert(model, interactionId, { texts }, lifetimeSeconds);
  }

  /** Hashes by id. */
  private async offeredIn(interactionId: string): Promise<ReadonlyMap<string, string>> {
    const found = await this.records.findById(model, interactionId);
    return new Map(Object.entries((found?.payload.texts as Record<string, string> | undefined) ?? {}));
  }
}
