import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from '../http/agent.js';
import { freePorts } from '../portal/portal.js';
import { until } from '../until.js';
import { providerSecret } from './identity-provider.js';

const program = '/usr/bin/glewlwyd';
const modules = '/usr/lib/glewlwyd';
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';

/** True if Debian's package is installed; `npm test` installs it if it can. */
export const hasGlewlwyd = existsSync(program) && existsSync(schema);

export interface Glewlwyd {
  authority: string;
  addUser(user: { username: string; password: string } & Record<string, unknown>): Promise<void>;
  /** Signs in at Glewlwyd and consents; returns the callback address with the response. */
  signIn(address: string, username: string, password: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * Glewlwyd, an independent OpenID provider: written in C, from Debian's packages, with a database of
 * its own, set up by its REST API. It sends no `iss` in authorization responses, and an `auth_time` of 0.
 */
export async function startGlewlwyd(callback: string): Promise<Glewlwyd> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-glewlwyd-'));
  const [port = 0] = await freePorts(1);
  const origin = `http://localhost:${port}`;
  const config = join(folder, 'glewlwyd.conf');
  await writeFile(config, configuration(port, join(folder, 'database')));
  execFileSync('sqlite3', [join(folder, 'database')], { input: readFileSync(schema) });
  const child = spawn(program, [`--config-file=${config}`], { stdio: 'ignore' });
  const close = async () => {
    await ended(child);
    await rm(folder, { recursive: true });
  };
  try {
    const admin = new Agent(origin);
    const isUp = () =>
      admin.post('/api/auth', { username: 'admin', password: 'password' }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isUp);
    const authority = `${origin}/api/oidc`;
    await setUp(admin, authority, callback);
    return {
      authority,
      addUser: (user) => send(admin, 'POST', '/api/user/', { enabled: true, scope: ['openid'], ...user }),
      async signIn(address, username, password) {
        const browser = new Agent(origin);
        const { status } = await browser.post('/api/auth', { username, password });
        if (status !== 200) throw new Error(`Glewlwyd answered a sign-in with ${status}`);
        await send(browser, 'PUT', '/api/auth/grant/gatehouse', { scope: 'openid' });
        // Its own page sends the browser to this address after the user's consent.
        const { location = '', text } = await browser.get(`${address}&g_continue`);
        if (location === '' || location.startsWith(origin)) throw new Error(`Glewlwyd leads to ${location} ${text}`);
        return location;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function setUp(admin: Agent, iss: string, callback: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const off = {
    'auth-type-token-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
  };
  await send(admin, 'POST', '/api/mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    parameters: {
      iss,
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      cert: publicKey.export({ type: 'spki', format: 'pem' }),
      'access-token-duration': 600,
      'refresh-token-duration': 600,
      'code-duration': 60,
      'auth-type-code-enabled': true,
      ...off,
      'pkce-allowed': true,
      'pkce-required': true,
      'jwks-show': true,
      'subject-type': 'public',
      'name-claim': 'mandatory',
      'email-claim': 'mandatory',
      claims: [{ name: 'fhirUser', 'user-property': 'fhirUser', type: 'string', mandatory: true }],
    },
  });
  const format = { multiple: false, read: true, write: true };
  await send(admin, 'PUT', '/api/mod/user/database', {
    display_name: 'Users',
    order_rank: 0,
    parameters: { 'use-glewlwyd-connection': true, 'data-format': { fhirUser: format } },
  });
  await send(admin, 'PUT', '/api/mod/reload/', {});
  await send(admin, 'POST', '/api/client/', {
    client_id: 'gatehouse',
    name: 'Gatehouse',
    enabled: true,
    confidential: true,
    password: providerSecret,
    client_secret: providerSecret,
    redirect_uri: [callback],
    authorization_type: ['code'],
    token_endpoint_auth_method: ['client_secret_basic'],
    scope: [],
  });
}

async function send(agent: Agent, method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await agent.send(path, { method, body });
  if (status !== 200) throw new Error(`Glewlwyd answered ${method} ${path} with ${status}: ${text}`);
}

function configuration(port: number, database: string): string {
  return `
port = ${port}
bind_address = "127.0.0.1"
external_url = "http://localhost:${port}"
login_url = "login.html"
api_prefix = "api"
log_mode = "console"
log_level = "ERROR"
session_expiration = 3600
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "${modules}/user"
client_module_path = "${modules}/client"
user_auth_scheme_module_path = "${modules}/scheme"
plugin_module_path = "${modules}/plugin"
hash_algorithm = "SHA512"
database = { type = "sqlite3" path = "${database}" }
`;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}
