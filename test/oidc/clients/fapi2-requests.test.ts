import {
  FapiApp,
  fapiClient,
  fapiRedirect,
  makeProofKey,
  variants,
  withAndWithoutSigning,
} from '../../support/apps/fapi-app.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { makeClientKey } from '../../support/clients/assertions.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const [key, otherKey] = await Promise.all([makeClientKey('ES256', 'first'), makeClientKey('PS256', 'second')]);
const proofKey = await makeProofKey();
const firstApp = fapiClient('first-app', key);
const secondApp = fapiClient('second-app', otherKey);
const askingApp = fapiClient('asking-app', key, { requireConsent: true });

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: withAndWithoutSigning(firstApp, secondApp, askingApp) },
  });
});

afterAll(() => portal.close());

const agent = () => new Agent(portal.issuer);

describe('The FAPI 2.0 Security Profile, with Message Signing, too,', () => {
  it.each(['openid-configuration', 'oauth-authorization-server'])(
    'fapi2-security-profile-final-discovery-end-point-verification is advertised (%s)',
    async (document) => {
      const answer = await agent().get(`/.well-known/${document}`);
      expect(answer.status).toBe(200);
      const fapi = expect.arrayContaining(['PS256', 'ES256', 'EdDSA']);
      expect(answer.json()).toMatchObject({
        issuer: portal.issuer,
        token_endpoint: `${portal.issuer}/connect/token`,
        pushed_authorization_request_endpoint: `${portal.issuer}/connect/par`,
        jwks_uri: expect.stringContaining(portal.issuer),
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
        token_endpoint_auth_signing_alg_values_supported: fapi,
        dpop_signing_alg_values_supported: fapi,
        id_token_signing_alg_values_supported: expect.arrayContaining(['ES256']),
      });
    },
  );
});

describe.each(variants)(
  'The FAPI 2.0 Security Profile, with Message Signing, too, at authorization (%s)',
  (variant, scope, ofVariant) => {
    const [first, second, asking] = [ofVariant(firstApp), ofVariant(secondApp), ofVariant(askingApp)];
    const app = (client = first) => new FapiApp(portal, client, client === second ? otherKey : key, proofKey, scope);
    const pushRefused = async (changes: Record<string, string | undefined>) => {
      const answer = await app().push(changes);
      expect(answer.status).toBe(400);
      return answer.json().error;
    };

    it('fapi2-security-profile-final-user-rejects-authentication tells the app that the user declined', async () => {
      const mine = app(asking);
      const browser = new SmartApp(portal, { client: asking });
      const page = await browser.browser.get(mine.authorization(await mine.requestUri()).href);
      expect(page.status).toBe(303);
      const returnUrl = new URL(page.location ?? '').searchParams.get('returnUrl') ?? '';
      await browser.signIn(people.patient, returnUrl);
      await browser.follow(returnUrl);
      await browser.browser.send(`/api/authorization?returnUrl=${encodeURIComponent(returnUrl)}`, { method: 'DELETE' });
      const landed = await mine.answerAt(new URL(await browser.follow(returnUrl)));
      expect(landed.origin + landed.pathname).toBe(fapiRedirect);
      expect(Object.fromEntries(landed.searchParams)).toMatchObject({
        error: 'access_denied',
        state: mine.state,
        iss: portal.issuer,
      });
      expect(landed.searchParams.has('code')).toBe(false);
    });

    it('fapi2-security-profile-final-ensure-authorization-request-without-state-success returns no state', async () => {
      const mine = app();
      const landed = await mine.complete(await mine.requestUri({ state: undefined }));
      expect([...landed.searchParams.keys()].sort()).toEqual(['code', 'iss']);
    });

    it('fapi2-security-profile-final-ensure-other-scope-order-succeeds grants scopes in any order', async () => {
      const reversed = scope.split(' ').reverse().join(' ');
      const { scope: granted } = await app().tokens({ scope: reversed });
      expect(granted.split(' ').sort()).toEqual(scope.split(' ').sort());
    });

    it('fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object uses the pushed state', async () => {
      const mine = app();
      const landed = await mine.complete(await mine.requestUri(), { state: 'another' });
      expect(landed.searchParams.get('state')).toBe(mine.state);
    });

    it('fapi2-security-profile-final-state-only-outside-request-object-not-used ignores a state that was not pushed', async () => {
      const mine = app();
      const landed = await mine.complete(await mine.requestUri({ state: undefined }), { state: mine.state });
      expect(landed.searchParams.has('code')).toBe(true);
      expect(landed.searchParams.has('state')).toBe(false);
    });

    it('ignores every parameter that was not pushed: the answer goes where the pushed request says', async () => {
      const mine = app();
      const landed = await mine.complete(await mine.requestUri(), {
        redirect_uri: 'https://evil.example/callback',
        response_mode: 'form_post',
        scope: 'user/*.cruds',
        code_challenge: 'x'.repeat(43),
        prompt: 'none',
      });
      expect(landed.href.startsWith(`${fapiRedirect}?`)).toBe(true);
      const tokens = (await mine.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
      expect(tokens.scope).toBe(scope);
    });

    it('fapi2-security-profile-final-ensure-authorization-request-with-long-state returns 384 characters unchanged', async () => {
      const state = 'aB3-'.repeat(96);
      const landed = await app().complete(await app().requestUri({ state }));
      expect(landed.searchParams.get('state')).toBe(state);
    });

    it.each([
      ['fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails'],
      ['fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request'],
    ])('%s refuses a pushed request without redirect_uri', async () => {
      expect(await pushRefused({ redirect_uri: undefined })).toBe('invalid_request');
    });

    it('fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri refuses an address that is not registered', async () => {
      for (const redirect_uri of [`${fapiRedirect}/more`, `${fapiRedirect}?x=1`, 'http://app.example/callback']) {
        expect(await pushRefused({ redirect_uri })).toBe('invalid_request');
      }
    });

    it('fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails refuses a request in the browser', async () => {
      const mine = app();
      const query = new URLSearchParams(JSON.parse(JSON.stringify(mine.request())));
      const answer = await agent().get(`/connect/authorize?${query}`);
      expect(answer.status).toBe(303);
      const { searchParams } = await mine.answerAt(new URL(answer.location ?? ''));
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('Pushed Authorization Request must be used'),
        iss: portal.issuer,
        state: mine.state,
      });
    });

    it('answers no script of another page at the authorization endpoint, also not one of the app', async () => {
      const mine = app();
      const path = mine.authorization(await mine.requestUri()).href;
      for (const origin of [new URL(fapiRedirect).origin, 'https://evil.example', 'null']) {
        const headers = { origin, 'access-control-request-method': 'GET' };
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const answer = await agent().send(path, { method, headers });
          const allowed = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
          expect([method, origin, allowed]).toEqual([method, origin, []]);
        }
      }
    });

    it('redirects with 303, so that no browser repeats what it has posted', async () => {
      const mine = app(asking);
      const browser = new SmartApp(portal, { client: asking });
      const form = { client_id: asking.clientId, request_uri: await mine.requestUri() };
      const posted = await browser.browser.postForm('/connect/authorize', form);
      expect(posted.status).toBe(303);
      const followed = async (from: string) => {
        let at = new URL(from, portal.issuer);
        while (at.pathname.startsWith('/connect/')) {
          const { status, location = '' } = await browser.browser.get(at.href);
          expect([at.href, status]).toEqual([at.href, 303]);
          at = new URL(location);
        }
        return at;
      };
      const page = await followed(posted.location ?? '');
      const returnUrl = page.searchParams.get('returnUrl') ?? '';
      await browser.signIn(people.patient, returnUrl);
      expect([page.pathname, (await followed(returnUrl)).pathname]).toEqual(['/login', '/user/consent']);
      await browser.browser.send(`/api/authorization?returnUrl=${encodeURIComponent(returnUrl)}`, { method: 'DELETE' });
      const landed = await mine.answerAt(await followed(returnUrl));
      expect([landed.origin + landed.pathname, landed.searchParams.get('iss')]).toEqual([fapiRedirect, portal.issuer]);
    });

    it('ignores authorization_details, which are not advertised (RFC 9396 §10)', async () => {
      const details = JSON.stringify([{ type: 'patient_record', actions: ['write'] }]);
      const tokens = await app().tokens({ authorization_details: details });
      expect(tokens).toMatchObject({ scope });
      expect(tokens).not.toHaveProperty('authorization_details');
      const document = await agent().get('/.well-known/oauth-authorization-server');
      expect(document.json()).not.toHaveProperty('authorization_details_types_supported');
    });

    it('leads the browser to no address that is not registered, with a pushed request or without', async () => {
      const mine = app();
      const evil = 'https://evil.example/callback';
      const query = new URLSearchParams(JSON.parse(JSON.stringify(mine.request({ redirect_uri: evil }))));
      const unknown = { request_uri: 'urn:ietf:params:oauth:request_uri:unknown', redirect_uri: evil };
      const addresses = [
        `/connect/authorize?${query}`,
        `/connect/authorize?${new URLSearchParams({ client_id: first.clientId, ...unknown })}`,
      ];
      for (const address of addresses) {
        const answer = await agent().get(address);
        expect(answer.status === 303 ? new URL(answer.location ?? '').origin : portal.issuer).toBe(portal.issuer);
        expect(answer.text).not.toContain(evil);
      }
    });

    it.each([
      ['fapi2-security-profile-final-ensure-response-type-code-idtoken-fails', 'code id_token'],
      ['fapi2-security-profile-final-ensure-response-type-token-fails', 'token'],
    ])('%s refuses the response type %s', async (_, responseType) => {
      expect(await pushRefused({ response_type: responseType, nonce: 'n' })).toMatch(
        /unsupported_response_type|invalid_request/,
      );
    });

    it.each(
      variant.endsWith('signed') ? ['fragment', 'query', 'form_post'] : ['fragment', 'web_message', 'jwt', 'query.jwt'],
    )('refuses the response mode %s', async (mode) => {
      expect(await pushRefused({ response_mode: mode })).toMatch(/^(unsupported_response_mode|invalid_request)$/);
    });

    it('fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds opens a request twice until it is answered', async () => {
      const mine = app();
      const uri = await mine.requestUri();
      expect((await agent().get(mine.authorization(uri).href)).location).toContain('/login');
      expect((await mine.complete(uri)).searchParams.has('code')).toBe(true);
    });

    it('fapi2-security-profile-final-par-attempt-reuse-request_uri refuses a request that was answered', async () => {
      const mine = app();
      const uri = await mine.requestUri();
      await mine.complete(uri);
      const again = await agent().get(mine.authorization(uri).href);
      expect(again.location ?? '').not.toContain('code=');
      expect(again.location ?? again.text).not.toContain('/login');
    });

    it('fapi2-security-profile-final-par-attempt-to-use-expired-request_uri refuses a request after its time', async () => {
      const mine = app();
      const answer = await mine.push();
      const { request_uri: uri, expires_in: seconds } = answer.json<{ request_uri: string; expires_in: number }>();
      expect(seconds).toBeLessThan(600);
      await portal.query(
        'UPDATE oidc_record SET expires_at = expires_at - make_interval(secs => $1) WHERE model = $2',
        [seconds + 1, 'PushedAuthorizationRequest'],
      );
      const late = await agent().get(mine.authorization(uri).href);
      expect(late.location ?? '').not.toContain('/login');
    });

    it('fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client refuses the request of another client', async () => {
      const uri = await app().requestUri();
      const answer = await agent().get(app(second).authorization(uri).href);
      expect(answer.location ?? '').not.toContain('/login');
      expect(answer.location ?? '').not.toContain('code=');
    });

    it('fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param refuses a request_uri in a push', async () => {
      expect(await pushRefused({ request_uri: await app().requestUri() })).toBe('request_uri_not_supported');
    });

    it('fapi2-security-profile-final-par-attempt-invalid-http-method answers other methods with an error', async () => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status } = await agent().send('/connect/par', { method });
        expect([404, 405]).toContain(status);
      }
    });

    it('fapi2-security-profile-final-par-ensure-pkce-required refuses a request without a challenge', async () => {
      expect(await pushRefused({ code_challenge: undefined, code_challenge_method: undefined })).toBe(
        'invalid_request',
      );
    });

    it('fapi2-security-profile-final-par-plain-pkce-rejected refuses the method plain', async () => {
      const { verifier } = app();
      expect(await pushRefused({ code_challenge: verifier, code_challenge_method: 'plain' })).toBe('invalid_request');
      expect(await pushRefused({ code_challenge: verifier, code_challenge_method: undefined })).toBe('invalid_request');
    });

    it('fapi2-security-profile-final-par-without-duplicate-parameters needs client_id and request_uri only', async () => {
      const mine = app();
      const uri = await mine.requestUri();
      expect([...mine.authorization(uri).searchParams.keys()]).toEqual(['client_id', 'request_uri']);
      expect((await mine.complete(uri)).searchParams.has('code')).toBe(true);
    });

    if (variant === 'plain_oauth') return;

    it('fapi2-security-profile-final-ensure-authorization-request-without-nonce-success gives an id_token without nonce', async () => {
      const { id_token: token = '' } = await app().tokens({ nonce: undefined });
      expect(claimsOf(token)).not.toHaveProperty('nonce');
    });

    it.each([
      ['fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success', 64],
      ['fapi2-security-profile-final-ensure-authorization-request-with-long-nonce', 384],
    ])('%s returns a nonce of %i characters unchanged', async (_, length) => {
      const nonce = 'n'.repeat(length);
      expect(claimsOf((await app().tokens({ nonce })).id_token ?? '')).toMatchObject({ nonce });
    });

    it('fapi2-security-profile-final-test-claims-parameter-identity-claims gives the claims that are named one by one', async () => {
      const claims = {
        id_token: { name: null, unknown: { essential: true } },
        userinfo: { name: { essential: true } },
      };
      const mine = app();
      const tokens = await mine.tokens({ claims: JSON.stringify(claims) });
      expect(claimsOf(tokens.id_token ?? '')).toMatchObject({ name: people.patient.fullName });
      const userinfo = await mine.get(`${portal.issuer}/connect/userinfo`, tokens.access_token);
      expect(userinfo.json()).toMatchObject({ name: people.patient.fullName });
    });

    it('fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object uses the pushed nonce', async () => {
      const mine = app();
      const landed = await mine.complete(await mine.requestUri(), { nonce: 'another' });
      const { id_token: token = '' } = (await mine.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
      expect(claimsOf(token)).toMatchObject({ nonce: mine.nonce });
    });
  },
);

const claimsOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
