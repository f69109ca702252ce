/** oidc-provider as it comes, with its store in memory: what the engine costs without the product around it. */
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { redirectUri, secret } from '../tools/requests.mjs';

const { alg, publicJwk, port } = JSON.parse(process.argv[2]);
const keys = await Promise.all(
  ['RS256', 'ES256'].map(async (name) => {
    const { privateKey } = await generateKeyPair(name, { extractable: true });
    return { ...(await exportJWK(privateKey)), alg: name, kid: name, use: 'sig' };
  }),
);
const service = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
const issuer = `http://localhost:${port}`;
const recordScopes = 'system/*.rs launch/patient patient/*.rs';
const resourceServer = {
  scope: recordScopes,
  accessTokenTTL: 3600,
  audience: `${issuer}/fhir`,
  jwt: { sign: { alg } },
};

/** Records by model and id. The engine's own store in memory forgets all but the last 1,000 to 2,000. */
class MapAdapter {
  static records = new Map();

  constructor(model) {
    this.model = model;
  }

  async upsert(id, payload) {
    MapAdapter.records.set(this.key(id), payload);
    if (this.model === 'Session') MapAdapter.records.set(this.key(payload.uid), payload);
  }

  async find(id) {
    return MapAdapter.records.get(this.key(id));
  }

  findByUid(uid) {
    return this.find(uid);
  }

  async consume(id) {
    MapAdapter.records.get(this.key(id)).consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id) {
    MapAdapter.records.delete(this.key(id));
  }

  /** Nothing is revoked here. */
  async revokeByGrantId() {}

  key(id) {
    return `${this.model}:${id}`;
  }
}

const provider = new Provider(issuer, {
  adapter: MapAdapter,
  clients: [
    { ...service, client_id: 'secret', client_secret: secret },
    { ...service, client_id: 'reference', client_secret: secret },
    {
      ...service,
      client_id: 'assertion',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [publicJwk] },
    },
    {
      client_id: 'app',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [redirectUri],
    },
  ],
  jwks: { keys },
  enabledJWA: { clientAuthSigningAlgValues: ['RS384'] },
  // The addresses of Gatehouse, so that both get the same requests.
  routes: { authorization: '/connect/authorize', token: '/connect/token', introspection: '/connect/introspect' },
  scopes: ['openid', 'offline_access'],
  claims: { openid: ['sub'] },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  loadExistingGrant: grantOfEverything,
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `${issuer}/fhir`,
      getResourceServerInfo: (_, __, { clientId }) => ({
        ...resourceServer,
        accessTokenFormat: clientId === 'reference' ? 'opaque' : 'jwt',
      }),
      useGrantedResource: () => true,
    },
  },
});

/**
 * No page: a grant of everything, one for all authorizations of a session (the engine refuses codes of an earlier
 * grant).
 */
async function grantOfEverything({ oidc }) {
  const { clientId } = oidc.client;
  const earlier = oidc.session.grantIdFor(clientId);
  if (earlier) return provider.Grant.find(earlier);
  const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid offline_access');
  grant.addResourceScope(`${issuer}/fhir`, recordScopes);
  await grant.save();
  return grant;
}

const handle = provider.callback();
createServer((request, response) => {
  // The only page: it signs the user in without a question.
  if (!request.url.startsWith('/interaction/')) return handle(request, response);
  return provider.interactionFinished(request, response, { login: { accountId: 'bench' } });
}).listen(port, '127.0.0.1', () => process.send({ port }));
