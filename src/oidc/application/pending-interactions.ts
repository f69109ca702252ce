import { Injectable } from '@nestjs/common';
import type { ContinuationFault } from '../../contract/authorization.js';
import { message } from '../../contract/messages/message.js';
import type { PendingInteraction } from '../../oidc-store/infrastructure/oidc-record.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { Audit } from '../../platform/audit/audit.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { endOfRequest } from '../engine/authorization/ended-requests.js';
import { interactionIdOf, returnUrlTo } from '../engine/authorization/interaction-binding.js';
import { presentIdOf } from '../engine/authorization/moved-requests.js';
import { EngineSessions } from '../engine/sessions/engine-sessions.js';
import { Engine } from '../engine/shared/engine.js';
import type { Interaction, InteractionExtras } from '../engine/shared/engine-models.js';

/** Records of requests of another browser, per address: anyone can send them. */
const recorded: Limit = { name: 'interaction-foreign', points: 30, seconds: 3600 };

/** A client's request that waits in a browser. */
export interface PendingRequest {
  browser: Browser;
  returnUrl: string;
}

/** A client's request that waits for an action of this account. */
export interface OwnRequest extends PendingRequest {
  accountId: string;
}

/** The engine's interactions, as far as they belong to the browser of a call. */
@Injectable()
export class PendingInteractions {
  constructor(
    private readonly engine: Engine,
    private readonly sessions: EngineSessions,
    private readonly records: OidcRecords,
    private readonly audit: Audit,
    private readonly limits: Limits,
  ) {}

  /** Throws `invalid` when the interaction is unknown, expired, or another browser's. */
  async load({ returnUrl, browser }: PendingRequest): Promise<Interaction> {
    const id = interactionIdOf(returnUrl);
    const interaction = id === undefined ? undefined : await this.engine.provider.Interaction.find(id);
    const bound = (interaction as InteractionExtras | undefined)?.browser;
    const binding = browser.recall('binding');
    const isOwn = binding !== undefined && sha256(binding) === bound;
    if (interaction && !isOwn && (await this.limits.count(recorded, browser.addressKey)) <= recorded.points) {
      const clientId = String(interaction.params.client_id);
      await this.audit.recordRefusal({ type: 'access.refused', clientId, detail: { request: 'of another browser' } });
    }
    if (!interaction || !isOwn) throw unknownInteraction();
    return interaction;
  }

  /** Why a request cannot be continued in this browser; undefined if nothing of the request speaks against it. */
  async endOf({ returnUrl, browser }: PendingRequest): Promise<Exclude<ContinuationFault, 'client'> | undefined> {
    const id = interactionIdOf(returnUrl);
    if (id === undefined) return 'cut-address';
    const { reason, sessionUid } = await endOfRequest(this.records, id, browser.recall('binding'));
    if (reason !== 'waiting') return reason;
    const isOfSession = sessionUid === undefined || (await this.sessions.load(browser)).uid === sessionUid;
    return isOfSession ? undefined : 'other-sign-in';
  }

  /** The same request at its present step, also for a returnUrl of an earlier step. */
  async atCurrentStep<R extends PendingRequest>(request: R): Promise<R> {
    const id = interactionIdOf(request.returnUrl);
    return id === undefined ? request : { ...request, returnUrl: returnUrlTo(await presentIdOf(this.records, id)) };
  }

  /** As {@link present}, until the end of the transaction: whatever else answers or continues the request waits. */
  async lock<R extends PendingRequest>(request: R): Promise<R> {
    const present = await this.atCurrentStep(request);
    const id = interactionIdOf(present.returnUrl);
    if (id === undefined || (await this.records.findLocked('Interaction', id))) return present;
    const moved = await this.atCurrentStep(present);
    // It has moved on while this call waited for it.
    return moved.returnUrl === present.returnUrl ? present : this.lock(moved);
  }

  /** The only request that waits in this browser; throws `invalid` when there is none or another one. */
  async onlyOfBrowser(browser: Browser): Promise<PendingRequest> {
    const [one, another] = await this.ofBrowser(browser);
    if (one === undefined || another !== undefined) throw unknownInteraction();
    return { browser, returnUrl: returnUrlTo(one.id) };
  }

  /** All requests that wait in this browser, newest first. */
  async ofBrowser(browser: Browser): Promise<PendingInteraction[]> {
    const binding = browser.recall('binding');
    return binding === undefined ? [] : this.records.interactionsOf(sha256(binding));
  }
}

export function unknownInteraction(): Problem {
  return new Problem('invalid', message('request-invalid'));
}

/** Undefined instead of the error for a request that is unknown, expired, or another browser's. */
export async function undefinedIfUnknown<T>(found: () => Promise<T>): Promise<T | undefined> {
  try {
    return await found();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') return undefined;
    throw error;
  }
}
