import { join } from 'node:path';
import pg from 'pg';
import { withGatehouse } from '../servers/processes.mjs';
import { load } from './load.mjs';
import { signIn } from './requests.mjs';

export const few = 1_000;
const rounds = 7;
const requests = Number(process.env.BENCH_REQUESTS ?? 60);
const admin = { email: 'bench.admin@example.org', password: 'granite-violin-5512' };

/**
 * Measures the queries of a list with 1,000 and with `many` rows in it. Both installations run at the same time and
 * are queried in turn: other load of the machine affects them alike. `queries` gives by name a function of the turn
 * and the number of rows, which may name another `path`; `fill(database, rows)` creates that many rows.
 */
export async function lists(table, { what, fixed = {}, queries, fill, configuration = {}, ...measured }) {
  const { path: usual, many = 100_000, atMost = 3 } = measured;
  const ask = async (small, large) => {
    for (const [name, query] of Object.entries(queries)) {
      const asked = (turn, rows) => ({ path: usual, ...fixed, ...query(turn, rows) });
      const [p95Small, p95Large] = await compare(table, `${what}, ${name}`, asked, [small, large]);
      table.ratio(`${what}, ${name}: p95 with ${many} / with ${few} (at most ${atMost})`, p95Large / p95Small);
    }
  };
  await withRows(few, (small) => withRows(many, (large) => ask(small, large)));

  function withRows(rows, work) {
    const account = { ...admin, fullName: 'Bench Admin', userType: 'Admin', claims: [] };
    return withGatehouse({ ...configuration, users: [account] }, async (server) => {
      const database = new pg.Client({
        host: join(server.dataDir, 'postgres'),
        user: 'gatehouse',
        database: 'gatehouse',
      });
      await database.connect();
      await fill(database, rows).finally(() => database.end());
      const visitor = await signIn(server.origin, admin);
      await work({ ...server, rows, headers: visitor.headers() });
    });
  }
}

/** The 95th percentiles in milliseconds, each the median of some rounds. */
async function compare(table, name, query, servers) {
  const found = servers.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { rows, headers, ...server }] of servers.entries()) {
      const next = (turn) => {
        const { path, ...parameters } = query(round * requests + turn, rows);
        const asked = Object.entries(parameters).filter(([, value]) => value !== '');
        return { path: `${path}?${new URLSearchParams(asked)}`, method: 'GET', headers };
      };
      const check = (status, text) => {
        if (status !== 200) throw new Error(`${name}: answered ${status} ${text}`);
      };
      const measured = await load({ ...server, concurrency: 1, count: requests, next, check });
      // The first round warms up.
      if (round > 0) found[index].push(measured);
    }
  }
  return found.map((measured, index) => {
    const middle = measured.sort((a, b) => a.p95 - b.p95)[Math.floor(measured.length / 2)];
    table.add(`${servers[index].rows} ${name}`, middle);
    return middle.p95;
  });
}
