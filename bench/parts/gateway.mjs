import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { withNginx } from '../servers/nginx.mjs';
import { freePort, start, withGatehouse } from '../servers/processes.mjs';
import { load } from '../tools/load.mjs';
import { bySecret, codeExchanges, redirectUri, secret, signIn } from '../tools/requests.mjs';

const requests = Number(process.env.BENCH_REQUESTS ?? 4000);
const person = { email: 'bench@example.org', password: 'granite-violin-5512' };
const paths = { read: '/Observation/1', 'search of 50': '/Observation?code=8867-4' };
const attributed = [
  ['read', '/Observation/1', 1.15],
  ['search of 50', '/Observation?code=8867-4', 1.3],
  ['search of 50 patients', '/Observation?_count=50', 1.3],
];

/**
 * Reads and searches of a FHIR server: asked directly, through nginx where there is one, and through the gateway, with
 * a token that opens everything (answers are passed on) and with one for a patient (answers are checked). The column
 * `node µs` is the CPU time of what stands before the server, or of the server where it is asked directly. Then the
 * same with and without the attribution of accesses to all patients in the answers (decision 0061).
 */
export async function gateway(table) {
  const port = await freePort();
  const fhir = await start('fhir-server.mjs', String(port));
  try {
    await measureAll(table, 'direct', fhir, '', undefined);
    await withNginx(port, (nginx) => measureAll(table, 'nginx', nginx, '', undefined));
    await withGatehouse(gatewayConfiguration(port), async (server) => {
      const tokens = await gatewayTokens(server);
      await warmUp(server, Object.values(tokens));
      for (const [kind, token] of Object.entries(tokens)) {
        await measureAll(table, `gateway, ${kind}`, server, '/fhir', token);
      }
      for (const [kind, token] of Object.entries(tokens)) await memory(table, server, kind, token);
    });
    await attribution(table, port);
  } finally {
    await fhir.stop();
  }
  for (const name of Object.keys(paths)) {
    for (const kind of ['everything', 'one patient']) {
      table.compare(`${name}: gateway, ${kind} / direct`, `gateway, ${kind}: ${name}`, `direct: ${name}`);
    }
  }
  const { cpu } = table.rows.find((row) => row.name === 'gateway, everything: read');
  table.ratio('CPU ms of the gateway for a read (at most 1)', (cpu.node + cpu.postgres) / 1000);
}

/**
 * The attribution of accesses to patients next to its absence, in one run; by CPU, because other load of the machine
 * delays both.
 */
async function attribution(table, port) {
  const settings = gatewayConfiguration(port);
  await withGatehouse({ ...settings, audit: { attribution: 'answers' } }, async (answers) => {
    await withGatehouse({ ...settings, audit: { attribution: 'context' } }, async (context) => {
      const servers = Object.entries({ answers, context });
      const tokens = new Map();
      for (const [name, server] of servers) tokens.set(name, await gatewayTokens(server));
      for (const [kind, path, most] of attributed) {
        const rows = servers.map(([name, server]) => ({
          name: `${kind}, attribution by ${name}`,
          server,
          next: () => ({
            path: `/fhir${path}`,
            method: 'GET',
            headers: { authorization: `Bearer ${tokens.get(name).everything}` },
          }),
        }));
        await table.measureInTurn(rows, { requests });
        const [more, less] = rows.map((row) => cpuOf(table, row.name));
        table.ratio(`CPU of a ${kind}: answers / context (at most ${most})`, more / less);
      }
    });
  });
}

/** Microseconds of Node and PostgreSQL per request. */
function cpuOf({ rows }, wanted) {
  const { node, postgres } = rows.find(({ name }) => name === wanted).cpu;
  return node + postgres;
}

/**
 * A portal that has just started is still being compiled, for longer than the table's own warm-up; else what is
 * measured first takes the most.
 */
async function warmUp(server, tokens) {
  for (const path of Object.values(paths)) {
    for (const token of tokens) {
      const next = () => ({ path: `/fhir${path}`, method: 'GET', headers: { authorization: `Bearer ${token}` } });
      await load({ ...server, count: requests, next, check: () => undefined });
    }
  }
}

async function measureAll(table, who, server, prefix, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  for (const [name, path] of Object.entries(paths)) {
    const next = () => ({ path: prefix + path, method: 'GET', headers });
    await load({ ...server, count: requests, next, check: () => undefined });
    await table.measure(`${who}: ${name}`, server, next, { requests, check: (text) => text.includes('8867-4') });
  }
}

/**
 * Measures the memory that an answer of 50 MB adds to the process; each of its resources is checked under a token of
 * one patient.
 */
async function memory(table, { origin, pids }, kind, token) {
  const before = residentMegabytes(pids.node);
  let most = before;
  const pool = new Pool(origin);
  const { body } = await pool.request({
    path: '/fhir/Observation?_count=36000',
    method: 'GET',
    headers: { authorization: `Bearer ${token}` },
  });
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    most = Math.max(most, residentMegabytes(pids.node));
  }
  await pool.close();
  table.ratio(`MB more in memory for an answer of ${Math.round(size / 1e6)} MB, ${kind}`, most - before);
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

async function untilKnown(origin) {
  for (;;) {
    const { status } = await fetch(`${origin}/fhir/metadata`);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A token for everything and one for a patient, when the portal knows the FHIR server. */
export async function gatewayTokens({ origin }) {
  await untilKnown(origin);
  const [exchange] = await codeExchanges(await signIn(origin, person), 1);
  const tokenOf = async ({ path, ...init }) => (await (await fetch(origin + path, init)).json()).access_token;
  return { everything: await tokenOf(bySecret('service')()), 'one patient': await tokenOf(exchange) };
}

export function gatewayConfiguration(port) {
  const clientSecrets = [{ secretType: 'SharedSecret', secret, description: 'bench' }];
  const app = { clientType: 'StandaloneApp', enabled: true, requireClientSecret: false, requirePkce: true };
  return {
    fhir: { baseUrl: `http://localhost:${port}` },
    clients: [
      { clientType: 'BackendService', enabled: true, clientId: 'service', clientName: 'Service', clientSecrets },
      {
        ...app,
        clientId: 'app',
        clientName: 'App',
        requireConsent: false,
        allowOfflineAccess: true,
        redirectUris: [redirectUri],
      },
    ],
    users: [
      { ...person, fullName: 'Bench Person', userType: 'Patient', claims: [{ name: 'fhirUser', value: 'Patient/1' }] },
    ],
  };
}
