import { pages } from '../../../src/contract/rules/pages.js';
import { addressOfEndpoint, type MeantEndpoint, meantEndpoint } from '../../../src/oidc/domain/engine-paths.js';

const addresses = { issuer: 'https://portal.example', fhirBase: 'https://portal.example/fhir' };

/** Addresses of other products, and those that people guess. */
const rows: [path: string, meant: MeantEndpoint | undefined][] = [
  ['/oauth2/token', 'token endpoint'],
  ['/oauth/token', 'token endpoint'],
  ['/oauth2/default/v1/token', 'token endpoint'],
  ['/auth/realms/hospital/protocol/openid-connect/token', 'token endpoint'],
  ['/realms/hospital/protocol/openid-connect/token', 'token endpoint'],
  ['/hospital/oauth2/v2.0/token', 'token endpoint'],
  ['/interconnect/oauth2/token', 'token endpoint'],
  ['/connect/token/', 'token endpoint'],
  ['/Connect/Token', 'token endpoint'],
  ['/connect/tokens', 'token endpoint'],
  ['/oauth/access_token', 'token endpoint'],
  ['/token', 'token endpoint'],
  ['/oauth/authorize', 'authorization endpoint'],
  ['/oauth2/authorise', 'authorization endpoint'],
  ['/connect/authorization', 'authorization endpoint'],
  ['/realms/hospital/protocol/openid-connect/auth', 'authorization endpoint'],
  ['/authorize', 'authorization endpoint'],
  ['/oauth2/introspect', 'introspection endpoint'],
  ['/connect/introspection', 'introspection endpoint'],
  ['/oauth2/tokeninfo', 'introspection endpoint'],
  ['/oauth2/revoke', 'revocation endpoint'],
  ['/connect/revoke', 'revocation endpoint'],
  ['/revocation', 'revocation endpoint'],
  ['/oauth2/userinfo', 'userinfo endpoint'],
  ['/oidc/user-info', 'userinfo endpoint'],
  ['/userinfo', 'userinfo endpoint'],
  ['/connect/logout', 'sign-out endpoint'],
  ['/oidc/end-session', 'sign-out endpoint'],
  ['/as/par', 'endpoint for pushed requests'],
  ['/oauth2/keys', 'key set'],
  ['/protocol/openid-connect/certs', 'key set'],
  ['/jwks', 'key set'],
  ['/jwks.json', 'key set'],
  ['/.well-known/jwks.json', 'key set'],
  ['/.well-known/openid-configuration/', 'discovery document'],
  ['/oauth2/.well-known/openid-configuration', 'discovery document'],
  ['/.well-known/oauth-authorization-server/fhir', 'discovery document'],
  ['/.well-known/openid-configuration/fhir', 'discovery document'],
  ['/.well-known/smart-configuration', 'SMART configuration'],
  ['/.well-known/smart-configuration/fhir', 'SMART configuration'],
  ['/.well-known/smart-config', 'SMART configuration'],
  ['/connect/deviceauthorization', 'endpoint for devices'],
  ['/oauth2/device_authorization', 'endpoint for devices'],
  ['/auth/device', 'endpoint for devices'],
  ['/oauth2/devicecode', 'endpoint for devices'],
  ['/oauth2/register', 'endpoint for registrations'],
  ['/openid/registration', 'endpoint for registrations'],
  ['/realms/hospital/clients-registrations/openid-connect', 'endpoint for registrations'],
  ['/v2/logout', 'sign-out endpoint'],
  ['/well-known/smart-configuration', 'SMART configuration'],
  ['/api/FHIR/R4/Patient/1', 'FHIR base'],
  ['/baseR4/Patient', 'FHIR base'],
  ['/fhir-server/api/v4/fhir/metadata', 'FHIR base'],
  ['/hospital/stu3/Observation/1', 'FHIR base'],
  // Of pages, calls and what could be data.
  ['/fhir/guide', undefined],
  ['/r4', undefined],
  ['/logout', undefined],
  ['/register', undefined],
  ['/keys', undefined],
  ['/auth', undefined],
  ['/api/authorization', undefined],
  ['/api/session/logout', undefined],
  ['/connect/launchContext', undefined],
  ['/connect/account', undefined],
  ['/.well-known/oauth-protected-resource', undefined],
  ['/.well-known/security.txt', undefined],
  ['/.well-known', undefined],
  ['/oauth2/constructor', undefined],
  ['/connect', undefined],
  ['/', undefined],
  ['', undefined],
];

describe('The endpoint that an address is for by its name', () => {
  it.each(rows)('%s: %s', (path, meant) => {
    expect(meantEndpoint(path)).toBe(meant);
  });

  it('is undefined for each page of the portal', () => {
    const taken = Object.keys(pages).filter((page) => meantEndpoint(page) !== undefined);
    expect(taken).toEqual([]);
  });
});

describe('The address of an endpoint', () => {
  it('is below the issuer, and that of the SMART configuration below the FHIR base', () => {
    expect(addressOfEndpoint('token endpoint', addresses)).toBe('https://portal.example/connect/token');
    expect(addressOfEndpoint('discovery document', addresses)).toBe(
      'https://portal.example/.well-known/openid-configuration',
    );
    expect(addressOfEndpoint('SMART configuration', addresses)).toBe(
      'https://portal.example/fhir/.well-known/smart-configuration',
    );
  });

  it.each(['endpoint for devices', 'endpoint for registrations'] as const)(
    'is unknown for what is not offered: %s',
    (meant) => {
      expect(addressOfEndpoint(meant, addresses)).toBeUndefined();
    },
  );
});
