import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');

/** A server of this folder, which says its port when it listens. */
export async function start(script, argument) {
  const child = fork(join(here, script), [argument], { silent: true });
  const [{ port }] = await once(child, 'message');
  return { origin: `http://localhost:${port}`, pids: { node: child.pid }, stop: () => end(child) };
}

/** The built product with a database of its own, as `npm start` runs it. */
export async function startGatehouse({ configFile, dataDir, issuer }) {
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: root,
    env: { ...process.env, GATEHOUSE_CONFIG: configFile },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const ready = await fetch(`${issuer}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) break;
    await sleep(100);
  }
  const [postgres] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  return { origin: issuer, pids: { node: child.pid, postgres: Number(postgres) }, stop: () => end(child) };
}

async function end(child) {
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
