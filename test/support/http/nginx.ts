import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';

/** `npm test` installs it if it can. */
export const hasNginx = !spawnSync('nginx', ['-v']).error;

export interface Nginx {
  close(): Promise<void>;
}

/**
 * nginx in front of a portal at a path of a host, configured as in `docs/operations/fhir-server.md`. All other paths of
 * the host belong to another application, which answers each with 200.
 */
export async function startNginx({
  port,
  base,
  portal,
}: {
  port: number;
  base: string;
  portal: number;
}): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nginx-'));
  const config = join(folder, 'nginx.conf');
  const to = `proxy_pass http://127.0.0.1:${portal};`;
  await writeFile(
    config,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
     events { worker_connections 256; }
     http {
       access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
       fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
       large_client_header_buffers 4 32k;
       proxy_http_version 1.1;
       proxy_set_header Host $http_host;
       proxy_set_header X-Forwarded-For $remote_addr;
       server {
         listen 127.0.0.1:${port};
         location = ${base} { ${to} }
         location ${base}/ { ${to} }
         location = /.well-known/oauth-authorization-server${base} { ${to} }
         location = /.well-known/openid-configuration${base} { ${to} }
         location / { default_type text/html; return 200 'another application'; }
       }
     }`,
  );
  const child = spawn('nginx', ['-c', config, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const close = async () => {
    await ended(child);
    await rm(folder, { recursive: true });
  };
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await until(isUp);
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
