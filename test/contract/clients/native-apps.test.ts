import { type ApplicationType, applicationTypes } from '../../../src/contract/rules/client-values.js';
import { defaultClientForm } from '../../../src/contract/rules/clients/client-fields.js';
import { clientFormProblems, clientFormWarnings } from '../../../src/contract/rules/clients/client-form.js';
import {
  isPrivateUse,
  isRegisteredAt,
  redirectUriProblemOf,
  returnPlace,
} from '../../../src/contract/rules/web-address.js';
import { textOf } from '../../support/messages.js';

const wrong = 'Please enter a valid value';
const nativeOnly = `${wrong}: http or https. Other schemes are for apps whose application type is Native`;
const withoutDot = `${wrong}: the scheme of an app has a dot, as in com.example.app:/callback`;
const onDevice = `${wrong}: native apps use http with 127.0.0.1, [::1] or localhost, and https with other hosts`;

const problem = (type: ApplicationType, uri: string) => {
  const found = redirectUriProblemOf(type)(uri);
  return found && textOf(found);
};

describe('a redirect URI', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['https://app.example/callback', undefined, undefined],
    ['http://127.0.0.1/callback', undefined, undefined],
    ['http://127.0.0.1:4599/callback?a=b', undefined, undefined],
    ['http://[::1]:4599/callback', undefined, undefined],
    ['http://localhost:4599/callback', undefined, undefined],
    ['http://app.example/callback', undefined, onDevice],
    ['https://localhost/callback', undefined, onDevice],
    ['http://127.0.0.1.example.com/callback', undefined, onDevice],
    ['com.example.app:/callback', nativeOnly, undefined],
    ['com.example.app://callback', nativeOnly, undefined],
    ['com.example-app.v2+beta:/callback?x=1', nativeOnly, undefined],
    ['COM.Example.App:/callback', nativeOnly, undefined],
    ['myapp:/callback', wrong, withoutDot],
    ['javascript:alert(1)', wrong, withoutDot],
    ['data:text/html,x', wrong, withoutDot],
    ['com.example.app:/callback#part', wrong, withoutDot],
    ['com.example.app:/*', wrong, withoutDot],
    ['com.example.app:\\callback', wrong, withoutDot],
    ['com.example.app:/call back', wrong, withoutDot],
    ['com.example.app:', wrong, withoutDot],
    ['.example:/callback', wrong, wrong],
    ['com..app:/callback', wrong, withoutDot],
    ['app.example/callback', wrong, wrong],
    ['https://app.example/*', wrong, wrong],
    ['https://user:secret@app.example/', wrong, wrong],
    ['', wrong, wrong],
  ])('%s is judged for a web app and for a native one', (uri, web, native) => {
    expect([problem('web', uri), problem('native', uri)]).toEqual([web, native]);
  });

  it('is as long as it may be, with every scheme', () => {
    const fill = (start: string, length: number) => start + 'x'.repeat(length - start.length);
    for (const start of ['com.example.app:/', 'https://app.example/']) {
      expect(problem('native', fill(start, 400))).toBeUndefined();
      expect(problem('native', fill(start, 401))).toContain('400');
    }
  });

  it('is one of the scheme of an app only if that has a dot', () => {
    expect(['com.example:/', 'com.example:x', 'https://a.example/', 'app:/x'].map(isPrivateUse)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the address of a request', () => {
  const registered = ['http://127.0.0.1/cb', 'http://[::1]:4599/cb', 'http://localhost:1/cb', 'com.example.app:/cb'];

  it.each([
    ['http://127.0.0.1:53219/cb', true],
    ['http://127.0.0.1/cb', true],
    ['http://[::1]:1/cb', true],
    ['http://[::1]/cb', true],
    ['http://localhost:8080/cb', true],
    ['com.example.app:/cb', true],
    ['http://127.0.0.1:53219/other', false],
    ['http://127.0.0.1:53219/cb?x=1', false],
    ['https://127.0.0.1:53219/cb', false],
    ['http://127.0.0.1:53219@evil.example/cb', false],
    ['http://127.0.0.1.evil.example:1/cb', false],
    ['http://127.0.0.2/cb', false],
    ['com.example.app:/cb/more', false],
    ['http://127.0.0.1:port/cb', false],
  ])('%s of a native app is registered: %s', (uri, isRegistered) => {
    expect(isRegisteredAt(uri, { applicationType: 'native', redirectUris: registered })).toBe(isRegistered);
    expect(isRegisteredAt(uri, { applicationType: 'web', redirectUris: registered })).toBe(registered.includes(uri));
  });

  it.each([
    ['https://app.example:8443/cb', 'app.example:8443', 'app.example:8443'],
    ['http://127.0.0.1:53219/cb', '127.0.0.1:53219', '127.0.0.1'],
    ['http://[::1]:4/cb', '[::1]:4', '[::1]'],
    ['com.example.app:/cb', 'com.example.app:', 'com.example.app:'],
    ['com.example.app://host/cb', 'host', 'host'],
  ])('%s is known to users by its place', (uri, web, native) => {
    expect([returnPlace(uri, 'web'), returnPlace(uri, 'native')]).toEqual([web, native]);
  });
});

describe('the client form', () => {
  const form = { ...defaultClientForm(), clientName: 'App', clientId: 'app', requireClientSecret: false };
  const environment = {
    identityProviders: [],
    externalLoginRestricted: false,
    operationScopesLoaded: true,
    resourceTypeGroups: [],
    served: undefined,
  };
  const found = (changes: object) =>
    clientFormProblems({ ...form, redirectUris: ['https://a.example/'], ...changes }, 'create', environment);
  const problems = (changes: object) => found(changes).map(({ field }) => field);
  const said = (changes: object) => found(changes).map(({ field, messages }) => `${field} ${messages.map(textOf)}`);
  const warnings = (changes: object) =>
    clientFormWarnings({ ...form, allowedSmartSubjects: ['user'], ...changes }, environment).map(
      ({ field, messages }) => `${field} ${messages.map(textOf)}`,
    );

  it.each(applicationTypes)('of a %s app applies the rule to both lists of addresses', (applicationType) => {
    const uris = { redirectUris: ['com.example.app:/cb'], postLogoutRedirectUris: ['com.example.app:/bye'] };
    const refused = applicationType === 'native' ? [] : ['redirectUris.0', 'postLogoutRedirectUris.0'];
    expect(problems({ applicationType, ...uris })).toEqual(refused);
  });

  it('advises consent where another app can claim the address', () => {
    const claimable = ['com.example.app:/cb', 'http://127.0.0.1/cb', 'https://app.example/cb'];
    const note = 'Note: Another app on the device can claim this address. Users should be asked (Require consent).';
    const native = { applicationType: 'native', redirectUris: claimable };
    expect(warnings({ ...native, requireConsent: false })).toEqual([
      `redirectUris.0 ${note}`,
      `redirectUris.1 ${note}`,
    ]);
    expect(warnings({ ...native, requireConsent: true })).toEqual([]);
    expect(warnings({ redirectUris: ['http://127.0.0.1/cb'], requireConsent: false })).toEqual([
      'redirectUris.0 Note: This is an unsecured URL',
    ]);
  });

  it('takes default scopes that the client could be granted', () => {
    const service = {
      clientType: 'BackendService',
      allowedGrantTypes: ['client_credentials'],
      allowedSmartSubjects: ['system'],
    };
    const secret = {
      requireClientSecret: true,
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'x'.repeat(20) }],
    };
    expect(problems({ defaultScopes: ['openid', 'patient/*.rs', 'launch/patient'] })).toEqual([]);
    expect(problems({ defaultScopes: ['patient/*.sr', 'openid', 'openid'] })).toEqual([
      'defaultScopes.0',
      'defaultScopes.2',
    ]);
    const scopes = ['system/*.rs', 'system/*.$export', 'user/*.rs', 'openid', 'nonsense'];
    const rule = 'Please enter a valid value: a service is granted scopes of the subject system only';
    expect(said({ ...service, ...secret, defaultScopes: scopes })).toEqual([
      `defaultScopes.2 ${rule}`,
      `defaultScopes.3 ${rule}`,
      'defaultScopes.4 Please enter a valid value',
    ]);
  });
});
