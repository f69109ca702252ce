import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { FapiApp, fapiClient, makeProofKey, type Sent } from '../../support/apps/fapi-app.js';
import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../../support/clients/assertions.js';
import { alterClient, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { people } from '../../support/users/people.js';

const [key, es384] = await Promise.all([makeClientKey('ES256', 'first'), makeClientKey('ES384', 'large')]);
const [proofKey, otherProofKey] = await Promise.all([makeProofKey(), makeProofKey()]);
const strict = fapiClient('strict-app', key);
const service = {
  clientId: 'strict-service',
  clientName: 'Nightly Export',
  clientType: 'BackendService',
  enabled: true,
  requireClientSecret: true,
  clientSecrets: strict.clientSecrets,
  securityProfile: 'fapi2',
  requireDpop: true,
};
const without = { securityProfile: 'none', requirePar: false, requireDpop: false, requirePkce: false };
const earlier = ['Jwt', 'Reference'].map((accessTokenType) =>
  fapiClient(`earlier-${accessTokenType.toLowerCase()}`, key, { ...without, accessTokenType }),
);
const begun = fapiClient('begun-app', key, { ...without, requireConsent: true });

let portal: AdminPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startAdminPortal({
    fhirServer: false,
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [people.patient],
      clients: [strict, service, ...earlier, begun],
    },
  });
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

const app = (client: { clientId: string } = strict) => new FapiApp(portal, client, key, proofKey);

describe('A client with the FAPI 2.0 profile', () => {
  it('is registered only with settings that agree, and each that does not is named next to its field', async () => {
    const request = {
      clientId: 'new-app',
      clientName: 'New app',
      clientType: 'StandaloneApp',
      securityProfile: 'fapi2',
      redirectUris: [
        'https://app.example/callback',
        'http://app.example/callback',
        'http://127.0.0.1:4567/',
        'http://localhost/',
      ],
      clientSecrets: [
        { secretType: 'SharedSecret', secret: sharedSecret },
        { secretType: 'JWK', secret: JSON.stringify(es384.jwk) },
        { secretType: 'JWK', secret: JSON.stringify(key.jwk) },
      ],
    };
    const answer = await portal.api.post('/api/admin/client').send(request).expect(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      'clientSecrets.0.secret',
      'clientSecrets.1.secret',
      'redirectUris.1',
      'redirectUris.3',
      'requireDpop',
      'requirePar',
      'requirePkce',
    ]);
    const complete = {
      ...request,
      requireDpop: true,
      requirePar: true,
      requirePkce: true,
      redirectUris: ['https://app.example/callback', 'http://127.0.0.1:4567/'],
      clientSecrets: request.clientSecrets.slice(2),
    };
    const { body } = await portal.api.post('/api/admin/client').send(complete).expect(201);
    expect(body.securityProfile).toBe('fapi2');
    await portal.api.put(`/api/admin/client/${body.id}`).send({ requirePkce: false }).expect(400);
    await portal.api.put(`/api/admin/client/${body.id}`).send({ securityProfile: 'fapi1' }).expect(400);
  });

  it('may be a back-end service, whose tokens are bound as well', async () => {
    const mine = app(service);
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    const answer = await mine.send('/connect/token', form, {});
    expect(answer.json()).toMatchObject({ token_type: 'DPoP', scope: 'system/*.rs' });
    expect((await mine.read(answer.json<Tokens>().access_token)).status).toBe(200);
    expect((await mine.send('/connect/token', form, { proof: false })).status).toBe(400);
  });

  it.each<[string, string, (mine: FapiApp) => Promise<Answer>, RegExp]>([
    [
      'pushes with the token endpoint as audience',
      'assertion-audience',
      (mine) => mine.push({}, audience),
      /instead of http:\/\/localhost:\d+\. The difference: .*the path\./,
    ],
    [
      'pushes without a challenge',
      'pkce-of-profile',
      (mine) => mine.push({ code_challenge: undefined, code_challenge_method: undefined }),
      /PKCE/,
    ],
    ['pushes with an assertion of the future', 'assertion-from-future', (mine) => mine.push({}, future()), /future/],
    [
      'pushes without an assertion',
      'token-credentials-missing',
      (mine) => mine.push({}, { assertion: false }),
      /private_key_jwt/,
    ],
    [
      'pushes with a proof of the future',
      'dpop-time',
      (mine) => mine.push({}, { proof: future().assertion }),
      /at most 60/,
    ],
    ['asks in the browser', 'par-of-profile', (mine) => asked(mine), /must push/],
    [
      'redeems a code without a proof',
      'dpop-of-profile',
      async (mine) => mine.exchange(await mine.code(), { proof: false }),
      /DPoP/,
    ],
    [
      'redeems a code with another key',
      'dpop-key',
      async (mine) => mine.exchange(await mine.code({}, { proof: {} }), { proof: { by: otherProofKey } }),
      /key/,
    ],
  ])('that %s is refused, and the record of the launch says what decided (%s)', async (_, code, make, sentence) => {
    const answer = await make(app());
    expect([303, 400, 401]).toContain(answer.status);
    const { decidedBy } = await launchOfAnswer(portal, answer);
    expect(decidedBy?.code).toBe(code);
    expect(decidedBy?.texts.developer).toMatch(sentence);
  });
});

const audience: Sent = { assertion: { claims: { aud: 'https://login.example/connect/token' } } };
const future = () => ({ assertion: { claims: { iat: nowSeconds() + 90, exp: nowSeconds() + 200 } } });

function asked(mine: FapiApp): Promise<Answer> {
  const query = new URLSearchParams(JSON.parse(JSON.stringify(mine.request())));
  return new Agent(portal.issuer).get(`/connect/authorize?${query}`);
}

describe('When the FAPI 2.0 profile is switched on for a client that has users', () => {
  const on = { securityProfile: 'fapi2', requirePar: true, requireDpop: true, requirePkce: true };

  it.each(earlier)(
    'access tokens that are not bound end ($clientId), and a refresh token gives bound ones',
    async (client) => {
      const mine = app(client);
      const before = (await mine.exchange(await mine.code(), { proof: false })).json<Tokens>();
      expect(before.token_type).toBe('Bearer');
      expect((await mine.read(before.access_token, false, 'Bearer')).status).toBe(200);
      await alterClient(portal, client.clientId, { settings: on });
      expect((await mine.read(before.access_token, false, 'Bearer')).status).toBe(401);
      const headers = { authorization: `Bearer ${before.access_token}` };
      expect((await new Agent(portal.issuer).get('/connect/userinfo', { headers })).status).toBe(401);
      const described = await mine.send('/connect/introspect', { token: before.access_token }, { proof: false });
      expect(described.json()).toEqual({ active: false });
      expect((await mine.refresh(before.refresh_token ?? '', { proof: false })).status).toBe(400);
      const after = (await mine.refresh(before.refresh_token ?? '')).json<Tokens>();
      expect(after).toMatchObject({ token_type: 'DPoP', refresh_token: before.refresh_token });
      expect((await mine.read(after.access_token)).status).toBe(200);
    },
  );

  it('a request that began without a push gets no code', async () => {
    const mine = app(begun);
    const browser = new SmartApp(portal, { client: begun });
    const page = await browser.browser.get(
      `/connect/authorize?${new URLSearchParams(JSON.parse(JSON.stringify(mine.request())))}`,
    );
    const returnUrl = new URL(page.location ?? '').searchParams.get('returnUrl') ?? '';
    await browser.signIn(people.patient, returnUrl);
    const consent = new URL(await browser.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    await browser.consent(consent, await browser.offeredScopes(consent));
    await alterClient(portal, begun.clientId, { settings: on });
    const landed = new URL(await browser.follow(consent));
    expect(Object.fromEntries(landed.searchParams)).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('Pushed Authorization Request must be used'),
      state: mine.state,
    });
  });
});
