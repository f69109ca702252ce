/**
 * `npm run bench`: what requests cost here, beside what they cost without Gatehouse, all in one run. Trust the ratios,
 * not the numbers. Prints a table and writes bench/result.json. `npm run bench -- users` is about the list of users instead,
 * `npm run bench -- timing` about what the time of a refusal tells.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair } from 'jose';
import { prepare } from '../scripts/prepare.mjs';
import { load } from './load.mjs';
import { freePort, start, startGatehouse } from './processes.mjs';
import { basic, byAssertion, bySecret, codeExchanges, post, redirectUri, secret } from './requests.mjs';
import { timing } from './timing.mjs';
import { users } from './users.mjs';

const count = Number(process.env.BENCH_REQUESTS ?? 4000);
const few = Math.ceil(count / 20);
const rows = [];
const person = { email: 'bench@example.org', password: 'granite-violin-5512' };
const { privateKey, publicKey } = await generateKeyPair('RS384', { extractable: true });
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS384' };

await prepare();
if (process.argv[2] === 'users') await users();
else if (process.argv[2] === 'timing') await timing();
else await tokens();

async function tokens() {
  for (const alg of ['ES256', 'RS256']) await raw(alg);
  for (const alg of ['ES256', 'RS256']) await bare(alg);
  await gatehouse();
  await report();
}

async function raw(alg) {
  const server = await start('raw-server.mjs', alg);
  await measure(`raw HTTP and one ${alg} signature`, server, bySecret('raw', '/'));
  await server.stop();
}

async function bare(alg) {
  const port = await freePort();
  const server = await start('bare-server.mjs', JSON.stringify({ alg, publicJwk, port }));
  const assertions = { audience: server.origin, clientId: 'assertion', privateKey, count: count + few, path: '/token' };
  await measure(`bare engine: secret → ${alg}`, server, bySecret('secret', '/token'));
  await measure(`bare engine: RS384 assertion → ${alg}`, server, await byAssertion(assertions));
  await server.stop();
}

async function gatehouse() {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const configFile = join(dataDir, 'gatehouse.yaml');
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify(configuration(dataDir, issuer, port)));
  const server = await startGatehouse({ configFile, dataDir, issuer });
  const assertions = { audience: issuer, clientId: 'assertion', privateKey, count: count + few };
  await measure('Gatehouse: secret → ES256', server, bySecret('secret'));
  await measure('Gatehouse: RS384 assertion → ES256', server, await byAssertion(assertions));
  await measure('Gatehouse: secret → reference token', server, bySecret('reference'));
  await introspections(server);
  const exchanges = await codeExchanges(issuer, person, few * 2);
  await measure('Gatehouse: code exchange', server, (index) => exchanges[index], { requests: few });
  await refreshes(server);
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

function configuration(dataDir, issuer, port) {
  const service = { clientType: 'BackendService', enabled: true };
  const shared = [{ secretType: 'SharedSecret', secret, description: 'bench' }];
  const key = [{ secretType: 'JWK', secret: JSON.stringify(publicJwk), description: 'bench' }];
  const app = { clientType: 'StandaloneApp', enabled: true, requireClientSecret: false, requirePkce: true };
  return {
    dataDir,
    server: { issuer, port },
    clients: [
      { ...service, clientId: 'secret', clientName: 'Secret', clientSecrets: shared },
      {
        ...service,
        clientId: 'reference',
        clientName: 'Reference',
        accessTokenType: 'Reference',
        clientSecrets: shared,
      },
      { ...service, clientId: 'assertion', clientName: 'Assertion', clientSecrets: key },
      { ...app, clientId: 'app', clientName: 'App', allowOfflineAccess: true, redirectUris: [redirectUri] },
    ],
    users: [
      { ...person, fullName: 'Bench Person', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/1' }] },
    ],
  };
}

async function introspections(server) {
  const { path, ...init } = bySecret('secret')();
  const { access_token: token } = await (await fetch(server.origin + path, init)).json();
  const ask = () => post('/connect/introspect', { token }, { authorization: basic('secret') });
  await measure('Gatehouse: introspection of a JWT', server, ask, {
    check: (text) => JSON.parse(text).active === true,
  });
}

/** Each request refreshes with the token that the one before it gave, so they go one at a time. */
async function refreshes(server) {
  const [{ path, ...init }] = await codeExchanges(server.origin, person, 1);
  let { refresh_token: token } = await (await fetch(server.origin + path, init)).json();
  const next = () => post('/connect/token', { grant_type: 'refresh_token', client_id: 'app', refresh_token: token });
  await measure('Gatehouse: refresh, one at a time', server, next, {
    requests: few,
    concurrency: 1,
    check: (text) => {
      token = JSON.parse(text).refresh_token;
      return token !== undefined;
    },
  });
}

/** The first requests warm the code up and are not counted. */
async function measure(name, { origin, pids }, next, { requests = count, concurrency, check = () => true } = {}) {
  const warm = Math.ceil(requests / 20);
  const verify = (status, text) => {
    if (status !== 200 || !check(text)) throw new Error(`${name}: answered ${status} ${text}`);
  };
  await load({
    origin,
    pids,
    count: warm,
    concurrency,
    next: (index) => next(requests + index) ?? next(index),
    check: verify,
  });
  const result = await load({ origin, pids, count: requests, concurrency, next, check: verify });
  rows.push({ name, ...result });
  process.stdout.write(`${line(rows.at(-1))}\n`);
}

function line({ name, perSecond, p50, p99, cpu }) {
  const number = (value, digits = 0) => (value === undefined ? '' : value.toFixed(digits)).padStart(9);
  return `${name.padEnd(40)}${number(perSecond)}${number(p50, 1)}${number(p99, 1)}${number(cpu.node)}${number(cpu.postgres)}`;
}

async function report() {
  const of = (name) => rows.find((row) => row.name === name);
  const ratio = (ours, theirs) => of(ours).perSecond / of(theirs).perSecond;
  const ratios = {
    'secret: Gatehouse / bare engine (at least 0.85)': ratio(
      'Gatehouse: secret → ES256',
      'bare engine: secret → ES256',
    ),
    'RS384 assertion: Gatehouse / bare engine (at least 0.55)': ratio(
      'Gatehouse: RS384 assertion → ES256',
      'bare engine: RS384 assertion → ES256',
    ),
  };
  const head = `${''.padEnd(40)}${['req/s', 'p50 ms', 'p99 ms', 'node µs', 'PG µs'].map((text) => text.padStart(9)).join('')}`;
  process.stdout.write(`\n${head}\n${rows.map(line).join('\n')}\n\n`);
  for (const [name, value] of Object.entries(ratios)) process.stdout.write(`${name}: ${value.toFixed(2)}\n`);
  const file = fileURLToPath(new URL('result.json', import.meta.url));
  await writeFile(file, `${JSON.stringify({ node: process.version, rows, ratios }, null, 2)}\n`);
}
