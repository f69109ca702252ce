import { createHash } from 'node:crypto';
import { dpopAlgorithms, InvalidProof, NonceNeeded } from '../../../src/oidc/domain/access-tokens.js';
import { discoveryPath, enginePaths } from '../../../src/oidc/domain/engine-paths.js';
import { managementAudience, managementScope } from '../../../src/oidc/domain/management-access.js';
import { belongsTo } from '../../../src/oidc/domain/membership.js';
import { smartStyle, smartStyleUrl } from '../../../src/oidc/domain/smart-style.js';
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

describe('the SMART style', () => {
  it('has the members of SMART with the colors of the sign-in pages', () => {
    const fonts = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
    expect(JSON.parse(smartStyle({ branding: {} }).json)).toEqual({
      color_background: '#F5F7F9',
      color_error: '#B42318',
      color_highlight: '#0A6375',
      color_modal_backdrop: 'rgba(15,23,30,.44)',
      color_success: '#1F7D4F',
      color_text: '#17222B',
      dim_border_radius: '8px',
      dim_font_size: '16px',
      dim_spacing_size: '20px',
      font_family_body: fonts,
      font_family_heading: fonts,
    });
    expect(smartStyle({ branding: { accentColor: '#123456' } }).json).toContain('"color_highlight":"#123456"');
  });

  it('has an address that changes with its content', () => {
    const [usual, own] = [smartStyle({ branding: {} }), smartStyle({ branding: { accentColor: '#123456' } })];
    const version = createHash('sha256').update(usual.json).digest('base64url').slice(0, 16);
    expect(usual.path).toBe(`/smart-style/${version}.json`);
    expect(own.path).not.toBe(usual.path);
    expect(smartStyleUrl({ server: { issuer }, branding: {} })).toBe(issuer + usual.path);
  });
});

describe('the tenants of an account', () => {
  const account = (...tenants: string[]) => ({
    claims: [{ name: 'ward', value: 'north' }, ...tenants.map((value) => ({ name: 'tenant', value }))],
  });
  const base = (id?: string) => ({ tenant: id === undefined ? undefined : { id } });

  it.each([
    ['in the base of none, an account of none', true, [], undefined],
    ['in the base of one, an account of none', false, [], 'north'],
    ['in the base of its only tenant, an account', true, ['north'], 'north'],
    ['in the base of its second tenant, an account', true, ['south', 'north'], 'north'],
    ['in the base of another tenant, an account', false, ['south'], 'north'],
    ['in the base of none, an account of one', false, ['north'], undefined],
  ])('%s belongs there: %p', (_, expected, tenants, id) => {
    expect(belongsTo(account(...tenants), base(id))).toBe(expected);
  });

  it('are all for an administrator, who authorizes clients in tries only', () => {
    for (const id of [undefined, 'north', 'south']) {
      expect(belongsTo({ ...account('north'), userType: 'Admin' }, base(id))).toBe(true);
      expect(belongsTo({ ...account('north'), userType: 'Patient' }, base(id))).toBe(id === 'north');
    }
  });
});

it('a proof that lacks a nonce is told the nonce for the next one', () => {
  const error = new NonceNeeded('n1');
  expect(error).toBeInstanceOf(InvalidProof);
  expect([error.nonce, error.message]).toEqual(['n1', 'the proof needs a nonce of this portal']);
});
