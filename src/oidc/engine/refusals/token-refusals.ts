import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { type PresentedRecord, PresentedRecords } from '../../../oidc-store/infrastructure/presented-records.js';
import { decidingEntry, identifyLaunch } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { log } from '../../../platform/logging/log.js';
import { presentedIn } from '../shared/token-grants.js';
import { ClientRefusals } from './client-refusals.js';
import { noteDpopRefusal } from './dpop-refusals.js';
import { noteGrantRefusal } from './grant-refusals.js';
import { presentedBy } from './presented-credentials.js';
import { noteResembling } from './resembling-records.js';
import { noteTokenMessage } from './token-message.js';

/**
 * Finds out why a token request was refused, and which launch it belongs to. Runs after the request's transaction and
 * for refused requests only; the answer does not depend on what it finds.
 */
@Injectable()
export class TokenRefusals {
  constructor(
    private readonly clients: ClientRefusals,
    private readonly records: PresentedRecords,
    private readonly config: Config,
  ) {}

  /** False if the cause is not one of the catalogue, or could not be found out. */
  async note(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): Promise<boolean> {
    try {
      const found = await this.presentedRecord(ctx);
      // A request that names another client says nothing about the launch of this one.
      if (found?.launchId && found.clientId === presentedBy(ctx).clientId) identifyLaunch({ id: found.launchId });
      // Where a check of ours has noted the cause.
      if (decidingEntry()) return true;
      if (error.message === 'invalid_request' && noteTokenMessage(ctx, this.config.server.issuer)) return true;
      return (
        (await this.clients.note(ctx, error)) ||
        (await noteDpopRefusal(ctx, error)) ||
        (found === undefined && error.message === 'invalid_grant' && (await noteResembling(ctx, this.records))) ||
        noteGrantRefusal({ ctx, error, found })
      );
    } catch (err) {
      log.warn({ err }, 'cause lookup for a refused token request failed');
      return false;
    }
  }

  /** The one lookup for the code or refresh token. */
  private async presentedRecord(ctx: KoaContextWithOIDC): Promise<PresentedRecord | undefined> {
    const presented = presentedIn(ctx);
    return presented && this.records.findByValue(presented.model, presented.value);
  }
}
