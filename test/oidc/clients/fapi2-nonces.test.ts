/** Nonces of DPoP proofs (RFC 9449 §8, §9), which clients with the FAPI 2.0 profile need at each endpoint. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { exportJWK, importJWK } from 'jose';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { DpopNonces } from '../../../src/oidc/engine/tokens/dpop-nonces.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import {
  FapiApp,
  fapiClient,
  fapiRedirect,
  makeProofKey,
  type ProofKey,
  type ProofParts,
} from '../../support/apps/fapi-app.js';
import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../../support/clients/assertions.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const key = await makeClientKey('ES256', 'first');
const proofKeys = await Promise.all(['ES256', 'PS256', 'Ed25519'].map((alg) => makeProofKey(alg)));
const [ecKey, rsaKey] = proofKeys as [ProofKey, ProofKey];
const client = fapiClient('nonce-app', key);

let portal: TestPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.patient], clients: [client], fhir: { baseUrl: fhirServer.url } },
  });
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

/** No test runs over the end of a minute, at which the newest nonce changes, on a busy machine either. */
beforeEach(async () => {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 10_000) await new Promise((resolve) => setTimeout(resolve, left));
});

const app = (by = ecKey) => new FapiApp(portal, client, key, by);
const nonceOf = ({ headers }: Answer) => headers['dpop-nonce'];

/** The nonce of the minute that is this many minutes away, computed here from the secret of the portal. */
function nonceAt(minutes: number): string {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 60_000) + minutes));
  const [node] = portal.apps;
  const secret = node?.get(DpopNonces, { strict: false }).secret ?? '';
  return Buffer.from(hkdfSync('sha256', secret, step, 'DPoP', 32)).toString('base64url');
}

/** The nonce of a portal with another master key, or another issuer. */
function foreignNonce(secrets: Secrets, issuer: string): string {
  return new DpopNonces(secrets, { ...portal.config, server: { ...portal.config.server, issuer } }).newest;
}

interface Endpoint {
  name: string;
  /** Sends one request, with what it needs besides its proof. */
  prepare(mine: FapiApp): Promise<(proof: ProofParts, port?: number) => Promise<Answer>>;
  passes: number;
  refuses: number;
}

const userInfo = () => `${portal.issuer}/connect/userinfo`;

const read = (name: string, address: () => string): Endpoint => ({
  name,
  passes: 200,
  refuses: 401,
  prepare: async (mine) => {
    const { access_token: token } = await mine.tokens();
    return async (parts, port) => {
      const dpop = await mine.proof(address(), { method: 'GET', token, ...parts });
      const headers = { authorization: `DPoP ${token}`, dpop, origin: new URL(fapiRedirect).origin };
      return new Agent(portal.issuer, port).get(address(), { headers });
    };
  },
});

/** Each is sent until it passes: a code that is refused for the nonce of a proof is not used up. */
const endpoints: Endpoint[] = [
  {
    name: 'a pushed request',
    passes: 201,
    refuses: 400,
    prepare: async (mine) => (proof, port) => {
      mine.port = port;
      return mine.sendOnce('/connect/par', mine.request(), { proof });
    },
  },
  {
    name: 'a code',
    passes: 200,
    refuses: 400,
    prepare: async (mine) => {
      const code = await mine.code();
      return (proof, port) => {
        mine.port = port;
        const form = { grant_type: 'authorization_code', code, redirect_uri: fapiRedirect };
        return mine.sendOnce('/connect/token', { ...form, code_verifier: mine.verifier }, { proof });
      };
    },
  },
  {
    name: 'a refresh',
    passes: 200,
    refuses: 400,
    prepare: async (mine) => {
      const { refresh_token: token } = await mine.tokens();
      return (proof, port) => {
        mine.port = port;
        return mine.sendOnce('/connect/token', { grant_type: 'refresh_token', refresh_token: token }, { proof });
      };
    },
  },
  read('a read at the gateway', () => `${portal.fhirBase}/Patient/1`),
  read('user info', userInfo),
];

const without: ProofParts = { claims: { nonce: undefined } };
const withNonce = (nonce: unknown): ProofParts => ({ claims: { nonce } });

/** Refused with a nonce for the next proof, which scripts of a browser can read. Returns the nonce. */
function expectNonceAsked({ status, headers, text }: Answer, { refuses }: Endpoint): string {
  expect(status).toBe(refuses);
  if (refuses === 400) expect(JSON.parse(text).error).toBe('use_dpop_nonce');
  else expect(headers['www-authenticate']).toMatch(/^DPoP .*error="use_dpop_nonce"/);
  expect(headers['access-control-expose-headers']).toContain('DPoP-Nonce');
  expect(headers['cache-control']).toBe('no-store');
  return String(headers['dpop-nonce']);
}

describe.each(endpoints)('The nonce of the DPoP proof of $name', (endpoint) => {
  it.each(proofKeys)('is needed, and given ($alg)', async (by) => {
    const send = await endpoint.prepare(app(by));
    const nonce = expectNonceAsked(await send(without), endpoint);
    expect(nonce).toBe(nonceAt(1));
    const passed = await send(withNonce(nonce));
    expect([passed.status, nonceOf(passed)]).toEqual([endpoint.passes, undefined]);
  });

  it('is accepted by both nodes, and renewed by an answer when it is not the newest', async () => {
    for (const [given, used] of [portal.ports, [...portal.ports].reverse()]) {
      const send = await endpoint.prepare(app());
      expect(expectNonceAsked(await send(without, given), endpoint)).toBe(nonceAt(1));
      const passed = await send(withNonce(nonceAt(0)), used);
      expect([passed.status, nonceOf(passed)]).toEqual([endpoint.passes, nonceAt(1)]);
    }
  });

  it('is refused when it has expired, was not given yet, was altered, or is of another portal', async () => {
    const send = await endpoint.prepare(app());
    const secrets = portal.apps[0]?.get(Secrets, { strict: false }) as Secrets;
    const refused = [
      nonceAt(-4),
      nonceAt(4),
      `${nonceAt(1).slice(0, -2)}AA`,
      `${nonceAt(1)}A`,
      'made-up',
      'x'.repeat(2000),
      foreignNonce(new Secrets(randomBytes(32)), portal.issuer),
      foreignNonce(secrets, 'https://elsewhere.example'),
      '',
    ];
    for (const nonce of refused) expect(expectNonceAsked(await send(withNonce(nonce)), endpoint)).toBe(nonceAt(1));
    for (const nonce of [1, ['x'], null, { a: 'b' }]) {
      const answer = await send(withNonce(nonce));
      expect(answer.status).toBe(endpoint.refuses);
      expect(answer.text + answer.headers['www-authenticate']).toContain('invalid_dpop_proof');
    }
    expect((await send(withNonce(nonceAt(1)))).status).toBe(endpoint.passes);
  });

  it('does not let a proof be used twice', async () => {
    const send = await endpoint.prepare(app());
    const proof = { claims: { nonce: nonceAt(1), jti: randomBytes(16).toString('hex') } };
    expect((await send(proof)).status).toBe(endpoint.passes);
    for (const port of portal.ports) expect((await send(proof, port)).status).toBe(endpoint.refuses);
  });
});

describe('A client with the FAPI 2.0 profile', () => {
  it('follows the nonce from one endpoint to the next', async () => {
    const mine = app();
    const { access_token: token, refresh_token: refresh = '' } = await mine.tokens();
    expect(mine.proofNonce).toBe(nonceAt(1));
    expect((await mine.read(token, withNonce(mine.proofNonce))).status).toBe(200);
    expect((await mine.get(userInfo(), token)).status).toBe(200);
    expect((await mine.refresh(refresh)).status).toBe(200);
  });

  it('has the request for a nonce in the record of its launch, which is no refusal of the launch', async () => {
    const mine = app();
    const code = await mine.code();
    const form = { grant_type: 'authorization_code', code, redirect_uri: fapiRedirect, code_verifier: mine.verifier };
    const asked = await mine.sendOnce('/connect/token', form, { proof: without });
    const passed = await mine.exchange(code);
    const { access_token: token } = passed.json<Tokens>();
    await new Agent(portal.issuer).get(`${portal.fhirBase}/Patient/1`, {
      headers: {
        authorization: `DPoP ${token}`,
        dpop: await mine.proof(`${portal.fhirBase}/Patient/1`, { method: 'GET', token, ...without }),
      },
    });
    const { outcome, entries } = await launchOfAnswer(portal, asked);
    const codes = entries.map(({ code: name }) => name);
    expect(codes).toEqual(expect.arrayContaining(['proof-nonce', 'tokens-issued', 'gateway-nonce']));
    expect(outcome).not.toBe('refused');
  });

  it('cannot use a proof with RS256, or of more than a minute ahead, at any resource', async () => {
    const mine = app(rsaKey);
    const { access_token: token } = await mine.tokens();
    const privateKey = (await importJWK(await exportJWK(rsaKey.privateKey), 'RS256')) as ProofKey['privateKey'];
    for (const url of [`${portal.fhirBase}/Patient/1`, userInfo()]) {
      expect((await mine.get(url, token)).status).toBe(200);
      expect((await mine.get(url, token, { by: { ...rsaKey, alg: 'RS256', privateKey } })).status).toBe(401);
      expect((await mine.get(url, token, { claims: { iat: nowSeconds() + 90 } })).status).toBe(401);
    }
  });

  it('may send the proof and read the nonce from a page of its own origin', async () => {
    const origin = new URL(fapiRedirect).origin;
    for (const [method, url] of [
      ['POST', `${portal.issuer}/connect/par`],
      ['POST', `${portal.issuer}/connect/token`],
      ['GET', userInfo()],
      ['GET', `${portal.fhirBase}/Patient/1`],
    ] as const) {
      const headers = {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,dpop',
      };
      const answer = await new Agent(portal.issuer).send(url, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(String(answer.headers['access-control-allow-headers']).toLowerCase()).toContain('dpop');
    }
  });
});
