import { withGatehouse } from '../servers/processes.mjs';
import { basic, login, post, secret } from '../tools/requests.mjs';

const samples = Number(process.env.BENCH_REQUESTS ?? 200);
/** An account may be guessed at ten times before each guess has to wait; the last one is for warming up. */
const accounts = Math.ceil(samples / 10) + 1;
const email = (index) => `bench.${index}@example.org`;

const guess = (account) => login({ email: account, password: 'not-the-password-1' });
const token = (clientId) =>
  post('/connect/token', { grant_type: 'client_credentials' }, { authorization: basic(clientId, 'not-the-secret') });

const comparisons = {
  'F-02, the password of an account': [
    (account) => guess(email(account)),
    (account) => guess(`unknown.${account}@example.org`),
  ],
  'C-01, the secret of a client': [() => token('bench'), () => token('unknown')],
};

/**
 * Tests whether the time of a refusal reveals an existing account or client (security F-02, C-01). The two kinds are
 * sent in turn, one request at a time, so that other load of the machine affects them alike. A difference of medians
 * below 5 ms is of no use to an attacker.
 */
export async function timing(table) {
  await withGatehouse(configuration(), async ({ origin }) => {
    for (const [name, kinds] of Object.entries(comparisons)) await compare(table, origin, name, kinds);
  });
}

async function compare(table, issuer, name, kinds) {
  const taken = kinds.map(() => []);
  // The first ones find nothing warm.
  for (let turn = -5; turn < samples; turn += 1) {
    const account = turn < 0 ? accounts - 1 : turn % (accounts - 1);
    for (const [index, kind] of kinds.entries()) {
      const ms = await time(issuer, kind(account));
      if (turn >= 0) taken[index].push(ms);
    }
  }
  const [there, nowhere] = taken.map(median);
  table.add(`${name}: there`, { p50: there });
  table.add(`${name}: not there`, { p50: nowhere });
  table.ratio(`${name}: ms between the medians (less than 5)`, Math.abs(there - nowhere));
  table.ratio(`${name}: p that there is no difference`, pOf(...taken));
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

/**
 * The p-value of the Mann-Whitney U test, by its normal approximation: the probability of such a difference if there
 * is none.
 */
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

function configuration() {
  return {
    server: { trustedProxies: ['127.0.0.1', '::1'] },
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
        clientSecrets: [{ secretType: 'SharedSecret', secret, description: 'bench' }],
      },
    ],
  };
}
