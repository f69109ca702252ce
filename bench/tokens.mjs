import { exportJWK, generateKeyPair } from 'jose';
import { freePort, start, withGatehouse } from './processes.mjs';
import { basic, byAssertion, bySecret, codeExchanges, post, redirectUri, secret, signIn } from './requests.mjs';

const count = Number(process.env.BENCH_REQUESTS ?? 4000);
const few = Math.ceil(count / 20);
const person = { email: 'bench@example.org', password: 'granite-violin-5512' };
const { privateKey, publicKey } = await generateKeyPair('RS384', { extractable: true });
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS384' };

/** The token endpoint: raw HTTP with one signature (the bound), the bare engine in memory, and Gatehouse with its database. */
export async function tokens(table) {
  for (const alg of ['ES256', 'RS256']) await compared(table, alg);
  for (const alg of ['ES256', 'RS256']) {
    const versus = (kind) => [`Gatehouse: ${kind} → ${alg}`, `bare engine: ${kind} → ${alg}`];
    table.compare(`secret → ${alg}: Gatehouse / bare engine (at least 0.85)`, ...versus('secret'));
    table.compare(`RS384 assertion → ${alg}: Gatehouse / bare engine (at least 0.55)`, ...versus('RS384 assertion'));
  }
}

async function compared(table, alg) {
  await withGatehouse(configuration(alg), async (gatehouse) => {
    const raw = await start('raw-server.mjs', alg);
    const bare = await start('bare-server.mjs', JSON.stringify({ alg, publicJwk, port: await freePort() }));
    const assertions = ({ origin }, path) =>
      byAssertion({ audience: origin, clientId: 'assertion', privateKey, count: 4 * count, path });
    const rows = [
      { name: `raw HTTP and one ${alg} signature`, server: raw, next: bySecret('raw', '/') },
      { name: `bare engine: secret → ${alg}`, server: bare, next: bySecret('secret', '/token') },
      { name: `Gatehouse: secret → ${alg}`, server: gatehouse, next: bySecret('secret') },
      { name: `bare engine: RS384 assertion → ${alg}`, server: bare, next: await assertions(bare, '/token') },
      { name: `Gatehouse: RS384 assertion → ${alg}`, server: gatehouse, next: await assertions(gatehouse) },
    ];
    await table.measureInTurn(rows, { requests: 2 * count });
    await raw.stop();
    await bare.stop();
    // The other measurements do not depend on the algorithm, or only in the same way.
    if (alg === 'ES256') await others(table, gatehouse);
  });
}

async function others(table, server) {
  const measure = (name, next, options) =>
    table.measure(`Gatehouse: ${name}`, server, next, { requests: count, ...options });
  await measure('secret → reference token', bySecret('reference'));
  for (const kind of ['secret', 'reference']) await introspections(measure, server, kind);
  const browser = await signIn(server.origin, person);
  const requests = few * 5;
  await measure('authorize, signed in', () => browser.authorization().request, { requests, expected: 303 });
  const exchanges = await codeExchanges(browser, requests + few);
  await measure('code exchange', (index) => exchanges[index], { requests });
  await refreshes(measure, server, await codeExchanges(browser, requests + few));
}

function configuration(alg) {
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

async function introspections(measure, server, clientId) {
  const { path, ...init } = bySecret(clientId)();
  const { access_token: token } = await (await fetch(server.origin + path, init)).json();
  const ask = () => post('/connect/introspect', { token }, { authorization: basic(clientId) });
  await measure(`introspection of a ${clientId === 'secret' ? 'JWT' : 'reference token'}`, ask, {
    check: (text) => JSON.parse(text).active === true,
  });
}

/** Each refreshes a grant of its own. */
async function refreshes(measure, server, exchanges) {
  const tokens = [];
  for (const { path, ...init } of exchanges) {
    tokens.push((await (await fetch(server.origin + path, init)).json()).refresh_token);
  }
  const next = (index) =>
    post('/connect/token', { grant_type: 'refresh_token', client_id: 'app', refresh_token: tokens[index] });
  await measure('refresh', next, { requests: tokens.length - few });
}
