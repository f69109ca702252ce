import {
  dpopAlgorithms,
  InvalidProof,
  managementAudience,
  managementScope,
  NonceNeeded,
} from '../../../src/oidc/domain/access-tokens.js';
import { discoveryPath, enginePaths } from '../../../src/oidc/domain/engine-paths.js';
import { supportedScopes } from '../../../src/oidc/domain/supported-scopes.js';

const issuer = 'https://login.hospital.example';

describe('the names that clients know', () => {
  it('are the paths of the protocol', () => {
    expect({ ...enginePaths, discoveryPath }).toEqual({
      authorization: '/connect/authorize',
      token: '/connect/token',
      userinfo: '/connect/userinfo',
      end_session: '/connect/endsession',
      introspection: '/connect/introspect',
      revocation: '/connect/revocation',
      pushed_authorization_request: '/connect/par',
      jwks: '/.well-known/openid-configuration/jwks',
      discoveryPath: '/.well-known/openid-configuration',
    });
  });

  it('are the algorithms of DPoP proofs, none of them symmetric', () => {
    expect(dpopAlgorithms).toEqual(['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256', 'RS384']);
  });

  it('are scope and audience of the management API', () => {
    expect(managementScope).toBe('http://server.fire.ly/auth/scope/authmanagement');
    expect(managementAudience(issuer)).toBe('https://login.hospital.example/api/admin');
  });

  it('are the supported scopes, with launch where an EHR may call, and the configured contexts', () => {
    const scopes = supportedScopes({
      ehr: { callers: [{}] },
      fhir: { launchContext: [{ type: 'ImagingStudy' }, { type: 'Patient' }] },
    });
    expect(scopes).toEqual([
      ...['openid', 'fhirUser', 'profile', 'email', 'phone', 'launch'],
      ...['launch/patient', 'launch/encounter', 'launch/imagingstudy'],
      ...['offline_access', 'online_access'],
      ...['patient/*.cruds', 'user/*.cruds', 'system/*.cruds'],
      ...['patient/*.read', 'patient/*.write', 'patient/*.*'],
      ...['user/*.read', 'user/*.write', 'user/*.*'],
      ...['system/*.read', 'system/*.write', 'system/*.*'],
    ]);
    expect(supportedScopes({ ehr: { callers: [] }, fhir: { launchContext: [] } })).not.toContain('launch');
  });
});

it('a proof that lacks a nonce is refused with the nonce for the next one', () => {
  const error = new NonceNeeded('n1');
  expect(error).toBeInstanceOf(InvalidProof);
  expect([error.nonce, error.message]).toEqual(['n1', 'the proof needs a nonce of this portal']);
});
