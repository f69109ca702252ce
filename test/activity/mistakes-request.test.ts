/**
 * Mistakes of authorization requests, each made over HTTP: the launch's record names the cause, the values and the
 * change.
 */

import { SmartApp } from '../support/apps/smart-app.js';
import { redirectUri } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { damagedRequests } from '../support/mistakes/damaged-values.js';
import {
  expectExplained,
  type Mistake,
  type RequestPortal,
  startRequestPortal,
} from '../support/mistakes/request-mistakes.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';

let at: RequestPortal;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  at = await startRequestPortal();
});
afterAll(() => at.close());

const refused: Mistake[] = [
  { name: 'no client_id', make: () => at.ask({ client_id: undefined }), code: 'client-missing' },
  {
    name: 'a client id that resembles a registered one',
    make: () => at.ask({ client_id: 'public-abb' }),
    code: 'client-misspelled',
    detail: () => ({ clientId: 'public-abb', nearest: 'public-app' }),
  },
  {
    name: 'the name of a client as its id',
    make: () => at.ask({ client_id: 'heart companion' }),
    code: 'client-named',
    detail: () => ({ clientId: 'heart companion', named: expect.stringContaining('-app') as never }),
  },
  {
    name: 'a client id in other letters',
    make: () => at.ask({ client_id: 'Public-App' }),
    code: 'client-damaged',
    detail: () => ({ clientId: 'Public-App', nearest: 'public-app', damage: 'it differs in upper and lower case' }),
  },
  {
    name: 'a client id that resembles none',
    make: () => at.ask({ client_id: 'something-else-entirely' }),
    code: 'client-unknown',
    detail: () => ({ clientId: 'something-else-entirely' }),
  },
  {
    name: 'a disabled client',
    make: () => at.ask({}, 'disabled'),
    code: 'client-disabled',
    detail: () => ({ clientId: 'disabled-app' }),
    fix: 'enabled',
  },
  {
    name: 'a back-end service',
    make: () => at.ask({}, 'backendService'),
    code: 'client-without-users',
  },
  {
    name: 'no redirect_uri',
    make: () => at.ask({ redirect_uri: undefined }),
    code: 'redirect-uri-missing',
    detail: () => ({ registered: redirectUri }),
  },
  ...Object.entries({
    [`${redirectUri}/`]: 'the slash at the end of the path',
    [redirectUri.replace('http:', 'https:')]: 'the scheme (https for http)',
    [redirectUri.replace('localhost', '127.0.0.1')]: 'the host (127.0.0.1 for localhost)',
    [redirectUri.replace('callback', 'Callback')]: 'upper and lower case of the path',
    [redirectUri.replace('callback', 'cb')]: 'the path',
  }).map(([sent, difference]) => ({
    name: `a redirect URI that differs in ${difference}`,
    make: () => at.ask({ redirect_uri: sent }),
    code: 'redirect-uri-unregistered',
    detail: () => ({ sent, nearest: redirectUri, difference }),
    fix: 'redirectUris',
  })),
  {
    name: 'another port of the device',
    make: () => at.ask({ redirect_uri: redirectUri.replace('4567', '4568') }),
    code: 'redirect-uri-loopback-port',
    detail: () => ({ sent: redirectUri.replace('4567', '4568'), nearest: redirectUri }),
    fix: 'applicationType',
  },
  {
    name: 'the scheme of a native app',
    make: () => at.ask({ redirect_uri: 'com.example.app:/callback?code=planted-value' }),
    code: 'redirect-uri-of-native-app',
    detail: () => ({ sent: 'com.example.app:/callback?code=…' }),
    fix: 'applicationType',
  },
  {
    name: 'a redirect URI with a query, whose values are not kept',
    make: () => at.ask({ redirect_uri: `${redirectUri}?tenant=planted-value` }),
    code: 'redirect-uri-query',
    detail: () => ({ sent: `${redirectUri}?tenant=…`, nearest: redirectUri, difference: 'the query' }),
    fix: 'redirectUris',
  },
  {
    name: 'a pushed redirect URI that is not registered',
    make: () => at.push({ redirect_uri: 'https://app.example/cb' }),
    code: 'redirect-uri-unregistered',
    detail: () => ({ sent: 'https://app.example/cb' }),
    fix: 'redirectUris',
  },
  {
    name: 'no aud',
    make: () => at.ask({ aud: undefined }),
    code: 'aud-missing',
    detail: () => ({ parameter: 'aud', base: at.portal.fhirBase }),
  },
  {
    name: 'an aud with two slashes at its end',
    make: () => at.ask({ aud: `${at.portal.fhirBase}//` }),
    code: 'aud-trailing-slash',
    detail: () => ({ sent: `${at.portal.fhirBase}//`, base: at.portal.fhirBase }),
  },
  {
    name: 'an aud with https',
    make: () => at.ask({ aud: at.portal.fhirBase.replace('http:', 'https:') }),
    code: 'aud-scheme',
    detail: () => ({ sent: at.portal.fhirBase.replace('http:', 'https:'), base: at.portal.fhirBase }),
    fix: 'server.issuer',
  },
  {
    name: 'an aud of a tenant that is not configured',
    make: () => at.ask({ aud: `${at.portal.fhirBase}/south` }),
    code: 'aud-other-tenant',
    detail: () => ({ sent: `${at.portal.fhirBase}/south`, base: `${at.portal.fhirBase}/north` }),
    fix: 'fhir.tenants',
  },
  {
    name: 'an aud of another server',
    make: () => at.ask({ aud: 'https://elsewhere.example/r4' }),
    code: 'aud-other-base',
    detail: () => ({ sent: 'https://elsewhere.example/r4', base: at.portal.fhirBase }),
    fix: 'fhir.baseUrl',
  },
  { name: 'aud twice', make: () => askTwice('aud'), code: 'parameter-repeated', detail: () => ({ parameters: 'aud' }) },
  {
    name: 'scope twice',
    make: () => askTwice('scope'),
    code: 'parameter-repeated',
    detail: () => ({ parameters: 'scope' }),
  },
  {
    name: 'an aud of a tenant that the client may not have',
    make: () => at.ask({}, 'ofNorth'),
    code: 'tenant-not-allowed',
    detail: () => ({ base: at.portal.fhirBase }),
    fix: 'allowedTenants',
  },
  {
    name: 'an aud and a resource that differ',
    make: () => at.ask({ resource: `${at.portal.fhirBase}/north` }),
    code: 'aud-resource-differ',
    detail: () => ({ aud: at.portal.fhirBase, resource: `${at.portal.fhirBase}/north` }),
  },
  {
    name: 'another resource',
    make: () => at.ask({ resource: 'https://elsewhere.example/r4' }),
    code: 'resource-unknown',
    detail: () => ({ sent: 'https://elsewhere.example/r4', base: at.portal.fhirBase }),
  },
  {
    name: 'no PKCE of a public client',
    make: () => at.ask({ code_challenge: undefined, code_challenge_method: undefined }),
    code: 'pkce-public',
  },
  {
    name: 'no PKCE of a confidential client that must use it',
    make: () => at.ask({ code_challenge: undefined, code_challenge_method: undefined }, 'strict'),
    code: 'pkce-missing',
    fix: 'requirePkce',
  },
  {
    name: 'PKCE with plain',
    make: () => at.ask({ code_challenge_method: 'plain' }),
    code: 'pkce-plain',
    detail: () => ({ sent: 'plain' }),
  },
  {
    name: 'PKCE with another method',
    make: () => at.ask({ code_challenge_method: 'SHA256' }),
    code: 'pkce-method',
    detail: () => ({ sent: 'SHA256' }),
  },
  {
    name: 'PKCE without a method',
    make: () => at.ask({ code_challenge_method: undefined }),
    code: 'pkce-method-missing',
  },
  {
    name: 'PKCE without a challenge',
    make: () => at.ask({ code_challenge: undefined }),
    code: 'pkce-challenge-missing',
  },
  {
    name: 'a short challenge',
    make: () => at.ask({ code_challenge: 'short' }),
    code: 'pkce-challenge-length',
    detail: () => ({ length: 5 }),
  },
  {
    name: 'a challenge with padding',
    make: () => at.ask({ code_challenge: `${'a'.repeat(43)}=` }),
    code: 'pkce-challenge-characters',
  },
  { name: 'no response_type', make: () => at.ask({ response_type: undefined }), code: 'response-type-missing' },
  {
    name: 'the implicit flow',
    make: () => at.ask({ response_type: 'token' }),
    code: 'response-type',
    detail: () => ({ sent: 'token' }),
  },
  {
    name: 'the response mode fragment',
    make: () => at.ask({ response_mode: 'fragment' }),
    code: 'response-mode',
    detail: () => ({ sent: 'fragment', supported: 'query, form_post' }),
  },
  {
    name: 'a nonce without openid',
    make: () => at.ask({ scope: 'patient/*.rs', nonce: 'n' }),
    code: 'openid-missing',
    detail: () => ({ parameter: 'nonce' }),
  },
  ...Object.entries({
    client_id: 'clientId',
    response_type: 'responseType',
    redirect_uri: 'redirect_url',
    aud: 'audience',
  }).map(([parameter, similar]) => ({
    name: `${similar} in place of ${parameter}`,
    make: () => at.ask({ [parameter]: undefined, [similar]: 'planted-value' }),
    code: 'parameter-misnamed',
    detail: () => ({ parameter, similar }),
  })),
  {
    name: 'a pushed request in JSON',
    make: () => new Agent(at.portal.issuer).send('/connect/par', { method: 'POST', body: { client_id: 'public-app' } }),
    code: 'request-body-type',
    detail: () => ({ type: 'application/json' }),
  },
  {
    name: 'a pushed request in the address',
    make: () =>
      new Agent(at.portal.issuer).postForm('/connect/par?client_id=public-app&response_type=code', { state: 'x' }),
    code: 'request-in-address',
    detail: () => ({ parameters: 'client_id, response_type' }),
  },
  ...(
    [
      ['prompt', 'select', 'it is select; supported are none, login,'],
      ['prompt', 'none login', 'it is none login, and none has to stand alone'],
      ['max_age', '5 minutes', 'it is 5 minutes, and has to be a whole number of seconds'],
      ['claims', 'x', 'it is not JSON'],
      ['claims', '[]', 'it is JSON, and no object'],
      ['claims', '{"id_token":[]}', 'its id_token is not an object'],
      ['id_token_hint', 'a.b.c', 'it is not an id_token that this portal signed'],
    ] as const
  ).map(([parameter, value, reason]) => ({
    name: `${parameter}=${value}`,
    make: () => at.ask({ [parameter]: value }),
    code: 'parameter-invalid',
    detail: () => ({ parameter, reason: expect.stringContaining(reason) as never }),
  })),
  {
    name: 'prompt=none without a session',
    make: () => at.ask({ prompt: 'none' }),
    code: 'silent-impossible',
    detail: () => ({ error: 'login_required' }),
  },
  {
    name: 'registration',
    make: () => at.ask({ registration: '{}' }),
    code: 'parameter-unsupported',
    detail: () => ({ parameter: 'registration' }),
  },
  { name: 'no scope', make: () => at.ask({ scope: undefined }), code: 'scopes-missing', fix: 'defaultScopes' },
  ...Object.entries({
    'openid  fhirUser': 'it has two spaces one after the other',
    'openid ': 'it ends with a space',
    'openid\nfhirUser': 'it has a line break in it',
    'openid fhir\u200BUser': 'it has a zero-width space in it',
    '"openid"': 'it has " in it',
  }).map(([scope, fault]) => ({
    name: `a scope parameter: ${fault}`,
    make: () => at.ask({ scope }),
    code: 'scopes-malformed',
    detail: () => ({ fault }),
  })),
  {
    name: 'more scopes than a request may have',
    make: () =>
      at.push({
        scope: Array.from(
          { length: 501 },
          (_, index) => `patient/T${'a'.repeat((index % 60) + 1)}.${index < 60 ? 'r' : 's'}?category=${index}`,
        ).join(' '),
      }),
    code: 'scopes-too-many',
    detail: () => ({ maximum: 500 }),
  },
  {
    name: 'scopes that are all dropped',
    make: () => at.ask({ scope: 'user/Observation.rs offline_access' }, 'narrow'),
    code: 'scopes-none-left',
    detail: () => ({ asked: 2, reason: 'The subject is not allowed for the client' }),
    fix: 'allowedSmartSubjects',
  },
  {
    name: 'a body with NUL',
    make: () => new Agent(at.portal.issuer).postForm('/connect/par', { client_id: 'public-app', state: '\0' }),
    code: 'request-unreadable',
    detail: () => ({ fault: 'its body has a NUL character' }),
  },
  {
    name: 'a token request',
    make: () => {
      const form = {
        grant_type: 'refresh_token',
        refresh_token: 'an-old-refresh-token-of-the-app',
        client_id: 'public-app',
      };
      return new Agent(at.portal.issuer).postForm('/connect/authorize', form);
    },
    code: 'request-for-tokens',
    detail: () => ({
      parameters: 'grant_type, refresh_token',
      endpoint: `${at.portal.issuer}/connect/token`,
    }),
  },
  {
    name: 'a body that is too large',
    make: () =>
      new Agent(at.portal.issuer).postForm('/connect/par', { client_id: 'public-app', state: 'x'.repeat(70_000) }),
    code: 'request-too-large',
    detail: () => ({ kilobytes: 64 }),
  },
  {
    name: 'an address that is too long',
    make: () => new SmartApp(at.portal, { parameters: { state: 'planted-value'.repeat(1300) } }).authorize(),
    code: 'request-too-large',
    detail: () => ({ kilobytes: 16 }),
  },
  {
    name: 'an address that is not UTF-8',
    make: () =>
      new Agent(at.portal.issuer).get(`/connect/authorize?${new SmartApp(at.portal).query()}&login_hint=%C3%28`),
    code: 'request-unreadable',
    detail: () => ({ fault: 'its address is not UTF-8 after its percent-decoding' }),
  },
  {
    name: 'another host',
    make: () => {
      const headers = { host: 'elsewhere.test' };
      return new Agent(at.portal.issuer).get(new SmartApp(at.portal).authorizationPath, { headers });
    },
    code: 'request-other-host',
    detail: () => ({ sent: 'elsewhere.test', expected: new URL(at.portal.issuer).host }),
    fix: 'server.issuer',
  },
  {
    name: 'too many starts',
    make: async () => {
      const headers = { 'x-forwarded-for': '198.51.100.9' };
      const path = new SmartApp(at.portal).authorizationPath;
      const { startsPerMinute } = at.portal.config.limits;
      let answer = await new Agent(at.portal.issuer).get(path, { headers });
      for (let sent = 0; sent <= startsPerMinute * 2 && answer.status !== 429; sent += 1) {
        answer = await new Agent(at.portal.issuer).get(path, { headers });
      }
      return answer;
    },
    code: 'starts-exhausted',
    detail: () => ({ maximum: at.portal.config.limits.startsPerMinute }),
    fix: 'limits.startsPerMinute',
  },
];

function askTwice(name: string): Promise<Answer> {
  return new Agent(at.portal.issuer).get(`/connect/authorize?${new SmartApp(at.portal).query()}&${name}=openid`);
}

describe('A refused authorization request', () => {
  it.each([...refused, ...damagedRequests(() => at)])('is explained: $name ($code)', (mistake) =>
    expectExplained(at, mistake),
  );
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(at.portal, 'request'));
