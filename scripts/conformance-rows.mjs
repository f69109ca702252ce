/** The rows of docs/conformance.md: each row is found in the tests by its name. */

/**
 * The subjects of the public test kits for SMART App Launch 1.0, 2.0 and 2.2 and for ONC (g)(10). A test shows a row
 * when its title has `SMART <name>`.
 */
export const smartSections = {
  Discovery: [
    ['discovery-document', 'The SMART configuration is JSON without a token, for any `Accept` header.'],
    ['discovery-fields', 'It has the endpoints as absolute URLs, issuer and key set, grant types, and only S256.'],
    ['discovery-base-with-path', 'It is below a FHIR base with a path.'],
    ['discovery-cors', 'Pages of any origin may read it.'],
    ['discovery-capabilities', 'It lists the capabilities of standalone launches.'],
    ['discovery-capabilities-ehr', 'It lists those of EHR launches where an EHR can register them.'],
    ['discovery-metadata', 'The CapabilityStatement names the service SMART-on-FHIR and the same endpoints.'],
    ['discovery-bare-get', 'The endpoints exist, and a GET without parameters causes no internal error.'],
  ],
  Authorization: [
    ['authorize-state', '`state` is returned unchanged.'],
    ['authorize-post', 'The request may be sent by POST of a form.'],
    ['authorize-aud', 'A request with another `aud`, or without one, gets no code.'],
    ['authorize-pkce', 'A request without a challenge is refused where one is required.'],
    ['authorize-pkce-s256', 'A `plain` challenge, or one of a wrong length, is refused.'],
    ['authorize-denied', 'Declining returns `access_denied` with `state`.'],
    ['launch-standalone', 'A standalone launch returns the patient in context.'],
    ['launch-practitioner', 'A user with several patients chooses one.'],
    ['launch-encounter', 'An encounter can be requested, too.'],
    ['launch-ehr', 'An EHR launch returns the context that the EHR registered.'],
    ['launch-ehr-post', 'It may be sent by POST.'],
    ['launch-unknown', 'An unknown `launch` value is refused.'],
    ['launch-again', 'A second launch in the same browser never returns the patient of the first.'],
  ],
  'Token exchange': [
    ['client-public', 'A public client gets tokens.'],
    ['client-symmetric', 'A client with a secret gets tokens, by header and by body.'],
    ['token-body', 'Token, type, lifetime as a number, and the granted scopes are in the response.'],
    ['token-headers', 'It has `Cache-Control: no-store` and `Pragma: no-cache`.'],
    ['token-cors', 'Pages of the app’s own origins may read the response.'],
    ['token-bad-code', 'An unknown code is answered 400.'],
    ['token-unknown-client', 'An unknown client is answered 400 or 401.'],
    ['token-pkce', 'A missing, blank or wrong verifier, and the challenge itself, are refused.'],
    ['token-code-reuse', 'A code that is used again ends its grant.'],
    ['token-client-binding', 'A code is accepted from its client with its redirect URI only.'],
    ['context-patient', 'The response names the chosen patient.'],
    ['context-members', '`patient`, `encounter`, `intent`, `tenant` and the others are next to the token.'],
    ['context-banner', '`need_patient_banner` is a boolean.'],
    ['context-style', '`smart_style_url` is the URL of a JSON document that is readable without authentication.'],
    ['context-fhir-context', '`fhirContext` has objects for SMART 2.2 and references for clients of SMART 2.0.'],
  ],
  'OpenID Connect': [
    ['openid-discovery', 'The discovery document has every required member.'],
    ['openid-jwks', 'The key set has an RSA key and public members only.'],
    ['openid-id-token', 'The id_token is signed with RS256, for the client by this issuer.'],
    ['openid-fhiruser', 'It has `fhirUser`, an absolute URL.'],
    ['openid-fhiruser-read', 'The resource that `fhirUser` names can be read with `patient/` scopes, too.'],
  ],
  Refresh: [
    ['refresh-body', 'A refresh returns a new access token, and a refresh token that works.'],
    ['refresh-headers', 'Its response is not cached.'],
    ['refresh-scope', 'The same or fewer scopes may be requested, never more.'],
    ['refresh-context', 'The launch context is returned again.'],
    ['refresh-invalid', 'An unknown refresh token is answered 400 or 401.'],
    ['refresh-client-binding', 'A refresh token is accepted from its client only.'],
    ['refresh-offline', '`offline_access` outlives the session.'],
    ['refresh-online', '`online_access` ends with the session.'],
    ['refresh-three-months', 'A refresh token is valid for 90 days, and each refresh starts them again.'],
  ],
  Introspection: [
    ['introspection-active', 'An active token is introspected with the values of its token response and id_token.'],
    ['introspection-context', 'The response has the whole launch context.'],
    ['introspection-unknown', 'An unknown token is `{"active":false}` and nothing else.'],
    ['introspection-expired', 'An expired token is inactive.'],
    ['introspection-bearer', 'A token may authenticate in place of a client.'],
    ['introspection-unauthorized', 'Other callers are refused.'],
  ],
  Scopes: [
    ['scope-v1', 'Scopes of version 1 are returned as version 1.'],
    ['scope-v2', 'Scopes of version 2 are understood.'],
    ['scope-query', 'Search parameters in scopes are kept unchanged.'],
    ['scope-literal', 'Granted scopes are returned unchanged.'],
    ['scope-undefined', 'Unknown scopes are dropped, and the others are granted.'],
    ['scope-client-limits', 'A client gets only the types and actions that it may have.'],
    ['scope-patient', 'A `patient/` scope always has a patient in context.'],
    ['scope-selection', 'The user may leave out scopes.'],
    ['scope-granular-selection', 'The user may choose categories of a resource type.'],
    ['scope-granular-enforced', 'The FHIR base returns only these.'],
  ],
  'FHIR access': [
    ['fhir-unauthorized', 'Without a token the FHIR base answers 401.'],
    ['fhir-read', 'The patient in context can be read and searched for.'],
    ['fhir-referred', 'Practitioners, organizations, locations and medications that records refer to can be read.'],
    ['fhir-device', 'The patient’s devices can be read, although FHIR leaves them out of the patient compartment.'],
    ['fhir-provenance', 'The Provenance of these resources can be included and read.'],
    ['fhir-denied-types', 'Other types are refused.'],
    ['fhir-cors', 'Pages of any origin may send requests.'],
    ['revocation-access', 'When a user revokes an app, the access token is refused.'],
    ['revocation-refresh', 'When a user revokes an app, the refresh token is refused.'],
  ],
  'Asymmetric authentication': [
    ['asymmetric-algorithms', 'RS384 and ES384 are accepted with keys by value.'],
    ['asymmetric-jwks-url', 'Keys may be at a URL.'],
    ['asymmetric-cache', 'They are cached no longer than the response allows.'],
    ['asymmetric-launch', 'An app redeems its code and refreshes with assertions.'],
    ['asymmetric-invalid', 'It is refused without one, and for invalid codes and tokens.'],
    ['asymmetric-claims', 'Missing, wrong, too distant and expired claims are refused.'],
    ['asymmetric-jku', 'Other key sets that the assertion names are refused.'],
    ['asymmetric-replay', 'An assertion is accepted once.'],
  ],
  'Backend services': [
    ['backend-token', 'A service gets a token of type bearer with a lifetime and its scopes.'],
    ['backend-assertion', 'It may authenticate with an assertion.'],
    ['backend-assertion-type', 'An assertion of an unknown type is answered 400.'],
    ['backend-grant-type', 'An unknown grant type is answered 400.'],
    ['backend-scope', 'Scopes that require a user are refused.'],
  ],
};

/** Checks of the kits that have no row, with the reason. */
export const smartBeyond = [
  'TLS versions: TLS ends at the proxy in front of Gatehouse.',
  'Attestations: a tester ticks them.',
  'App state and user-access brands: Gatehouse has neither and does not advertise them.',
];

const basic = [
  'oidcc-server',
  'oidcc-response-type-missing',
  'oidcc-idtoken-signature',
  'oidcc-idtoken-unsigned',
  'oidcc-userinfo-get',
  'oidcc-userinfo-post-header',
  'oidcc-userinfo-post-body',
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  'oidcc-scope-profile',
  'oidcc-scope-email',
  'oidcc-scope-address',
  'oidcc-scope-phone',
  'oidcc-scope-all',
  'oidcc-ensure-other-scope-order-succeeds',
  'oidcc-alternate-happy-flow',
  'oidcc-display-page',
  'oidcc-display-popup',
  'oidcc-prompt-login',
  'oidcc-prompt-none-not-logged-in',
  'oidcc-prompt-none-logged-in',
  'oidcc-max-age-1',
  'oidcc-max-age-10000',
  'oidcc-ensure-request-with-unknown-parameter-succeeds',
  'oidcc-id-token-hint',
  'oidcc-login-hint',
  'oidcc-ui-locales',
  'oidcc-claims-locales',
  'oidcc-ensure-request-with-acr-values-succeeds',
  'oidcc-codereuse',
  'oidcc-codereuse-30seconds',
  'oidcc-ensure-registered-redirect-uri',
  'oidcc-ensure-post-request-succeeds',
  'oidcc-server-client-secret-post',
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-claims-essential',
  'oidcc-ensure-request-object-with-redirect-uri',
  'oidcc-refresh-token',
  'oidcc-ensure-request-with-valid-pkce-succeeds',
];

/**
 * The modules of the plan for `private_key_jwt` and `dpop`; without those of single ecosystems and of grant management.
 */
const fapi = [
  'fapi2-security-profile-final-discovery-end-point-verification',
  'fapi2-security-profile-final-happy-flow',
  'fapi2-security-profile-final-user-rejects-authentication',
  'fapi2-security-profile-final-ensure-authorization-request-without-state-success',
  'fapi2-security-profile-final-ensure-authorization-request-without-nonce-success',
  'fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success',
  'fapi2-security-profile-final-ensure-other-scope-order-succeeds',
  'fapi2-security-profile-final-access-token-type-header-case-sensitivity',
  'fapi2-security-profile-final-check-dpop-proof-nbf-exp',
  'fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds',
  'fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds',
  'fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails',
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt',
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt',
  'fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success',
  'fapi2-security-profile-final-ensure-dpop-auth-code-binding-success',
  'fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object',
  'fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object',
  'fapi2-security-profile-final-ensure-authorization-request-with-long-nonce',
  'fapi2-security-profile-final-ensure-authorization-request-with-long-state',
  'fapi2-security-profile-final-state-only-outside-request-object-not-used',
  'fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails',
  'fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri',
  'fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails',
  'fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request',
  'fapi2-security-profile-final-ensure-response-type-code-idtoken-fails',
  'fapi2-security-profile-final-ensure-response-type-token-fails',
  'fapi2-security-profile-final-ensure-client-id-in-token-endpoint',
  'fapi2-security-profile-final-ensure-holder-of-key-required',
  'fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client',
  'fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second',
  'fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code',
  'fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails',
  'fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint',
  'fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails',
  'fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails',
  'fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails',
  'fapi2-security-profile-final-ensure-invalid-client-assertions-fail',
  'fapi2-security-profile-final-dpop-negative-tests',
  'fapi2-security-profile-final-refresh-token',
  'fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds',
  'fapi2-security-profile-final-par-attempt-reuse-request_uri',
  'fapi2-security-profile-final-par-attempt-to-use-expired-request_uri',
  'fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client',
  'fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param',
  'fapi2-security-profile-final-par-attempt-invalid-http-method',
  'fapi2-security-profile-final-par-ensure-pkce-required',
  'fapi2-security-profile-final-ensure-pkce-code-verifier-required',
  'fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected',
  'fapi2-security-profile-final-par-plain-pkce-rejected',
  'fapi2-security-profile-final-par-without-duplicate-parameters',
  'fapi2-security-profile-final-test-claims-parameter-identity-claims',
  'fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted',
  'fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails',
  'fapi2-security-profile-final-par-test-array-as-audience-fails',
  'fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails',
  'fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails',
];

/** The modules of request objects, which the plan of FAPI 2.0 Message Signing adds to it. */
const fapiSigning = [
  'fapi2-security-profile-final-ensure-request-object-with-multiple-aud-succeeds',
  'fapi2-security-profile-final-ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted',
  'fapi2-security-profile-final-ensure-request-object-without-exp-fails',
  'fapi2-security-profile-final-ensure-request-object-without-nbf-fails',
  'fapi2-security-profile-final-ensure-expired-request-object-fails',
  'fapi2-security-profile-final-ensure-request-object-with-bad-aud-fails',
  'fapi2-security-profile-final-ensure-request-object-with-exp-over-60-fails',
  'fapi2-security-profile-final-ensure-request-object-with-nbf-over-60-fails',
  'fapi2-security-profile-final-ensure-signed-request-object-with-RS256-fails',
  'fapi2-security-profile-final-ensure-request-object-signature-algorithm-is-not-none',
  'fapi2-security-profile-final-ensure-request-object-with-invalid-signature-fails',
  'fapi2-security-profile-final-ensure-matching-key-in-authorization-request',
  'fapi2-security-profile-final-ensure-unsigned-request-at-par-endpoint-fails',
  'fapi2-security-profile-final-par-authorization-request-containing-request_uri',
];

/** Names of the implementer's draft that differ from those of the final profile in more than `id2`. */
const renamedSince = {
  'ensure-authorization-request-with-64-char-nonce-success': 'ensure-request-object-with-64-char-nonce-success',
  'ensure-authorization-request-with-long-nonce': 'ensure-request-object-with-long-nonce',
  'ensure-authorization-request-with-long-state': 'ensure-request-object-with-long-state',
  'plain-fapi-tolerate-unregistered-redirect-uri': 'plain-fapi-ensure-registered-redirect-uri',
  'par-test-array-as-audience-fails': 'test-array-as-audience-for-client-JWT-assertion',
  'par-test-par-endpoint-url-as-audience-fails':
    'par-test-pushed-authorization-url-as-audience-for-client-JWT-assertion',
  'par-test-token-endpoint-url-as-audience-fails': 'par-test-token-endpoint-url-as-audience-for-client-JWT-assertion',
};
/** Modules of the security profile that the plans of Message Signing do not have. */
const notSigned = ['fapi2-security-profile-final-ensure-invalid-client-assertions-fail'];
const messageSigning = [...fapi.filter((module) => !notSigned.includes(module)), ...fapiSigning];

function nameInDraft(module) {
  const name = module.replace('fapi2-security-profile-final-', '');
  return `fapi2-security-profile-id2-${renamedSince[name] ?? name}`;
}

/**
 * The modules of the OpenID Foundation's plans, as the conformance suite names them. A test shows one when its title
 * has the name; those of the form-post plan have `form_post` in it as well, those of Message Signing `Message Signing`.
 * The plan of the implementer's draft has the modules of the final one by other names (`named`).
 */
export const openidPlans = {
  'oidcc-basic-certification-test-plan': { modules: basic },
  'oidcc-formpost-basic-certification-test-plan': { modules: basic, also: 'form_post' },
  'oidcc-config-certification-test-plan': { modules: ['oidcc-discovery-endpoint-verification'] },
  'oidcc-rp-initiated-logout-certification-test-plan': {
    modules: [
      'oidcc-rp-initiated-logout-discovery-endpoint-verification',
      'oidcc-rp-initiated-logout',
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
      'oidcc-rp-initiated-logout-modified-id-token-hint',
      'oidcc-rp-initiated-logout-bad-id-token-hint',
      'oidcc-rp-initiated-logout-no-id-token-hint',
      'oidcc-rp-initiated-logout-no-params',
      'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
      'oidcc-rp-initiated-logout-no-state',
      'oidcc-rp-initiated-logout-only-state',
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
    ],
  },
  'oidcc-backchannel-rp-initiated-logout-certification-test-plan': {
    modules: ['oidcc-backchannel-logout-discovery-endpoint-verification', 'oidcc-backchannel-rp-initiated-logout'],
  },
  'fapi2-security-profile-final-test-plan': { modules: fapi },
  'fapi2-message-signing-final-test-plan': { modules: messageSigning, also: 'Message Signing' },
  'fapi2-message-signing-id1-test-plan': { modules: messageSigning, also: 'Message Signing', named: nameInDraft },
};

const onlyIssuer = 'Refused: the final profile permits the issuer alone, as one text.';

/** Deviations from the best expected result of a module, and the behaviour instead. */
export const openidNotes = {
  'oidcc-idtoken-unsigned': 'Needs dynamic registration in the suite; unsigned id_tokens are never issued.',
  'oidcc-idtoken-signature': 'Needs dynamic registration in the suite.',
  'oidcc-scope-email': 'Offered to clients with that setting.',
  'oidcc-scope-address': 'Not offered. The suite skips it.',
  'oidcc-scope-phone': 'Offered to clients with that setting.',
  'oidcc-scope-all': 'Without the scopes that are not offered.',
  'oidcc-claims-essential': 'Supported; an essential claim that the user declines is left out.',
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': 'Rejected as unsupported.',
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': 'Rejected as unsupported.',
  'oidcc-ensure-request-object-with-redirect-uri': 'The suite skips it without unsigned request objects.',
  'fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri': 'Refused.',
  'fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails':
    'In newer suites a part of ensure-invalid-client-assertions-fail, as are the two below and RS256.',
  'fapi2-security-profile-final-refresh-token': 'Without rotation.',
  'fapi2-security-profile-id2-refresh-token': 'Without rotation.',
  'fapi2-security-profile-id2-plain-fapi-ensure-registered-redirect-uri': 'Refused.',
  'fapi2-security-profile-id2-test-array-as-audience-for-client-JWT-assertion': onlyIssuer,
  'fapi2-security-profile-id2-par-test-pushed-authorization-url-as-audience-for-client-JWT-assertion': onlyIssuer,
  'fapi2-security-profile-id2-par-test-token-endpoint-url-as-audience-for-client-JWT-assertion': onlyIssuer,
};

/**
 * The attack, bad-input and fault cases: subject and numbers of each group. A test shows one when its title has its
 * number.
 */
export const securityGroups = {
  A: {
    subject: 'Authorization endpoint',
    cases: [1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 18, 19, 22, 23, 25, 26, 27, 28, 29, 30, 31, 32],
  },
  B: { subject: 'Token endpoint', cases: [1, 2, 3, 4, 6, 8, 9, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22] },
  C: { subject: 'Client authentication', cases: [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 16] },
  D: { subject: 'Redirects', cases: [3, 4, 5, 6, 7] },
  E: { subject: 'Sessions, cookies, cross-site requests', cases: [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15] },
  F: { subject: 'Guessing and enumeration at sign-in', cases: [1, 2, 3, 4, 5, 6, 7, 9, 13, 14, 15, 16] },
  G: { subject: 'Second factor', cases: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14] },
  H: { subject: 'Links by mail', cases: [1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14] },
  I: { subject: 'Administration', cases: [1, 2, 4, 5, 6, 7, 8, 9, 11, 14, 15, 16, 17, 18] },
  J: { subject: 'First administrator', cases: [1, 2, 3, 4, 5] },
  K: { subject: 'Sign-in by identity providers', cases: [1, 3, 4, 5, 10, 11, 13, 14, 15] },
  L: { subject: 'Texts, logo, tags', cases: [1, 2, 3, 5, 6, 8] },
  M: { subject: 'Requests to other hosts', cases: [1, 2, 3, 4, 5, 7] },
  N: { subject: 'Logs, audit, privacy', cases: [1, 2, 4, 5, 6, 7] },
  O: { subject: 'Launch context and consent', cases: [1, 2, 4, 6, 7, 10, 11, 12, 13, 14] },
  P: { subject: 'Permissions and revocation', cases: [1, 2, 3, 4, 5, 7, 8, 9] },
  Q: { subject: 'Keys and clocks', cases: [1, 2, 3, 4, 5] },
  R: { subject: 'Faults', cases: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] },
  S: { subject: 'Size, load, odd input', cases: [2, 3, 4, 5, 7] },
  T: { subject: 'Headers, origins, browsers', cases: [1, 2, 3, 4, 5, 6, 7] },
};
