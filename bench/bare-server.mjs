/** oidc-provider as it comes, with its store in memory: what the engine costs without the product around it. */
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const { alg, publicJwk, port } = JSON.parse(process.argv[2]);
const keys = await Promise.all(
  ['RS256', 'ES256'].map(async (name) => {
    const { privateKey } = await generateKeyPair(name, { extractable: true });
    return { ...(await exportJWK(privateKey)), alg: name, kid: name, use: 'sig' };
  }),
);
const client = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
const issuer = `http://localhost:${port}`;
const resourceServer = {
  scope: 'system/*.rs',
  accessTokenFormat: 'jwt',
  accessTokenTTL: 3600,
  audience: `${issuer}/fhir`,
  jwt: { sign: { alg } },
};
const provider = new Provider(issuer, {
  clients: [
    { ...client, client_id: 'secret', client_secret: 'bench-secret-bench-secret-bench-secret' },
    {
      ...client,
      client_id: 'assertion',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [publicJwk] },
    },
  ],
  jwks: { keys },
  enabledJWA: { clientAuthSigningAlgValues: ['RS384'] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `${issuer}/fhir`,
      getResourceServerInfo: () => resourceServer,
      useGrantedResource: () => true,
    },
  },
});
createServer(provider.callback()).listen(port, '127.0.0.1', () => process.send({ port }));
