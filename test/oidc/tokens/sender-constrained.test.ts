import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

interface Key {
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  jwk: JWK;
}

const boundApp = { ...publicApp, clientId: 'bound-app', requireDpop: true, requireConsent: false };
const resourceServer = { ...backendService, clientId: 'resource-server', allowIntrospection: true };
let portal: TestPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let key: Key;
let other: Key;

async function makeKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, jwk: await exportJWK(publicKey) };
}

function proof(
  { privateKey, jwk }: Key,
  method: string,
  url: string,
  token?: string,
  jti: unknown = randomUUID(),
): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  return new SignJWT({ htm: method, htu: url, jti, ...ath } as JWTPayload)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt()
    .sign(privateKey);
}

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [publicApp, boundApp, resourceServer],
      fhir: { baseUrl: fhirServer.url },
    },
  });
  [key, other] = await Promise.all([makeKey(), makeKey()]);
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

const tokenUrl = () => `${portal.issuer}/connect/token`;

async function exchange(by: Key | undefined): Promise<{ answer: Answer; app: SmartApp }> {
  const app = new SmartApp(portal, { client: boundApp });
  const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
  const headers: Record<string, string> = by ? { dpop: await proof(by, 'POST', tokenUrl()) } : {};
  const answer = await new Agent(portal.issuer).postForm(
    '/connect/token',
    {
      grant_type: 'authorization_code',
      client_id: boundApp.clientId,
      code,
      code_verifier: app.verifier,
      redirect_uri: 'http://localhost:4567/callback',
    },
    { headers },
  );
  return { answer, app };
}

async function refresh(token: string, by: Key): Promise<Answer> {
  const form = { grant_type: 'refresh_token', client_id: boundApp.clientId, refresh_token: token };
  return new Agent(portal.issuer).postForm('/connect/token', form, {
    headers: { dpop: await proof(by, 'POST', tokenUrl()) },
  });
}

describe('A client with DPoP-bound tokens', () => {
  it('gets no token without a proof', async () => {
    expect((await exchange(undefined)).answer.status).toBe(400);
  });

  describe('with a proof', () => {
    let tokens: Tokens;
    const url = () => `${portal.fhirBase}/Patient/1`;
    const read = (headers: Record<string, string>) => new Agent(portal.issuer).get(url(), { headers });

    beforeAll(async () => {
      tokens = (await exchange(key)).answer.json<Tokens>();
    });

    it('gets a bound token, which introspection confirms', async () => {
      expect(tokens.token_type).toBe('DPoP');
      const introspected = await new Agent(portal.issuer).postForm(
        '/connect/introspect',
        { token: tokens.access_token },
        { headers: basicAuthorization(resourceServer.clientId, sharedSecret) },
      );
      expect(introspected.json()).toMatchObject({
        active: true,
        token_type: 'DPoP',
        cnf: { jkt: await calculateJwkThumbprint(key.jwk) },
      });
    });

    it('reads through the gateway with a new proof for this request by the same key, used once', async () => {
      const { access_token: token } = tokens;
      const authorization = `DPoP ${token}`;
      const good = await proof(key, 'GET', url(), token);
      expect((await read({ authorization, dpop: good })).status).toBe(200);
      expect((await read({ authorization, dpop: good })).status).toBe(401);
      expect((await read({ authorization, dpop: await proof(other, 'GET', url(), token) })).status).toBe(401);
      expect((await read({ authorization, dpop: await proof(key, 'POST', url(), token) })).status).toBe(401);
      expect((await read({ authorization, dpop: await proof(key, 'GET', tokenUrl(), token) })).status).toBe(401);
      expect((await read({ authorization, dpop: await proof(key, 'GET', url(), 'another token') })).status).toBe(401);
      for (const name of [{ toString: 'x' }, ['x'], 1]) {
        expect((await read({ authorization, dpop: await proof(key, 'GET', url(), token, name) })).status).toBe(401);
      }
      expect((await read({ authorization })).status).toBe(400);
      expect((await read({ authorization: `Bearer ${token}` })).status).toBe(401);
    });

    it('refreshes with the same key only, also when the response was lost', async () => {
      const first = tokens.refresh_token ?? '';
      expect((await refresh(first, other)).json().error).toBe('invalid_grant');
      const answered = await refresh(first, key);
      expect(answered.status).toBe(200);
      expect((await refresh(first, key)).text).toBe(answered.text);
      expect((await refresh(first, other)).status).toBe(400);
    });
  });

  it('cannot use the proof with a token that is not bound', async () => {
    const { access_token: token } = await new SmartApp(portal).tokens(people.patient);
    const url = `${portal.fhirBase}/Patient/1`;
    const headers = { authorization: `DPoP ${token}`, dpop: await proof(key, 'GET', url, token) };
    expect((await new Agent(portal.issuer).get(url, { headers })).status).toBe(401);
  });
});
