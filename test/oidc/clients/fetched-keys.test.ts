import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { SmartApp } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, nowSeconds } from '../../support/clients/assertions.js';
import { confidentialApp } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const key = await makeClientKey('ES384', 'published');
const names = ['token', 'introspection', 'revocation', 'pushed', 'authorization', 'authorization-signed-in'] as const;
type Name = (typeof names)[number];

let portal: TestPortal;
let host: Server;
/** The number of open transactions at each request for the key set. */
let open: number[];

const clientFor = (clientId: Name) => ({
  ...confidentialApp,
  clientId,
  requireSignedRequestObject: clientId.startsWith('authorization'),
  clientSecrets: [
    {
      secretType: 'JWK',
      secretUrl: `http://localhost:${(host.address() as AddressInfo).port}/${clientId}`,
      description: '',
    },
  ],
});

async function openTransactions(): Promise<number> {
  const rows = await portal.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pg_stat_activity
      WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  return rows[0]?.open ?? 0;
}

beforeAll(async () => {
  host = createServer(async (_request, response) => {
    open.push(await openTransactions());
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key.jwk] }));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: names.map(clientFor),
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });
});

beforeEach(() => {
  open = [];
});

afterAll(async () => {
  await portal.close();
  await new Promise((resolve) => host.close(resolve));
});

const appOf = (name: Name, browser?: Agent) => new SmartApp(portal, { client: clientFor(name) }, browser);

async function post(name: Name, path: string, form: Record<string, string>): Promise<Answer> {
  const assertion = await clientAssertion({ clientId: name, audience: `${portal.issuer}/connect/token`, key });
  return new Agent(portal.issuer).postForm(path, {
    ...form,
    client_assertion_type: assertionType,
    client_assertion: assertion,
  });
}

/** A signed request at the authorization endpoint. */
async function authorize(name: Name, browser: Agent): Promise<Answer> {
  const { aud: _, ...parameters } = Object.fromEntries(new URLSearchParams(appOf(name).query()));
  const now = nowSeconds();
  const object = await new SignJWT({
    ...parameters,
    ...{ iss: name, aud: portal.issuer, nbf: now, exp: now + 60, jti: randomUUID(), resource: portal.fhirBase },
  })
    .setProtectedHeader({ alg: key.alg, kid: String(key.jwk.kid), typ: 'oauth-authz-req+jwt' })
    .sign(key.privateKey);
  return browser.get(`/connect/authorize?${new URLSearchParams({ client_id: name, request: object })}`);
}

const requests: Record<Name, () => Promise<Answer>> = {
  token: () => post('token', '/connect/token', { grant_type: 'refresh_token', refresh_token: 'unknown' }),
  introspection: () => post('introspection', '/connect/introspect', { token: 'unknown' }),
  revocation: () => post('revocation', '/connect/revocation', { token: 'unknown' }),
  pushed: () => post('pushed', '/connect/par', Object.fromEntries(new URLSearchParams(appOf('pushed').query()))),
  authorization: () => authorize('authorization', new Agent(portal.issuer)),
  'authorization-signed-in': async () => {
    const browser = new Agent(portal.issuer);
    expect((await appOf('authorization-signed-in', browser).signIn(people.patient)).status).toBeLessThan(300);
    return authorize('authorization-signed-in', browser);
  },
};

describe('While a client’s key set is fetched', () => {
  it.each(names)('no transaction is open: %s', async (name) => {
    const answer = await requests[name]();
    expect(answer.status).toBeLessThan(500);
    expect(open).toEqual([0]);
  });
});
