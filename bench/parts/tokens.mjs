import { exportJWK, generateKeyPair } from 'jose';
import { freePort, start, withGatehouse } from '../servers/processes.mjs';
import {
  basic,
  byAssertion,
  bySecret,
  codeExchanges,
  post,
  redirectUri,
  refreshTokens,
  secret,
  signIn,
  signInAtBareEngine,
} from '../tools/requests.mjs';

const count = Number(process.env.BENCH_REQUESTS ?? 4000);
/** Requests of a flow, measured after as many that warm it up: a code lives a minute. */
export const steps = count / 2;
export const person = { email: 'bench@example.org', password: 'granite-violin-5512' };
const { privateKey, publicKey } = await generateKeyPair('RS384', { extractable: true });
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS384' };

/**
 * The engine's endpoints: raw HTTP with one signature (the bound), the bare engine in memory, and Gatehouse with its
 * database, which keeps what it answers and notices a second use.
 */
export async function tokens(table) {
  for (const alg of ['ES256', 'RS256']) await compared(table, alg);
  for (const alg of ['ES256', 'RS256']) {
    versusBare(table, `secret → ${alg}`, '(at least 1.0)');
    versusBare(table, `RS384 assertion → ${alg}`, '(at least 0.8)');
  }
  for (const kind of ['introspection of a reference token', ...Object.values(flow)]) versusBare(table, kind);
}

const flow = { authorize: 'authorize, signed in', exchange: 'code exchange', refresh: 'refresh' };

function versusBare(table, kind, goal = '') {
  table.compare(`${kind}: Gatehouse / bare engine ${goal}`.trimEnd(), `Gatehouse: ${kind}`, `bare engine: ${kind}`);
}

async function compared(table, alg) {
  await withGatehouse(configuration(alg), async (gatehouse) => {
    const raw = await start('raw-server.mjs', alg);
    const bare = await start('bare-server.mjs', JSON.stringify({ alg, publicJwk, port: await freePort() }));
    const both = async (kind, next) => [
      { name: `bare engine: ${kind}`, server: bare, next: await next(bare) },
      { name: `Gatehouse: ${kind}`, server: gatehouse, next: await next(gatehouse) },
    ];
    const rows = [
      { name: `raw HTTP and one ${alg} signature`, server: raw, next: bySecret('raw', '/') },
      ...(await both(`secret → ${alg}`, () => bySecret('secret'))),
      ...(await both(`RS384 assertion → ${alg}`, ({ origin }) =>
        byAssertion({ audience: origin, clientId: 'assertion', privateKey, count: 4 * count }),
      )),
    ];
    await table.measureInTurn(rows, { requests: 2 * count });
    // The other measurements do not depend on the algorithm, or only in the same way.
    if (alg === 'ES256') await others(table, gatehouse, bare, both);
    await raw.stop();
    await bare.stop();
  });
}

async function others(table, gatehouse, bare, both) {
  const jwt = await introspections(gatehouse, 'secret');
  await table.measureInTurn(
    [
      { name: 'Gatehouse: secret → reference token', server: gatehouse, next: bySecret('reference') },
      // The bare engine does not introspect JWTs.
      { name: 'Gatehouse: introspection of a JWT', server: gatehouse, next: jwt },
      ...(await both('introspection of a reference token', (server) => introspections(server, 'reference'))),
    ],
    { requests: count },
  );
  const browsers = new Map([
    [gatehouse, await signIn(gatehouse.origin, person)],
    [bare, await signInAtBareEngine(bare.origin)],
  ]);
  const ofFlow = async (kind, next) =>
    table.measureInTurn(await both(kind, (server) => next(server, browsers.get(server))), { requests: steps });
  await ofFlow(flow.authorize, (_, browser) => () => ({ ...browser.authorization().request, expected: 303 }));
  await ofFlow(flow.exchange, async (_, browser) => {
    const exchanges = await codeExchanges(browser, 2 * steps);
    return (index) => exchanges[index];
  });
  await ofFlow(flow.refresh, (server, browser) => refreshes(server, browser));
}

export function configuration(alg) {
  const service = { clientType: 'BackendService', enabled: true };
  const shared = [{ secretType: 'SharedSecret', secret, description: 'bench' }];
  const key = [{ secretType: 'JWK', secret: JSON.stringify(publicJwk), description: 'bench' }];
  const app = { clientType: 'StandaloneApp', enabled: true, requireClientSecret: false, requirePkce: true };
  const reference = { accessTokenType: 'Reference', clientSecrets: shared };
  return {
    // All of them come from one address.
    limits: { startsPerMinute: 1_000_000 },
    keys: { accessTokenAlgorithm: alg },
    clients: [
      { ...service, clientId: 'secret', clientName: 'Secret', clientSecrets: shared },
      { ...service, clientId: 'reference', clientName: 'Reference', ...reference },
      { ...service, clientId: 'assertion', clientName: 'Assertion', clientSecrets: key },
      { ...app, clientId: 'app', clientName: 'App', allowOfflineAccess: true, redirectUris: [redirectUri] },
    ],
    users: [
      { ...person, fullName: 'Bench Person', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/1' }] },
    ],
  };
}

async function introspections({ origin }, clientId) {
  const { path, ...init } = bySecret(clientId)();
  const { access_token: token } = await (await fetch(origin + path, init)).json();
  return () => ({
    ...post('/connect/introspect', { token }, { authorization: basic(clientId) }),
    isExpected: (text) => JSON.parse(text).active === true,
  });
}

/** Each refreshes a grant of its own. */
export async function refreshes({ origin }, browser, number = 2 * steps) {
  const tokens = await refreshTokens(origin, browser, number);
  return (index) =>
    post('/connect/token', { grant_type: 'refresh_token', client_id: 'app', refresh_token: tokens[index] });
}
