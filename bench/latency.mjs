import { atRate, load } from './load.mjs';
import { withGatehouse } from './processes.mjs';
import { basic, bySecret, codeExchanges, post, signIn } from './requests.mjs';
import { configuration, person, refreshes, steps } from './tokens.mjs';

const share = 0.7;

/**
 * The waiting times of requests that arrive evenly at 70 % of the highest rate, and not one after the other's answer, as
 * those of many users do. Their 99th percentile shows pauses that a highest rate hides.
 */
export async function latency(table) {
  await withGatehouse(configuration('ES256'), async (server) => {
    const browser = await signIn(server.origin, person);
    const { path, ...init } = bySecret('reference')();
    const { access_token: token } = await (await fetch(server.origin + path, init)).json();
    const ask = post('/connect/introspect', { token }, { authorization: basic('reference') });
    await measure(table, server, 'secret → ES256', 200, bySecret('secret'));
    await measure(table, server, 'introspection of a reference token', 200, () => ask);
    await measure(table, server, 'authorize, signed in', 303, () => browser.authorization().request);
    const exchanges = await codeExchanges(browser, 3 * steps);
    await measure(table, server, 'code exchange', 200, (index) => exchanges[index]);
    await measure(table, server, 'refresh', 200, await refreshes(server, browser, 3 * steps));
  });
}

/** `next(index)` makes three times `steps` requests: to warm up, for the highest rate, and for the waiting times. */
async function measure(table, { origin, pids }, kind, expected, next) {
  const check = (status, text) => {
    if (status !== expected) throw new Error(`${kind}: answered ${status} ${text}`);
  };
  const part = (number) => ({ origin, pids, check, count: steps, next: (index) => next(number * steps + index) });
  await load(part(0));
  const { perSecond } = await load(part(1));
  const measured = await atRate(part(2), perSecond * share);
  table.add(`at 70 %: ${kind}`, measured);
  table.ratio(`${kind}: p99 / p50 at 70 % of the highest rate (under 3)`, measured.p99 / measured.p50);
}
