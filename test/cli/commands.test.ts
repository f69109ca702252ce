import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { lock } from '../../scripts/prepare.mjs';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { backendService, sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, mailAbout, startMailSink } from '../support/mail-sink.js';
import { CommandedPortal, callGatehouse, configured, runGatehouse } from '../support/portal/command-line.js';
import { freePorts } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { enableTwoFactor } from '../support/users/authenticator.js';
import { addPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

const root = join(import.meta.dirname, '..', '..');

let folder: string;
let issuer: string;
let env: NodeJS.ProcessEnv;
const portal = new CommandedPortal();
let sink: MailSink;

/** A command that is refused and one that succeeds are started as processes; the others run in this one. */
const started = (...args: string[]) => runGatehouse(env, ...args);
const gatehouse = (...args: string[]) => callGatehouse(env, ...args);

const headers = basicAuthorization(backendService.clientId, sharedSecret);
const token = async () => {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const answer = await new Agent(issuer).postForm('/connect/token', form, { headers });
  return { status: answer.status, value: String(answer.json().access_token) };
};
/** Sets a password by the link and signs in; returns whether the user is an administrator. */
async function becomesAdmin(email: string, link: string, password: string): Promise<boolean> {
  const agent = new Agent(issuer);
  const { pathname, searchParams } = new URL(link);
  const [u, token] = [searchParams.get('u'), searchParams.get('t')];
  const { status } =
    pathname === '/account/activate'
      ? await agent.post(`/api/user/${u}/activate`, { password, token })
      : await agent.send(`/api/user/forgot-password/${u}/reset`, { method: 'PUT', body: { password, token } });
  expect(status).toBe(204);
  expect((await agent.post('/api/session/login', { username: email, password })).status).toBe(200);
  return (await agent.get('/api/admin/dashboard')).status === 200;
}

const publishedKeys = async () =>
  (await new Agent(issuer).get('/.well-known/openid-configuration/jwks')).json<{ keys: unknown[] }>().keys.length;

/** `npx gatehouse` while another process prepares the clone. */
async function whileAnotherPrepares(...args: string[]): Promise<{ out: string; err: string }> {
  const said = { out: '', err: '' };
  // Other suites prepare the clone, too.
  const release = await lock(join(root, 'dist', '.preparing'));
  // A clone that is prepared is not waited for.
  const stamp = join(root, 'dist', '.server-stamp');
  await rename(stamp, `${stamp}-away`);
  const stopPreparing = async () => {
    await rename(`${stamp}-away`, stamp).catch(() => undefined);
    await release();
  };
  try {
    const command = spawn(process.execPath, [join(root, 'scripts', 'gatehouse.mjs'), ...args], { env });
    command.stdout.on('data', (chunk) => {
      said.out += chunk;
    });
    command.stderr.on('data', (chunk) => {
      said.err += chunk;
    });
    await until(() => said.out + said.err !== '');
    await stopPreparing();
    await once(command, 'close');
    return said;
  } finally {
    await stopPreparing();
  }
}

beforeAll(async () => {
  const [port] = await freePorts(1);
  issuer = `http://localhost:${port}`;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
  sink = await startMailSink();
  env = await configured(folder, {
    server: { issuer, port },
    // No server listens there: the FHIR server is unavailable all the time.
    fhir: { baseUrl: 'http://127.0.0.1:9/fhir' },
    logging: { level: 'error' },
    email: sink.config,
    users: [people.patient],
    clients: [
      { ...backendService, accessTokenType: 'Jwt' },
      { ...backendService, clientId: 'caller', allowIntrospection: true },
    ],
  });
  await portal.start(env, issuer);
});

afterAll(async () => {
  await portal.stop();
  await sink.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('npx gatehouse', () => {
  it('lists its commands for an unknown one', async () => {
    const refused = await started('keys', 'burn');
    expect([refused.code, refused.out]).toEqual([64, '']);
    expect(refused.err).toContain('There is no such command: keys burn');
    expect(refused.err).toContain('keys rotate [--now]');
  });

  it('writes its answer alone to stdout, and to stderr that it waits for the clone to be prepared', async () => {
    const { out, err } = await whileAnotherPrepares('apply', '--help');
    expect(out).toMatch(/^Usage: npx gatehouse/);
    expect(err).toBe('Waiting for another process that prepares this clone …\n');
  });

  it.each([
    [['apply', '--help'], /^ {2}apply <file> .*\n.*--allow-delete deletes .*$/],
    [['keys', 'rotate', '-h'], /^ {2}keys rotate \[--now\] {2}.*$/],
    [
      ['help', 'release'],
      /^ {2}release all {12}Gives everything .*\n {2}release <kind> <name> {2}Gives one object .*$/,
    ],
  ])('explains a command without running it: %j', async (words, lines) => {
    const { code, out, err } = await gatehouse(...words);
    expect([code, err]).toEqual([0, '']);
    expect(out.replace('Usage: npx gatehouse <command>\n\n', '').trimEnd()).toMatch(lines);
  });

  it('explains the commands that begin with the words of an incomplete one, and fails', async () => {
    const refused = await gatehouse('keys');
    expect([refused.code, refused.out]).toEqual([64, '']);
    expect(refused.err).toMatch(/^This is not how the command is called: keys\n\nUsage: [^\n]*\n\n( {2}keys .*\n){3}$/);
    const unknown = await gatehouse('help', 'burn');
    expect([unknown.code, unknown.err]).toEqual([64, expect.stringMatching(/^There is no such command: help burn\n/)]);
  });

  it('keys rotate publishes new keys next to the signing ones, and with --now signs with them at once, on the running portal', async () => {
    const before = decodeProtectedHeader((await token()).value).kid;
    const listed = await gatehouse('keys', 'list');
    expect([listed.code, listed.err]).toEqual([0, '']);
    expect(listed.out).toMatch(new RegExp(`^KEY +ALGORITHM +STATE.*\\n(.*\\n)?${before} +ES256 +signing`));
    const rotated = await started('keys', 'rotate');
    expect(rotated.code).toBe(0);
    expect(rotated.out.match(/ published /g)).toHaveLength(2);
    await until(async () => (await publishedKeys()) === 4);
    expect(decodeProtectedHeader((await token()).value).kid).toBe(before);
    const hastened = await gatehouse('keys', 'rotate', '--now');
    expect(hastened.out.match(/ retired /g)).toHaveLength(2);
    await until(async () => decodeProtectedHeader((await token()).value).kid !== before);
    expect(await publishedKeys()).toBe(4);
    expect((await gatehouse('keys', 'remove', String(before))).code).toBe(0);
    await until(async () => (await publishedKeys()) === 3);
  });

  it('client disable revokes all grants of a client, also while the FHIR server is unavailable', async () => {
    const { value } = await token();
    const active = async () => {
      const form = { token: value };
      const answer = await new Agent(issuer).postForm('/connect/introspect', form, {
        headers: basicAuthorization('caller', sharedSecret),
      });
      return answer.json().active;
    };
    expect(await active()).toBe(true);
    const disabled = await gatehouse('client', 'disable', backendService.clientId);
    expect([disabled.code, disabled.err]).toEqual([0, '']);
    expect(disabled.out).toContain('is disabled');
    await until(async () => (await active()) === false);
    expect((await token()).status).toBe(401);
  });

  it('add-admin invites an administrator, and sends an existing one a link for a new password', async () => {
    const email = 'second.admin@example.org';
    const invited = await gatehouse('add-admin', email);
    expect([invited.code, invited.err]).toEqual([0, '']);
    expect(invited.out).toMatch(/^An administrator was invited.* The link goes out by mail\.\n$/);
    // A second invitation withdraws a mail that has not been sent.
    await sink.to(email);
    const again = await gatehouse('add-admin', email);
    expect(again.out).toContain('had not chosen a password yet');
    expect(await becomesAdmin(email, linkInMail(await sink.to(email, 2)).url, 'copper-meadow-8841')).toBe(true);
    const reset = await gatehouse('add-admin', email.toUpperCase());
    expect([reset.code, reset.out]).toEqual([0, expect.stringContaining('can choose a new password')]);
    expect(await becomesAdmin(email, linkInMail(await sink.to(email, 3)).url, 'willow-harbour-3075')).toBe(true);
  });

  it('add-admin --lost-all removes what an administrator has lost, and its link alone is enough', async () => {
    const email = 'lost.admin@example.org';
    await gatehouse('add-admin', email);
    const password = 'copper-meadow-8841';
    expect(await becomesAdmin(email, linkInMail(await sink.to(email)).url, password)).toBe(true);
    const admin = new Agent(issuer);
    await admin.post('/api/session/login', { username: email, password });
    await addPasskey(admin);
    await enableTwoFactor(admin);
    const lost = await gatehouse('add-admin', '--lost-all', '--print', email);
    expect([lost.code, lost.err]).toEqual([0, '']);
    expect((await admin.get('/api/session')).status).toBe(401);
    expect(await becomesAdmin(email, /http\S+/.exec(lost.out)?.[0] ?? '', 'willow-harbour-3075')).toBe(true);
    expect((await mailAbout(sink, email, 'Two-factor authentication for Gatehouse was reset')).mail.text).toContain(
      'signed out everywhere',
    );
  });

  it('add-admin refuses the address of another user and an invalid one', async () => {
    const taken = await gatehouse('add-admin', people.patient.email);
    expect([taken.code, taken.out, taken.err]).toEqual([1, '', expect.stringContaining('not an administrator')]);
    const none = await gatehouse('add-admin', 'nowhere');
    expect([none.code, none.err]).toEqual([1, 'The Email field is not a valid e-mail address\n']);
  });

  it('reports a failure', async () => {
    const unknown = await gatehouse('client', 'disable', 'unknown');
    expect(unknown).toEqual({ code: 1, out: '', err: 'There is no client unknown.\n' });
    env.GATEHOUSE_SERVER__PORT = 'many';
    const misconfigured = await gatehouse('keys', 'list');
    delete env.GATEHOUSE_SERVER__PORT;
    expect([misconfigured.code, misconfigured.err]).toEqual([1, expect.stringContaining('server.port')]);
  });

  it('audit verify finds the record unchanged, and commands are in it', async () => {
    const verified = await gatehouse('audit', 'verify');
    expect([verified.code, verified.err]).toEqual([0, '']);
    expect(verified.out).toMatch(/^\d+ events under (?:1 seal|\d+ seals) are as they were recorded\.\n$/);
  });

  it('works also while the portal is stopped, and stops its database again', async () => {
    await portal.stop();
    const listed = await gatehouse('keys', 'list');
    expect(listed.out.match(/ signing /g)).toHaveLength(2);
    const email = 'third.admin@example.org';
    const { out } = await gatehouse('add-admin', '--print', email);
    expect(sink.received.filter(({ to }) => to.includes(email))).toEqual([]);
    await portal.start(env, issuer);
    const [link = ''] = /http\S+/.exec(out) ?? [];
    expect(await becomesAdmin(email, link, 'copper-meadow-8841')).toBe(true);
    expect((await token()).status).toBe(401);
  });
});
