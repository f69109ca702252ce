import * as oauth from 'oauth4webapi';
import { type ClientKey, makeClientKey, serviceWithKeys } from '../support/clients/assertions.js';
import { backendService } from '../support/clients/clients.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

const keys: Record<string, ClientKey> = {
  RS384: await makeClientKey('RS384', 'rsa-key'),
  ES384: await makeClientKey('ES384', 'ec-key'),
};
const clientId = 'nightly-export';
/** All characters that a secret may contain (RFC 6749 appendix A.2). */
const awkwardSecret = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  .join('')
  .trim();
const secretService = {
  ...backendService,
  clientSecrets: [{ secretType: 'SharedSecret', secret: awkwardSecret, description: 'awkward' }],
};
const strictKey = await makeClientKey('PS256', 'strict-key');
const strictService = { ...serviceWithKeys('strict-export', [strictKey]), securityProfile: 'fapi2', requireDpop: true };
const insecure = { [oauth.allowInsecureRequests]: true };

let portal: TestPortal;
let server: oauth.AuthorizationServer;

beforeAll(async () => {
  portal = await startPortal({
    config: { clients: [serviceWithKeys(clientId, Object.values(keys)), secretService, strictService] },
  });
  const issuer = new URL(portal.issuer);
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
});

afterAll(() => portal.close());

const request = (key: ClientKey | undefined, scope: string) => {
  if (!key) throw new Error('there is no such key');
  const authentication = oauth.PrivateKeyJwt({ key: key.privateKey as oauth.CryptoKey, kid: String(key.jwk.kid) });
  return oauth.clientCredentialsGrantRequest(server, { client_id: clientId }, authentication, { scope }, insecure);
};

describe('oauth4webapi', () => {
  it.each(['RS384', 'ES384'])('gets a token for a back-end service that signs with %s', async (algorithm) => {
    const response = await request(keys[algorithm], 'system/*.rs');
    expect(response.status).toBe(200);
    const tokens = await oauth.processClientCredentialsResponse(server, { client_id: clientId }, response);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'system/*.rs', access_token: expect.any(String) });
    expect(tokens.expires_in).toEqual(expect.any(Number));
    expect(tokens.refresh_token).toBeUndefined();
  });

  it.each([
    ['HTTP Basic', oauth.ClientSecretBasic(awkwardSecret)],
    ['the body', oauth.ClientSecretPost(awkwardSecret)],
  ])('sends a secret of all characters by %s (RFC 6749 §2.3.1)', async (_, authentication) => {
    const own = { client_id: secretService.clientId };
    const form = { scope: 'system/*.rs' };
    const response = await oauth.clientCredentialsGrantRequest(server, own, authentication, form, insecure);
    const tokens = await oauth.processClientCredentialsResponse(server, own, response);
    expect(tokens.scope).toBe('system/*.rs');
  });

  it('gets a bound token for a service with the FAPI 2.0 profile, and none without its key', async () => {
    const own = { client_id: strictService.clientId };
    const authentication = oauth.PrivateKeyJwt({ key: strictKey.privateKey as oauth.CryptoKey, kid: 'strict-key' });
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('Ed25519'));
    const ask = (options: object) =>
      oauth.clientCredentialsGrantRequest(
        server,
        own,
        authentication,
        { scope: 'system/*.rs' },
        { ...insecure, ...options },
      );
    const processed = async () => oauth.processClientCredentialsResponse(server, own, await ask({ DPoP }));
    const problem: unknown = await processed().catch((error: unknown) => error);
    expect(oauth.isDPoPNonceError(problem)).toBe(true);
    // The library keeps the nonce of the answer.
    const tokens = await processed();
    expect(tokens).toMatchObject({ token_type: 'dpop', scope: 'system/*.rs' });
    const refused = await ask({});
    await expect(oauth.processClientCredentialsResponse(server, own, refused)).rejects.toMatchObject({ status: 400 });
  });

  it('verifies the token by the published keys', async () => {
    const response = await request(keys.ES384, 'system/*.rs');
    const { access_token } = await oauth.processClientCredentialsResponse(server, { client_id: clientId }, response);
    const used = new Request(`${portal.fhirBase}/Patient/1`, { headers: { authorization: `Bearer ${access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, used, portal.fhirBase, insecure);
    expect(claims).toMatchObject({ client_id: clientId, iss: portal.issuer, scope: 'system/*.rs' });
  });

  it('receives the error of a refused request', async () => {
    const scope = await request(keys.RS384, 'patient/*.rs');
    await expect(oauth.processClientCredentialsResponse(server, { client_id: clientId }, scope)).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
    const stranger = await request(await makeClientKey('ES384', 'ec-key'), 'system/*.rs');
    await expect(
      oauth.processClientCredentialsResponse(server, { client_id: clientId }, stranger),
    ).rejects.toMatchObject({ error: 'invalid_client', status: 401 });
  });
});
