import type { ClientSettings } from '../../contract/clients/client-settings.js';

/** The configured sign-in methods; `P` is a provider of identities. */
interface SignInSettings<P> {
  account: { localLogin: boolean; restrictExternalLogin: boolean };
  identityProviders: P[];
}

export interface SignInMethods<P> {
  /** True if users may sign in with a password. */
  local: boolean;
  providers: P[];
}

/** The sign-in methods for a client, or for the portal itself (`spec §4` Locks). */
export function allowedSignInMethods<P extends { scheme: string }>(
  { account, identityProviders }: SignInSettings<P>,
  client?: Pick<ClientSettings, 'enableLocalLogin' | 'enableExternalLogin' | 'identityProviderRestrictions'>,
): SignInMethods<P> {
  if (!client) return { local: account.localLogin, providers: identityProviders };
  if (account.restrictExternalLogin) return { local: account.localLogin, providers: [] };
  const { enableLocalLogin, enableExternalLogin, identityProviderRestrictions: only } = client;
  const accepted = ({ scheme }: P) => only.length === 0 || only.includes(scheme);
  return {
    local: account.localLogin && enableLocalLogin,
    providers: enableExternalLogin ? identityProviders.filter(accepted) : [],
  };
}
