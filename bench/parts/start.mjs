import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, freePort, startGatehouse, start as startServer, withDataDir } from '../servers/processes.mjs';
import { cpuMicroseconds, load } from '../tools/load.mjs';

/** Odd, so that one of the starts has the median. */
const starts = 5;

/**
 * From spawn to ready with a database that exists, and the memory of a node: idle, and after requests. Next to it a
 * process that has loaded the engine and nothing else, without a database. Of each figure it is the median of several
 * starts, whose memory differs by 5 MB.
 */
export async function start(table) {
  await withDataDir(async (dataDir) => {
    // Creates and migrates the database, and lets Node keep its compiled code where it can.
    await end((await startGatehouse(dataDir, {})).child);
    await measure(table, 'Gatehouse', '/health/live', () => startGatehouse(dataDir, {}), {
      start: ' (at most 1,500)',
      idle: ' (at most 110)',
    });
  });
  await measure(table, 'bare engine', '/.well-known/openid-configuration', bareEngine);
}

async function bareEngine() {
  const publicJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  return startServer('bare-server.mjs', JSON.stringify({ alg: 'ES256', publicJwk, port: await freePort() }));
}

async function measure(table, name, path, spawned, goals = { start: '', idle: '' }) {
  const measured = [];
  for (let start = 0; start < starts; start++) measured.push(await measureOne(name, path, spawned));
  const median = (figure) => measured.map((one) => one[figure]).sort((a, b) => a - b)[(starts - 1) / 2];
  table.ratio(`${name}: start to ready, ms${goals.start}`, median('ready'));
  table.ratio(`${name}: CPU of the start, ms`, median('cpu'));
  table.ratio(`${name}: MB resident, idle${goals.idle}`, median('idle'));
  table.ratio(`${name}: MB resident, after 2,000 requests`, median('used'));
}

async function measureOne(name, path, spawned) {
  const began = performance.now();
  const { child, stop, origin, pids } = await spawned();
  const ready = performance.now() - began;
  try {
    const cpu = cpuMicroseconds(pids).node / 1000;
    await sleep(10_000);
    const idle = residentMegabytes(pids.node);
    const check = (status, text) => {
      if (status !== 200) throw new Error(`${name}: answered ${status} ${text}`);
    };
    await load({ origin, pids, count: 2000, next: () => ({ method: 'GET', path }), check });
    return { ready, cpu, idle, used: residentMegabytes(pids.node) };
  } finally {
    await (stop ? stop() : end(child));
  }
}

function residentMegabytes(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
