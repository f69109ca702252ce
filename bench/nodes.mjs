import { gatewayConfiguration, gatewayTokens } from './gateway.mjs';
import { load } from './load.mjs';
import { codeExchanges, signIn } from './requests.mjs';
import { freePort, start, withGatehouse } from './servers/processes.mjs';
import { person, refreshes, steps } from './tokens.mjs';

const counts = [1, 2, 3];
const kinds = ['code exchange', 'refresh', 'gateway read, everything', 'gateway read, one patient'];

/**
 * One to three nodes at one port (`server.workers`) with one PostgreSQL. Where nodes and load share few CPU cores, the CPU time of a
 * request shows what nodes cost each other: it must stay as it is. Each node has 16 connections: one that waits for requests handles few of them
 * at a time, and each of these then costs more, with one node as with three.
 */
export async function nodes(table) {
  const port = await freePort();
  const fhir = await start('fhir-server.mjs', String(port));
  try {
    for (const workers of counts) {
      const configuration = {
        ...gatewayConfiguration(port),
        limits: { startsPerMinute: 1_000_000 },
        server: { workers },
      };
      await withGatehouse(configuration, (server) => measureAll(table, server, workers));
    }
  } finally {
    await fhir.stop();
  }
  for (const kind of kinds) {
    const cpu = (workers) => {
      const { node, postgres } = table.rows.find(({ name }) => name === rowOf(kind, workers)).cpu;
      return node + postgres;
    };
    const most = counts.at(-1);
    table.ratio(`${kind}: CPU of a request with ${most} nodes / with one (about 1)`, cpu(most) / cpu(1));
  }
}

async function measureAll(table, server, workers) {
  const number = (workers + 1) * steps;
  const measure = async (kind, next) => {
    const name = rowOf(kind, workers);
    const check = (status, text) => {
      if (status !== 200) throw new Error(`${name}: answered ${status} ${text}`);
    };
    // Each node has to warm up.
    const more = (workers - 1) * steps;
    const concurrency = 16 * workers;
    await load({ ...server, count: more, concurrency, next: (index) => next(2 * steps + index), check });
    await table.measureInTurn([{ name, server, next, concurrency }], { requests: steps });
  };
  const browser = await signIn(server.origin, person);
  const exchanges = await codeExchanges(browser, number);
  await measure('code exchange', (index) => exchanges[index]);
  await measure('refresh', await refreshes(server, browser, number));
  for (const [kind, token] of Object.entries(await gatewayTokens(server))) {
    const headers = { authorization: `Bearer ${token}` };
    await measure(`gateway read, ${kind}`, () => ({ path: '/fhir/Observation/1', method: 'GET', headers }));
  }
}

function rowOf(kind, workers) {
  return `${workers} ${workers === 1 ? 'node' : 'nodes'}: ${kind}`;
}
