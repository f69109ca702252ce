import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { Audit } from '../../platform/audit/audit.js';
import type { Browser } from '../../platform/browser.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { interactionIdOf, returnUrlTo } from '../engine/authorization/interaction-binding.js';
import { Engine } from '../engine/engine.js';
import type { Interaction, InteractionExtras } from '../engine/shared/engine-models.js';

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
    private readonly records: OidcRecords,
    private readonly audit: Audit,
  ) {}

  /** Throws `invalid` when the interaction is unknown, expired, or another browser's. */
  async load({ returnUrl, browser }: PendingRequest): Promise<Interaction> {
    const id = interactionIdOf(returnUrl);
    const interaction = id === undefined ? undefined : await this.engine.provider.Interaction.find(id);
    const bound = (interaction as InteractionExtras | undefined)?.browser;
    const binding = browser.recall('binding');
    const isOwn = binding !== undefined && sha256(binding) === bound;
    if (interaction && !isOwn) {
      const clientId = String(interaction.params.client_id);
      await this.audit.recordRefusal({ type: 'access.refused', clientId, detail: { request: 'of another browser' } });
    }
    if (!interaction || !isOwn) throw unknownInteraction();
    return interaction;
  }

  /** The only request that waits in this browser; throws `invalid` when there is none or another one. */
  async only(browser: Browser): Promise<PendingRequest> {
    const binding = browser.recall('binding');
    const [id, another] = binding === undefined ? [] : await this.records.interactionsOf(sha256(binding));
    if (id === undefined || another !== undefined) throw unknownInteraction();
    return { browser, returnUrl: returnUrlTo(id) };
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
