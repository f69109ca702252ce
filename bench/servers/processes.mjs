import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');

/** A server of this folder, which says its port when it listens. */
export async function start(script, argument) {
  const child = fork(join(here, script), [argument], { silent: true });
  const [{ port }] = await once(child, 'message');
  return { origin: `http://localhost:${port}`, pids: { node: child.pid }, stop: () => end(child) };
}

/** Runs `work` with the built product and a database of its own, as `npm start` runs them. */
export async function withGatehouse(configuration, work) {
  await withDataDir(async (dataDir) => {
    const { child, ...gatehouse } = await startGatehouse(dataDir, configuration);
    try {
      await work(gatehouse);
    } finally {
      await end(child);
    }
  });
}

/** Runs `work` with a data folder that is removed afterwards. */
export async function withDataDir(work) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  try {
    await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The built product with the database of this folder, when it is ready; ends with `end(child)`. */
export async function startGatehouse(dataDir, configuration) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const configFile = join(dataDir, 'gatehouse.yaml');
  const server = { issuer: origin, ...configuration.server, port };
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify({ ...configuration, dataDir, server }));
  // As the container and `npm start` have it.
  const child = spawn(process.execPath, ['--max-semi-space-size=32', 'dist/src/main.js'], {
    cwd: root,
    env: { MALLOC_TRIM_THRESHOLD_: '131072', ...process.env, GATEHOUSE_CONFIG: configFile },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await ready(origin, server.workers ?? 1);
    const [postgres] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
    return { child, origin, dataDir, pids: { node: child.pid, postgres: Number(postgres) } };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Resolves when all workers serve. */
async function ready(origin, workers) {
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    const { ok } = await fetch(`${origin}/health/ready`).catch(() => ({ ok: false }));
    if (ok && (workers === 1 || (await serving(origin)) === workers)) return;
    await sleep(25);
  }
  throw new Error('Gatehouse did not start');
}

async function serving(origin) {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^gatehouse_workers (\d+)/m.exec(metrics)?.[1]);
}

export async function end(child) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
