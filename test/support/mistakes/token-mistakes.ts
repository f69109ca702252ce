import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientsChanged } from '../../../src/clients/domain/client.js';
import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import { SmartApp } from '../apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey } from '../clients/assertions.js';
import { clientKinds, confidentialKinds } from '../clients/client-kinds.js';
import { alterClient, backendService, publicApp } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import { entriesOf, type LaunchRow, launchOf } from '../portal/launch-rows.js';
import { startPortal, type TestPortal, tellNodes } from '../portal/portal.js';
import { people } from '../users/people.js';
import { sayOtherWords } from './other-words.js';

export const [key, expiredKey, strangeKey] = await Promise.all([
  makeClientKey('ES384', 'current-key'),
  makeClientKey('ES384', 'old-key'),
  makeClientKey('ES384', 'strange-key'),
]);
export const removedKey = await makeClientKey('ES384', 'removed-key');
export const rsaKey = await makeClientKey('RS384', 'current-key');
const jwkSecret = ({ jwk }: typeof key) => ({
  secretType: 'JWK',
  secret: JSON.stringify(jwk),
  description: `Key ${jwk.kid}`,
});
export const service = { ...backendService, clientId: 'key-service', clientSecrets: [key, expiredKey].map(jwkSecret) };
export const mixed = {
  ...backendService,
  clientId: 'secret-service',
  clientSecrets: [
    { secretType: 'SharedSecret', secret: 'the-current-secret-of-the-service', description: 'Current' },
    { secretType: 'SharedSecret', secret: 'the-expired-secret-of-the-service', description: 'From last year' },
  ],
};
/** Its secret and its key that are removed are described as such. */
export const removing = {
  ...backendService,
  clientId: 'removing-service',
  clientSecrets: [
    ...[key, removedKey].map(jwkSecret),
    { secretType: 'SharedSecret', secret: 'the-removed-secret-of-this', description: 'Removed sec' },
    { secretType: 'SharedSecret', secret: 'the-other-secret-of-this-one', description: 'Other' },
  ].map((secret) => (secret.description === 'Key removed-key' ? { ...secret, description: 'Removed key' } : secret)),
};
/** Its id is too short to be looked for among the secrets. */
export const shortService = { ...mixed, clientId: 'svc' };
export const endedService = {
  ...backendService,
  clientId: 'ended-service',
  clientSecrets: [
    { secretType: 'SharedSecret', secret: 'the-secret-that-ended-long-ago', description: 'From last year' },
  ],
};
export const profileService = {
  ...backendService,
  clientId: 'profile-service',
  securityProfile: 'fapi2',
  requirePar: true,
  requirePkce: true,
  requireDpop: true,
  clientSecrets: [jwkSecret(await makeClientKey('ES256', 'profile-key'))],
};
export const disabled = { ...backendService, clientId: 'disabled-service' };
export const dpopApp = { ...publicApp, clientId: 'dpop-app', requireConsent: false, requireDpop: true };
export const plainApp = { ...publicApp, clientId: 'plain-app', requireConsent: false };
export const noPkceApp = {
  ...plainApp,
  clientId: 'no-pkce-app',
  requireClientSecret: true,
  requirePkce: false,
  clientSecrets: mixed.clientSecrets,
};
const publishedKey = await makeClientKey('ES384', 'published-key');
const { kid: _, ...withoutKid } = publishedKey.jwk;
const othersKeys = [publishedKey.jwk, { ...publishedKey.jwk, kid: 'encryption-key', use: 'enc' }, withoutKid];
const doubleKeys = [publishedKey, expiredKey].map(({ jwk }) => ({ ...jwk, kid: 'double-key' }));
const published = (clientId: string, secretUrl: string) => ({
  ...backendService,
  clientId,
  clientSecrets: [{ secretType: 'JWK', secretUrl, description: 'published' }],
});
export const appOfKind = (kind: (typeof clientKinds)[number]) => kind.client('mistaken');
export const serviceOfKind = (kind: (typeof clientKinds)[number]) => kind.service('mistaken-service');

export const services = { grant_type: 'client_credentials', scope: 'system/*.rs' };

interface Changes {
  clientId?: string;
  by?: typeof key;
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
}

/** A portal with the calls of clients that make mistakes at the token endpoint. */
export interface TokenPortal {
  portal: TestPortal;
  /** The address of the token endpoint. */
  endpoint: string;
  /** The host that publishes key sets which cannot be read. */
  keyHost: string;
  send(form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  /** Sends the assertion of a service. */
  assert(changes: Changes): Promise<Answer>;
  appFor(client: object, parameters?: Record<string, string | undefined>): SmartApp;
  codeOf(app: SmartApp): Promise<string>;
  /** Expects the cause in the launch of the answer, with the values that differ and the field to change. */
  expectCause(answer: Answer, code: CauseCode, detail: object, field?: string): Promise<LaunchRow | undefined>;
  close(): Promise<void>;
}

export async function startTokenPortal(): Promise<TokenPortal> {
  const host = createServer((request, response) => {
    if (request.url === '/error') response.writeHead(503).end();
    else if (request.url === '/text') response.end('<html>');
    else if (request.url === '/keys-of-others') response.end(JSON.stringify({ keys: othersKeys }));
    else if (request.url === '/double-keys') response.end(JSON.stringify({ keys: doubleKeys }));
    // Any other address gets no answer.
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const keyHost = `localhost:${(host.address() as AddressInfo).port}`;
  const portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [
        removing,
        ...[service, mixed, shortService, endedService, profileService, disabled, dpopApp, plainApp, noPkceApp],
        published('failing-keys', `http://${keyHost}/error`),
        published('silent-keys', `http://${keyHost}/silent`),
        published('unreadable-keys', `http://${keyHost}/text`),
        published('published-keys', `http://${keyHost}/keys-of-others`),
        published('double-keys', `http://${keyHost}/double-keys`),
        published('tls-keys', `https://${keyHost}/keys`),
        published('private-keys', 'http://127.0.0.1:9/keys'),
        published('closed-keys', 'http://localhost:9/keys'),
        ...clientKinds.map(appOfKind),
        ...confidentialKinds.map(serviceOfKind),
      ],
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });
  sayOtherWords(portal);
  const endpoint = `${portal.issuer}/connect/token`;
  await portal.query(
    "UPDATE client_secret SET expires_at = now() - interval '40 days' WHERE description IN ('From last year', 'Key old-key')",
  );
  await alterClient(portal, disabled.clientId, { enabled: false });
  await tellNodes(portal, clientsChanged);

  function send(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return new Agent(portal.issuer).postForm('/connect/token', form, { headers });
  }

  async function assert({ clientId = service.clientId, by = key, claims = {}, header = {} }: Changes): Promise<Answer> {
    const parts = { clientId, audience: endpoint, key: by, claims, header };
    return send({ ...services, client_assertion_type: assertionType, client_assertion: await clientAssertion(parts) });
  }

  const appFor = (client: object, parameters = {}) =>
    new SmartApp(portal, { client: client as { clientId: string }, parameters });

  async function codeOf(app: SmartApp): Promise<string> {
    return (await app.complete(people.patient)).searchParams.get('code') ?? '';
  }

  async function expectCause(answer: Answer, code: CauseCode, detail: object, field?: string) {
    const launch = await launchOf(portal, answer);
    const [entry] = entriesOf(launch, code);
    expect({ found: Object.keys(launch?.entries ?? {}), detail: entry?.detail }).toEqual({
      found: expect.arrayContaining([expect.stringMatching(new RegExp(`^${code}(\n|$)`))]),
      detail: expect.objectContaining(detail),
    });
    expect(entry?.change?.field).toBe(field);
    for (const text of [entry?.decidedBy, entry?.developer, entry?.change?.text]) expect(text).toMatch(/^[^{]+$/);
    expect(answer.json().error_description).toMatch(/Reference: \S+$/);
    return launch;
  }

  return {
    portal,
    endpoint,
    keyHost,
    send,
    assert,
    appFor,
    codeOf,
    expectCause,
    async close() {
      await portal.close();
      host.closeAllConnections();
      await new Promise((resolve) => host.close(resolve));
    },
  };
}
