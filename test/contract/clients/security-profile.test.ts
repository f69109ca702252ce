import type { ClientForm, ClientSecretForm } from '../../../src/contract/clients/clients.js';
import { clientFormProblems } from '../../../src/contract/rules/clients/client-form.js';
import { demandedBy } from '../../../src/contract/rules/clients/security-profile.js';
import { asAnswered } from '../../support/messages.js';
import { app, environment, service, shared } from './complete-client-forms.js';

/** The form does not check whether the numbers make a key. */
const jwk = (members: object): ClientSecretForm => ({
  secretType: 'JWK',
  secret: JSON.stringify({ kid: 'one', ...members }),
});
const p256 = { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) };
const p384 = { kty: 'EC', crv: 'P-384', x: 'x'.repeat(64), y: 'y'.repeat(64) };
const rsa = { kty: 'RSA', n: 'n'.repeat(342), e: 'AQAB' };
const edwards = { kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) };

const complete: Partial<ClientForm> = {
  securityProfile: 'fapi2',
  ...demandedBy('fapi2'),
  clientSecrets: [jwk(p256)],
};

function problems(changes: Partial<ClientForm>, form = app) {
  const found = asAnswered(clientFormProblems({ ...form, ...complete, ...changes }, 'create', environment));
  return Object.fromEntries(found.map(({ field, messages }) => [field, messages[0]]));
}

describe('the FAPI 2.0 profile of a client', () => {
  test('demands PKCE, pushed requests and DPoP, and the absence of a profile nothing', () => {
    expect(demandedBy('fapi2')).toEqual({ requirePkce: true, requirePar: true, requireDpop: true });
    expect(demandedBy('none')).toEqual({});
  });

  test('agrees with a form that has what it needs, and does not judge other clients', () => {
    expect(problems({})).toEqual({});
    expect(problems({ securityProfile: 'none', requirePar: false, clientSecrets: [shared] })).toEqual({});
  });

  test.each(['requirePkce', 'requirePar', 'requireDpop'] as const)('needs %s', (field) => {
    expect(problems({ [field]: false })).toEqual({ [field]: 'FAPI 2.0 needs this setting' });
  });

  test('does not let a public client have it', () => {
    expect(problems({ requireClientSecret: false, clientSecrets: [] })).toEqual({
      requireClientSecret: 'FAPI 2.0 needs this setting',
    });
  });

  test('permits keys only, by value or by address', () => {
    expect(problems({ clientSecrets: [shared, jwk(p256)] })).toEqual({
      'clientSecrets.0.secret': 'Clients with FAPI 2.0 sign in with keys only: please remove this secret',
    });
    const secretUrl = 'https://app.example/jwks.json';
    expect(problems({ clientSecrets: [{ secretType: 'JWK', secret: null, secretUrl }] })).toEqual({});
  });

  test.each([
    [rsa],
    [{ ...rsa, alg: 'PS256' }],
    [p256],
    [{ ...p256, alg: 'ES256' }],
    [edwards],
    [{ ...edwards, alg: 'EdDSA' }],
    [{ ...edwards, alg: 'Ed25519' }],
  ])('permits the key %j', (members) => {
    expect(problems({ clientSecrets: [jwk(members)] })).toEqual({});
  });

  test.each([[p384], [{ ...p384, alg: 'ES384' }], [{ ...rsa, alg: 'RS256' }], [{ ...rsa, alg: 'PS512' }]])(
    'refuses the key %j',
    (members) => {
      expect(problems({ clientSecrets: [jwk(members)] })).toEqual({
        'clientSecrets.0.secret': 'FAPI 2.0 needs a key for PS256 (RSA), ES256 (EC with P-256) or EdDSA (Ed25519)',
      });
    },
  );

  test.each(['https://app.example/callback', 'HTTPS://app.example/', 'http://127.0.0.1:4567/', 'http://[::1]/back'])(
    'permits the redirect URI %s',
    (uri) => {
      expect(problems({ redirectUris: [uri] })).toEqual({});
    },
  );

  test.each(['http://app.example/', 'http://localhost/', 'http://127.0.0.1.example/', 'http://app.example/?https:'])(
    'refuses the redirect URI %s',
    (uri) => {
      expect(problems({ redirectUris: ['https://app.example/', uri] })).toEqual({
        'redirectUris.1': 'FAPI 2.0 needs https, or http to the loopback addresses 127.0.0.1 and [::1]',
      });
    },
  );

  test('asks of a service only what it has', () => {
    const off = {
      requirePar: false,
      requirePkce: false,
      allowedSmartSubjects: ['system' as const],
      allowedGrantTypes: ['client_credentials' as const],
    };
    expect(problems(off, service)).toEqual({});
    expect(problems({ ...off, requireDpop: false }, service)).toEqual({ requireDpop: 'FAPI 2.0 needs this setting' });
  });
});
