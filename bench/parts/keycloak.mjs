import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { missingForJava } from '../../scripts/test/java.mjs';
import { end, freePort } from '../servers/processes.mjs';
import {
  basic,
  codeExchange,
  codeExchanges,
  durableKeycloak as durable,
  inParallel,
  keycloak as paths,
  post,
  redirectUri,
  secret,
  signInAtKeycloak,
} from '../tools/requests.mjs';
import { tokens } from './tokens.mjs';

const version = '26.7.3';
const count = Number(process.env.BENCH_REQUESTS ?? 4000);
const steps = count / 2;
const person = { email: 'bench@example.org', password: 'granite-violin-5512' };
const people = Array.from({ length: 200 }, (_, index) => ({ ...person, email: `bench-${index}@example.org` }));

/**
 * Keycloak with a PostgreSQL like ours, and the token endpoints of Gatehouse in the same run. Keycloak keeps codes and
 * refresh tokens of a session in memory, and does not rotate refresh tokens; in the rows `stored` it does the work that
 * Gatehouse does: `offline_access`, rotation and an ID token signed with RS256. There each token is of a session of its
 * own user, because it answers 500 when several tokens of one session are rotated at the same time.
 */
export async function keycloak(table) {
  const missing = missingForJava();
  if (missing.length > 0) {
    process.stdout.write(`Comparison with Keycloak skipped, not installed: ${missing.join(', ')}\n`);
    return;
  }
  await withKeycloak(async (server) => {
    await measure(table, server);
    await measureStored(table, server);
  });
  await tokens(table);
  for (const kind of ['secret → ES256', 'introspection of a JWT', 'authorize, signed in', 'code exchange', 'refresh']) {
    table.compare(`${kind}: Gatehouse / Keycloak`, `Gatehouse: ${kind}`, `Keycloak: ${kind}`);
  }
  for (const kind of ['code exchange', 'refresh']) {
    table.compare(`${kind}: Gatehouse / Keycloak, stored`, `Gatehouse: ${kind}`, `Keycloak, stored: ${kind}`);
  }
}

async function measure(table, server) {
  const { origin } = server;
  const one = async (kind, next, requests = count) =>
    table.measureInTurn([{ name: `Keycloak: ${kind}`, server, next }], { requests });
  const authorization = basic('secret');
  const token = () => post(paths.token, { grant_type: 'client_credentials' }, { authorization });
  await one('secret → ES256', token);
  const { access_token } = await (await send(origin, token())).json();
  await one('introspection of a JWT', () => ({
    ...post(paths.introspect, { token: access_token }, { authorization }),
    isExpected: (text) => JSON.parse(text).active === true,
  }));
  const browser = await signInAtKeycloak(origin, person);
  await one('authorize, signed in', () => ({ ...browser.authorization().request, expected: 302 }), steps);
  const exchanges = await codeExchanges(browser, 2 * steps);
  await one('code exchange', (index) => exchanges[index], steps);
  const refreshes = [];
  for (const exchange of await codeExchanges(browser, 2 * steps)) {
    const { refresh_token } = await (await send(origin, exchange)).json();
    refreshes.push(post(paths.token, { grant_type: 'refresh_token', client_id: 'app', refresh_token }));
  }
  await one('refresh', (index) => refreshes[index], steps);
}

/** The rows that store what they issue. A session's next token is known when its last one is answered. */
async function measureStored(table, server) {
  const { origin } = server;
  const browsers = await inParallel(people.length, (index) => signInAtKeycloak(origin, people[index], durable));
  const exchanges = await inParallel(2 * steps, (index) => codeExchange(browsers[index % browsers.length]));
  const next = (index) => exchanges[index];
  await table.measureInTurn([{ name: 'Keycloak, stored: code exchange', server, next }], { requests: steps });
  const newest = await inParallel(people.length, async (index) => {
    const answer = await send(origin, await codeExchange(browsers[index]));
    return (await answer.json()).refresh_token;
  });
  const rotated = (index) => {
    const mine = index % newest.length;
    const form = { grant_type: 'refresh_token', client_id: 'app', refresh_token: newest[mine] };
    const isExpected = (text) => {
      const { refresh_token } = JSON.parse(text);
      const isNew = refresh_token !== undefined && refresh_token !== newest[mine];
      newest[mine] = refresh_token;
      return isNew;
    };
    return { ...post(durable.token, form), isExpected };
  };
  const row = { name: 'Keycloak, stored: refresh', server, next: rotated };
  await table.measureInTurn([row], { requests: steps });
}

function send(origin, { path, ...init }) {
  return fetch(origin + path, init);
}

async function withKeycloak(work) {
  const home = await installed();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-keycloak-'));
  try {
    await withPostgres(folder, async (postgres) => {
      const port = await freePort();
      const database = [
        '--db-url',
        `jdbc:postgresql://127.0.0.1:${postgres.port}/postgres`,
        '--db-username',
        'keycloak',
      ];
      const options = [
        '--http-enabled',
        'true',
        '--hostname-strict',
        'false',
        '--http-port',
        `${port}`,
        '--import-realm',
      ];
      const server = spawn(join(home, 'bin', 'kc.sh'), ['start', '--db', 'postgres', ...database, ...options], {
        env: { ...process.env, KC_DB_PASSWORD: 'unused', KC_CACHE: 'local' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      try {
        const origin = `http://localhost:${port}`;
        for (const { realm } of realms) await ready(`${origin}/realms/${realm}`);
        await work({ origin, pids: { node: server.pid, postgres: postgres.pid } });
      } finally {
        await end(server);
      }
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The distribution from Maven Central, in the folder of caches that `npm ci` empties, with the realm to import. */
async function installed() {
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'keycloak');
  const home = join(cache, `keycloak-${version}`);
  if (!existsSync(home)) {
    process.stdout.write(`Fetching Keycloak ${version} …\n`);
    const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
    const goal = ['dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`];
    // Without a project of its own the goal leaves a marker in the folder that it runs in.
    await mkdir(cache, { recursive: true });
    const { status } = spawnSync('mvn', ['-B', '-q', ...goal], { cwd: cache, stdio: 'inherit' });
    if (status !== 0) throw new Error('Keycloak could not be fetched');
    spawnSync('chmod', ['+x', join(home, 'bin', 'kc.sh')]);
  }
  await mkdir(join(home, 'data', 'import'), { recursive: true });
  for (const each of realms) {
    await writeFile(join(home, 'data', 'import', `${each.realm}-realm.json`), JSON.stringify(each));
  }
  return home;
}

const keys = (providerId, config) => ({ name: providerId, providerId, config: { priority: ['100'], ...config } });
const realm = {
  realm: 'bench',
  enabled: true,
  sslRequired: 'none',
  defaultSignatureAlgorithm: 'ES256',
  accessTokenLifespan: 3600,
  components: {
    'org.keycloak.keys.KeyProvider': [
      keys('ecdsa-generated', { ecdsaEllipticCurveKey: ['P-256'] }),
      keys('rsa-generated', {}),
      keys('hmac-generated', { algorithm: ['HS512'] }),
      keys('aes-generated', {}),
    ],
  },
  clients: [
    {
      clientId: 'secret',
      secret,
      serviceAccountsEnabled: true,
      standardFlowEnabled: false,
      redirectUris: [],
      // It may ask about tokens for itself only.
      protocolMappers: [
        {
          name: 'audience',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-audience-mapper',
          config: { 'included.client.audience': 'secret', 'access.token.claim': 'true' },
        },
      ],
    },
    {
      clientId: 'app',
      publicClient: true,
      standardFlowEnabled: true,
      redirectUris: [redirectUri],
      attributes: { 'pkce.code.challenge.method': 'S256' },
    },
  ],
  users: [person].map(account),
};
const realms = [
  realm,
  {
    ...realm,
    realm: 'durable',
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    clients: realm.clients.map((client) => ({
      ...client,
      attributes: { ...client.attributes, 'id.token.signed.response.alg': 'RS256' },
    })),
    users: people.map(account),
  },
];

function account({ email, password }) {
  return {
    username: email,
    email,
    emailVerified: true,
    firstName: 'Bench',
    lastName: 'Person',
    enabled: true,
    // Without it an imported account has none of the realm's roles, and no offline token is issued for it.
    realmRoles: ['offline_access'],
    credentials: [{ type: 'password', value: password }],
  };
}

/** A PostgreSQL as Gatehouse embeds it, but with a port: JDBC knows no sockets of the file system. */
async function withPostgres(folder, work) {
  await import('../../scripts/typescript.mjs');
  const { prepareCluster } = await import('../../src/platform/database/postgres-cluster.ts');
  const { dir, binaries, identity } = await prepareCluster(folder, 'keycloak', true);
  const port = await freePort();
  const [command, ...args] = [...identity.prefix, join(binaries, 'postgres'), '-D', dir, '-p', `${port}`];
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const postgres = spawn(command, [...args, ...listen], {
    ...identity.ids,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  try {
    await work({ port, pid: postgres.pid });
  } finally {
    await end(postgres);
  }
}

async function ready(address) {
  for (let attempt = 0; attempt < 1800; attempt += 1) {
    const { ok } = await fetch(address).catch(() => ({ ok: false }));
    if (ok) return;
    await sleep(100);
  }
  throw new Error('Keycloak did not start');
}
