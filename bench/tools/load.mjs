import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/**
 * Sends `count` requests with `concurrency` of them at a time and says how long they took and what they cost.
 * `next(index)` makes a request, `check(status, body, request)` throws when the answer is not the expected one.
 */
export async function load(requests) {
  return summary([await run(requests)]);
}

/**
 * The same of several servers, a little of each in turn: whatever else slows the machine down meanwhile slows down all
 * of them. Gives their results in their order.
 */
export async function loadInTurn(all, rounds = 4) {
  const runs = all.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { count, next, ...rest }] of all.entries()) {
      const part = Math.floor(count / rounds);
      runs[index].push(await run({ ...rest, count: part, next: (at) => next(round * part + at) }));
    }
  }
  return runs.map(summary);
}

/**
 * Sends the requests evenly, `perSecond` of them, however many are still unanswered: a request waits for no other one's
 * answer.
 */
export async function atRate({ origin, count, pids, next, check }, perSecond) {
  const pool = new Pool(origin, { connections: 256, pipelining: 1 });
  const times = new Float64Array(count);
  const before = cpuMicroseconds(pids);
  const started = performance.now();
  const answered = [];
  for (let index = 0; index < count; index += 1) {
    const due = started + (index * 1000) / perSecond;
    while (performance.now() < due) await (due - performance.now() > 1.5 ? sleep(1) : nextTurn());
    // A request that this process sends late has waited, too.
    const answer = send(pool, await next(index), check).then(() => {
      times[index] = performance.now() - due;
    });
    answered.push(answer);
  }
  await Promise.all(answered);
  return summary([await finished(pool, pids, before, started, times)]);
}

async function run({ origin, count, concurrency = 16, pids, next, check }) {
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  const times = new Float64Array(count);
  let index = 0;
  const before = cpuMicroseconds(pids);
  const started = performance.now();
  const worker = async () => {
    while (index < count) {
      const mine = index++;
      const sent = performance.now();
      await send(pool, await next(mine), check);
      times[mine] = performance.now() - sent;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return finished(pool, pids, before, started, times);
}

async function send(pool, request, check) {
  const { statusCode, body } = await pool.request(request);
  check(statusCode, await body.text(), request);
}

async function finished(pool, pids, before, started, times) {
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  const cpu = Object.entries(cpuMicroseconds(pids)).map(([name, total]) => [name, total - before[name]]);
  return { times, seconds, cpu: Object.fromEntries(cpu) };
}

/** Summarises runs of the same requests: `times` in milliseconds, `cpu` in microseconds by name. */
function summary(runs) {
  const sorted = Float64Array.from(runs.flatMap(({ times }) => [...times])).sort();
  const count = sorted.length;
  const at = (share) => sorted[Math.min(count - 1, Math.floor(count * share))];
  const sum = (of) => runs.reduce((total, run) => total + of(run), 0);
  const names = Object.keys(runs[0].cpu);
  return {
    perSecond: count / sum(({ seconds }) => seconds),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    cpu: Object.fromEntries(names.map((name) => [name, sum(({ cpu }) => cpu[name]) / count])),
  };
}

/**
 * CPU time of processes (and their children) so far, in microseconds, by name. A child that has a name of its own
 * counts there only: the embedded PostgreSQL is a child of the portal.
 */
export function cpuMicroseconds(pids) {
  const named = new Set(Object.values(pids).map(String));
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, ofTree(pid, named)]));
}

function ofTree(pid, named) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
  // Ticks are 1/100 s. Waited-for children are counted by the parent, living ones are added here.
  const own = (user + system + childUser + childSystem) * 10_000;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const others = children.filter((child) => child !== '' && !named.has(child));
  return own + others.reduce((sum, child) => sum + safely(() => ofTree(child, named)), 0);
}

function safely(read) {
  try {
    return read();
  } catch {
    return 0;
  }
}
