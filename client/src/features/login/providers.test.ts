import { onlyProvider, refusalText } from './providers.js';

const hospital = { authenticationScheme: 'hospital id', displayName: 'Hospital ID' };
const county = { authenticationScheme: 'county', displayName: 'County' };
const none = new URLSearchParams();

describe('K-13 the automatic redirect to the only identity provider', () => {
  it('happens when there is no other login method', () => {
    expect(
      onlyProvider({ enableLocalLogin: false, externalProviders: [hospital], loginHint: null, app: null }, none),
    ).toBe(hospital);
  });

  it.each([
    ['there is a local login', true, [hospital], ''],
    ['there are two providers', false, [hospital, county], ''],
    ['there is no provider', false, [], ''],
    ['the provider has just failed', false, [hospital], 'error=access_denied'],
    ['the user has just signed out', false, [hospital], 'loggedOut=true'],
    ['the user has just deleted the account', false, [hospital], 'deleted=now'],
  ])('does not happen when %s', (_, enableLocalLogin, externalProviders, query) => {
    expect(
      onlyProvider({ enableLocalLogin, externalProviders, loginHint: null, app: null }, new URLSearchParams(query)),
    ).toBeNull();
  });
});

describe('the reason why an external sign-in failed', () => {
  it('has a text of its own, and no text from the address is shown', () => {
    expect(refusalText('account-exists')).toBe('login.refused.account-exists');
    expect(refusalText('<b>call this number</b>')).toBe('errors.unexpected');
  });
});
