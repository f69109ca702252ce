import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedSecret } from '../clients/clients.js';
import { Agent } from '../http/agent.js';
import { until } from '../until.js';

const program = '/usr/sbin/apache2';
const modules = '/usr/lib/apache2/modules';

/** True if Debian's packages are installed; `npm test` installs them if it can. */
export const hasApache = existsSync(program) && existsSync(`${modules}/mod_auth_openidc.so`);

export interface Apache {
  origin: string;
  close(): Promise<void>;
}

interface Options {
  issuer: string;
  port: number;
  clientId: string;
  scope: string;
}

/** Apache with mod_auth_openidc, a relying party in C; `/protected/page` returns the user's claims in headers. */
export async function startApache({ issuer, port, clientId, scope }: Options): Promise<Apache> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-apache-'));
  await chmod(folder, 0o755);
  const origin = `http://localhost:${port}`;
  const loaded = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'dir', 'auth_openidc'];
  const config = `
ServerRoot "${folder}"
ServerName localhost
Listen 127.0.0.1:${port}
PidFile "${folder}/pid"
ErrorLog "${folder}/errors"
LogLevel warn
DocumentRoot "${folder}/"
${loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret ${sharedSecret}
OIDCProviderTokenEndpointAuth client_secret_basic
OIDCRedirectURI ${origin}/protected/callback
OIDCCryptoPassphrase a-passphrase-of-this-test-alone
OIDCPKCEMethod S256
OIDCScope "${scope}"
OIDCInfoHook access_token refresh_token userinfo id_token
<Location /protected>
  AuthType openid-connect
  Require valid-user
  Header always set X-Person "expr=%{reqenv:OIDC_CLAIM_email}|%{reqenv:OIDC_CLAIM_name}"
</Location>
`;
  const file = join(folder, 'apache.conf');
  await writeFile(file, config);
  const child = spawn(program, ['-f', file, '-DFOREGROUND'], { stdio: 'ignore' });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill('SIGTERM');
    await exit;
    await rm(folder, { recursive: true });
  };
  const isUp = () =>
    new Agent(origin).get('/').then(
      () => true,
      () => false,
    );
  try {
    await until(isUp);
    return { origin, close };
  } catch (error) {
    const said = await readFile(join(folder, 'errors'), 'utf8').catch(() => '');
    await close();
    throw new Error(`Apache does not answer: ${said}`, { cause: error });
  }
}
