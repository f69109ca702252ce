import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { FlowApp } from '../../contract/authorization.js';
import type { AppElsewhere } from '../../contract/users/account.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import type { Browser } from '../../platform/request/browser.js';
import { flowAppOf } from '../domain/flow-app.js';
import { returnUrlOf, returnUrlTo } from '../engine/authorization/interaction-binding.js';
import { InteractionFacts } from './interaction-facts.js';
import { PendingInteractions, type PendingRequest, undefinedIfUnknown } from './pending-interactions.js';

/** A request as a link by mail remembers it: nothing of it gives access to the request. */
export interface RememberedRequest {
  clientId: string;
  /** SHA-256 of the id of the request. */
  requestHash: string;
}

/**
 * Clients' requests that wait while their user follows a link by mail. A request continues in the browser that started
 * it and in no other (security A-19), and for no other account than the one that has signed in to it.
 */
@Injectable()
export class WaitingRequests {
  constructor(
    private readonly pending: PendingInteractions,
    private readonly facts: InteractionFacts,
    private readonly clients: RegisteredClients,
    private readonly records: OidcRecords,
  ) {}

  /** Undefined when the request is unknown, expired, or another browser's. */
  async remembered(request: PendingRequest): Promise<RememberedRequest | undefined> {
    return undefinedIfUnknown(async () => {
      const interaction = await this.pending.load(request);
      return { clientId: String(interaction.params.client_id), requestHash: sha256(interaction.uid) };
    });
  }

  /**
   * The request of this browser with which the user of an account continues by signing in: the one that is remembered,
   * else the newest one of the same client. Without a memory it is the newest one, if no other client's waits.
   */
  async continuedBy(
    accountId: string,
    browser: Browser,
    remembered: RememberedRequest | undefined,
  ): Promise<{ returnUrl: string; app: FlowApp } | undefined> {
    const open = (await this.pending.ofBrowser(browser)).filter((one) => (one.accountId ?? accountId) === accountId);
    const [newest] = open;
    const clientId = remembered?.clientId ?? newest?.clientId;
    const ofClient = open.filter((one) => one.clientId === clientId);
    if (!remembered && ofClient.length < open.length) return undefined;
    const chosen = ofClient.find(({ hash }) => hash === remembered?.requestHash) ?? ofClient[0];
    if (!chosen) return undefined;
    return undefinedIfUnknown(async () => {
      const interaction = await this.pending.load({ browser, returnUrl: returnUrlTo(chosen.id) });
      const facts = await this.facts.describe(interaction);
      const app = flowAppOf(facts);
      return app && { app, returnUrl: returnUrlOf(chosen.id, interaction.params, facts.tenant) };
    });
  }

  /**
   * The client of a remembered request that does not continue in this browser; undefined when it is not registered (any
   * more).
   */
  async appInOtherBrowser(
    accountId: string,
    { clientId, requestHash }: RememberedRequest,
  ): Promise<AppElsewhere | undefined> {
    const client = await this.clients.findByClientId(clientId);
    if (!client) return undefined;
    const { clientName, settings } = client;
    const isWaiting = await this.records.isPendingFor(accountId, requestHash);
    return { clientName, isWaiting, startUrl: settings.initiateLoginUri || null };
  }
}
