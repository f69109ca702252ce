import { calculateJwkThumbprint, exportJWK, importJWK } from 'jose';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import {
  FapiApp,
  fapiClient,
  makeProofKey,
  type ProofKey,
  type ProofParts,
  variants,
  withAndWithoutSigning,
} from '../../support/apps/fapi-app.js';
import { makeClientKey, nowSeconds } from '../../support/clients/assertions.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const key = await makeClientKey('ES256', 'first');
const [proofKey, otherProofKey, rsaProofKey] = await Promise.all([
  makeProofKey(),
  makeProofKey(),
  makeProofKey('PS256'),
]);
/** The same RSA key with the algorithm that the profile does not permit. */
const rs256: ProofKey = {
  ...rsaProofKey,
  alg: 'RS256',
  privateKey: (await importJWK(await exportJWK(rsaProofKey.privateKey), 'RS256')) as ProofKey['privateKey'],
};
const firstApp = fapiClient('first-app', key);

let portal: TestPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startPortal({
    config: { users: [people.patient], clients: withAndWithoutSigning(firstApp), fhir: { baseUrl: fhirServer.url } },
  });
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

const refused = async (answer: Answer | Promise<Answer>, errors = /^invalid_(grant|request|dpop_proof)$/) => {
  const { status, json } = await answer;
  expect([status, json().error]).toEqual([400, expect.stringMatching(errors)]);
};

describe.each(variants)(
  'DPoP proofs of the FAPI 2.0 Security Profile, with Message Signing, too, (%s)',
  (_variant, scope, ofVariant) => {
    const app = (by = proofKey) => new FapiApp(portal, ofVariant(firstApp), key, by, scope);
    const thumbprint = (of: ProofKey) => calculateJwkThumbprint(of.jwk);

    it('fapi2-security-profile-final-check-dpop-proof-nbf-exp may have nbf and exp', async () => {
      const mine = app();
      const claims = { nbf: nowSeconds(), exp: nowSeconds() + 300 };
      const answer = await mine.exchange(await mine.code(), { proof: { claims } });
      expect(answer.status).toBe(200);
      expect((await mine.read(String(answer.json().access_token), { claims })).status).toBe(200);
    });

    it.each([
      ['fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds', -10],
      ['fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds', 10],
    ])('%s accepts a clock that is %i seconds off', async (_, seconds) => {
      const mine = app();
      const proof = { claims: { iat: nowSeconds() + seconds } };
      const answer = await mine.exchange(await mine.code({}, { proof }), { proof });
      expect(answer.status).toBe(200);
      expect((await mine.read(String(answer.json().access_token), proof)).status).toBe(200);
    });

    it('refuses a proof that was created more than a minute ahead, with what decided', async () => {
      const mine = app();
      const proof = { claims: { iat: nowSeconds() + 90 } };
      const answer = await mine.exchange(await mine.code(), { proof });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_dpop_proof']);
    });

    it('refuses a proof that is signed with RS256, at each endpoint', async () => {
      const mine = app(rsaProofKey);
      await refused(mine.push({}, { proof: { by: rs256 } }));
      const code = await mine.code();
      await refused(mine.exchange(code, { proof: { by: rs256 } }));
      const { access_token: token } = (await mine.exchange(code)).json<{ access_token: string }>();
      expect((await mine.read(token)).status).toBe(200);
      expect((await mine.read(token, { by: rs256 })).status).toBe(401);
    });

    it('fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails refuses a push that names two keys', async () => {
      const answer = await app().push({ dpop_jkt: await thumbprint(otherProofKey) }, { proof: {} });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
    });

    it('fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt refuses another key than that of the push', async () => {
      const mine = app();
      const code = await mine.code({}, { proof: {} });
      await refused(mine.exchange(code, { proof: { by: otherProofKey } }));
    });

    it('fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt refuses another key than the one that dpop_jkt named', async () => {
      const mine = app();
      const code = await mine.code({ dpop_jkt: await thumbprint(proofKey) });
      await refused(mine.exchange(code, { proof: { by: otherProofKey } }));
    });

    it('fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success accepts the key of the push', async () => {
      const mine = app();
      expect((await mine.exchange(await mine.code({}, { proof: {} }))).status).toBe(200);
    });

    it('fapi2-security-profile-final-ensure-dpop-auth-code-binding-success accepts the key that dpop_jkt and the proof name', async () => {
      const mine = app();
      const code = await mine.code({ dpop_jkt: await thumbprint(proofKey) }, { proof: {} });
      expect((await mine.exchange(code)).status).toBe(200);
    });

    describe('at a resource', () => {
      let mine: FapiApp;
      let token: string;
      beforeAll(async () => {
        mine = app();
        token = (await mine.tokens()).access_token;
      });
      const url = () => `${portal.fhirBase}/Patient/1`;
      const present = (dpop: string, address = url(), scheme = 'DPoP') =>
        new Agent(portal.issuer).get(address, { headers: { authorization: `${scheme} ${token}`, dpop } });
      const proof = (parts: ProofParts = {}) => mine.proof(url(), { method: 'GET', token, ...parts });

      it.each<[string, ProofParts | (() => ProofParts)]>([
        ['no typ', { header: { typ: undefined } }],
        ['another typ', { header: { typ: 'jwt' } }],
        ['no jwk', { header: { jwk: undefined } }],
        ['no jti', { claims: { jti: undefined } }],
        ['no htm', { claims: { htm: undefined } }],
        ['another htm', { method: 'PUT' }],
        ['no htu', { claims: { htu: undefined } }],
        ['another htu', { claims: { htu: 'https://elsewhere.example/fhir/Patient/1' } }],
        ['no iat', { claims: { iat: undefined } }],
        ['an iat one hour ahead', () => ({ claims: { iat: nowSeconds() + 3600 } })],
        ['an iat one hour ago', () => ({ claims: { iat: nowSeconds() - 3600 } })],
        ['no ath', { claims: { ath: undefined } }],
        ['another ath', { claims: { ath: 'x'.repeat(43) } }],
        ['another key', { by: otherProofKey }],
      ])('fapi2-security-profile-final-dpop-negative-tests refuses a proof with %s', async (_, parts) => {
        const answer = await present(await proof(typeof parts === 'function' ? parts() : parts));
        expect([400, 401]).toContain(answer.status);
      });

      it('fapi2-security-profile-final-dpop-negative-tests refuses two proofs, no proof, a broken and an unsigned one, and a private key', async () => {
        const [one, two] = [await proof(), await proof()];
        const [header, payload, signature = ''] = two.split('.');
        const none = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk: proofKey.jwk })).toString(
          'base64url',
        );
        const withPrivateKey = await proof({ header: { jwk: await exportJWK(proofKey.privateKey) } });
        const bad = [
          `${one}, ${two}`,
          'no.jwt',
          `${none}.${payload}.`,
          `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
          withPrivateKey,
        ];
        for (const dpop of bad) expect([400, 401]).toContain((await present(dpop)).status);
        expect([400, 401]).toContain((await mine.read(token, false)).status);
        expect([400, 401]).toContain((await mine.read(token, false, 'Bearer')).status);
        expect([400, 401]).toContain((await present(await proof(), url(), 'Bearer')).status);
      });

      it('fapi2-security-profile-final-dpop-negative-tests accepts other members, and an htu with query and fragment, once', async () => {
        const more = await proof({ claims: { extra: 1 }, header: { extra: 2 } });
        expect((await present(more)).status).toBe(200);
        expect((await present(more)).status).toBe(401);
        expect((await present(await proof({ claims: { htu: `${url()}?a=b#c` } }))).status).toBe(200);
        expect((await present(await proof(), `${url()}?_pretty=true`)).status).toBe(200);
      });
    });
  },
);
