import { freePort, start, withGatehouse } from '../servers/processes.mjs';
import { atRate, load } from '../tools/load.mjs';
import { basic, bySecret, codeExchanges, post, signIn } from '../tools/requests.mjs';
import { gatewayConfiguration, gatewayTokens } from './gateway.mjs';
import { signIns } from './sign-ins.mjs';
import { configuration, person, refreshes, steps } from './tokens.mjs';

const share = 0.7;
/** A pause of a tenth of a second is in each hundredth of a shorter measurement. */
const seconds = 5;

/**
 * The waiting times of requests that arrive evenly at 70 % of the highest rate, and not one after the other's answer,
 * as those of many users do. Their 99th percentile shows pauses that a highest rate hides. And those of token requests
 * during sign-ins.
 */
export async function latency(table) {
  await bounds(table);
  await withGatehouse(configuration('ES256'), async (server) => {
    const browser = await signIn(server.origin, person);
    await measure(table, server, 'secret → ES256', bySecret('secret'));
    for (const [kind, clientId] of Object.entries({ 'a JWT': 'secret', 'a reference token': 'reference' })) {
      const { path, ...init } = bySecret(clientId)();
      const { access_token: token } = await (await fetch(server.origin + path, init)).json();
      const ask = post('/connect/introspect', { token }, { authorization: basic(clientId) });
      await measure(table, server, `introspection of ${kind}`, () => ask);
    }
    await measure(table, server, 'authorize, signed in', () => browser.authorization().request, {
      expected: 303,
    });
    const exchanges = await codeExchanges(browser, 3 * steps);
    await measure(table, server, 'code exchange', (index) => exchanges[index], { most: steps });
    await measure(table, server, 'refresh', await refreshes(server, browser, 3 * steps), { most: steps });
  });
  await throughGateway(table);
  await signIns(table);
}

/** The same of servers without Gatehouse: the pauses of Node and of this machine are in all of them. */
async function bounds(table) {
  const raw = await start('raw-server.mjs', 'ES256');
  const fhir = await start('fhir-server.mjs', String(await freePort()));
  try {
    await measure(table, raw, 'raw HTTP and one ES256 signature', bySecret('raw', '/'), { goal: '' });
    await measure(table, fhir, 'direct read', () => ({ path: '/Observation/1', method: 'GET' }), { goal: '' });
  } finally {
    await raw.stop();
    await fhir.stop();
  }
}

async function throughGateway(table) {
  const port = await freePort();
  const fhir = await start('fhir-server.mjs', String(port));
  try {
    await withGatehouse(gatewayConfiguration(port), async (server) => {
      for (const [kind, token] of Object.entries(await gatewayTokens(server))) {
        const headers = { authorization: `Bearer ${token}` };
        const read = { path: '/fhir/Observation/1', method: 'GET', headers };
        await measure(table, server, `gateway read, ${kind}`, () => read);
        const search = { path: '/fhir/Observation?code=8867-4', method: 'GET', headers };
        await measure(table, server, `gateway search of 50, ${kind}`, () => search);
      }
    });
  } finally {
    await fhir.stop();
  }
}

/** `next(index)` makes `steps` requests to warm up, as many for the highest rate, and `most` for the waiting times. */
async function measure(table, { origin, pids }, kind, next, options = {}) {
  const { expected = 200, most = Number.POSITIVE_INFINITY, goal = ' (under 3)' } = options;
  const check = (status, text) => {
    if (status !== expected) throw new Error(`${kind}: answered ${status} ${text}`);
  };
  const part = (number) => ({ origin, pids, check, count: steps, next: (index) => next(number * steps + index) });
  await load(part(0));
  const { perSecond } = await load(part(1));
  const count = Math.min(most, Math.max(steps, Math.round(perSecond * share * seconds)));
  const measured = await atRate({ ...part(2), count }, perSecond * share);
  table.add(`at 70 %: ${kind}`, measured);
  table.ratio(`${kind}: p99 / p50 at 70 % of the highest rate${goal}`, measured.p99 / measured.p50);
}
