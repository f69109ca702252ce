import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, exportJWK, importJWK } from 'jose';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { FapiApp, fapiClient, makeProofKey, variants, withAndWithoutSigning } from '../../support/apps/fapi-app.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../../support/clients/assertions.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const [key, otherKey, edwardsKey] = await Promise.all([
  makeClientKey('ES256', 'first'),
  makeClientKey('PS256', 'second'),
  makeClientKey('EdDSA', 'third'),
]);
const [proofKey, otherProofKey] = await Promise.all([makeProofKey(), makeProofKey('PS256')]);
// The registered key does not say for which algorithm it is.
delete otherKey.jwk.alg;
const usedForRs256 = (await importJWK(await exportJWK(otherKey.privateKey), 'RS256')) as typeof otherKey.privateKey;
const firstApp = fapiClient('first-app', key);
const secondApp = fapiClient('second-app', otherKey);
const thirdApp = fapiClient('third-app', edwardsKey);
const service = {
  clientId: 'strict-service',
  clientName: 'Nightly Export',
  clientType: 'BackendService',
  enabled: true,
  requireClientSecret: true,
  clientSecrets: firstApp.clientSecrets,
  securityProfile: 'fapi2',
  requireDpop: true,
};

let portal: TestPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [...withAndWithoutSigning(firstApp, secondApp, thirdApp), service],
      fhir: { baseUrl: fhirServer.url },
      gateway: { stepUp: [{ actions: 'rs', types: ['Condition'], acr: 'phr' }] },
    },
  });
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

describe.each(variants)(
  'The FAPI 2.0 Security Profile, with Message Signing, too, at the token endpoint (%s)',
  (variant, scope, ofVariant) => {
    const [first, second, third] = [ofVariant(firstApp), ofVariant(secondApp), ofVariant(thirdApp)];
    const app = () => new FapiApp(portal, first, key, proofKey, scope);
    const other = () => new FapiApp(portal, second, otherKey, otherProofKey, scope);
    const nightly = () => new FapiApp(portal, service, key, proofKey);
    const edwards = () => new FapiApp(portal, third, edwardsKey, proofKey, scope);

    it('fapi2-security-profile-final-happy-flow gives bound tokens to each of two clients, and no resource to the key of the other', async () => {
      for (const [mine, theirs] of [
        [app(), other()],
        [other(), app()],
        [edwards(), other()],
      ] as const) {
        const landed = await mine.complete(await mine.requestUri());
        expect(Object.fromEntries(landed.searchParams)).toMatchObject({ state: mine.state, iss: portal.issuer });
        const answer = await mine.exchange(landed.searchParams.get('code') ?? '');
        expect(answer.headers['cache-control']).toBe('no-store');
        const tokens = answer.json<Tokens>();
        expect(tokens).toMatchObject({ token_type: 'DPoP', patient: '1', scope });
        expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
        expect((await mine.read(tokens.access_token)).status).toBe(200);
        expect((await theirs.read(tokens.access_token)).status).toBe(401);
        if (variant === 'plain_oauth') expect(tokens.id_token).toBeUndefined();
        else {
          expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('ES256');
          expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({
            iss: portal.issuer,
            aud: mine.client.clientId,
            nonce: mine.nonce,
          });
        }
      }
    });

    it('fapi2-security-profile-final-access-token-type-header-case-sensitivity accepts the token type in any case', async () => {
      const mine = app();
      const { access_token: token } = await mine.tokens();
      for (const scheme of ['DPoP', 'dpop', 'DPOP']) expect((await mine.read(token, {}, scheme)).status).toBe(200);
    });

    it('fapi2-security-profile-final-ensure-client-id-in-token-endpoint refuses the id of another client next to the assertion', async () => {
      const mine = app();
      const answer = await mine.exchange(await mine.code(), { form: { client_id: second.clientId } });
      expect(answer.status).toBe(400);
      expect(answer.json().error).toMatch(/^invalid_(client|request)$/);
      const foreign = app();
      const wrong = await foreign.exchange(await foreign.code(), { assertion: { clientId: second.clientId } });
      expect([wrong.status, wrong.json().error]).toEqual([401, 'invalid_client']);
    });

    it('fapi2-security-profile-final-ensure-holder-of-key-required refuses a code without a proof', async () => {
      const mine = app();
      const answer = await mine.exchange(await mine.code(), { proof: false });
      expect(answer.status).toBe(400);
      expect(answer.json().error).toMatch(/^invalid_(grant|request|dpop_proof)$/);
    });

    it('is accepted in no address: not at the FHIR base, and not for the claims of the user', async () => {
      const { access_token: token } = await app().tokens();
      for (const path of [`${portal.config.gateway.path}/Patient/1`, '/connect/userinfo']) {
        const answer = await new Agent(portal.issuer).get(`${path}?${new URLSearchParams({ access_token: token })}`);
        expect([path, [400, 401].includes(answer.status)]).toEqual([path, true]);
        expect(answer.text).not.toContain(people.patient.fullName);
      }
    });

    it('is told by the gateway in the scheme of its token that a stronger sign-in is needed (RFC 9470 §3)', async () => {
      const mine = app();
      const answer = await mine.get(`${portal.fhirBase}/Condition/1`, (await mine.tokens()).access_token);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(
        /^DPoP .*error="insufficient_user_authentication".* acr_values="phr"/,
      );
    });

    it('tells at introspection the key that an access token is bound to', async () => {
      const mine = app();
      const { access_token: token } = await mine.tokens();
      const described = await mine.send('/connect/introspect', { token }, { proof: false });
      expect(described.json()).toMatchObject({
        active: true,
        token_type: 'DPoP',
        cnf: { jkt: await calculateJwkThumbprint(proofKey.jwk) },
      });
    });

    it('issues a code for at most 60 seconds', async () => {
      await app().code();
      const codes = await portal.query<{ seconds: number }>(
        "SELECT extract(epoch FROM expires_at - created_at)::float8 AS seconds FROM oidc_record WHERE model = 'AuthorizationCode'",
      );
      expect(codes.length).toBeGreaterThan(0);
      expect(Math.max(...codes.map(({ seconds }) => seconds))).toBeLessThanOrEqual(60);
    });

    it.each([
      ['password', { username: people.patient.email, password: people.patient.password }],
      ['urn:ietf:params:oauth:grant-type:device_code', { device_code: 'x' }],
      ['implicit', {}],
    ])('supports no grant of the type %s', async (grantType, form) => {
      const answer = await app().send('/connect/token', { grant_type: grantType, ...form }, {});
      expect([answer.status, answer.json().error]).toEqual([400, 'unsupported_grant_type']);
    });

    it('fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client refuses the code of another client', async () => {
      const mine = app();
      const theirs = other();
      const answer = await theirs.exchange(await mine.code(), { form: { code_verifier: mine.verifier } });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    });

    it('fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second refuses a used code and revokes its tokens', async () => {
      const mine = app();
      const code = await mine.code();
      const { access_token: token, refresh_token: refresh = '' } = (await mine.exchange(code)).json<Tokens>();
      expect((await mine.read(token)).status).toBe(200);
      const again = await mine.exchange(code);
      expect([again.status, again.json().error]).toEqual([400, 'invalid_grant']);
      expect((await mine.read(token)).status).toBe(401);
      const refreshed = await mine.refresh(refresh);
      expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
    });

    it('fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code refuses a code after 60 seconds', async () => {
      const mine = app();
      const code = await mine.code();
      await portal.query(
        "UPDATE oidc_record SET expires_at = expires_at - interval '61 seconds' WHERE model = 'AuthorizationCode'",
      );
      const answer = await mine.exchange(code);
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    });

    it('fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint refuses a code without an assertion', async () => {
      const mine = app();
      const answer = await mine.exchange(await mine.code(), {
        assertion: false,
        form: { client_id: first.clientId },
      });
      expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
    });

    it('fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails refuses an assertion that is signed with RS256', async () => {
      const answer = await other().push(
        {},
        { assertion: { key: { ...otherKey, alg: 'RS256', privateKey: usedForRs256 } } },
      );
      expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
    });

    it.each([
      [
        'fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails',
        { exp: nowSeconds() - 300 },
      ],
      [
        'fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails',
        { aud: 'https://elsewhere.example/' },
      ],
      ['fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails', { sub: undefined }],
    ])('%s refuses the code', async (_, claims) => {
      const mine = app();
      const code = await mine.code();
      const answer = await mine.exchange(code, { assertion: { claims } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThanOrEqual(401);
      expect(answer.json().error).toBe('invalid_client');
      // It was not used up.
      expect((await mine.exchange(code)).status).toBe(200);
    });

    it.each([
      ['no iss', { iss: undefined }],
      ['another iss', { iss: 'second-app' }],
      ['another sub', { sub: 'second-app' }],
      ['no aud', { aud: undefined }],
      [
        'fapi2-security-profile-final-par-test-array-as-audience-fails an array with the issuer',
        () => ({ aud: [portal.issuer] }),
      ],
      [
        'fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails the token endpoint',
        () => ({ aud: `${portal.issuer}/connect/token` }),
      ],
      [
        'fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails the endpoint of pushed requests',
        () => ({ aud: `${portal.issuer}/connect/par` }),
      ],
      ['the issuer with a slash', () => ({ aud: `${portal.issuer}/` })],
      [
        'a time of creation more than a minute ahead',
        () => ({ iat: nowSeconds() + 90, nbf: undefined, exp: nowSeconds() + 200 }),
      ],
      [
        'fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails an nbf more than a minute ahead',
        () => ({ nbf: nowSeconds() + 90, exp: nowSeconds() + 200 }),
      ],
    ])(
      'fapi2-security-profile-final-ensure-invalid-client-assertions-fail refuses an assertion with %s',
      async (_, changes) => {
        const claims = typeof changes === 'function' ? changes() : changes;
        const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
        for (const answer of [
          await app().push({}, { assertion: { claims } }),
          await nightly().send('/connect/token', form, { assertion: { claims } }),
        ]) {
          expect([400, 401]).toContain(answer.status);
          expect(answer.json().error).toBe('invalid_client');
        }
        expect((await nightly().send('/connect/token', form, {})).json()).toMatchObject({ token_type: 'DPoP' });
      },
    );

    it('fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted accepts one that is eight seconds ahead', async () => {
      const claims = { iat: nowSeconds() + 8, nbf: nowSeconds() + 8 };
      expect((await app().push({}, { assertion: { claims } })).status).toBe(201);
    });

    it('fapi2-security-profile-final-ensure-pkce-code-verifier-required refuses a code without a verifier', async () => {
      const mine = app();
      const answer = await mine.exchange(await mine.code(), { form: { code_verifier: undefined } });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    });

    it('fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected refuses a code with another verifier', async () => {
      const mine = app();
      const answer = await mine.exchange(await mine.code(), { form: { code_verifier: app().verifier } });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    });

    it('fapi2-security-profile-final-refresh-token refreshes with proof and assertion of the client only, without rotation', async () => {
      const mine = app();
      const theirs = other();
      const tokens = await mine.tokens();
      const token = tokens.refresh_token ?? '';
      for (let round = 0; round < 3; round += 1) {
        const answer = await mine.refresh(token);
        const refreshed = answer.json<Tokens>();
        expect(refreshed).toMatchObject({ refresh_token: token, token_type: 'DPoP', patient: '1', scope });
        expect(refreshed.access_token).not.toBe(tokens.access_token);
        expect((await mine.read(refreshed.access_token)).status).toBe(200);
      }
      const unproven = await mine.refresh(token, { proof: false });
      expect([unproven.status, unproven.json().error]).toEqual([400, 'invalid_grant']);
      const unsigned = await mine.refresh(token, { assertion: false, form: { client_id: first.clientId } });
      expect([unsigned.status, unsigned.json().error]).toEqual([401, 'invalid_client']);
      const foreign = await theirs.refresh(token);
      expect([foreign.status, foreign.json().error]).toEqual([400, 'invalid_grant']);
      expect((await mine.refresh(token)).status).toBe(200);
    });
  },
);
