import { decodeJwt } from 'jose';
import { errors, interactionPolicy } from 'oidc-provider';
import { gatehouseClient } from './engine-models.js';

const { Check, base } = interactionPolicy;

/** The engine's login step, with what it does not ask. */
export function loginPrompt() {
  const login = base().get('login');
  if (!login) throw new Error('the engine has no login prompt');
  login.checks.remove('id_token_hint');
  login.checks.add(
    new Check('id_token_hint', 'Another person has to sign in.', 'login_required', ({ oidc }) => {
      // Validated with the request; the engine itself forgets it once the person has signed in.
      const hint = oidc.params?.id_token_hint;
      if (typeof hint !== 'string' || decodeJwt(hint).sub === oidc.session?.accountId) return false;
      // Somebody has signed in just now, and is not the one: asking for ever would not change that (security A-27).
      if (oidc.result?.login) throw new errors.LoginRequired('another person signed in');
      return true;
    }),
  );
  login.checks.add(
    new Check('password', 'The client does not accept passwords.', 'login_required', ({ oidc }) => {
      const { settings } = gatehouseClient(oidc.client);
      return !settings.enableLocalLogin && oidc.session?.amr?.includes('pwd') === true;
    }),
  );
  return login;
}
