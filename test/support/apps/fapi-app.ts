import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createRemoteJWKSet, exportJWK, generateKeyPair, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import {
  type AssertionParts,
  assertionType,
  type ClientKey,
  clientAssertion,
  nowSeconds,
} from '../clients/assertions.js';
import { publicApp } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import { people } from '../users/people.js';
import { SmartApp, type Tokens } from './smart-app.js';

export const fapiRedirect = 'https://app.example/callback';

/** The registration of an app with the FAPI 2.0 profile (`config.clients`). */
export function fapiClient(clientId: string, key: ClientKey, settings: object = {}) {
  return {
    ...publicApp,
    clientId,
    requireConsent: false,
    requireClientSecret: true,
    clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(key.jwk), description: 'key' }],
    securityProfile: 'fapi2',
    requirePar: true,
    requireDpop: true,
    redirectUris: [fapiRedirect],
    postLogoutRedirectUris: [],
    ...settings,
  };
}

/** A key that tokens are bound to (RFC 9449). */
export interface ProofKey {
  alg: string;
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  jwk: JWK;
}

export async function makeProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, jwk: await exportJWK(publicKey) };
}

export interface ProofParts {
  by?: ProofKey;
  method?: string;
  /** The access token of a request to a resource. */
  token?: string;
  /** Undefined leaves a claim out. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
}

type Parameters = Record<string, string | undefined>;

export interface Sent {
  form?: Parameters;
  /** False leaves the client assertion out. */
  assertion?: Partial<AssertionParts> | false;
  /** False leaves the proof out. */
  proof?: ProofParts | false;
}

interface FapiClient {
  clientId: string;
  requireSignedRequestObject?: boolean;
  requireSignedResponse?: boolean;
}

/** The same client with FAPI 2.0 Message Signing (JAR and JARM). */
const withSigning = <C extends FapiClient>(client: C): C => ({
  ...client,
  clientId: `${client.clientId}-signing`,
  requireSignedRequestObject: true,
  requireSignedResponse: true,
});
const asItIs = <C extends FapiClient>(client: C): C => client;
const openidScope = 'openid fhirUser launch/patient patient/*.rs offline_access';

/** The clients of a suite and those with Message Signing, to start a portal with. */
export const withAndWithoutSigning = <C extends FapiClient>(...clients: C[]): C[] =>
  clients.flatMap((client) => [client, withSigning(client)]);

/** The variants of the plans: their scopes, and their clients. */
export const variants = [
  ['openid_connect', openidScope, asItIs],
  ['plain_oauth', 'launch/patient patient/*.rs offline_access', asItIs],
  ['openid_connect, signed', openidScope, withSigning],
] as const;

/** One authorization of an app with the FAPI 2.0 profile: each request can be sent with one part that is wrong. */
export class FapiApp {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(16).toString('base64url');
  readonly nonce = randomBytes(16).toString('base64url');
  /** The newest nonce for proofs that the portal has given, which the app keeps for its origin (RFC 9449 §8.2). */
  proofNonce: string | undefined;
  /** The node that the app reaches; the first one if undefined. */
  port: number | undefined;

  constructor(
    private readonly portal: TestPortal,
    readonly client: FapiClient,
    readonly key: ClientKey,
    readonly proofKey: ProofKey,
    private readonly scope: string = openidScope,
  ) {}

  /** The parameters of the authorization request; undefined leaves one out. */
  request(changes: Parameters = {}): Parameters {
    return {
      response_type: 'code',
      client_id: this.client.clientId,
      redirect_uri: fapiRedirect,
      scope: this.scope,
      aud: this.portal.fhirBase,
      state: this.state,
      ...(this.scope.includes('openid') && { nonce: this.nonce }),
      ...(this.client.requireSignedResponse && { response_mode: 'jwt' }),
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    };
  }

  /**
   * Pushes the request: as a request object for a client that signs them, with nothing but a `request_uri` outside of
   * it.
   */
  async push(changes: Parameters = {}, sent: Sent = {}): Promise<Answer> {
    const { request_uri, ...request } = this.request(changes);
    const parameters = this.client.requireSignedRequestObject ? { request: await this.signed(request) } : request;
    return this.send('/connect/par', { ...parameters, request_uri }, { proof: false, ...sent });
  }

  /** A request object as the suite makes it: without a `typ`, which only its second client sends. */
  private signed({ aud: resource, ...parameters }: Parameters): Promise<string> {
    const now = nowSeconds();
    const registered = { iss: this.client.clientId, aud: this.portal.issuer, nbf: now, exp: now + 300 };
    return new SignJWT({ ...parameters, resource, ...registered })
      .setProtectedHeader({ alg: this.key.alg, kid: String(this.key.jwk.kid) })
      .sign(this.key.privateKey);
  }

  async requestUri(changes: Parameters = {}, sent: Sent = {}): Promise<string> {
    const answer = await this.push(changes, sent);
    if (answer.status !== 201) throw new Error(`the push was answered ${answer.status}: ${answer.text}`);
    return answer.json<{ request_uri: string }>().request_uri;
  }

  /** The authorization request of the browser for a pushed one. */
  authorization(requestUri: string, more: Parameters = {}): URL {
    const query = { client_id: this.client.clientId, request_uri: requestUri, ...more };
    return new URL(`${this.portal.issuer}/connect/authorize?${new URLSearchParams(query as Record<string, string>)}`);
  }

  /** The user signs in; returns the address with the answer to the app. */
  async complete(requestUri: string, more: Parameters = {}, person = people.patient): Promise<URL> {
    const browser = new SmartApp(this.portal, { client: this.client });
    return this.answerAt(await browser.complete(person, undefined, this.authorization(requestUri, more)));
  }

  /** The address with the parameters of the answer: those of a signed answer are verified and taken out of it. */
  async answerAt(landed: URL): Promise<URL> {
    if (!this.client.requireSignedResponse) return landed;
    expect([...landed.searchParams.keys()]).toEqual(['response']);
    const keys = createRemoteJWKSet(new URL(`${this.portal.issuer}/.well-known/openid-configuration/jwks`));
    const audience = this.client.clientId;
    const expected = { issuer: this.portal.issuer, audience, algorithms: ['ES256'] };
    const { payload } = await jwtVerify(landed.searchParams.get('response') ?? '', keys, expected);
    const { aud: _, exp: __, ...members } = payload as JWTPayload & Record<string, string>;
    return new URL(`?${new URLSearchParams(members)}`, landed);
  }

  async code(changes: Parameters = {}, sent: Sent = {}): Promise<string> {
    const landed = await this.complete(await this.requestUri(changes, sent));
    const code = landed.searchParams.get('code');
    if (code === null) throw new Error(`no code but ${landed}`);
    return code;
  }

  exchange(code: string, { form, ...sent }: Sent = {}, agent?: Agent): Promise<Answer> {
    const usual = { grant_type: 'authorization_code', code, redirect_uri: fapiRedirect, code_verifier: this.verifier };
    return this.send('/connect/token', { ...usual, ...form }, sent, agent);
  }

  async tokens(changes: Parameters = {}): Promise<Tokens> {
    const answer = await this.exchange(await this.code(changes));
    if (answer.status !== 200) throw new Error(`the code was answered ${answer.status}: ${answer.text}`);
    return answer.json<Tokens>();
  }

  refresh(token: string, sent: Sent = {}, agent?: Agent): Promise<Answer> {
    return this.send('/connect/token', { grant_type: 'refresh_token', refresh_token: token }, sent, agent);
  }

  /** Reads the patient in context through the gateway. */
  read(token: string, proof: ProofParts | false = {}, scheme = 'DPoP'): Promise<Answer> {
    return this.get(`${this.portal.fhirBase}/Patient/1`, token, proof, scheme);
  }

  /** Reads a resource. */
  get(url: string, token: string, proof: ProofParts | false = {}, scheme = 'DPoP'): Promise<Answer> {
    return this.withNonce(async () => {
      const headers: Record<string, string> = { authorization: `${scheme} ${token}` };
      if (proof) headers.dpop = await this.proof(url, { method: 'GET', token, ...proof });
      return new Agent(this.portal.issuer, this.port).get(url, { headers });
    });
  }

  send(path: string, parameters: Parameters, sent: Sent, agent?: Agent): Promise<Answer> {
    return this.withNonce(() => this.sendOnce(path, parameters, sent, agent));
  }

  /** Repeats a request that is refused for its nonce, as apps have to, with the nonce that the answer gives. */
  private async withNonce(request: () => Promise<Answer>): Promise<Answer> {
    const keep = ({ headers }: Answer) => {
      this.proofNonce = String(headers['dpop-nonce'] ?? this.proofNonce ?? '') || undefined;
    };
    const before = this.proofNonce;
    const answer = await request();
    keep(answer);
    const wantsNonce = /use_dpop_nonce/.test(`${answer.headers['www-authenticate']} ${answer.text}`);
    if (!wantsNonce || this.proofNonce === before) return answer;
    const again = await request();
    keep(again);
    return again;
  }

  /** One request, as the app would send it first. */
  async sendOnce(
    path: string,
    parameters: Parameters,
    { form, assertion, proof }: Sent,
    agent = new Agent(this.portal.issuer, this.port),
  ): Promise<Answer> {
    const url = this.portal.issuer + path;
    const own =
      assertion === false
        ? {}
        : { client_assertion_type: assertionType, client_assertion: await this.assertion(assertion) };
    const all = Object.entries({ ...own, ...parameters, ...form }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const headers: Record<string, string> = proof === false ? {} : { dpop: await this.proof(url, proof) };
    return agent.postForm(path, Object.fromEntries(all), { headers });
  }

  /** The profile's client assertion: its audience is the issuer. */
  assertion(parts: Partial<AssertionParts> = {}): Promise<string> {
    const { clientId } = this.client;
    const claims = { iat: nowSeconds(), nbf: nowSeconds(), exp: nowSeconds() + 60, ...parts.claims };
    return clientAssertion({ clientId, audience: this.portal.issuer, key: this.key, ...parts, claims });
  }

  /** A proof with the nonce that the app has. */
  proof(url: string, { by = this.proofKey, claims, ...parts }: ProofParts = {}): Promise<string> {
    return proofBy(by, url, { ...parts, claims: { nonce: this.proofNonce, ...claims } });
  }
}

/** A DPoP proof (RFC 9449 §4.2). */
export function proofBy(
  { alg, jwk, privateKey }: ProofKey,
  url: string,
  { method = 'POST', token, claims, header }: Omit<ProofParts, 'by'> = {},
): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const usual = { htm: method, htu: url, jti: randomUUID(), iat: nowSeconds() };
  return new SignJWT({ ...usual, ...ath, ...claims } as never)
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header } as never)
    .sign(privateKey);
}
