import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { type PresentedRecord, PresentedRecords } from '../../../oidc-store/infrastructure/presented-records.js';
import { decidingEntry, identifyLaunch } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { log } from '../../../platform/logging/log.js';
import { presentedIn } from '../shared/token-grants.js';
import { ClientRefusals } from './client-refusals.js';
import { noteProofRefusal, noteReplayedProof, thumbprintOf } from './dpop-refusals.js';
import { EndpointRefusals } from './endpoint-refusals.js';
import { noteGrantRefusal, noteOtherGrant } from './grant-refusals.js';
import { presentedBy } from './presented-credentials.js';
import { RequestRefusals } from './request-refusals.js';
import { noteResembling } from './resembling-records.js';
import { noteTokenMessage } from './token-message.js';

/** The endpoints of the engine that can refuse a request, in words. */
export type RefusingEndpoint =
  | 'authorization'
  | 'token'
  | 'userinfo'
  | 'introspection'
  | 'revocation'
  | 'sign-out'
  | 'discovery'
  | 'keys';

export interface RefusedRequest {
  error: errors.OIDCProviderError;
  endpoint: RefusingEndpoint;
}

/** Finds out why the engine refused a request. Runs after its transaction; the answer does not depend on it. */
@Injectable()
export class RefusalCauses {
  constructor(
    private readonly requests: RequestRefusals,
    private readonly clients: ClientRefusals,
    private readonly records: PresentedRecords,
    private readonly others: EndpointRefusals,
    private readonly config: Config,
  ) {}

  /** Files a request to the client that it names where the engine has read none. */
  identifyNamed(ctx: KoaContextWithOIDC): Promise<void> {
    return this.clients.identifyNamed(ctx);
  }

  /** Notes the cause; false if it is not one of the catalogue. */
  async note(ctx: KoaContextWithOIDC, { error, endpoint }: RefusedRequest): Promise<boolean> {
    if (endpoint === 'token') return this.noteToken(ctx, error);
    if (endpoint !== 'authorization') return this.others.note(ctx, error, endpoint);
    if (await this.requests.note(ctx, error)) return true;
    // A pushed request authenticates its client as a token request does, and may have a DPoP proof.
    return ctx.oidc.route === 'pushed_authorization_request' && this.noteToken(ctx, error);
  }

  /** Notes what a request did not get that was answered without an error. */
  noteUnfollowed(ctx: KoaContextWithOIDC): Promise<void> {
    return this.others.noteUnfollowed(ctx);
  }

  /** Also finds the launch of a token request; false if the cause could not be found out. */
  private async noteToken(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): Promise<boolean> {
    try {
      const found = await this.presentedRecord(ctx);
      // A request that names another client says nothing about the launch of this one.
      if (found?.launchId && found.clientId === presentedBy(ctx).clientId) identifyLaunch({ id: found.launchId });
      // Where a check of ours has noted the cause.
      if (decidingEntry()) return true;
      const isPushed = ctx.oidc.route === 'pushed_authorization_request';
      const isOfMessage = !isPushed && error.message === 'invalid_request';
      if (isOfMessage && (noteTokenMessage(ctx, this.config.server.issuer) || noteOtherGrant(ctx))) return true;
      if ((await this.clients.note(ctx, error)) || (await noteProofRefusal(ctx, error))) return true;
      if (noteReplayedProof(ctx)) return true;
      if (isPushed) return false;
      const proofKey = await thumbprintOf(ctx.get('DPoP'));
      return (
        (found === undefined && error.message === 'invalid_grant' && (await noteResembling(ctx, this.records))) ||
        noteGrantRefusal({ ctx, error, found, proofKey })
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
