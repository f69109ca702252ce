import Provider from 'oidc-provider';
import { permittedText } from '../../../contract/rules/scopes/taken-back.js';
import type { Revocations } from '../../../oidc-store/infrastructure/revocations.js';

export interface Scoped {
  grantId?: string;
  scope?: string;
}

/**
 * Takes from a token that is described, or used for userinfo, what its grant has lost since the token was issued.
 * Requests that use a code or refresh token read the grant themselves.
 */
export async function narrow(token: Scoped | undefined, revocations: Revocations): Promise<void> {
  const route = Provider.ctx?.oidc.route;
  if (token?.grantId === undefined || (route !== 'introspection' && route !== 'userinfo')) return;
  const { narrowedTo } = await revocations.useOf(token.grantId);
  if (narrowedTo !== undefined) token.scope = permittedText(token.scope ?? '', narrowedTo);
}
