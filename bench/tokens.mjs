import { exportJWK, generateKeyPair } from 'jose';
import { freePort, start, withGatehouse } from './processes.mjs';
import { basic, byAssertion, bySecret, codeExchanges, post, redirectUri, secret, signIn } from './requests.mjs';

const count = Number(process.env.BENCH_REQUESTS ?? 4000);
const few = Math.ceil(count / 20);
/** What is compared is compared as it runs for days: with all of it compiled, which the larger takes longer for. */
const warm = count;
const person = { email: 'bench@example.org', password: 'granite-violin-5512' };
const { privateKey, publicKey } = await generateKeyPair('RS384', { extractable: true });
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS384' };

/** The token endpoint: raw HTTP with one signature (the bound), the bare engine in memory, and Gatehouse with its database. */
export async function tokens(table) {
  for (const alg of ['ES256', 'RS256']) await raw(table, alg);
  for (const alg of ['ES256', 'RS256']) await bare(table, alg);
  for (const alg of ['ES256', 'RS256']) await gatehouse(table, alg);
  for (const alg of ['ES256', 'RS256']) {
    const versus = (kind) => [`Gatehouse: ${kind} → ${alg}`, `bare engine: ${kind} → ${alg}`];
    table.compare(`secret → ${alg}: Gatehouse / bare engine (at least 0.85)`, ...versus('secret'));
    table.compare(`RS384 assertion → ${alg}: Gatehouse / bare engine (at least 0.55)`, ...versus('RS384 assertion'));
  }
}

async function raw(table, alg) {
  const server = await start('raw-server.mjs', alg);
  await table.measure(`raw HTTP and one ${alg} signature`, server, bySecret('raw', '/'), { requests: count, warm });
  await server.stop();
}

async function bare(table, alg) {
  const port = await freePort();
  const server = await start('bare-server.mjs', JSON.stringify({ alg, publicJwk, port }));
  const assertions = {
    audience: server.origin,
    clientId: 'assertion',
    privateKey,
    count: count + warm,
    path: '/token',
  };
  await table.measure(`bare engine: secret → ${alg}`, server, bySecret('secret', '/token'), { requests: count, warm });
  await table.measure(`bare engine: RS384 assertion → ${alg}`, server, await byAssertion(assertions), {
    requests: count,
    warm,
  });
  await server.stop();
}

async function gatehouse(table, alg) {
  await withGatehouse(configuration(alg), async (server) => {
    const measure = (name, next, options) =>
      table.measure(`Gatehouse: ${name}`, server, next, { requests: count, ...options });
    const assertions = { audience: server.origin, clientId: 'assertion', privateKey, count: count + warm };
    await measure(`secret → ${alg}`, bySecret('secret'), { warm });
    await measure(`RS384 assertion → ${alg}`, await byAssertion(assertions), { warm });
    // What follows does not hang on the algorithm, or only in the same way.
    if (alg !== 'ES256') return;
    await measure('secret → reference token', bySecret('reference'));
    for (const kind of ['secret', 'reference']) await introspections(measure, server, kind);
    const browser = await signIn(server.origin, person);
    const requests = few * 5;
    await measure('authorize, signed in', () => browser.authorization().request, { requests, expected: 303 });
    const exchanges = await codeExchanges(browser, requests + few);
    await measure('code exchange', (index) => exchanges[index], { requests });
    await refreshes(measure, server, await codeExchanges(browser, requests + few));
  });
}

function configuration(alg) {
  const service = { clientType: 'BackendService', enabled: true };
  const shared = [{ secretType: 'SharedSecret', secret, description: 'bench' }];
  const key = [{ secretType: 'JWK', secret: JSON.stringify(publicJwk), description: 'bench' }];
  const app = { clientType: 'StandaloneApp', enabled: true, requireClientSecret: false, requirePkce: true };
  const reference = { accessTokenType: 'Reference', clientSecrets: shared };
  return {
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
