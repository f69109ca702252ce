import { decodeJwt } from 'jose';
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { parseLifetime } from '../../../contract/rules/lifetime.js';
import { note } from '../../../platform/activity/launch-notes.js';
import type { Config } from '../../../platform/config/config.js';
import { allowedSignInMethods } from '../../domain/sign-in-methods.js';
import { gatehouseClient, type SessionExtras } from '../shared/engine-models.js';
import { trialOf } from '../shared/trial-at-hand.js';
import { isAcrMet, requestedAcr } from './requested-acr.js';

const { Check, base } = interactionPolicy;

type Claims = KoaContextWithOIDC['oidc']['claims'];

/** Values of `sub` that a `claims` parameter requests for the id_token (OpenID Connect Core §5.5.1). */
function requestedSubjects(claims: Claims | undefined): unknown[] {
  const { value, values } = claims?.id_token?.sub ?? {};
  return [...(value === undefined ? [] : [value]), ...(Array.isArray(values) ? values : [])];
}

/**
 * Seconds since the sign-in that the request and its client accept, the shorter one of both; undefined if they accept
 * any age.
 */
function longestAge(ctx: KoaContextWithOIDC): number | undefined {
  const { client, params } = ctx.oidc;
  // The settings of the client do not apply to the sign-in of administrators.
  const ofClient = trialOf(ctx) ? undefined : parseLifetime(gatehouseClient(client).settings.maxAuthenticationAge);
  const asked = params?.max_age === undefined ? undefined : Number(params.max_age);
  return asked === undefined || ofClient === undefined ? (asked ?? ofClient) : Math.min(asked, ofClient);
}

/** The engine's login step, with additional checks. */
export function loginPrompt(config: Config) {
  const login = base().get('login');
  if (!login) throw new Error('the engine has no login prompt');
  login.checks.remove('id_token_hint');
  login.checks.add(
    new Check('id_token_hint', 'Another person has to sign in.', 'login_required', ({ oidc }) => {
      // The hint was validated with the request; the engine itself drops it once the user has signed in.
      const hint = oidc.params?.id_token_hint;
      if (typeof hint !== 'string' || decodeJwt(hint).sub === oidc.session?.accountId) return false;
      // Another user has signed in just now: asking again would never end (security A-27).
      if (oidc.result?.login) throw new errors.LoginRequired('another person signed in');
      return true;
    }),
  );
  login.checks.remove('max_age');
  login.checks.add(
    new Check('max_age', 'The sign-in is too old.', 'login_required', (ctx) => {
      const { oidc } = ctx;
      const seconds = longestAge(ctx);
      // A user who signs in for this request is asked once, however long the next steps take.
      if (seconds === undefined || oidc.session?.accountId === undefined || oidc.result?.login) return false;
      // The engine makes `prompt=login` of `max_age=0` (OpenID Connect Core §3.1.2.1).
      if (!oidc.session.past(seconds)) return false;
      note('sign-in-too-old', { seconds });
      return true;
    }),
  );
  for (const replaced of ['claims_id_token_sub_value', 'essential_acrs', 'essential_acr'])
    login.checks.remove(replaced);
  login.checks.add(
    new Check('sub', 'Another person has to sign in.', 'login_required', ({ oidc }) => {
      const wanted = requestedSubjects(oidc.claims);
      const { accountId } = oidc.session ?? {};
      if (accountId === undefined || wanted.length === 0 || wanted.includes(accountId)) return false;
      if (oidc.result?.login) throw new errors.LoginRequired('another person signed in');
      return true;
    }),
  );
  login.checks.add(
    new Check('acr', 'The sign-in is not of the kind that was asked for.', 'login_required', (ctx) => {
      const { oidc } = ctx;
      const asked = requestedAcr(oidc);
      if (oidc.session?.accountId === undefined || trialOf(ctx) || isAcrMet(asked, oidc.acr)) return false;
      // The step of the second factor comes next.
      if (asked.needed === 'aal2') return false;
      // The user can sign in with a passkey; one who has just signed in without one is not asked again.
      if (asked.needed === 'phr' && config.account.passkeys !== 'off' && !oidc.result?.login) {
        note('acr-required', { acr: 'phr' });
        return true;
      }
      if (!asked.isEssential) return false;
      note('acr-not-reached');
      throw new errors.CustomOIDCProviderError('unmet_authentication_requirements', 'no acr that is essential was met');
    }),
  );
  login.checks.add(
    new Check('way', 'The client does not accept this way of signing in.', 'login_required', (ctx) => {
      const { oidc } = ctx;
      // The settings of the client do not apply to the sign-in of administrators.
      if (oidc.session?.accountId === undefined || trialOf(ctx)) return false;
      const { local, providers } = allowedSignInMethods(config, gatehouseClient(oidc.client).settings);
      const { identityProvider } = oidc.session as SessionExtras;
      const isOpen =
        identityProvider === undefined ? local : providers.some(({ scheme }) => scheme === identityProvider);
      if (!isOpen) note('sign-in-method-closed', { method: identityProvider ?? 'a password of this portal' });
      return !isOpen;
    }),
  );
  return login;
}
