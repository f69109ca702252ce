/**
 * `npm run bench -- timing`: whether the time of a refusal tells an account that exists from one that does not, and a client
 * from a name that is none (security F-02, C-01). The two kinds are asked in turn, one request at a time, so that what else
 * the machine does meets them alike. A difference of medians below 5 ms, and a p above 0.01, tell nobody anything.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startGatehouse } from './processes.mjs';
import { post } from './requests.mjs';

const samples = Number(process.env.BENCH_REQUESTS ?? 200);
/** An account may be guessed at ten times before each guess has to wait; the last one is for warming up. */
const accounts = Math.ceil(samples / 10) + 1;
const email = (index) => `bench.${index}@example.org`;

const json = { 'content-type': 'application/json' };
const login = (username) => ({
  path: '/api/session/login',
  method: 'POST',
  headers: json,
  body: JSON.stringify({ username, password: 'not-the-password-1' }),
});
const basic = (clientId) => ({ authorization: `Basic ${btoa(`${clientId}:not-the-secret`)}` });
const token = (clientId) => post('/connect/token', { grant_type: 'client_credentials' }, basic(clientId));

const comparisons = {
  'sign-in: a wrong password, or no such account': [
    (account) => login(email(account)),
    (account) => login(`nobody.${account}@example.org`),
  ],
  'token: a wrong secret, or no such client': [() => token('bench'), () => token('nobody')],
};

export async function timing() {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const configFile = join(dataDir, 'gatehouse.yaml');
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify(configuration(dataDir, issuer, port)));
  const server = await startGatehouse({ configFile, dataDir, issuer });
  try {
    const rows = [];
    for (const [name, kinds] of Object.entries(comparisons)) rows.push({ '': name, ...(await compare(issuer, kinds)) });
    console.table(rows);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function compare(issuer, kinds) {
  const taken = kinds.map(() => []);
  // The first ones find nothing warm.
  for (let turn = -5; turn < samples; turn += 1) {
    const account = turn < 0 ? accounts - 1 : turn % (accounts - 1);
    for (const [index, kind] of kinds.entries()) {
      const ms = await time(issuer, kind(account));
      if (turn >= 0) taken[index].push(ms);
    }
  }
  const [one, other] = taken.map(median);
  return {
    'there, ms': one.toFixed(2),
    'not there, ms': other.toFixed(2),
    'difference, ms': (one - other).toFixed(2),
    p: pOf(...taken).toFixed(3),
  };
}

let addresses = 0;

/** Each request comes from an address of its own: limits count by address. */
async function time(issuer, { path, headers, ...request }) {
  addresses += 1;
  const from = `2001:db8:${addresses.toString(16)}::1`;
  const started = performance.now();
  const answer = await fetch(issuer + path, { ...request, headers: { ...headers, 'x-forwarded-for': from } });
  await answer.text();
  if (answer.status !== 401) throw new Error(`${path} answered ${answer.status}`);
  return performance.now() - started;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Of the Mann-Whitney U test, by its normal approximation: how likely such a difference is if there is none. */
function pOf(one, other) {
  const ranked = [...one.map((ms) => [ms, 0]), ...other.map((ms) => [ms, 1])].sort(([a], [b]) => a - b);
  const rankSum = ranked.reduce((sum, [, kind], index) => (kind === 0 ? sum + index + 1 : sum), 0);
  const pairs = one.length * other.length;
  const u = rankSum - (one.length * (one.length + 1)) / 2;
  const z = Math.abs(u - pairs / 2) / Math.sqrt((pairs * (one.length + other.length + 1)) / 12);
  return 2 * (1 - normal(z));
}

/** Abramowitz and Stegun 26.2.17; z is not negative. */
function normal(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}

function configuration(dataDir, issuer, port) {
  return {
    dataDir,
    server: { issuer, port, trustedProxies: ['127.0.0.1', '::1'] },
    logging: { level: 'error' },
    users: Array.from({ length: accounts }, (_, index) => ({
      email: email(index),
      fullName: `Bench ${index}`,
      password: 'granite-violin-5512',
      userType: 'Patient',
      claims: [{ name: 'fhirUser', value: `Patient/${index}` }],
    })),
    clients: [
      {
        clientId: 'bench',
        clientName: 'Bench',
        clientType: 'BackendService',
        clientSecrets: [
          { secretType: 'SharedSecret', secret: 'bench-secret-bench-secret-bench-secret', description: 'bench' },
        ],
      },
    ],
  };
}
