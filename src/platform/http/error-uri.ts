import { oauthError } from '../../contract/activity/oauth-errors.js';
import { requestContext } from '../request/scope.js';

/**
 * Address of the page that explains an OAuth error (`error_uri`, RFC 6749 §4.1.2.1, §5.2); without a page there is
 * none.
 */
export function errorUri(error: string): string | undefined {
  const { issuer } = requestContext.getStore() ?? {};
  return issuer === undefined || !oauthError(error) ? undefined : `${issuer.replace(/\/$/, '')}/help/errors/${error}`;
}

/** An OAuth error with the address of its page. */
export function withErrorUri<Body extends { error: string }>(body: Body): Body & { error_uri?: string } {
  const uri = errorUri(body.error);
  return uri === undefined ? body : { ...body, error_uri: uri };
}
