import { withGatehouse } from '../servers/processes.mjs';
import { bySecret, codeExchanges, signIn } from '../tools/requests.mjs';
import { configuration, person, refreshes, steps } from './tokens.mjs';

/** Measures token requests with and without the record of launches (at most 3 % more CPU). */
export async function recording(table) {
  await withGatehouse(configuration('ES256'), async (recording) => {
    await withGatehouse({ ...configuration('ES256'), activity: { keepDays: 0 } }, async (silent) => {
      const servers = { 'with the record': recording, 'without the record': silent };
      const browsers = new Map();
      for (const server of Object.values(servers)) browsers.set(server, await signIn(server.origin, person));
      const measured = async (kind, nextOf, requests = steps) => {
        const rows = [];
        for (const [name, server] of Object.entries(servers)) {
          rows.push({ name: `${kind}, ${name}`, server, next: await nextOf(server, browsers.get(server)) });
        }
        await table.measureInTurn(rows, { requests });
        const [recorded, unrecorded] = rows.map(({ name }) => cpuOf(table, name));
        table.ratio(`CPU of a ${kind} with the record / without (at most 1.03)`, recorded / unrecorded);
      };
      // The processor's time is counted in ticks of 10 ms: 3 % of a cheap request show only over many of them.
      await measured('secret → ES256', () => bySecret('secret'), 10 * steps);
      await measured('code exchange', async (_, browser) => {
        const exchanges = await codeExchanges(browser, 2 * steps);
        return (index) => exchanges[index];
      });
      await measured('refresh', (server, browser) => refreshes(server, browser));
    });
  });
}

/** Microseconds of Node and PostgreSQL per request. */
function cpuOf({ rows }, wanted) {
  const { node, postgres } = rows.find(({ name }) => name === wanted).cpu;
  return node + postgres;
}
