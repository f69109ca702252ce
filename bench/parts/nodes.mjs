import { freePort, start, withGatehouse } from '../servers/processes.mjs';
import { load } from '../tools/load.mjs';
import { bySecret, codeExchanges, signIn } from '../tools/requests.mjs';
import { gatewayConfiguration, gatewayTokens } from './gateway.mjs';
import { person, refreshes, steps } from './tokens.mjs';

const counts = [1, 2, 3];
const bound = 'raw HTTP and one ES256 signature';
const kinds = [bound, 'code exchange', 'refresh', 'gateway read, everything', 'gateway read, one patient'];

/**
 * One to three nodes at one port (`server.workers`) with one PostgreSQL. Where nodes and load share few CPU cores, the
 * CPU time of a request shows what nodes cost each other: it must stay as it is. Each node has 16 connections: one that
 * waits for requests handles few of them at a time, and each of these then costs more, with one node as with three.
 * Next to them, as the bound, as many processes that only answer and sign.
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
      const raw = await start('raw-server.mjs', `ES256 × ${workers}`);
      await measure(table, raw, { kind: bound, workers, next: bySecret('raw', '/') }).finally(raw.stop);
    }
  } finally {
    await fhir.stop();
  }
  for (const kind of kinds) {
    const most = counts.at(-1);
    const name = `${kind}: CPU of a request with ${most} nodes / with one`;
    if (kind === bound) table.ratio(name, growth(table, kind));
    else table.ratio(`${name}, compared with that of raw HTTP (about 1)`, growth(table, kind) / growth(table, bound));
  }
}

/**
 * The CPU time of a request with most nodes, as a multiple of that with one. More processes than cores take more of it
 * for any work.
 */
function growth({ rows }, kind) {
  const cpu = (workers) => {
    const { node, postgres } = rows.find(({ name }) => name === rowOf(kind, workers)).cpu;
    return node + (postgres ?? 0);
  };
  return cpu(counts.at(-1)) / cpu(1);
}

async function measureAll(table, server, workers) {
  const number = (workers + 1) * steps;
  const browser = await signIn(server.origin, person);
  const exchanges = await codeExchanges(browser, number);
  await measure(table, server, { kind: 'code exchange', workers, next: (index) => exchanges[index] });
  await measure(table, server, { kind: 'refresh', workers, next: await refreshes(server, browser, number) });
  for (const [kind, token] of Object.entries(await gatewayTokens(server))) {
    const headers = { authorization: `Bearer ${token}` };
    const next = () => ({ path: '/fhir/Observation/1', method: 'GET', headers });
    await measure(table, server, { kind: `gateway read, ${kind}`, workers, next });
  }
}

async function measure(table, server, { kind, workers, next }) {
  const name = rowOf(kind, workers);
  const check = (status, text) => {
    if (status !== 200) throw new Error(`${name}: answered ${status} ${text}`);
  };
  // Each node has to warm up.
  const more = (workers - 1) * steps;
  const concurrency = 16 * workers;
  await load({ ...server, count: more, concurrency, next: (index) => next(2 * steps + index), check });
  await table.measureInTurn([{ name, server, next, concurrency }], { requests: steps });
}

function rowOf(kind, workers) {
  return `${workers} ${workers === 1 ? 'node' : 'nodes'}: ${kind}`;
}
