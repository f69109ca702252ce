import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Config } from '../../../src/platform/config/config.js';
import { providerEntry } from './identity-provider.js';

type Answer = (response: ServerResponse) => void;

/** Deviations of the provider; everything else is correct. */
export interface Deviations {
  discovery?: Answer;
  /** Members of the discovery document. */
  metadata?: object;
  keys?: Answer;
  tokens?: Answer;
  userInfo?: Answer | object;
  /** Claims of the id_token; undefined removes one. */
  claims?: JWTPayload;
  /** Returns the id_token for these claims. */
  idToken?: (claims: JWTPayload) => Promise<unknown> | unknown;
}

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

export interface MisbehavingProvider {
  /** The issuer of `one` of several providers with their own deviations. */
  authority(one: string): string;
  entry(one: string, more?: object): Config['identityProviders'][number];
  /** The deviations by provider; without an entry a provider is correct. */
  deviations: Record<string, Deviations>;
  /** The callback address for a browser that was redirected to the provider; `query` replaces its parameters. */
  callbackFor(location: string, query?: Record<string, string | undefined>): string;
  /** The paths of the received requests. */
  requestedPaths: string[];
  key: PrivateKey;
  jwk: object;
  close(): Promise<void>;
}

export const kid = 'misbehaving';

/** An OpenID provider with configurable deviations, without a sign-in page. */
export async function startMisbehavingProvider(): Promise<MisbehavingProvider> {
  const { privateKey: key, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, { nonce: string; clientId: string }>();
  const deviations: Record<string, Deviations> = {};
  const asked: string[] = [];
  let codes = 0;

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    asked.push(path);
    const [, one = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
    const own = deviations[one] ?? {};
    const issuer = `${origin}/${one}`;
    switch (rest) {
      case '/.well-known/openid-configuration':
        if (own.discovery) return own.discovery(response);
        return json(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/me`,
          ...own.metadata,
        });
      case '/keys':
        return own.keys ? own.keys(response) : json(response, { keys: [jwk] });
      case '/me':
        if (typeof own.userInfo === 'function') return (own.userInfo as Answer)(response);
        return json(response, { sub: 'provider-subject', ...own.userInfo });
      case '/token': {
        if (own.tokens) return own.tokens(response);
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
        const { nonce, clientId } = nonces.get(form.get('code') ?? '') ?? { nonce: '', clientId: '' };
        const now = Math.floor(Date.now() / 1000);
        const claims = {
          iss: issuer,
          sub: 'provider-subject',
          aud: clientId,
          iat: now,
          exp: now + 300,
          nonce,
          name: 'Casey Provider',
          fhirUser: 'Patient/1',
          ...own.claims,
        };
        const idToken = await (own.idToken ?? signed)(JSON.parse(JSON.stringify(claims)));
        return json(response, { access_token: 'at', token_type: 'Bearer', id_token: idToken });
      }
      default:
        return response.writeHead(404).end();
    }
  }

  function signed(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
  }

  return {
    authority: (one) => `${origin}/${one}`,
    entry: (one, more = {}) =>
      providerEntry({ scheme: one, displayName: `The ${one} one`, authority: `${origin}/${one}`, ...more }),
    deviations,
    callbackFor(location, query = {}) {
      const { searchParams } = new URL(location);
      codes += 1;
      const code = `code-${codes}`;
      nonces.set(code, {
        nonce: searchParams.get('nonce') ?? '',
        clientId: searchParams.get('client_id') ?? '',
      });
      const all = { code, state: searchParams.get('state') ?? '', ...query };
      const present = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
      return `${searchParams.get('redirect_uri')}?${new URLSearchParams(present)}`;
    },
    requestedPaths: asked,
    key,
    jwk,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
