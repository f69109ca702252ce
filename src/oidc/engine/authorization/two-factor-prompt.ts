import { errors, interactionPolicy } from 'oidc-provider';
import { isAcrAtLeast } from '../../../contract/rules/acr.js';
import { note } from '../../../platform/activity/launch-notes.js';
import type { Config } from '../../../platform/config/config.js';
import { gatehouseClient, type SessionExtras } from '../shared/engine-models.js';
import { isTwoFactorStillValid } from '../shared/second-factor.js';
import { trialOf } from '../shared/trial-at-hand.js';
import { requestedAcr } from './requested-acr.js';

const { Check, Prompt } = interactionPolicy;

/** The id of the check that only a passkey fulfils. */
export const passkeyReason = 'passkey';

/**
 * The step of a client that requires a second factor, or a passkey (`requiredAcr`), or whose request asks for two
 * factors by `acr` (RFC 9470 §5). Only the session itself can fulfil it: continuing without proof of the factor returns
 * to this step (security A-28). It is a step of the client's users, and so none of a trial.
 */
export function twoFactorPrompt({ session: limits, passkeys }: Config['account']) {
  return new Prompt(
    { name: 'two-factor', requestable: false },
    new Check(passkeyReason, 'The client requires a sign-in with a passkey.', 'login_required', (ctx) => {
      const { oidc } = ctx;
      const { requiredAcr } = gatehouseClient(oidc.client).settings;
      if (trialOf(ctx) || requiredAcr === 'none') return false;
      const session = (oidc.session ?? {}) as SessionExtras;
      if (isAcrAtLeast(oidc.acr, requiredAcr) && isTwoFactorStillValid(limits, session)) return false;
      note('passkey-required');
      if (passkeys !== 'off') return true;
      note('passkeys-off');
      throw new errors.CustomOIDCProviderError('unmet_authentication_requirements', 'passkeys are switched off');
    }),
    new Check('missing', 'The client or its request requires a second factor.', 'interaction_required', (ctx) => {
      const { oidc } = ctx;
      if (trialOf(ctx)) return false;
      const { require2fa } = gatehouseClient(oidc.client).settings;
      if (!require2fa && requestedAcr(oidc).needed !== 'aal2') return false;
      if (isTwoFactorStillValid(limits, (oidc.session ?? {}) as SessionExtras)) return false;
      if (require2fa) note('second-factor-required');
      else note('acr-required', { acr: 'aal2' });
      return true;
    }),
  );
}
