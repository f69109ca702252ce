/** English of the rules for the settings of a client. The pages that show clients load these texts. */
export const clientRuleTexts = {
  'client-type-required': 'Please choose a valid client type',
  'follows-from-client-type': 'This setting follows from the client type',
  'smart-action-required': 'At least one SMART action should be selected',
  'redirect-uri-required': 'Please provide at least one Redirect URI',
  'local-login-needed': 'Local Login cannot be disabled if External Login is disabled',
  'passkey-needs-local-login': 'Passkeys belong to accounts of this portal: please allow Local Login',
  'backend-without-management': 'Backend Service clients cannot have Management API access',
  'management-access-needed': 'Management API clients must have Management API access enabled.',
  'signed-requests-need-key': 'Please add a public key (JWK): signed requests are verified with it',
  'credentials-need-secret': 'Clients that sign in with client_credentials need a client secret',
  'system-scopes-with-user':
    'Note: With authorization_code, system scopes are granted only where the user is allowed the same access.',
  'credentials-without-system': 'Note: client_credentials can only be granted system scopes.',
  'scope-idle-parameter':
    'Note: This scope is not granted: only conditions on category are enforced, not on {{parameter}}.',
  'scope-idle-category-value':
    'Note: This scope is not granted: a value of category has to be a code, system|code, or a list of these.',
  'scope-idle-no-category': 'Note: This scope is not granted: {{type}} has no such category.',
  'scope-idle-not-of-patient': 'Note: This scope is not granted: {{type}} is not part of a patient record.',
  'scope-idle-actions-of-patient':
    'Note: This scope is not granted: for one patient, {{actions}} on {{type}} is not possible.',
  'scope-idle-operation-of-patient':
    'Note: This scope is not granted: the operation ${{operation}} cannot be limited to one patient.',
  'scope-idle-type-unknown': 'Note: This scope is not granted: the FHIR server has no {{type}}.',
  'scope-idle-operation-unknown':
    'Note: This scope is not granted: the FHIR server has no operation ${{operation}} here.',
  'url-unsecured': 'Note: This is an unsecured URL',
  'lifetime-invalid': 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"',
  'lifetime-too-short': 'Lifetime must be at least 00:00:01',
  'refresh-must-exceed-access': 'The Refresh Token Lifetime must be greater then the Access Token Lifetime',
  'access-token-long': 'Warning: Access token lifetime set to {{duration}}, but should be no more than 1 hour.',
  'default-scope-of-service': 'Please enter a valid value: a service is granted scopes of the subject system only',
  'redirect-uri-native-only':
    'Please enter a valid value: http or https. Other schemes are for apps whose application type is Native',
  'redirect-uri-scheme': 'Please enter a valid value: the scheme of an app has a dot, as in com.example.app:/callback',
  'redirect-uri-loopback':
    'Please enter a valid value: native apps use http with 127.0.0.1, [::1] or localhost, and https with other hosts',
  'native-without-consent':
    'Note: Another app on the device can claim this address. Users should be asked (Require consent).',
  'secret-required': 'Please provide at least one Client Secret',
  'secret-outer-spaces': 'A secret cannot begin or end with a space',
  'secret-unsendable': 'Please use only letters, digits and symbols of ASCII: apps cannot send any other',
  'secret-unchangeable': 'A shared secret cannot be changed after saving',
  'secret-end-in-past': 'The end must be in the future',
  'jwk-private': 'Please enter the public key only: this one holds private parts',
  'jwk-needs-kid': 'The key needs a "kid" that names it',
  'jwk-set-without-keys': 'This key set has no key for signatures',
  'jwk-types': 'The key must be of type RSA (at least 2048 bits), EC (P-256, P-384 or P-521) or OKP (Ed25519)',
  'fapi-setting-needed': 'FAPI 2.0 needs this setting',
  'fapi-keys-only': 'Clients with FAPI 2.0 sign in with keys only: please remove this secret',
  'fapi-key-types': 'FAPI 2.0 needs a key for PS256 (RSA), ES256 (EC with P-256) or EdDSA (Ed25519)',
  'fapi-https-needed': 'FAPI 2.0 needs https, or http to the loopback addresses 127.0.0.1 and [::1]',
} as const;
