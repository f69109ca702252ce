import * as client from 'openid-client';
import { fapiClient } from '../support/apps/fapi-app.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { makeClientKey } from '../support/clients/assertions.js';
import { backendService, confidentialApp, publicApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const leaveUri = publicApp.postLogoutRedirectUris[0] ?? '';
const scope = 'openid fhirUser profile launch/patient patient/*.rs offline_access';

const key = await makeClientKey('ES256', 'app-key');
/** All characters that a secret may contain (RFC 6749 appendix A.2). */
const awkwardSecret = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  .join('')
  .trim();
const service = {
  ...backendService,
  clientSecrets: [{ secretType: 'SharedSecret', secret: awkwardSecret, description: 'awkward' }],
};
const signingApp = {
  ...confidentialApp,
  clientId: 'signing-app',
  requireSignedRequestObject: true,
  clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(key.jwk) }],
};

const strictApp = fapiClient('strict-app', key, { redirectUris: ['https://app.example/callback'] });

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [publicApp, confidentialApp, signingApp, service, strictApp] },
  });
});

afterAll(() => portal.close());

/** The usual configuration of the client, except that it permits plain http. */
const discover = (clientId: string, authentication?: client.ClientAuth) =>
  client.discovery(new URL(portal.issuer), clientId, undefined, authentication, {
    execute: [client.allowInsecureRequests],
  });

/** Code flow with PKCE, state and nonce by the library; the browser is that of the tests. */
async function signIn(config: client.Configuration) {
  const person = new SmartApp(portal);
  const [pkceCodeVerifier, expectedState, expectedNonce] = [
    client.randomPKCECodeVerifier(),
    client.randomState(),
    client.randomNonce(),
  ];
  const request = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    aud: portal.fhirBase,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const landed = await person.complete(people.patient, undefined, request);
  const tokens = await client.authorizationCodeGrant(config, landed, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
  return { tokens, browser: person.browser };
}

describe('openid-client', () => {
  it.each([
    ['HTTP Basic', client.ClientSecretBasic(awkwardSecret)],
    ['the body', client.ClientSecretPost(awkwardSecret)],
  ])('sends a secret of all characters by %s (RFC 6749 §2.3.1)', async (_, authentication) => {
    const config = await discover(backendService.clientId, authentication);
    expect((await client.clientCredentialsGrant(config, { scope: 'system/*.rs' })).scope).toBe('system/*.rs');
  });

  it.each([
    ['a public client', publicApp.clientId, client.None()],
    ['a secret in the header', confidentialApp.clientId, client.ClientSecretBasic(sharedSecret)],
    ['a secret in the body', confidentialApp.clientId, client.ClientSecretPost(sharedSecret)],
  ])('signs a user in, reads the claims and refreshes (%s)', async (_, clientId, authentication) => {
    const config = await discover(clientId, authentication);
    const { tokens } = await signIn(config);
    const claims = tokens.claims();
    expect(claims).toMatchObject({ iss: portal.issuer, aud: clientId, fhirUser: `${portal.fhirBase}/Patient/1` });
    const info = await client.fetchUserInfo(config, tokens.access_token, String(claims?.sub));
    expect(info).toMatchObject({ fhirUser: `${portal.fhirBase}/Patient/1`, name: people.patient.fullName });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect(refreshed).toMatchObject({ scope: tokens.scope, patient: '1' });
  });

  it('introspects and revokes', async () => {
    const config = await discover(confidentialApp.clientId, client.ClientSecretBasic(sharedSecret));
    const { tokens } = await signIn(config);
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      client_id: confidentialApp.clientId,
      sub: tokens.claims()?.sub,
      patient: '1',
    });
    expect(await client.tokenIntrospection(config, tokens.refresh_token ?? '')).toMatchObject({ active: true });
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, tokens.refresh_token ?? '')).toEqual({ active: false });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('signs the user out, who returns to the app’s registered address', async () => {
    const config = await discover(publicApp.clientId, client.None());
    const { tokens, browser } = await signIn(config);
    const leave = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: leaveUri,
      state: 'left',
    });
    const page = await browser.get(leave.href);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const answer = await browser.postForm(action, { xsrf: field('xsrf'), logout: field('logout') });
    expect(answer.location).toBe(`${leaveUri}?state=left`);
    expect((await browser.get('/api/session')).status).toBe(401);
  });

  it.each(['sends', 'pushes'])('%s a request that it has signed', async (way) => {
    const signingKey = { key: key.privateKey as client.CryptoKey, kid: String(key.jwk.kid) };
    const config = await discover(signingApp.clientId, client.PrivateKeyJwt(signingKey));
    const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()];
    const signed = await client.buildAuthorizationUrlWithJAR(
      config,
      {
        redirect_uri: redirectUri,
        scope,
        resource: portal.fhirBase,
        state: expectedState,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      },
      signingKey,
    );
    const request =
      way === 'sends'
        ? signed
        : await client.buildAuthorizationUrlWithPAR(config, Object.fromEntries(signed.searchParams));
    const landed = await new SmartApp(portal).complete(people.patient, undefined, request);
    const tokens = await client.authorizationCodeGrant(config, landed, { pkceCodeVerifier, expectedState });
    expect(tokens).toMatchObject({ scope, patient: '1' });
  });

  it('follows the FAPI 2.0 Security Profile: it pushes, proves its key, authenticates with its own, and refreshes', async () => {
    const config = await client.discovery(
      new URL(portal.issuer),
      strictApp.clientId,
      { id_token_signed_response_alg: 'ES256', use_mtls_endpoint_aliases: false },
      client.PrivateKeyJwt({ key: key.privateKey as client.CryptoKey, kid: String(key.jwk.kid) }),
      { execute: [client.allowInsecureRequests] },
    );
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const [pkceCodeVerifier, expectedState, expectedNonce] = [
      client.randomPKCECodeVerifier(),
      client.randomState(),
      client.randomNonce(),
    ];
    const parameters = {
      redirect_uri: strictApp.redirectUris[0] ?? '',
      scope,
      aud: portal.fhirBase,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    const request = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
    const landed = await new SmartApp(portal, { client: strictApp }).complete(people.patient, undefined, request);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(config, landed, checks, undefined, { DPoP });
    expect(tokens).toMatchObject({ token_type: 'dpop', patient: '1' });
    const info = await client.fetchUserInfo(config, tokens.access_token, String(tokens.claims()?.sub), { DPoP });
    expect(info).toMatchObject({ fhirUser: `${portal.fhirBase}/Patient/1` });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    expect(refreshed).toMatchObject({ token_type: 'dpop', refresh_token: tokens.refresh_token });
  });

  it('receives the error of a refused request in its own type', async () => {
    const config = await discover(publicApp.clientId, client.None());
    const person = new SmartApp(portal);
    const state = client.randomState();
    const request = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      state,
      aud: 'https://elsewhere.example/fhir',
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    const landed = new URL((await person.browser.get(request.href)).location ?? '');
    await expect(client.authorizationCodeGrant(config, landed, { expectedState: state })).rejects.toMatchObject({
      error: 'invalid_request',
    });
    const wrong = await discover(confidentialApp.clientId, client.ClientSecretBasic('not-the-secret'));
    await expect(client.tokenIntrospection(wrong, 'x')).rejects.toMatchObject({ status: 401 });
  });
});
