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
      'upper and lower case (registered addresses are compared character by character)',
    ],
    ['https://app.example/cb%23x', 'https://app.example/cb', 'the path, which has an encoded #'],
    ['https://app.example/cb%3Fx=1', 'https://app.example/cb', 'the path, which has an encoded ?'],
    [
      'https://app.example/./cb',
      'https://app.example/cb',
      'its spelling (registered addresses are compared character by character)',
    ],
  ])('of %s is %s, with the part that differs', (sent, nearest, difference) => {
    expect(nearestAddress(sent, registered)).toEqual({ nearest, difference });
  });

  it.each([
    ['https://app.example/cb', 'https://app.example/cb/', 'the slash at the end of the path'],
    ['https://app.example/cb', 'https://app.example/Cb', 'upper and lower case of the path'],
    ['http://localhost/cb', 'http://localhost:4567/cb', 'the port (none for 4567)'],
    ['https://app.example:8443/cb', 'https://app.example/cb', 'the port (8443 for none)'],
    ['https://app.test/cb', 'https://app.example/cb', 'the host (app.test for app.example)'],
    ['https://app.example/cb?a=b', 'https://app.example/cb', 'the query'],
    ['https://app.example/cb#a', 'https://app.example/cb', 'the fragment'],
    ['https://:word@app.example/cb', 'https://app.example/cb', 'the user name or password'],
    ['https://app.example/cb', 'callback', 'the form: it is not an absolute address'],
    [
      'http://app.test:81/x?a#b',
      'https://me@app.example/cb',
      [
        ...['the scheme (http for https)', 'the host (app.test for app.example)', 'the port (81 for none)', 'the path'],
        ...['the query', 'the fragment', 'the user name or password'],
      ].join(', '),
    ],
  ])('of %s, where only %s is registered, differs in %s', (sent, only, difference) => {
    expect(nearestAddress(sent, [only])).toEqual({ nearest: only, difference });
  });

  it('has the fewest parts that differ, and then the fewest characters', () => {
    const far = 'https://app.example/a-completely-different-page';
    const near = 'http://app.test/cb';
    expect(nearestAddress('https://app.example/cb', [near, far])).toEqual({ nearest: far, difference: 'the path' });
    expect(nearestAddress('https://app.example/cc', [far, 'https://app.example/cb'])).toEqual({
      nearest: 'https://app.example/cb',
      difference: 'the path',
    });
  });

  it('of a text that is no address is some registered one, and there is none without any', () => {
    expect(nearestAddress('callback', registered)).toEqual({
      nearest: registered[0],
      difference: 'the form: it is not an absolute address',
    });
    expect(nearestAddress('https://app.example/cb', [])).toBeUndefined();
  });
});

it.each([
  ['https://app.example/cb?code=a&code=b&x', 'https://app.example/cb?code=…&x=…'],
  ['https://me:word@app.example/cb#token', 'https://…@app.example/cb#…'],
  ['callback?a=b#c', 'callback?a=…#…'],
  ['https://app.example/cb', 'https://app.example/cb'],
  ['callback?', 'callback?'],
  ['callback#', 'callback#…'],
  ['callback?a=b#c\n&d=e', 'callback?a=…#…'],
  ['/https://me@app.example', '/https://me@app.example'],
  ['app+x.1://me:@app', 'app+x.1://…@app'],
  ['https://app.example/me@home', 'https://app.example/me@home'],
  ['a'.repeat(201), 'a'.repeat(200)],
  [`a?${'b'.repeat(70)}=c`, `a?${'b'.repeat(59)}`],
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
    ['https://host.example/fhir/north/ward', 'aud-other-tenant', 'https://host.example/fhir/north'],
    ['https://host.example/fhir/south/', 'aud-other-tenant', 'https://host.example/fhir/north'],
    ['https://host.example/fhir/a/b/c', 'aud-other-base', 'https://host.example/fhir/north'],
    ['HTTP://host.example/fhir', 'aud-scheme', 'https://host.example/fhir'],
    ['//host.example/fhir', 'aud-scheme', 'https://host.example/fhir'],
    ['//host.https:example/fhir', 'aud-other-base', 'https://host.example/fhir'],
    ['https://host.example/fhir/R4', 'aud-damaged', 'https://host.example/fhir'],
    ['https://host.example/fhir/dstu2/', 'aud-damaged', 'https://host.example/fhir'],
  ])('%s is %s', (sent, code, base) => {
    expect(audienceFault(sent, bases)).toMatchObject({ code, base });
  });

  it.each([
    ['https://host.example/fhir/', 'the slashes at the end'],
    ['http://host.example/fhir', 'http and https'],
    ['https://host.example/r4', 'the path'],
  ])('%s tells the difference: %s', (sent, difference) => {
    expect(audienceFault(sent, bases).difference).toBe(difference);
  });

  it('is another base where there are no tenants, and of no base without any', () => {
    expect(audienceFault('https://host.example/fhir/south', bases.slice(0, 1)).code).toBe('aud-other-base');
    expect(audienceFault('https://host.example/fhir/south', bases.slice(1)).code).toBe('aud-other-tenant');
    expect(audienceFault('fhir', [])).toMatchObject({ code: 'aud-other-base', base: '', difference: '' });
  });

  it('in the scheme is told by the first of two bases that differ in it', () => {
    const both = ['http', 'https'].map((scheme) => ({ url: `${scheme}://host.example/fhir`, tenant: undefined }));
    expect(audienceFault('HTTPS://host.example/fhir', both)).toMatchObject({ code: 'aud-scheme', base: both[0]?.url });
  });
});
