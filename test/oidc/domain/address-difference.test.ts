import { audienceFault, nearestAddress, shownAddress } from '../../../src/oidc/domain/address-difference.js';

describe('The nearest registered address', () => {
  const registered = ['https://app.example/cb', 'https://app.example/other/cb', 'http://localhost:4567/cb'];

  it.each([
    ['https://app.example/cb/', 'https://app.example/cb', 'the slash at the end of the path'],
    ['https://app.example/CB', 'https://app.example/cb', 'upper and lower case of the path'],
    ['http://app.example/cb', 'https://app.example/cb', 'the scheme (http for https)'],
    ['http://localhost:4568/cb', 'http://localhost:4567/cb', 'the port (4568 for 4567)'],
    ['https://app.example/other/ob', 'https://app.example/other/cb', 'the path'],
    ['https://app.example/cb?x=1#y', 'https://app.example/cb', 'the query, the fragment'],
    ['https://me@app.example/cb', 'https://app.example/cb', 'the user name or password'],
    [
      'HTTPS://APP.example/cb',
      'https://app.example/cb',
      'its spelling (registered addresses are compared character by character)',
    ],
  ])('of %s is %s, with the part that differs', (sent, nearest, difference) => {
    expect(nearestAddress(sent, registered)).toEqual({ nearest, difference });
  });

  it('of a text that is no address is some registered one, and there is none without any', () => {
    expect(nearestAddress('callback', registered)?.difference).toBe('the form: it is not an absolute address');
    expect(nearestAddress('https://app.example/cb', [])).toBeUndefined();
  });
});

it.each([
  ['https://app.example/cb?code=a&code=b&x', 'https://app.example/cb?code=…&x=…'],
  ['https://me:word@app.example/cb#token', 'https://…@app.example/cb#…'],
  ['callback?a=b#c', 'callback?a=…#…'],
  ['https://app.example/cb', 'https://app.example/cb'],
])('An entry shows the address %s as %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

describe('The fault of an aud', () => {
  const bases = [
    { url: 'https://host.example/fhir', tenant: undefined },
    { url: 'https://host.example/fhir/north', tenant: { id: 'north' } },
  ];

  it.each([
    ['https://host.example/fhir//', 'aud-trailing-slash', 'https://host.example/fhir'],
    ['http://host.example/fhir/', 'aud-scheme', 'https://host.example/fhir'],
    ['https://host.example/fhir/south', 'aud-other-tenant', 'https://host.example/fhir/north'],
    ['https://host.example/r4', 'aud-other-base', 'https://host.example/fhir'],
    ['https://elsewhere.example/fhir', 'aud-other-base', 'https://host.example/fhir'],
    ['fhir', 'aud-other-base', 'https://host.example/fhir'],
  ])('%s is %s', (sent, code, base) => {
    expect(audienceFault(sent, bases)).toMatchObject({ code, base });
  });
});
