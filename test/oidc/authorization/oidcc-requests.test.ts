import { setTimeout as sleep } from 'node:timers/promises';
import { RelyingParty, type TokenAnswer } from '../../support/apps/relying-party.js';
import { confidentialApp, redirectUri } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients: [confidentialApp] } });
});

afterAll(() => portal.close());

/** A request object without a signature. */
const unsigned = (claims: object) =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

describe.each(['query', 'form_post'] as const)(
  'oidcc by query and form_post (%s): an authorization request',
  (mode) => {
    const relyingParty = (browser?: Agent) => new RelyingParty(portal, mode, browser);

    /** A signed-in user with the tokens of a first request. */
    async function signedIn(parameters: Record<string, string> = {}) {
      const first = relyingParty();
      const tokens = await first.tokens(parameters);
      const { claims } = await first.verified(tokens.id_token);
      return { browser: first.browser, tokens, claims };
    }

    async function expectSuccess(parameters: Record<string, string | undefined>): Promise<TokenAnswer> {
      const party = relyingParty();
      const tokens = await party.tokens(parameters);
      expect(tokens.token_type).toBe('Bearer');
      await party.verified(tokens.id_token);
      return tokens;
    }

    it('oidcc-response-type-missing without response_type gets invalid_request', async () => {
      const party = relyingParty();
      const { answer } = await party.authorize({ response_type: undefined });
      expect(answer).toMatchObject({ error: 'invalid_request', state: party.state, iss: portal.issuer });
      expect(answer).not.toHaveProperty('code');
    });

    it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow without nonce gets an id_token without one', async () => {
      const party = relyingParty();
      const { claims } = await party.verified((await party.tokens({ nonce: undefined })).id_token);
      expect(claims).not.toHaveProperty('nonce');
    });

    it.each(['page', 'popup'])('oidcc-display-page oidcc-display-popup with display=%s succeeds', async (display) => {
      await expectSuccess({ display });
    });

    it('oidcc-ui-locales with ui_locales in unknown languages succeeds', async () => {
      await expectSuccess({ ui_locales: 'se sv-SE' });
    });

    it('oidcc-claims-locales with claims_locales succeeds', async () => {
      await expectSuccess({ claims_locales: 'se' });
    });

    it('oidcc-claims-essential with the claims parameter succeeds, with the claims of its scopes', async () => {
      const party = relyingParty();
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
      const tokens = await party.tokens({ claims, scope: 'openid profile' });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const userinfo = (await new Agent(portal.issuer).get('/connect/userinfo', { headers })).json();
      expect(userinfo.name).toBe(people.patient.fullName);
    });

    it('oidcc-login-hint with a login hint succeeds', async () => {
      await expectSuccess({ login_hint: people.patient.email });
    });

    it('oidcc-ensure-request-with-unknown-parameter-succeeds with an unknown parameter succeeds', async () => {
      await expectSuccess({ extra: 'foobar' });
    });

    it('oidcc-ensure-request-with-acr-values-succeeds with acr_values gets the acr of the sign-in', async () => {
      const supported = (await new Agent(portal.issuer).get('/.well-known/openid-configuration')).json<{
        acr_values_supported: string[];
      }>().acr_values_supported;
      const party = relyingParty();
      const { claims } = await party.verified((await party.tokens({ acr_values: supported.join(' ') })).id_token);
      expect(supported).toContain(claims.acr);
    });

    it('oidcc-ensure-other-scope-order-succeeds oidcc-alternate-happy-flow with scopes in any order succeeds', async () => {
      const party = relyingParty();
      const reversed = Object.entries(party.request({ scope: 'profile openid' })).reverse();
      const arrival = await party.visit(`/connect/authorize?${new URLSearchParams(reversed)}`);
      const tokens = await party.exchanged(await party.signIn(arrival));
      expect(tokens.scope.split(' ').sort()).toEqual(['openid', 'profile']);
    });

    it('oidcc-ensure-post-request-succeeds by POST succeeds', async () => {
      const party = relyingParty();
      const posted = await party.browser.postForm('/connect/authorize', party.request());
      await party.verified((await party.exchanged(await party.signIn(await party.visit('', posted)))).id_token);
    });

    it('oidcc-ensure-request-with-valid-pkce-succeeds with a challenge succeeds with its verifier', async () => {
      const party = relyingParty();
      const verifier = 'a-verifier-of-the-least-length-that-is-allowed';
      const digest = await crypto.subtle.digest('SHA-256', Buffer.from(verifier));
      const code_challenge = Buffer.from(digest).toString('base64url');
      const { answer } = await party.signIn(await party.authorize({ code_challenge, code_challenge_method: 'S256' }));
      expect((await party.exchange(answer?.code ?? '', { code_verifier: verifier })).status).toBe(200);
    });

    it('oidcc-ensure-registered-redirect-uri with an unregistered redirect URI ends on an error page', async () => {
      expect(await relyingParty().authorize({ redirect_uri: `${redirectUri}/more` })).toEqual({ status: 400 });
    });

    it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported with an unsigned request_uri is refused', async () => {
      const { answer } = await relyingParty().authorize({ request_uri: 'https://client.example/request.jwt' });
      expect(answer?.error).toBe('request_uri_not_supported');
    });

    it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported with an unsigned request object is refused', async () => {
      const party = relyingParty();
      const { answer } = await party.authorize({ request: unsigned(party.request()) });
      expect(answer?.error).toBe('request_not_supported');
    });

    it('oidcc-ensure-request-object-with-redirect-uri never redirects to an address of an unsigned request object', async () => {
      const party = relyingParty();
      const request = unsigned(party.request({ redirect_uri: 'https://evil.example/cb' }));
      const { answer } = await party.authorize({ request });
      expect(answer).not.toHaveProperty('code');
      expect((await party.authorize({ request, redirect_uri: 'https://evil.example/cb' })).status).toBe(400);
    });

    it('oidcc-prompt-login with prompt=login asks a signed-in user to sign in again', async () => {
      const { browser, claims: first } = await signedIn();
      const again = relyingParty(browser);
      const { claims } = await again.verified(
        (await again.exchanged(await again.signIn(await again.authorize({ prompt: 'login' })))).id_token,
      );
      expect(claims.sub).toBe(first.sub);
      expect(Number(claims.auth_time)).toBeGreaterThanOrEqual(Number(first.auth_time ?? 0));
    });

    it.each(['select_account', 'select_account consent', 'login select_account'])(
      'with prompt=%s asks a signed-in user to sign in with the account of their choice',
      async (prompt) => {
        const { browser, claims: first } = await signedIn();
        const again = relyingParty(browser);
        const at = await again.authorize({ prompt });
        expect(at.page?.pathname).toBe('/login');
        if (prompt.includes('consent')) return;
        const { claims } = await again.verified((await again.exchanged(await again.signIn(at))).id_token);
        expect(claims.sub).toBe(first.sub);
      },
    );

    it('with prompt=select_account none is refused, as none stands alone', async () => {
      const party = relyingParty();
      const { answer } = await party.authorize({ prompt: 'select_account none' });
      expect(answer).toMatchObject({ error: 'invalid_request', state: party.state });
    });

    it('oidcc-prompt-none-not-logged-in with prompt=none and without a session gets login_required', async () => {
      const party = relyingParty();
      const { answer } = await party.authorize({ prompt: 'none' });
      expect(answer).toMatchObject({ error: 'login_required', state: party.state });
    });

    it('oidcc-prompt-none-logged-in with prompt=none and a session succeeds without a page', async () => {
      const { browser, claims: first } = await signedIn({ max_age: '15000' });
      const again = relyingParty(browser);
      const tokens = await again.exchanged(await again.authorize({ prompt: 'none', max_age: '15000' }));
      const { claims } = await again.verified(tokens.id_token);
      expect([claims.sub, claims.auth_time]).toEqual([first.sub, first.auth_time]);
    });

    it('oidcc-id-token-hint with the id_token of the signed-in user succeeds without a page', async () => {
      const { browser, tokens: first, claims: hinted } = await signedIn();
      const again = relyingParty(browser);
      const tokens = await again.exchanged(await again.authorize({ prompt: 'none', id_token_hint: first.id_token }));
      expect((await again.verified(tokens.id_token)).claims.sub).toBe(hinted.sub);
    });

    it('oidcc-max-age-1 with max_age=1 asks a user with an older sign-in to sign in again', async () => {
      const { browser, claims: first } = await signedIn({ max_age: '15000' });
      await sleep(2_000);
      const again = relyingParty(browser);
      const tokens = await again.exchanged(await again.signIn(await again.authorize({ max_age: '1' })));
      const { claims } = await again.verified(tokens.id_token);
      expect(claims.sub).toBe(first.sub);
      expect(Number(claims.auth_time)).toBeGreaterThan(Number(first.auth_time));
    });

    it('oidcc-max-age-10000 with max_age=10000 does not ask a user who has just signed in', async () => {
      const { browser, claims: first } = await signedIn({ max_age: '15000' });
      const again = relyingParty(browser);
      const { claims } = await again.verified(
        (await again.exchanged(await again.authorize({ max_age: '10000' }))).id_token,
      );
      expect([claims.sub, claims.auth_time]).toEqual([first.sub, first.auth_time]);
      expect(typeof claims.auth_time).toBe('number');
    });
  },
);
