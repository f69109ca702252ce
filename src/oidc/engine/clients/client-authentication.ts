import type Provider from 'oidc-provider';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredClients } from '../../../clients/application/registered-clients.js';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { authorizingToken } from '../shared/authorizing-tokens.js';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';
import { clockToleranceSeconds } from '../shared/lifetimes.js';
import { trialProvenBy } from '../shared/trial-at-hand.js';
import { isUnambiguous } from '../shared/unambiguous-jwt.js';
import { ClientKeyStore } from './client-key-store.js';
import type { RemoteKeySets } from './remote-key-sets.js';
import { refuseUnregisteredObjects } from './request-objects.js';
import type { SecretGuesses } from './secret-guesses.js';
import { followsProfile, profileFault } from './security-profile.js';

/** SMART 2.2 client-confidential-asymmetric. */
export const longestAssertionSeconds = 300;

/** Algorithms for what clients sign. */
export const clientAlgorithms = ['RS256', 'RS384', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;

/** The repeated parts of a refused request. */
export interface ReplayState {
  /** `jti` of the assertion or proof that was used before. */
  replayed?: string;
}

/** A client may have several secrets and keys at once and use any of them; a public client has none. */
export function installClientAuthentication(
  provider: Provider,
  records: OidcRecords,
  remoteKeys: RemoteKeySets,
  clients: RegisteredClients,
  guesses: SecretGuesses,
): void {
  const build = provider.Client.find.bind(provider.Client);
  const built = new WeakMap<object, Client>();
  Object.defineProperty(provider.Client, 'find', {
    // The engine would hash a client's metadata on every request to detect a change.
    value(id: unknown): Client | undefined | Promise<Client | undefined> {
      // The engine passes any `aud` of an `id_token_hint` that it has not verified yet.
      if (typeof id !== 'string') return undefined;
      return atHand(id) ?? findOrBuild(id);
    },
  });
  Object.defineProperty(provider.Client, 'atHand', { value: atHand });
  Object.defineProperty(provider.Client.prototype, 'clientAuthMethod', {
    get() {
      return authenticationMethod(this, engineRequest());
    },
  });
  Object.defineProperty(provider.Client.prototype, 'compareClientSecret', {
    value(this: { clientId: string }, presented: string) {
      const isRight = () => clients.verifySecret(this.clientId, presented);
      return guesses.admit(engineRequest(), this.clientId, isRight);
    },
  });
  // The engine checks and then stores: of parallel uses of one assertion nearly all would pass.
  Object.defineProperty(provider.ReplayDetection, 'unique', {
    async value(issuer: string, jti: string, expires: number): Promise<boolean> {
      const seconds = Math.max(1, expires - Math.floor(Date.now() / 1000));
      const isFirst = await records.insertOnce('ReplayDetection', `${issuer}\n${jti}`, seconds);
      if (!isFirst) (engineRequest().state as ReplayState).replayed = jti;
      return isFirst;
    },
  });

  function atHand(id: string): Client | undefined {
    const registered = clients.atHand(id);
    return registered && built.get(registered);
  }

  async function findOrBuild(id: string): Promise<Client | undefined> {
    const registered = await clients.findByClientId(id);
    const known = registered && built.get(registered);
    const client = known ?? (registered && (await build(id)));
    if (!client || !registered || known) return client;
    // The engine would create a key store of its own, for one URL or for keys by value, on first use.
    Object.defineProperty(client, 'asymmetricKeyStore', { get: () => keyStoreOf(client, remoteKeys) });
    refuseUnregisteredObjects(client);
    built.set(registered, client);
    return client;
  }
}

/** The client if the engine can have it without a statement; undefined if it must be looked up, or is unknown. */
export function clientAtHand(provider: Provider, clientId: string): Client | undefined {
  return (provider.Client as unknown as { atHand(id: string): Client | undefined }).atHand(clientId);
}

function keyStoreOf(client: object, remoteKeys: RemoteKeySets): ClientKeyStore {
  const { keys, jwksUrls } = gatehouseClient(client);
  return new ClientKeyStore(keys, jwksUrls, remoteKeys);
}

/** The method that the request uses, if the client is registered for it; any other name makes the engine refuse. */
export function authenticationMethod(client: object, ctx: KoaContextWithOIDC): string {
  // The portal itself asks (decision 0074).
  if (ctx.oidc.route === 'token' && trialProvenBy(ctx.req) !== undefined) return 'none';
  const { settings, hasSharedSecret, keys, jwksUrls } = gatehouseClient(client);
  const hasKeys = keys.length + jwksUrls.length > 0;
  const { client_assertion: assertion, client_secret: secret } = (ctx.oidc.params ?? {}) as Record<string, unknown>;
  const isAuthorizedByToken = authorizingToken(ctx) !== undefined;
  const basic = /^basic /i.test(ctx.headers.authorization ?? '');
  if (assertion !== undefined) return hasKeys ? 'private_key_jwt' : 'not registered';
  if (followsProfile(settings) && !isAuthorizedByToken) return 'not registered';
  if (secret !== undefined || basic) return hasSharedSecret ? 'client_secret_basic' : 'not registered';
  if (isAuthorizedByToken) return 'none';
  // A client id alone must not be enough to probe tokens (RFC 7662 §2.1).
  if (ctx.oidc.route === 'introspection') return 'not registered';
  return settings.requireClientSecret ? 'not registered' : 'none';
}

/** True if the client has no credentials. */
export function isPublic(client: object): boolean {
  return !gatehouseClient(client).settings.requireClientSecret;
}

/** Checks of a client assertion that the engine lacks (RFC 7523 §3, SMART 2.2 client-confidential-asymmetric). */
export function assertClientAssertion(
  ctx: KoaContextWithOIDC,
  claims: Record<string, unknown>,
  header: Record<string, unknown>,
): void {
  const now = Math.floor(Date.now() / 1000);
  const refuse = (detail: string) => {
    throw new errors.InvalidClientAuth(detail);
  };
  if (typeof claims.exp !== 'number' || claims.exp > now + longestAssertionSeconds + clockToleranceSeconds) {
    refuse('client assertion lives longer than five minutes');
  }
  if (claims.sub !== claims.iss) refuse('client assertion has another sub than iss');
  const client = ctx.oidc.client as object;
  const fault = profileFault(client, claims, header);
  if (fault !== undefined) refuse(`client assertion: ${fault}`);
  // FAPI 2.0 Security Profile §5.3.2.1: an endpoint's address could be that of an attacker's server.
  if (followsProfile(gatehouseClient(client).settings) && claims.aud !== ctx.oidc.issuer) {
    refuse('the audience of the client assertion must be the issuer alone');
  }
  if (typeof header.kid !== 'string') refuse('client assertion has no kid');
  const { jwksUrls } = gatehouseClient(ctx.oidc.client);
  if (header.jku !== undefined && !jwksUrls.includes(String(header.jku)))
    refuse('client assertion has a jku that is not registered');
  if (header.crit !== undefined) refuse('client assertion has critical members');
  if (!isUnambiguous(String(ctx.oidc.params?.client_assertion))) refuse('client assertion has duplicate members');
}

/** Records the use of a key. Called after {@link assertClientAssertion}, when the engine has verified the signature. */
export function noteKeyUse(
  client: object,
  { kid }: Record<string, unknown>,
  clients: RegisteredClients,
  remoteKeys: RemoteKeySets,
): void {
  const { jwksUrls } = gatehouseClient(client);
  const publishing = jwksUrls.filter((url) => remoteKeys.freshKeys(url)?.some((key) => key.kid === kid));
  // A key set that must not be cached is no longer known here.
  const urls = publishing.length > 0 ? publishing : jwksUrls;
  clients.noteKeyUse((client as Client).clientId, { kid: String(kid), urls });
}

/**
 * Runs after a request to an endpoint that authenticates clients: an assertion of an unknown type or form is a failed
 * authentication (SMART 2.2 client-confidential-asymmetric), for which the engine responds `invalid_request`. The
 * status stays 400, which RFC 6749 §5.2 allows for credentials outside of the header: most versions of the test kits
 * require it.
 */
export function answerUnreadableAssertion(ctx: KoaContextWithOIDC): void {
  const { params, client } = ctx.oidc ?? {};
  const otherWays = ctx.headers.authorization !== undefined || params?.client_secret !== undefined;
  if (ctx.status !== 400 || client || params?.client_assertion === undefined || otherWays) return;
  ctx.body = { error: 'invalid_client', error_description: 'client authentication failed' };
}
