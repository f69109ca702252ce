import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './processes.mjs';

/** Runs `work` with nginx as a plain reverse proxy before a port of this machine; says so and does not where it cannot be had. */
export async function withNginx(target, work) {
  if (!isThere() && !installed()) {
    process.stdout.write('nginx cannot be installed: the comparison with it is skipped\n');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-nginx-'));
  const port = await freePort();
  const configFile = join(folder, 'nginx.conf');
  await writeFile(
    configFile,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
     events { worker_connections 256; }
     http {
       access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
       fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
       upstream fhir { server 127.0.0.1:${target}; keepalive 64; }
       server {
         listen 127.0.0.1:${port};
         location / { proxy_pass http://fhir; proxy_http_version 1.1; proxy_set_header Connection ""; }
       }
     }`,
  );
  const child = spawn('nginx', ['-c', configFile, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const origin = `http://localhost:${port}`;
    for (let attempt = 0; attempt < 100 && !(await fetch(origin).catch(() => undefined)); attempt += 1) await sleep(50);
    await work({ origin, pids: { node: child.pid } });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

function isThere() {
  return !spawnSync('nginx', ['-v']).error;
}

/** On Debian as root, as the tests do with what they need. Its own service stays off: it would take port 80. */
function installed() {
  if (process.getuid?.() !== 0) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args) => spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  return apt('update', '-q') && apt('install', '-y', '-q', '--no-install-recommends', 'nginx-light') && isThere();
}
