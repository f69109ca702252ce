import { tokenGrantTypes } from '../rules/client-values.js';
import { type CauseCode, catalogue } from './catalogue.js';
import type { Cause } from './cause.js';

/** The help about an `error` code, without any knowledge of the request. */
export interface OAuthError {
  text: string;
  advice: string;
  /** Causes that may have decided, where the catalogue tells more than the code does. */
  causes?: readonly CauseCode[];
}

/** The causes with these codes, or whose codes begin with these words. */
function startingWith(...words: string[]): CauseCode[] {
  return (Object.keys(catalogue) as CauseCode[]).filter(
    (code) => catalogue[code].severity !== 'step' && words.some((word) => code === word || code.startsWith(`${word}-`)),
  );
}

const askAgain = 'Send the user through the authorization request again, without the prompt parameter.';

/**
 * The `error` codes of Gatehouse's answers (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 8707 §2, RFC 9101 §5, RFC
 * 9449 §5, OpenID Connect Core §3.1.2.6). Each has a page at `/help/errors/<code>`.
 */
export const oauthErrors = {
  invalid_request: {
    text: 'The request lacks a parameter, has one twice, or has a value that is not allowed.',
    advice: 'Read error_description: it names the parameter. Correct the request and send it again.',
    causes: startingWith(
      'request-refused',
      'request-unreadable',
      'request-for-tokens',
      'request-form-gone',
      'request-too-large',
      'request-body-type',
      'authorization-body-type',
      'continued-after-end',
      'continued-by-cut-address',
      'request-in-address',
      'request-other-host',
      'parameter',
      'pkce',
      'response-type-missing',
      'par-required',
      'launch',
      'announced',
      'dpop-key-differs',
      'token-refused',
      'token-parameter',
      'token-body-type',
      'token-in-address',
      'token-request-of-authorization',
      'token-origin',
      'token-by-access-token',
      'endpoint',
      'sign-out-hint',
      'sign-out-client-differs',
      'sign-out-form-gone',
      'ehr-body',
      'ehr-method',
      'ehr-in-address',
      'ehr-client',
      'ehr-record-elsewhere',
      'ehr-parameter',
      'ehr-patient',
      'ehr-encounter',
    ),
  },
  invalid_client: {
    text: 'The client is not known here, is disabled, or did not prove who it is.',
    advice:
      'Compare the client id, the secret or key, and the authentication method with the registration. A client assertion must be short-lived, have a new jti each time and the token endpoint as its aud.',
    causes: startingWith(
      'client',
      'token-client',
      'token-authentication',
      'token-credentials',
      'token-secret',
      'assertion',
      'ehr-credentials-missing',
      'ehr-unknown',
      'ehr-credentials-swapped',
      'introspection-by-public',
      'token-credential',
      'token-encoding',
      'ehr-secret-wrong',
    ),
  },
  unauthorized_client: {
    text: 'The client is known, but its registration does not permit this kind of request.',
    advice: 'Ask the administrator whether the grant type is allowed for your client.',
    causes: startingWith('token-grant-type'),
  },
  access_denied: {
    text: 'The user declined or left the request, or may not use this app with this account.',
    advice: 'The request itself was accepted. Offer to start again.',
    causes: startingWith('declined', 'consent-declined', 'disclaimers-declined', 'left'),
  },
  unsupported_response_type: {
    text: 'The authorization request asked for another response than a code.',
    advice: 'Send response_type=code.',
    causes: startingWith('response-type'),
  },
  unsupported_response_mode: {
    text: 'The authorization request asked for a way of response that does not exist here.',
    advice: 'Send response_mode=query or response_mode=form_post, or leave it out.',
    causes: startingWith('response-mode'),
  },
  invalid_scope: {
    text: 'The request has no scope that can be granted: each is unknown, misspelled, or not allowed for the client.',
    advice:
      'Compare the scopes with the SMART App Launch grammar, such as patient/Observation.rs, and with those that are registered for your client.',
    causes: startingWith('scopes', 'scope', 'openid-missing', 'token-scope', 'token-scopes', 'refresh-scope'),
  },
  server_error: {
    text: 'Something broke here. Your request may be right.',
    advice: 'Send the request again. If it fails again, give the administrator the reference.',
    causes: startingWith('request-failed'),
  },
  temporarily_unavailable: {
    text: 'The request cannot be answered now: a part of the installation cannot be reached, too many requests came in a short time, or the user has paused the app.',
    advice:
      'Wait as many seconds as the header Retry-After says, then send the request again. While the user has paused the app, keep the refresh token: it works again when they resume the app, which a new authorization offers them.',
    causes: startingWith(
      'starts-exhausted',
      'token-secrets-throttled',
      'token-app-paused',
      'ehr-secrets-throttled',
      'ehr-panel-unread',
    ),
  },
  invalid_grant: {
    text: 'The code or the refresh token is unknown, used, expired or revoked, belongs to another client, or does not fit the other parameters.',
    advice:
      'A code is valid once and for a short time, with the redirect_uri and the PKCE verifier of its authorization request. A refresh token that was rotated must not be used again. Start a new authorization.',
    causes: startingWith(
      'access-had-ended',
      'code',
      'grant-ended',
      'refresh-token',
      'representation-held',
      'token-encoding',
    ),
  },
  unsupported_grant_type: {
    text: 'The token endpoint does not support this grant type.',
    advice: `Send grant_type=${tokenGrantTypes.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`,
    causes: startingWith('token-grant-type'),
  },
  invalid_target: {
    text: 'The aud or resource parameter names a server that tokens of this portal are not for.',
    advice:
      'Send the exact base URL of the FHIR server, as its SMART configuration was found: scheme, host, path and slash.',
    causes: startingWith('aud', 'tenant-not-allowed', 'resource-unknown', 'token-resource'),
  },
  invalid_dpop_proof: {
    text: 'The DPoP proof is missing, malformed, expired, used before, or made for another request or key.',
    advice:
      'Make a new proof for each request, with its method and URL, a new jti and the current time (RFC 9449 §4.2).',
    causes: startingWith('dpop'),
  },
  use_dpop_nonce: {
    text: 'The DPoP proof has to contain a nonce of this server.',
    advice: 'Repeat the request with the value of the header DPoP-Nonce in the proof (RFC 9449 §8).',
    causes: startingWith('proof-nonce', 'gateway-nonce'),
  },
  login_required: {
    text: 'The request forbids a sign-in page (prompt=none), and the user is not signed in as it requires.',
    advice: askAgain,
    causes: startingWith('silent-impossible'),
  },
  consent_required: {
    text: 'The request forbids a consent page (prompt=none), and the user has not consented to all of its scopes.',
    advice: askAgain,
    causes: startingWith('silent-impossible'),
  },
  interaction_required: {
    text: 'The request forbids pages (prompt=none), and the user has to do something on one.',
    advice: askAgain,
    causes: startingWith('silent-impossible'),
  },
  account_selection_required: {
    text: 'The request forbids pages (prompt=none), and the user has to choose an account.',
    advice: askAgain,
  },
  unmet_authentication_requirements: {
    text: 'The request names an authentication context class (acr) as essential, or its client requires one, which the sign-in did not reach.',
    advice: 'Leave the acr out of the claims parameter, or ask for one that discovery lists.',
    causes: startingWith('acr-not-reached', 'passkeys-off'),
  },
  request_not_supported: {
    text: 'The request object is not supported here.',
    advice: 'Send the parameters themselves, or push them (RFC 9126).',
    causes: startingWith('object-unexpected'),
  },
  request_uri_not_supported: {
    text: 'A request_uri is supported only if the pushed authorization request endpoint issued it.',
    advice: 'Push the parameters (RFC 9126) and use the request_uri of the answer.',
    causes: startingWith('request-uri-foreign'),
  },
  invalid_request_object: {
    text: 'The request object is malformed, not signed with a registered key, expired, or not made for this server.',
    advice: 'Compare its signature algorithm, key, iss, aud, exp and parameters with RFC 9101 and your registration.',
    causes: startingWith('object'),
  },
  invalid_request_uri: {
    text: 'The request_uri is unknown, used, expired or of another client.',
    advice: 'Push the authorization request again, and use its request_uri once and at once.',
    causes: startingWith('par'),
  },
  registration_not_supported: {
    text: 'The registration parameter and dynamic registration (RFC 7591) are not supported.',
    advice: 'Leave the parameter out. Ask an administrator of this portal to register your client.',
    causes: startingWith('registration-not-offered', 'parameter-unsupported'),
  },
  invalid_redirect_uri: {
    text: 'The redirect_uri is not one of those that are registered for the client.',
    advice: 'It must be equal in every character, including a slash at the end. Ask the administrator to register it.',
    causes: startingWith('redirect-uri', 'redirect-uris'),
  },
  invalid_token: {
    text: 'The access token is malformed, expired, revoked or not for this server.',
    advice: 'Refresh the tokens, or start a new authorization.',
    causes: startingWith('gateway-token'),
  },
  insufficient_scope: {
    text: 'The access token does not permit the request.',
    advice: 'Ask for the scope that the answer names in a new authorization.',
    causes: startingWith('gateway-scope-missing', 'gateway-scope-declined', 'gateway-openid-missing'),
  },
  unsupported_token_type: {
    text: 'This endpoint cannot handle the type of the token.',
    advice: 'Send an access token or a refresh token that this server issued.',
  },
} as const satisfies Record<string, OAuthError>;

export type OAuthErrorCode = keyof typeof oauthErrors;

/** Undefined for a code that Gatehouse does not answer with. */
export function oauthError(code: string): OAuthError | undefined {
  return Object.hasOwn(oauthErrors, code) ? oauthErrors[code as OAuthErrorCode] : undefined;
}

/** A cause as the help describes it. */
export interface GeneralCause {
  title: string;
  text?: string;
  change?: string;
}

/** A cause without the values of a request: their names stand in their places. */
export function generalCause(code: CauseCode): GeneralCause {
  const { title, decidedBy, developer, change }: Cause = catalogue[code];
  return {
    title: withNamedValues(decidedBy ?? title),
    ...(developer !== undefined && { text: withNamedValues(developer) }),
    ...(change && { change: withNamedValues(change.text) }),
  };
}

function withNamedValues(text: string): string {
  const words = (name: string) => name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => `‹${words(name)}›`);
}
