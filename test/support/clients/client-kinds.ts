import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { basicAuthorization, type Launch, SmartApp } from '../apps/smart-app.js';
import { Agent, type Answer, type RequestOptions } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import { isLong } from '../runs.js';
import { assertionType, type ClientKey, clientAssertion, makeClientKey } from './assertions.js';
import { publicApp, sharedSecret } from './clients.js';

type Reached = Pick<TestPortal, 'issuer' | 'fhirBase'>;
type Proof = { form?: Record<string, string>; headers?: Record<string, string> };

/** A key that tokens are bound to (RFC 9449). */
interface ProofKey {
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  jwk: JWK;
}

async function makeProofKey(): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, jwk: await exportJWK(publicKey) };
}

/** A DPoP proof for one request, which carries the access token if there is one. */
function dpopProof(
  { privateKey, jwk }: ProofKey,
  { method, url, token, jti = randomUUID() }: { method: string; url: string; token?: string; jti?: unknown },
): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  return new SignJWT({ htm: method, htu: url, jti, ...ath } as never)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt()
    .sign(privateKey);
}

interface KindOfClient {
  name: string;
  /** Members of the client's registration. */
  settings: object;
  /** The client's credentials for one request to the token endpoint. */
  prove(clientId: string, issuer: string, secret?: string): Promise<Proof> | Proof;
  /** Set if the credentials are a shared secret. */
  bySecret?: true;
  /** Set if tokens are bound to a key. */
  proofKey?: ProofKey;
}

/**
 * A method of client authentication. Rules about codes, refresh tokens and grants hold for each of them, so the
 * suites about these run for all {@link clientKinds}.
 */
export class ClientKind {
  readonly name: string;

  constructor(
    private readonly kind: KindOfClient,
    /** Its place in the table, for `inTurn` and `itInTurn`. */
    readonly number: number,
  ) {
    this.name = kind.name;
  }

  get isPublic(): boolean {
    return !('requireClientSecret' in this.kind.settings);
  }

  get bySecret(): boolean {
    return this.kind.bySecret === true;
  }

  get tokenType(): 'Bearer' | 'DPoP' {
    return this.kind.proofKey ? 'DPoP' : 'Bearer';
  }

  /** The registration of an app of this kind (`config.clients`), by default without consent. */
  client<S extends object>(name: string, settings: S = {} as S) {
    const clientId = `${name}-${this.name.toLowerCase().replace(/\W+/g, '-')}`;
    return { ...publicApp, requireConsent: false, ...this.kind.settings, ...settings, clientId };
  }

  /** The registration of a back-end service of this kind, which must be confidential. */
  service(name: string) {
    const { clientId, clientSecrets, requireDpop } =
      this.client<Partial<typeof withSecret & { requireDpop: boolean }>>(name);
    return {
      clientId,
      clientName: clientId,
      clientType: 'BackendService',
      enabled: true,
      requireClientSecret: true,
      clientSecrets,
      requireDpop,
    };
  }

  app(portal: Reached, client: { clientId: string }, launch: Launch = {}, browser?: Agent): SmartApp {
    const prove = () => this.proofFor(portal.issuer, client.clientId);
    return new SmartApp(portal, { ...launch, client, prove }, browser);
  }

  /** The credentials of a client of this kind for one form. */
  private async proofFor(issuer: string, clientId: string, secret?: string, path = '/connect/token'): Promise<Proof> {
    const { form = {}, headers = {} } = await this.kind.prove(clientId, issuer, secret);
    const { proofKey } = this.kind;
    if (!proofKey) return { form, headers };
    const dpop = await dpopProof(proofKey, { method: 'POST', url: issuer + path });
    return { form, headers: { ...headers, dpop } };
  }

  /** Sends a form with the client's credentials to any endpoint. */
  async post(
    agent: Agent,
    path: string,
    client: { clientId: string },
    form: Record<string, string>,
    { secret, headers = {} }: { secret?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const proof = await this.proofFor(agent.issuer, client.clientId, secret, path);
    return agent.postForm(path, { ...proof.form, ...form }, { headers: { ...proof.headers, ...headers } });
  }

  /** Reads a resource with an access token of this kind. */
  async read(agent: Agent, path: string, token: string, { method = 'GET' }: RequestOptions = {}): Promise<Answer> {
    const { proofKey } = this.kind;
    const url = new URL(path, agent.issuer).href;
    const headers: Record<string, string> = { authorization: `${this.tokenType} ${token}` };
    if (proofKey) headers.dpop = await dpopProof(proofKey, { method, url, token });
    return agent.send(path, { method, headers });
  }

  userinfo(agent: Agent, token: string): Promise<Answer> {
    return this.read(agent, '/connect/userinfo', token);
  }
}

const withSecret = {
  requireClientSecret: true,
  requirePkce: false,
  clientSecrets: [{ secretType: 'SharedSecret', secret: sharedSecret, description: 'first' }],
};

const withKey = ({ jwk }: ClientKey) => ({
  ...withSecret,
  clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(jwk), description: String(jwk.kid) }],
});

/** Each character as `%XX`, which is what form encoding may do to any of them (RFC 6749 §2.3.1). */
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

const asserting =
  (key: ClientKey): KindOfClient['prove'] =>
  async (clientId, issuer) => ({
    form: {
      client_assertion_type: assertionType,
      client_assertion: await clientAssertion({ clientId, audience: `${issuer}/connect/token`, key }),
    },
  });

const [rs384, es384] = await Promise.all([makeClientKey('RS384', 'rsa-key'), makeClientKey('ES384', 'ec-key')]);
const [publicKey, confidentialKey] = await Promise.all([makeProofKey(), makeProofKey()]);
const named: KindOfClient['prove'] = (clientId) => ({ form: { client_id: clientId } });
const byBasic: KindOfClient['prove'] = (clientId, _, secret = sharedSecret) => ({
  headers: basicAuthorization(clientId, secret),
});

const kinds: KindOfClient[] = [
  { name: 'public', settings: {}, prove: named },
  { name: 'Basic', settings: withSecret, prove: byBasic, bySecret: true },
  {
    name: 'Basic, encoded',
    settings: withSecret,
    prove: (clientId, _, secret = sharedSecret) => ({
      headers: basicAuthorization(percent(clientId), percent(secret)),
    }),
    bySecret: true,
  },
  {
    name: 'Basic and client_id',
    settings: withSecret,
    prove: (clientId, _, secret = sharedSecret) => ({
      headers: basicAuthorization(clientId, secret),
      form: { client_id: clientId },
    }),
    bySecret: true,
  },
  {
    name: 'client_secret_post',
    settings: withSecret,
    prove: (clientId, _, secret = sharedSecret) => ({ form: { client_id: clientId, client_secret: secret } }),
    bySecret: true,
  },
  { name: 'RS384 assertion', settings: withKey(rs384), prove: asserting(rs384) },
  { name: 'ES384 assertion', settings: withKey(es384), prove: asserting(es384) },
  { name: 'public with DPoP', settings: { requireDpop: true }, prove: named, proofKey: publicKey },
  {
    name: 'Basic with DPoP',
    settings: { ...withSecret, requireDpop: true },
    prove: byBasic,
    bySecret: true,
    proofKey: confidentialKey,
  },
];

/** For `describe.each`, as `('… ($name)', (kind) => …)`. */
export const clientKinds = kinds.map((kind, number) => new ClientKind(kind, number));

/** The kinds that authenticate; a service has one of these. */
export const confidentialKinds = clientKinds.filter(({ isPublic }) => !isPublic);

/** The kinds whose secret can be guessed. */
export const kindsWithSecret = clientKinds.filter(({ bySecret }) => bySecret);

/** One kind for each method of authentication where each case takes seconds, all kinds in the long run. */
export const kindsInSlowTests = isLong
  ? clientKinds
  : clientKinds.filter(({ name }) => ['public', 'ES384 assertion', 'Basic with DPoP'].includes(name));
