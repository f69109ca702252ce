import { interactionPolicy } from 'oidc-provider';
import type { Config } from '../../../platform/config/config.js';
import { gatehouseClient, type SessionExtras } from '../shared/engine-models.js';
import { isTwoFactorStillValid } from '../shared/second-factor.js';
import { trialOf } from '../trials/trial-at-hand.js';
import { requestedAcr } from './requested-acr.js';

const { Check, Prompt } = interactionPolicy;

/**
 * The step of a client that requires a second factor, or whose request asks for two by `acr` (RFC 9470 §5). Only the session itself can fulfil it: continuing without proof
 * of the factor returns to this step (security A-28). It is a step of the client's users, and so none of a try.
 */
export function twoFactorPrompt(limits: Config['account']['session']) {
  return new Prompt(
    { name: 'two-factor', requestable: false },
    new Check('missing', 'The client or its request requires a second factor.', 'interaction_required', (ctx) => {
      const { oidc } = ctx;
      if (trialOf(ctx)) return false;
      if (!gatehouseClient(oidc.client).settings.require2fa && requestedAcr(oidc).needed !== 'aal2') return false;
      return !isTwoFactorStillValid(limits, (oidc.session ?? {}) as SessionExtras);
    }),
  );
}
