import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { proofSeconds } from '../../../src/oidc/engine/clients/security-profile.js';
import { isSameTarget } from '../../../src/oidc/engine/tokens/dpop-proofs.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

interface Key {
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  jwk: JWK;
}

const boundApp = { ...publicApp, clientId: 'bound-app', requireDpop: true, requireConsent: false };
const freeApp = { ...publicApp, clientId: 'free-app', requireConsent: false };
let portal: TestPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let key: Key;
let other: Key;
/** A token that is bound to `key`, and an unbound one. */
let bound: string;
let free: string;

interface Proof {
  by?: Key;
  method?: string;
  htu?: unknown;
  token?: string;
  typ?: string;
  claims?: Record<string, unknown>;
}

const ath = (token: string) => createHash('sha256').update(token).digest('base64url');
const now = () => Math.floor(Date.now() / 1000);

/** A proof, by default for reading this address with the bound token. */
function prove(url: string, { by = key, method = 'GET', htu = url, token = bound, typ, claims }: Proof = {}) {
  const payload = { htm: method, htu, jti: randomUUID(), iat: now(), ath: ath(token), ...claims };
  return new SignJWT(payload as never)
    .setProtectedHeader({ typ: typ ?? 'dpop+jwt', alg: 'ES256', jwk: by.jwk })
    .sign(by.privateKey);
}

async function tokenOf(client: { clientId: string }, by?: Key): Promise<string> {
  const app = new SmartApp(portal, { client });
  const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
  const dpop = by && { dpop: await prove(`${portal.issuer}/connect/token`, { by, method: 'POST', token: '' }) };
  const form = { grant_type: 'authorization_code', client_id: client.clientId, code, code_verifier: app.verifier };
  const redirect_uri = publicApp.redirectUris[0] ?? '';
  const agent = new Agent(portal.issuer);
  const answer = await agent.postForm('/connect/token', { ...form, redirect_uri }, { headers: { ...dpop } });
  return answer.json<Tokens>().access_token;
}

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  const config = { users: [people.patient], clients: [boundApp, freeApp], fhir: { baseUrl: fhirServer.url } };
  portal = await startPortal({ config });
  const keys = await Promise.all([1, 2].map(() => generateKeyPair('ES256', { extractable: true })));
  [key, other] = (await Promise.all(
    keys.map(async ({ privateKey, publicKey }) => ({ privateKey, jwk: await exportJWK(publicKey) })),
  )) as [Key, Key];
  [bound, free] = [await tokenOf(boundApp, key), await tokenOf(freeApp)];
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

const resources = [
  ['the gateway', () => `${portal.fhirBase}/Patient/1`],
  ['the user info endpoint', () => `${portal.issuer}/connect/userinfo`],
] as const;

const read = (url: string, headers: Record<string, string>): Promise<Answer> =>
  new Agent(portal.issuer).get(url, { headers });

const withProof = async (url: string, proof: Proof = {}, query = '') =>
  read(`${url}${query}`, { authorization: `DPoP ${proof.token ?? bound}`, dpop: await prove(url, proof) });

function challengeOf({ headers }: Answer): Record<string, string | undefined> {
  const header = String(headers['www-authenticate']);
  return {
    scheme: header.split(' ', 1)[0],
    error: /error="([^"]+)"/.exec(header)?.[1],
    algs: /algs="([^"]+)"/.exec(header)?.[1],
  };
}

const algs = 'ES256 ES384 EdDSA Ed25519 PS256 RS256 RS384';

describe.each(resources)('A resource read with a DPoP proof at %s', (_, at) => {
  /** The proof's `htu` for the address of the resource. */
  const sameAddress: [string, (url: URL) => string][] = [
    ['literally', ({ href }) => href],
    ['with a query', ({ href }) => `${href}?a=b`],
    ['with a fragment', ({ href }) => `${href}#part`],
    ['with scheme and host in capitals', ({ port, pathname }) => `HTTP://LOCALHOST:${port}${pathname}`],
    ['with dot segments', ({ origin, pathname }) => `${origin}/a/./../.${pathname}`],
    ['with encoded dot segments', ({ origin, pathname }) => `${origin}/a/%2E%2e${pathname}`],
    ['with zeros before its port', ({ port, pathname }) => `http://localhost:0${port}${pathname}`],
  ];

  it.each(sameAddress)('is accepted when htu names its address %s (RFC 9449 §4.3)', async (_title, htu) => {
    const answer = await withProof(at(), { htu: htu(new URL(at())) });
    expect({ status: answer.status, challenge: answer.headers['www-authenticate'] }).toEqual({ status: 200 });
  });

  it('is accepted when the request has a query that htu leaves out', async () => {
    const query = at().includes('userinfo') ? '?unknown=x' : '?_format=json';
    expect((await withProof(at(), {}, query)).status).toBe(200);
  });

  const invalidProofs: [string, (url: URL) => Proof][] = [
    ['of another path', ({ origin }) => ({ htu: `${origin}/connect/token` })],
    ['of its path in capitals', ({ origin, pathname }) => ({ htu: origin + pathname.toUpperCase() })],
    ['of its path with a slash at the end', ({ href }) => ({ htu: `${href}/` })],
    ['of another host', ({ port, pathname }) => ({ htu: `http://127.0.0.1:${port}${pathname}` })],
    ['of another port', ({ pathname }) => ({ htu: `http://localhost${pathname}` })],
    ['of another scheme', ({ host, pathname }) => ({ htu: `https://${host}${pathname}` })],
    ['of its path alone', ({ pathname }) => ({ htu: pathname })],
    ['whose htu is not a text', ({ href }) => ({ htu: [href] })],
    ['without an htu', () => ({ claims: { htu: undefined } })],
    ['of another method', () => ({ method: 'POST' })],
    ['of its method in lower case', () => ({ method: 'get' })],
    ['of another token', () => ({ claims: { ath: ath('another') } })],
    ['without an ath', () => ({ claims: { ath: undefined } })],
    ['of long ago', () => ({ claims: { iat: now() - proofSeconds - 60 } })],
    ['of the future', () => ({ claims: { iat: now() + proofSeconds + 60 } })],
    ['without an iat', () => ({ claims: { iat: undefined } })],
    ['without a jti', () => ({ claims: { jti: undefined } })],
    ['with an empty jti', () => ({ claims: { jti: '' } })],
    ['whose jti is not a text', () => ({ claims: { jti: ['x'] } })],
    ['whose nonce is not a text', () => ({ claims: { nonce: 1 } })],
    ['of another type', () => ({ typ: 'JWT' })],
  ];

  it.each(invalidProofs)('is refused with invalid_dpop_proof for a proof %s', async (_title, proof) => {
    const answer = await withProof(at(), proof(new URL(at())));
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({ scheme: 'DPoP', error: 'invalid_dpop_proof', algs });
  });

  it('is refused with use_dpop_nonce for a nonce that was not given to it, and accepted with the one that the answer gives', async () => {
    const refused = await withProof(at(), { claims: { nonce: 'made-up' } });
    expect(refused.status).toBe(401);
    expect(challengeOf(refused)).toEqual({ scheme: 'DPoP', error: 'use_dpop_nonce', algs });
    const nonce = refused.headers['dpop-nonce'];
    const answer = await withProof(at(), { claims: { nonce } });
    expect([answer.status, answer.headers['dpop-nonce']]).toEqual([200, undefined]);
    expect(answer.headers['access-control-expose-headers']).toContain('DPoP-Nonce');
  });

  it('gives no nonce to a client that needs none and has none', async () => {
    const answer = await withProof(at(), {});
    expect([answer.status, answer.headers['dpop-nonce']]).toEqual([200, undefined]);
  });

  it('is refused with invalid_dpop_proof for a proof of long ago, though it has a nonce', async () => {
    const nonce = (await withProof(at(), { claims: { nonce: 'made-up' } })).headers['dpop-nonce'];
    const answer = await withProof(at(), { claims: { nonce, iat: now() - proofSeconds - 60 } });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({ scheme: 'DPoP', error: 'invalid_dpop_proof', algs });
  });

  it('is refused with invalid_dpop_proof for a proof that is no JWT', async () => {
    const answer = await read(at(), { authorization: `DPoP ${bound}`, dpop: 'a.b.c' });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({ scheme: 'DPoP', error: 'invalid_dpop_proof', algs });
  });

  const invalidTokens: [string, () => Proof][] = [
    ['is bound to another key', () => ({ by: other })],
    ['is bound to no key', () => ({ token: free })],
    ['is unknown', () => ({ token: 'unknown' })],
  ];

  it.each(invalidTokens)('is refused with invalid_token when the token %s', async (_title, proof) => {
    const answer = await withProof(at(), proof());
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({ scheme: 'DPoP', error: 'invalid_token', algs });
  });

  it('is refused with invalid_token when the proof was used before', async () => {
    const headers = { authorization: `DPoP ${bound}`, dpop: await prove(at()) };
    expect((await read(at(), headers)).status).toBe(200);
    const again = await read(at(), headers);
    expect(again.status).toBe(401);
    expect(challengeOf(again)).toEqual({ scheme: 'DPoP', error: 'invalid_token', algs });
  });

  it('is refused with invalid_request when the scheme does not match the proof', async () => {
    const dpop = await prove(at());
    for (const headers of [{ authorization: `DPoP ${bound}` }, { authorization: `Bearer ${bound}`, dpop }]) {
      const answer = await read(at(), headers as Record<string, string>);
      expect(answer.status).toBe(400);
      expect(challengeOf(answer)).toEqual({ scheme: 'DPoP', error: 'invalid_request', algs });
    }
  });

  it('is refused with invalid_token for a bound token with the Bearer scheme (RFC 9449 §7.2)', async () => {
    const answer = await read(at(), { authorization: `Bearer ${bound}` });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toMatchObject({ error: 'invalid_token' });
  });

  it('gets a challenge with both schemes without a token', async () => {
    const answer = await read(at(), {});
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="[^"]+", DPoP realm="[^"]+", algs="[^"]+"$/);
  });
});

describe('The htu of a DPoP proof at the gateway', () => {
  it.each([
    ['Patient?_id=1', 'Patient'],
    ['P%61tient/1', 'Patient/1'],
    ['Patient/a%7cb', 'Patient/a%7Cb'],
  ])('is compared with the request at %s when it is %s', async (path, htu) => {
    const answer = await withProof(`${portal.fhirBase}/${path}`, { htu: `${portal.fhirBase}/${htu}` });
    expect(answer.status).not.toBe(401);
  });

  it('may leave out the default port, or name it', () => {
    expect(isSameTarget('https://login.example:443/fhir', 'HTTPS://Login.Example/fhir')).toBe(true);
    expect(isSameTarget('https://login.example:80/fhir', 'https://login.example/fhir')).toBe(false);
    expect(isSameTarget('http://login.example:80/fhir', 'http://login.example/fhir')).toBe(true);
  });

  it('does not treat an encoded slash as a slash', async () => {
    const answer = await withProof(`${portal.fhirBase}/Patient/1`, { htu: `${portal.fhirBase}/Patient%2F1` });
    expect(answer.status).toBe(401);
  });

  it('is checked before the scopes, whose refusal names the DPoP scheme', async () => {
    const url = `${portal.fhirBase}/Patient/1`;
    const dpop = await prove(url, { method: 'DELETE' });
    const refused = await new Agent(portal.issuer).send(url, {
      method: 'DELETE',
      headers: { authorization: `DPoP ${bound}`, dpop },
    });
    expect(refused.status).toBe(403);
    expect(challengeOf(refused)).toEqual({ scheme: 'DPoP', error: 'insufficient_scope', algs });
  });
});
