import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertionType, type ClientKey, clientAssertion, makeClientKey } from '../../support/clients/assertions.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';

const [rsa, ec, other, forEncryption] = await Promise.all([
  makeClientKey('RS384', 'one'),
  makeClientKey('ES384', 'one'),
  makeClientKey('ES384', 'one'),
  makeClientKey('ES384', 'two'),
]);
const keySet = (...keys: ClientKey[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });

/** The keys that a client has registered, pasted or at its URL, and those that it signs with. */
const cases: { name: string; pasted: string[]; published?: object[]; accepted: ClientKey[]; refused: ClientKey[] }[] = [
  {
    name: 'the same key pasted and by URL',
    pasted: [JSON.stringify(ec.jwk)],
    published: [ec.jwk],
    accepted: [ec],
    refused: [other, rsa],
  },
  {
    name: 'one kid on an RSA and an EC key, both pasted',
    pasted: [JSON.stringify(rsa.jwk), JSON.stringify(ec.jwk)],
    accepted: [rsa, ec],
    refused: [other],
  },
  {
    name: 'one kid on a pasted RSA key and a published EC key',
    pasted: [JSON.stringify(rsa.jwk)],
    published: [ec.jwk],
    accepted: [rsa, ec],
    refused: [other],
  },
  {
    name: 'one kid on an RSA and two EC keys, all published',
    pasted: [],
    published: [rsa.jwk, ec.jwk, other.jwk],
    accepted: [rsa, ec, other],
    refused: [],
  },
  {
    name: 'the same key twice at its URL',
    pasted: [],
    published: [ec.jwk, ec.jwk],
    accepted: [ec],
    refused: [other, rsa],
  },
  {
    name: 'one kid on a key for encryption and one for signatures',
    pasted: [],
    published: [
      { ...other.jwk, use: 'enc' },
      { ...ec.jwk, use: 'sig' },
    ],
    accepted: [ec],
    refused: [other],
  },
  {
    name: 'a published key that replaces the pasted one under its kid',
    pasted: [JSON.stringify(ec.jwk)],
    published: [other.jwk],
    accepted: [ec, other],
    refused: [rsa],
  },
  {
    name: 'a JWK Set that was pasted',
    pasted: [keySet(rsa, ec, { ...forEncryption, jwk: { ...forEncryption.jwk, use: 'enc' } })],
    accepted: [rsa, ec],
    refused: [other, forEncryption],
  },
];

/** Requests that a client authenticates with an assertion: services get their usual token without the engine. */
const kinds = {
  'a service with a JWT': {
    settings: { clientType: 'BackendService' },
    form: { grant_type: 'client_credentials', scope: 'system/*.rs' },
    path: '/connect/token',
  },
  'a service with a reference token': {
    settings: { clientType: 'BackendService', accessTokenType: 'Reference' },
    form: { grant_type: 'client_credentials', scope: 'system/*.rs' },
    path: '/connect/token',
  },
  'an app with PAR': {
    settings: { ...publicApp, requirePkce: false },
    form: { response_type: 'code', redirect_uri: redirectUri, scope: 'openid' },
    path: '/connect/par',
  },
};
const rows = cases.flatMap((one, number) =>
  Object.entries(kinds).map(([kind, { settings, form, path }], index) => ({
    ...{ ...one, kind, settings, form, path },
    clientId: `keys-${number}-${index}`,
  })),
);

let portal: TestPortal;
let host: Server;

beforeAll(async () => {
  host = createServer(({ url = '' }, response) => {
    const keys = cases[Number(url.slice(1))]?.published ?? [];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const { port } = host.address() as AddressInfo;
  portal = await startPortal({
    config: {
      outbound: { allowedPrivateHosts: ['localhost'] },
      clients: rows.map(({ clientId, settings, pasted, published, name }) => ({
        ...{ ...settings, clientId, clientName: clientId, enabled: true, requireClientSecret: true },
        clientSecrets: [
          ...pasted.map((secret) => ({ secretType: 'JWK', secret, description: 'pasted' })),
          ...(published
            ? [
                {
                  secretType: 'JWK',
                  secretUrl: `http://localhost:${port}/${cases.findIndex((one) => one.name === name)}`,
                },
              ]
            : []),
        ],
      })),
    },
  });
});

afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => host.close(resolve));
});

describe.each(rows)('$kind with $name', ({ clientId, form, path, accepted, refused }) => {
  const ask = async (key: ClientKey): Promise<Answer> => {
    const audience = `${portal.issuer}/connect/token`;
    return new Agent(portal.issuer).postForm(path, {
      ...form,
      client_id: clientId,
      client_assertion_type: assertionType,
      client_assertion: await clientAssertion({ clientId, audience, key }),
    });
  };

  it('is authenticated by each key that fits, and by no other', async () => {
    for (const key of [...accepted, ...accepted]) expect([200, 201]).toContain((await ask(key)).status);
    for (const key of refused) expect((await ask(key)).json().error).toBe('invalid_client');
    for (const key of accepted) expect([200, 201]).toContain((await ask(key)).status);
  });
});
