import type { ClientSettings } from '../../contract/clients.js';
import type { Config, IdentityProvider } from '../../platform/config/config.js';

export interface SignInMethods {
  /** True if users may sign in with a password. */
  local: boolean;
  providers: IdentityProvider[];
}

/** The sign-in methods for a client, or for the portal itself (`spec §4` Locks). */
export function allowedSignInMethods(
  { account, identityProviders }: Pick<Config, 'account' | 'identityProviders'>,
  client?: Pick<ClientSettings, 'enableLocalLogin' | 'enableExternalLogin' | 'identityProviderRestrictions'>,
): SignInMethods {
  if (!client) return { local: account.localLogin, providers: identityProviders };
  if (account.restrictExternalLogin) return { local: account.localLogin, providers: [] };
  const { enableLocalLogin, enableExternalLogin, identityProviderRestrictions: only } = client;
  const accepted = ({ scheme }: IdentityProvider) => only.length === 0 || only.includes(scheme);
  return {
    local: account.localLogin && enableLocalLogin,
    providers: enableExternalLogin ? identityProviders.filter(accepted) : [],
  };
}
