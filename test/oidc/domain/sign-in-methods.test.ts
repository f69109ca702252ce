import { allowedSignInMethods } from '../../../src/oidc/domain/sign-in-methods.js';

const [hospital, city] = [{ scheme: 'hospital' }, { scheme: 'city' }];
const settings = { account: { localLogin: true, restrictExternalLogin: false }, identityProviders: [hospital, city] };
const client = { enableLocalLogin: true, enableExternalLogin: true, identityProviderRestrictions: [] as string[] };

describe('the sign-in methods', () => {
  it('of the portal itself are all that are configured', () => {
    const restricted = { ...settings, account: { localLogin: false, restrictExternalLogin: true } };
    expect(allowedSignInMethods(settings)).toEqual({ local: true, providers: [hospital, city] });
    expect(allowedSignInMethods(restricted)).toEqual({ local: false, providers: [hospital, city] });
  });

  it.each([
    ['all methods', {}, { local: true, providers: [hospital, city] }],
    ['no passwords', { enableLocalLogin: false }, { local: false, providers: [hospital, city] }],
    ['no providers', { enableExternalLogin: false }, { local: true, providers: [] }],
    ['one provider', { identityProviderRestrictions: ['city', 'other'] }, { local: true, providers: [city] }],
  ])('of a client that accepts %s', (_, accepted, expected) => {
    expect(allowedSignInMethods(settings, { ...client, ...accepted })).toEqual(expected);
  });

  it('of a client are passwords alone where external sign-in is restricted', () => {
    const account = { localLogin: true, restrictExternalLogin: true };
    const withoutPasswords = { ...client, enableLocalLogin: false };
    expect(allowedSignInMethods({ ...settings, account }, withoutPasswords)).toEqual({ local: true, providers: [] });
  });

  it('of a client are no passwords where they are turned off', () => {
    const account = { localLogin: false, restrictExternalLogin: false };
    expect(allowedSignInMethods({ ...settings, account }, client).local).toBe(false);
  });
});
