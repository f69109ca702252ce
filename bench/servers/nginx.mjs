import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './processes.mjs';

/**
 * Runs `work` with nginx as a plain reverse proxy before a port of this machine; says so and does not where it cannot
 * be had. With a port `tls` it listens there, with HTTP/2 and a certificate of its own.
 */
export async function withNginx(target, work, { tls } = {}) {
  if (!isThere() && !installed()) {
    process.stdout.write('nginx cannot be installed: the comparison with it is skipped\n');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-nginx-'));
  const port = tls ?? (await freePort());
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
         listen 127.0.0.1:${port} ${tls ? 'ssl http2' : ''};
         ${tls ? certificate(folder) : ''}
         location / { proxy_pass http://fhir; proxy_http_version 1.1; proxy_set_header Connection ""; ${tls ? forwarded : ''} }
       }
     }`,
  );
  const child = spawn('nginx', ['-c', configFile, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const origin = `${tls ? 'https' : 'http'}://localhost:${port}`;
    await listening(port);
    await work({ origin, pids: { node: child.pid } });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the portal has to know of a request that came by TLS. */
const forwarded =
  'proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto https;';

function certificate(folder) {
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`];
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...key, ...files, '-days', '2', '-subj', '/CN=localhost'], {
    stdio: 'ignore',
  });
  return `ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;`;
}

async function listening(port) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error('nginx did not start');
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
