import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from '../support/http/agent.js';
import { CommandedPortal, callGatehouse, configured } from '../support/portal/command-line.js';
import { freePorts } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const passphrase = 'meadow-lantern-4471-copper';
let folder: string;
let issuer: string;
let env: NodeJS.ProcessEnv;
const portal = new CommandedPortal();
let backup: string;

/** Commands that ask are started at a terminal; the others run in this process. */
const gatehouse = (...args: string[]) => callGatehouse(env, ...args);
const withPassphrase = (value: string, ...args: string[]) =>
  callGatehouse({ ...env, GATEHOUSE_BACKUP_PASSPHRASE: value }, ...args);

/** Answers each question of a command at a terminal of its own; returns its exit code and what the terminal showed. */
async function atTerminal(command: string, answers: string[]): Promise<{ code: number | null; shown: string }> {
  const child = spawn('script', ['-qec', `${process.execPath} dist/src/cli.js ${command}`, '/dev/null'], { env });
  const waiting = [...answers];
  let shown = '';
  let asked = 0;
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    const questions = shown.match(/(?:: |\(yes\/no\) )(?=\r?\n|$)/g)?.length ?? 0;
    if (questions <= asked) return;
    asked = questions;
    const answer = waiting.shift();
    if (answer !== undefined) child.stdin.write(`${answer}\r`);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}

beforeAll(async () => {
  const [port] = await freePorts(1);
  issuer = `http://localhost:${port}`;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-cli-backup-'));
  backup = join(folder, 'portal.backup');
  env = await configured(folder, {
    server: { issuer, port },
    fhir: { baseUrl: 'http://127.0.0.1:9/fhir' },
    logging: { level: 'error' },
    users: [people.admin],
  });
  await portal.start(env, issuer);
});

afterAll(async () => {
  await portal.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('npx gatehouse backup and restore', () => {
  it('ask for the passphrase without showing it, twice, and record the backup', async () => {
    const wrong = await atTerminal(`backup ${backup}`, [passphrase, 'another one of 16 characters']);
    expect(wrong.shown).toContain('The two passphrases are not the same.');
    const { code, shown } = await atTerminal(`backup ${backup}`, [passphrase, passphrase]);
    expect([code, shown]).toEqual([
      0,
      expect.stringMatching(/portal\.backup has \d+ rows of \d+ tables, in [\d.]+ kB\./),
    ]);
    expect(shown).toContain('It contains the master key.');
    expect(shown).not.toContain(passphrase);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    const report = JSON.parse((await gatehouse('check', '--json')).out);
    const checks = report.sections.flatMap(({ checks: list }: { checks: { code: string; state: string }[] }) => list);
    expect(checks.find(({ code: of }: { code: string }) => of === 'backups').state).toBe('pass');
  });

  it('say in one sentence why they do not run', async () => {
    const short = await withPassphrase('too short', 'backup', join(folder, 'short.backup'));
    expect(short).toEqual({ code: 1, out: '', err: 'The passphrase needs 16 characters or more.\n' });
    const garbage = join(folder, 'garbage');
    for (const bytes of [
      '['.repeat(5_000_000),
      '\0'.repeat(5_000_000),
      `GATEHOUSE BACKUP 1\n${'['.repeat(5_000_000)}`,
    ]) {
      await writeFile(garbage, bytes);
      const reason = bytes.startsWith('G')
        ? 'was cut off or changed: its header has no end'
        : 'is not a backup of Gatehouse';
      for (const command of [
        ['restore', garbage, '--end-issued'],
        ['backup', 'check', garbage],
      ]) {
        const refused = await withPassphrase(passphrase, ...command);
        expect(refused).toEqual({ code: 1, out: '', err: `${garbage} ${reason}.\n` });
      }
    }
    const exists = await withPassphrase(passphrase, 'backup', backup);
    expect(exists).toEqual({ code: 1, out: '', err: `${backup} exists already; --force replaces it.\n` });
    const silent = await gatehouse('backup', join(folder, 'silent.backup'));
    expect([silent.code, silent.err]).toEqual([1, expect.stringContaining('Set GATEHOUSE_BACKUP_PASSPHRASE or')]);
    const wrong = await withPassphrase('another one of 16 characters', 'backup', 'check', backup);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^This is not the passphrase of the backup/)]);
    const undecided = await withPassphrase(passphrase, 'restore', backup);
    expect([undecided.code, undecided.err]).toEqual([
      1,
      expect.stringContaining('Say by --end-issued or --keep-issued'),
    ]);
    const contradicted = await withPassphrase(passphrase, 'restore', backup, '--end-issued', '--keep-issued');
    expect([contradicted.code, contradicted.err]).toEqual([1, 'Name one of --end-issued and --keep-issued.\n']);
    const running = await withPassphrase(passphrase, 'restore', backup, '--end-issued');
    expect([running.code, running.err]).toEqual([
      1,
      expect.stringContaining('Nodes of Gatehouse use the database (1 of'),
    ]);
    const file = join(folder, 'passphrase');
    await writeFile(file, `${passphrase}\n`);
    const checked = await callGatehouse({ ...env, GATEHOUSE_BACKUP_PASSPHRASE_FILE: file }, 'backup', 'check', backup);
    expect([checked.code, checked.err]).toEqual([0, '']);
    const both = { ...env, GATEHOUSE_BACKUP_PASSPHRASE: passphrase, GATEHOUSE_BACKUP_PASSPHRASE_FILE: file };
    expect(await callGatehouse(both, 'backup', 'check', backup)).toEqual({
      code: 1,
      out: '',
      err: 'Set one of GATEHOUSE_BACKUP_PASSPHRASE and GATEHOUSE_BACKUP_PASSPHRASE_FILE, not both.\n',
    });
    const none = { ...env, GATEHOUSE_BACKUP_PASSPHRASE_FILE: `${file}-of-yesterday` };
    const unreadable = await callGatehouse(none, 'backup', 'check', backup);
    expect([unreadable.code, unreadable.err]).toEqual([
      1,
      expect.stringMatching(/^GATEHOUSE_BACKUP_PASSPHRASE_FILE: .*ENOENT.*\n$/),
    ]);
    const ending = await gatehouse('end-issued');
    expect([ending.code, ending.err]).toEqual([
      1,
      expect.stringContaining('Nodes of Gatehouse use the database (1 of'),
    ]);
    expect(checked.out).toMatch(
      /is as it was written on .* by release .*\.\nIt has \d+ rows of \d+ tables, and the master key/,
    );
  });

  it('bring the installation back on a machine that has only the file', async () => {
    await portal.stop();
    const refused = await withPassphrase(passphrase, 'restore', backup, '--end-issued');
    const cluster = join(folder, 'data', 'postgres');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(
        `This installation has data (1 user), which is never replaced: move ${cluster} to another place`,
      ),
    ]);
    await rename(join(folder, 'data'), join(folder, 'data-before'));
    const { code, shown } = await atTerminal(`restore ${backup}`, [passphrase, 'yes']);
    expect([code, shown]).toEqual([0, expect.stringContaining('Everything that was issued has ended')]);
    expect(shown).not.toContain(passphrase);
    expect((await readdir(join(folder, 'data'))).sort()).toEqual(['master.key', 'postgres', 'postgres.log']);
    await portal.start(env, issuer);
    const { email: username, password } = people.admin;
    const signedIn = await new Agent(issuer).post('/api/session/login', { username, password });
    expect(signedIn.status).toBe(200);
    const verified = await gatehouse('audit', 'verify');
    expect([verified.code, verified.err]).toEqual([0, '']);
    await portal.stop();
    const ended = await gatehouse('end-issued');
    expect([ended.code, ended.err]).toEqual([0, '']);
    expect(ended.out).toMatch(/^Everything that was issued has ended: \d+ sessions?, 0 grants, \d+ links? by mail,/);
    await portal.start(env, issuer);
    expect((await new Agent(issuer).post('/api/session/login', { username, password })).status).toBe(200);
  });
});
