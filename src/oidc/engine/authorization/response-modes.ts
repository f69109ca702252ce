import type Provider from 'oidc-provider';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';
import { trialOf } from '../shared/trial-at-hand.js';

/** Supported response modes; the engine's `fragment` would leave a code in the browser's history and scripts. */
const plainModes: readonly string[] = ['query', 'form_post'];
/** The response modes of a client whose answers are signed (JARM §2.3). */
const signedModes: readonly string[] = ['jwt', 'query.jwt', 'form_post.jwt'];
export const responseModes = [...plainModes, ...signedModes];

/** The modes that a client may ask for. */
export function modesFor(client: object | undefined): readonly string[] {
  return client && gatehouseClient(client).settings.requireSignedResponse ? signedModes : plainModes;
}

/**
 * Refuses response modes that the engine has and Gatehouse does not support, and for a client with signed answers every
 * other one: without a mode it gets `jwt`. The refusal itself is sent by query, signed for such a client.
 */
export function installResponseModes(provider: Provider): void {
  Object.defineProperty(provider.Client.prototype, 'responseModeAllowed', {
    value(this: object) {
      const ctx = engineRequest();
      const { params } = ctx.oidc;
      if (!params) return true;
      // The portal itself reads the answer to a trial.
      const modes = trialOf(ctx) ? plainModes : modesFor(this);
      const usual = modes === signedModes ? 'jwt' : undefined;
      const mode = params.response_mode ?? usual;
      const isKnown = mode === undefined || modes.includes(String(mode));
      params.response_mode = isKnown ? mode : usual;
      return isKnown;
    },
  });
}
