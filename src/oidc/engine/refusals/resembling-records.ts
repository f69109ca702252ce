import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { mended } from '../../../contract/rules/damage.js';
import type { PresentedRecords } from '../../../oidc-store/infrastructure/presented-records.js';
import { identifyLaunch, note } from '../../../platform/activity/launch-notes.js';
import { notUtf8 } from '../shared/request-text.js';
import { presentedIn } from '../shared/token-grants.js';

const kinds = { AuthorizationCode: 'code', RefreshToken: 'refresh token', AccessToken: 'access token' } as const;
const places = {
  code: 'code, the code that came to its redirect URI, with grant_type=authorization_code',
  refresh_token: 'refresh_token, the refresh token of the last answer, with grant_type=refresh_token',
} as const;

/**
 * Finds the code or token of the client that a text without a record was to be. Notes a damaged text, and one in the
 * wrong parameter, of a client that has authenticated; false for others.
 */
export async function noteResembling(ctx: KoaContextWithOIDC, records: PresentedRecords): Promise<boolean> {
  const presented = presentedIn(ctx);
  const { clientId } = ctx.oidc.client ?? {};
  if (!presented || clientId === undefined) return false;
  const { model, value } = presented;
  if (value.includes(notUtf8)) {
    note('token-encoding', { parameter: kinds[model] });
    return true;
  }
  const texts = mended(value);
  const found = await records.firstOf([value, ...texts.map(({ text }) => text)], clientId);
  const parameter = model === 'AuthorizationCode' ? 'code' : 'refresh_token';
  const sent = found ? kinds[found.model] : kindOfJwt(value, ctx.oidc.issuer, clientId);
  if (found && (found.model === 'AuthorizationCode' || found.model === 'RefreshToken')) {
    const record = await records.findByValue(found.model, found.text);
    if (record?.launchId) identifyLaunch({ id: record.launchId });
  }
  if (sent === undefined) return false;
  if (found?.model !== model) note('code-misplaced', { sent, parameter, right: places[parameter] });
  else {
    const damage = texts.find(({ text }) => text === found.text)?.damage ?? 'it is another text';
    note(parameter === 'code' ? 'code-damaged' : 'refresh-token-damaged', { damage });
  }
  return true;
}

/** No code and no refresh token is a JWT. */
function kindOfJwt(text: string, issuer: string, clientId: string): string | undefined {
  try {
    if (decodeProtectedHeader(text).typ === 'at+jwt') return 'access token';
    const { iss, aud } = decodeJwt(text);
    return iss === issuer && aud === clientId ? 'id_token' : 'JWT';
  } catch {
    return undefined;
  }
}
