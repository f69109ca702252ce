import type Provider from 'oidc-provider';

/** Members of a token that refer to the session it was issued in. */
export interface SessionBound {
  expiresWithSession?: boolean;
  sessionUid?: string;
  accountId?: string;
}

/**
 * A token for online access ends with the session of the user who granted it (SMART 2.2 `online_access`), and so does
 * the code that it is redeemed from. The engine also ends it with the client's next authorization in that session,
 * which would sign out the client's other tab.
 */
export async function whileSessionLives<T extends SessionBound>(
  provider: Provider,
  token: T | undefined,
): Promise<T | undefined> {
  if (!token?.expiresWithSession) return token;
  const session = await provider.Session.findByUid(token.sessionUid ?? '');
  return session?.accountId === token.accountId ? token : undefined;
}
