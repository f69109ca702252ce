import { externalSignIn } from './external-sign-in.js';

const hospital = { authenticationScheme: 'hospital id', displayName: 'Hospital ID' };
const county = { authenticationScheme: 'county', displayName: 'County' };

describe('the address of an external sign-in', () => {
  it('names the provider and has the return URL', () => {
    expect(externalSignIn(hospital, '/connect/authorize/callback?ix=1')).toBe(
      '/connect/authorize/external?scheme=hospital+id&returnUrl=%2Fconnect%2Fauthorize%2Fcallback%3Fix%3D1',
    );
    expect(externalSignIn(county, null)).toBe('/connect/authorize/external?scheme=county');
  });

  it('says when the user has to confirm who they are', () => {
    expect(externalSignIn(county, null, { confirm: true })).toBe(
      '/connect/authorize/external?scheme=county&confirm=true',
    );
  });
});
