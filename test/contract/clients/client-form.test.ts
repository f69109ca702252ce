import type { ClientForm, ClientSecretForm } from '../../../src/contract/clients/clients.js';
import {
  clientFormProblems,
  clientFormWarnings,
  tidyClientForm,
} from '../../../src/contract/rules/clients/client-form.js';
import { parsePublicJwk } from '../../../src/contract/rules/clients/jwk.js';
import type { Served } from '../../../src/contract/rules/scopes/scope-effect.js';
import { asAnswered } from '../../support/messages.js';
import { app, environment, management, service, shared } from './complete-client-forms.js';

function problems(changes: Partial<ClientForm>, form = app, around = environment, mode: 'create' | 'edit' = 'create') {
  const found = asAnswered(clientFormProblems(tidyClientForm({ ...form, ...changes }, around), mode, around));
  return Object.fromEntries(found.map(({ field, messages }) => [field, messages[0]]));
}

/** The form does not check whether the numbers make a key. */
const publicKeys = {
  ec: { kty: 'EC', crv: 'P-384', x: 'x'.repeat(64), y: 'y'.repeat(64) },
  rsa: { kty: 'RSA', n: 'n'.repeat(342), e: 'AQAB' },
};

function publicJwk(type: keyof typeof publicKeys, more: object = {}): string {
  return JSON.stringify({ ...publicKeys[type], kid: 'one', ...more });
}

describe('the client form', () => {
  test('accepts a complete app, service and management client', () => {
    expect([problems({}), problems({}, service), problems({}, management)]).toEqual([{}, {}, {}]);
  });

  test('names required fields', () => {
    expect(
      problems({
        clientName: ' ',
        clientId: '',
        allowedGrantTypes: [],
        allowedSmartSubjects: [],
        clientType: 'Invalid',
        allowedSmartActions: [],
        allowedSmartLegacyActions: [],
        clientSecrets: [],
        redirectUris: [' '],
      }),
    ).toEqual({
      clientName: 'Field is required',
      clientId: 'Field is required',
      allowedGrantTypes: 'Field is required',
      allowedSmartSubjects: 'Field is required',
      clientType: 'Please choose a valid client type',
      allowedSmartActions: 'At least one SMART action should be selected',
      clientSecrets: 'Please provide at least one Client Secret',
      redirectUris: 'Please provide at least one Redirect URI',
    });
  });

  test('requires one SMART action or one legacy action', () => {
    expect(problems({ allowedSmartActions: [] })).toEqual({});
    expect(problems({ allowedSmartLegacyActions: [] })).toEqual({});
  });

  test('I-17 has all limits of characters', () => {
    const over = (length: number) => 'a'.repeat(length + 1);
    const found = problems({
      clientName: over(200),
      clientId: over(200),
      description: over(1000),
      clientClaimPrefix: over(200),
      legalCompanyName: over(200),
      clientClaims: [
        { name: over(250), value: 'x' },
        { name: 'x', value: over(250) },
      ],
      redirectUris: [`https://app.example/${over(400)}`],
      clientSecrets: [
        { ...shared, secret: over(4000) },
        { ...shared, description: over(100) },
        { secretType: 'JWK', secretUrl: `https://app.example/${over(2000)}` },
      ],
    });
    expect(Object.keys(found).sort()).toEqual(
      [
        'clientClaimPrefix',
        'clientClaims.0.name',
        'clientClaims.1.value',
        'clientId',
        'clientName',
        'clientSecrets.0.secret',
        'clientSecrets.1.description',
        'clientSecrets.2.secretUrl',
        'description',
        'legalCompanyName',
        'redirectUris.0',
      ].sort(),
    );
    expect(problems({ description: '😀'.repeat(1000), clientName: '界'.repeat(200) })).toEqual({});
    expect(
      problems({ redirectUris: Array.from({ length: 1001 }, (_, i) => `https://app.example/${i}`) }),
    ).toHaveProperty('redirectUris');
  });

  test('requires valid lifetimes, and a refresh lifetime above the access lifetime', () => {
    expect(problems({ accessTokenLifetime: '1h', consentLifetime: 'x' })).toEqual({
      accessTokenLifetime: 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"',
      consentLifetime: 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"',
    });
    expect(problems({ accessTokenLifetime: '90' })).toEqual({
      refreshTokenLifetime: 'The Refresh Token Lifetime must be greater then the Access Token Lifetime',
    });
    expect(problems({ accessTokenLifetime: '100' }, service)).toEqual({});
  });

  test('accepts no maximum age of the sign-in, or a lifetime', () => {
    expect(problems({ maxAuthenticationAge: '' })).toEqual({});
    expect(problems({ maxAuthenticationAge: '00:10:00' })).toEqual({});
    expect(problems({ maxAuthenticationAge: '600 s' })).toEqual({
      maxAuthenticationAge: 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"',
    });
    expect(problems({ maxAuthenticationAge: '00:00:00' })).toEqual({
      maxAuthenticationAge: 'Lifetime must be at least 00:00:01',
    });
  });

  test('requires local login where a passkey is required', () => {
    expect(problems({ requiredAcr: 'phr' })).toEqual({});
    expect(problems({ enableLocalLogin: false })).toEqual({});
    expect(problems({ requiredAcr: 'phr', enableLocalLogin: false })).toEqual({
      requiredAcr: 'Passkeys belong to accounts of this portal: please allow Local Login',
    });
  });

  test('requires redirect URIs with http(s), each once', () => {
    expect(problems({ redirectUris: ['https://a.example/', '', 'https://a.example/', 'app://x'] })).toEqual({
      'redirectUris.1': 'Duplicate values are not allowed',
      'redirectUris.2': 'Please enter a valid value',
    });
  });

  test('requires a public key for signed requests', () => {
    const key: ClientSecretForm = { secretType: 'JWK', secret: publicJwk('ec') };
    const signed = { requireSignedRequestObject: true };
    expect(problems({ ...signed, clientSecrets: [key] })).toEqual({});
    const needed = {
      requireSignedRequestObject: 'Please add a public key (JWK): signed requests are verified with it',
    };
    expect(problems(signed)).toEqual(needed);
    expect(problems({ ...signed, requireClientSecret: false, clientSecrets: [key] })).toEqual(needed);
    expect(problems({ ...signed }, service)).toEqual({});
  });

  test('keeps local login when there is no external login', () => {
    const message = 'Local Login cannot be disabled if External Login is disabled';
    expect(problems({ enableLocalLogin: false })).toEqual({});
    expect(problems({ enableLocalLogin: false, enableExternalLogin: false })).toEqual({ enableLocalLogin: message });
    const alone = { ...environment, identityProviders: [] };
    expect(problems({ enableLocalLogin: false }, app, alone)).toEqual({ enableLocalLogin: message });
    expect(problems({ enableLocalLogin: false }, app, { ...environment, externalLoginRestricted: true })).toEqual({});
  });

  test('accepts restrictions to configured providers only', () => {
    expect(problems({ identityProviderRestrictions: ['hospital', 'elsewhere'] })).toEqual({
      'identityProviderRestrictions.1': 'Please enter a valid value',
    });
  });

  test('I-05 derives management access from the type', () => {
    expect(problems({ allowManagementApiAccess: true }, service)).toEqual({
      allowManagementApiAccess: 'Backend Service clients cannot have Management API access',
    });
    expect(problems({ allowManagementApiAccess: false }, management)).toEqual({
      allowManagementApiAccess: 'Management API clients must have Management API access enabled.',
    });
    expect(problems({ allowManagementApiAccess: true })).toEqual({});
  });

  test('I-05 derives grant types and the subjects of a service from the type', () => {
    expect(problems({ allowedGrantTypes: ['client_credentials'] })).toHaveProperty('allowedGrantTypes');
    expect(problems({ allowedSmartSubjects: ['user'] }, service)).toHaveProperty('allowedSmartSubjects');
    expect(problems({ requireClientSecret: false }, service)).toHaveProperty('requireClientSecret');
    expect(problems({ requireClientSecret: false }, management)).toHaveProperty('requireClientSecret');
    expect(problems({ requireClientSecret: false, clientSecrets: [] })).toEqual({});
  });

  test('limits lists to what an administrator maintains by hand, and resource types to those of FHIR', () => {
    const numbered = (count: number, text: (number: number) => string) =>
      Array.from({ length: count }, (_, i) => text(i));
    const uris = (count: number) => ({ redirectUris: numbered(count, (i) => `https://app.example/${i}`) });
    const types = (count: number) => ({
      allowedResourceTypes: numbered(count, (i) => `A${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`),
    });
    expect([problems(uris(100)), problems(types(200))]).toEqual([{}, {}]);
    expect(problems(uris(101))).toEqual({ redirectUris: 'Please enter at most 100 values' });
    expect(problems(types(201))).toEqual({ allowedResourceTypes: 'Please enter at most 200 values' });
  });

  test.each([
    ['a b', false],
    ['äapp', false],
    ['appä', false],
    ['app\u007f', false],
    ['~heart-companion!', true],
  ])('a client id of %j is accepted: %p', (clientId, isAccepted) => {
    expect(problems({ clientId })).toEqual(isAccepted ? {} : { clientId: 'Please enter a valid value' });
  });

  test('requires addresses with http(s) for the way back after a sign-out', () => {
    expect(problems({ postLogoutRedirectUris: ['https://app.example/bye', 'app://bye'] })).toEqual({
      'postLogoutRedirectUris.1': 'Please enter a valid value',
    });
  });

  test('accepts a device as the fhirUser of a client, and no other resource', () => {
    const claim = (value: string) => problems({ clientClaims: [{ name: 'fhirUser', value }] }, service);
    expect(claim('Device/pump-1')).toEqual({});
    expect(Object.keys(claim('Patient/1'))).toEqual(['clientClaims.0.value']);
  });

  test('checks claims by their prefixed name', () => {
    expect(problems({ clientClaimPrefix: 'cli', clientClaims: [{ name: 'ent_id', value: 'x' }] })).toHaveProperty([
      'clientClaims.0.name',
    ]);
  });

  test('requires links as legal addresses', () => {
    expect(
      Object.keys(problems({ contactUsUrl: 'x', privacyPolicyUrl: 'javascript:alert(1)', termsOfServiceUrl: '//x' })),
    ).toEqual(['contactUsUrl', 'privacyPolicyUrl', 'termsOfServiceUrl']);
    for (const uri of ['x', '//x', 'javascript:alert(1)', `https://app.example/${'x'.repeat(400)}`]) {
      expect(Object.keys(problems({ initiateLoginUri: uri }))).toEqual(['initiateLoginUri']);
    }
    expect(problems({ initiateLoginUri: 'https://app.example/heart/start' })).toEqual({});
  });

  test('requires ids of configured tenants', () => {
    expect(problems({ allowedTenants: ['north', 'south-2'] })).toEqual({});
    expect(problems({ allowedTenants: ['north', 'South', 'north', 'no rth', 'north!', '-north'] })).toEqual({
      'allowedTenants.1': 'Please enter a valid value',
      'allowedTenants.2': 'Duplicate values are not allowed',
      'allowedTenants.3': 'Please enter a valid value',
      'allowedTenants.4': 'Please enter a valid value',
      'allowedTenants.5': 'Please enter a valid value',
    });
    expect(problems({ allowedTenants: ['n'.repeat(64)] })).toEqual({});
    expect(problems({ allowedTenants: ['n'.repeat(65)] })).toHaveProperty(['allowedTenants.0']);
  });

  test('requires valid names of resource types, operations and required scopes', () => {
    expect(
      problems({
        allowedResourceTypes: [
          'Patient',
          'patient',
          'xPatient',
          'Patient2',
          `P${'a'.repeat(64)}`,
          `P${'a'.repeat(63)}`,
        ],
        allowedOperationScopes: ['system/*.$export', 'user/Patient.rs'],
        requiredScopes: ['openid', 'openid profile'],
      }),
    ).toEqual({
      'allowedResourceTypes.1': 'Please enter a valid value',
      'allowedResourceTypes.2': 'Please enter a valid value',
      'allowedResourceTypes.3': 'Please enter a valid value',
      'allowedResourceTypes.4': 'Please enter a valid value',
      'allowedOperationScopes.1': 'Please enter a valid value',
      'requiredScopes.1': 'Please enter a valid value',
    });
  });
});

describe('secrets of a client', () => {
  const secrets = (...clientSecrets: ClientSecretForm[]) => problems({ clientSecrets });

  test('require a value or an address', () => {
    expect(secrets({ secretType: 'SharedSecret' }, { secretType: 'JWK' })).toEqual({
      'clientSecrets.0.secret': 'Field is required',
      'clientSecrets.1.secret': 'Field is required',
    });
  });

  test('are refused with spaces around a shared secret, not trimmed', () => {
    expect(secrets({ ...shared, secret: ' x' })).toHaveProperty(['clientSecrets.0.secret']);
    expect(secrets({ ...shared, secret: 'a b' })).toEqual({});
  });

  test('I-05 cannot get a new value when they are stored', () => {
    const stored = { ...shared, id: '5a1c7a54-6d3b-4f6f-9f7e-1f3f4f1a1b1c' };
    expect(secrets(stored)).toHaveProperty(['clientSecrets.0.secret']);
    expect(secrets({ ...stored, secret: null })).toEqual({});
  });

  test('M-02 can have a JWKS URL with http(s) only, without credentials and off the ports of other services', () => {
    const url = (secretUrl: string) => secrets({ secretType: 'JWK', secretUrl });
    expect(url('https://app.example/jwks')).toEqual({});
    for (const bad of ['ftp://app.example/jwks', 'https://u:p@app.example/jwks', 'https://app.example:5432/']) {
      expect(url(bad)).toEqual({ 'clientSecrets.0.secretUrl': 'Please enter a valid value' });
    }
  });

  test('require distinct names of keys', () => {
    const key = publicJwk('ec');
    expect(secrets({ secretType: 'JWK', secret: key }, { secretType: 'JWK', secret: key })).toEqual({
      'clientSecrets.1.secret': 'Duplicate values are not allowed',
    });
  });

  test('may be removed later, also the last one', () => {
    expect(problems({ clientSecrets: [] }, app, environment, 'edit')).toEqual({});
  });
});

describe('public keys', () => {
  test.each(['ec', 'rsa'] as const)('accepts an %s key and keeps its public members', (type) => {
    const parsed = parsePublicJwk(publicJwk(type, { key_ops: ['verify'], x5c: ['…'], use: 'sig' }));
    expect(Object.keys('jwk' in parsed ? parsed.jwk : {}).sort()).toEqual(
      type === 'ec' ? ['crv', 'kid', 'kty', 'x', 'y'] : ['e', 'kid', 'kty', 'n'],
    );
  });

  test.each([
    ['', 'empty'],
    ['{', 'no JSON'],
    ['[]', 'no object'],
    ['{"keys":[]}', 'a set'],
    [publicJwk('ec', { kid: undefined }), 'no kid'],
    [publicJwk('ec', { kid: 'a\u0000' }), 'an unprintable kid'],
    [publicJwk('ec', { d: 'AA' }), 'a private key'],
    [publicJwk('ec', { kty: 'oct', k: 'AA' }), 'a symmetric key'],
    [publicJwk('ec', { crv: 'secp256k1' }), 'an unknown curve'],
    [publicJwk('ec', { crv: 'toString' }), 'a curve named after a method'],
    [publicJwk('ec', { x: 'AA' }), 'a short coordinate'],
    [publicJwk('ec', { alg: 'HS256' }), 'an algorithm of another kind'],
    [publicJwk('ec', { use: 'enc' }), 'an encryption key'],
    [publicJwk('rsa', { n: 'AQAB' }), 'a short modulus'],
  ])('refuses %s', (text) => {
    expect(parsePublicJwk(text)).toHaveProperty('problem');
  });
});

describe('the warnings of the client form', () => {
  const warnings = (changes: Partial<ClientForm>, form = app, served: Served | undefined = {}) =>
    asAnswered(clientFormWarnings({ ...form, ...changes }, { served })).flatMap(({ field, messages }) =>
      messages.map((text) => `${field}: ${text}`),
    );

  test('name a long access token and an unsecured address', () => {
    expect(warnings({ accessTokenLifetime: '02:00:00', allowedSmartSubjects: ['patient'] })).toEqual([
      'accessTokenLifetime: Warning: Access token lifetime set to 2 hours, but should be no more than 1 hour.',
    ]);
    expect(
      warnings({ redirectUris: ['https://a.example/', 'http://localhost/'], allowedSmartSubjects: ['user'] }),
    ).toEqual(['redirectUris.1: Note: This is an unsecured URL']);
  });

  test('begin above an hour of access', () => {
    const warned = (accessTokenLifetime: string) => warnings({ accessTokenLifetime }, service).length > 0;
    expect(['forever', '01:00:00', '01:00:01'].map(warned)).toEqual([false, false, true]);
  });

  test('name scopes that are never granted, since they open nothing', () => {
    const named = {
      allowedSmartSubjects: ['user' as const],
      requiredScopes: [
        'patient/Condition.rs?category:not=problem-list-item',
        'patient/Observation.rs?category=a|b|c',
        'patient/Patient.rs?category=a',
        'patient/CodeSystem.rs',
        'patient/Patient.c',
        'user/Unheard.rs',
      ],
      allowedOperationScopes: ['patient/Patient.$match', 'patient/Patient.$everything', 'user/Goal.$run'],
    };
    const served = { types: ['Condition', 'Observation', 'Patient', 'CodeSystem', 'Goal'] };
    const operations = [
      { name: 'everything', type: null },
      { name: 'match', type: 'Patient' },
    ];
    expect(warnings(named, app, { ...served, operations })).toEqual([
      'allowedOperationScopes.0: Note: This scope is not granted: the operation $match cannot be limited to one patient.',
      'allowedOperationScopes.2: Note: This scope is not granted: the FHIR server has no operation $run here.',
      'requiredScopes.0: Note: This scope is not granted: only conditions on category are enforced, not on category:not.',
      'requiredScopes.1: Note: This scope is not granted: a value of category has to be a code, system|code, or a list of these.',
      'requiredScopes.2: Note: This scope is not granted: Patient has no such category.',
      'requiredScopes.3: Note: This scope is not granted: CodeSystem is not part of a patient record.',
      'requiredScopes.4: Note: This scope is not granted: for one patient, c on Patient is not possible.',
      'requiredScopes.5: Note: This scope is not granted: the FHIR server has no Unheard.',
    ]);
    // Another server reads the scopes here.
    expect(clientFormWarnings({ ...app, ...named }, { served: undefined })).toEqual([]);
  });

  test('name system scopes with users, and services without them', () => {
    expect(warnings({})).toEqual([expect.stringMatching(/^allowedSmartSubjects: /)]);
    expect(warnings({ allowedSmartSubjects: ['user'] }, service)).toEqual([
      expect.stringMatching(/^allowedGrantTypes: /),
    ]);
    expect(warnings({}, service)).toEqual([]);
  });
});
