import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lock } from '../../scripts/prepare.mjs';
import { until } from '../support/until.js';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-lock-'));
  file = join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true }));

const holder = () => readFile(file, 'utf8').catch(() => 'none');

describe('A clone whose folder cannot be written', () => {
  /** In a namespace of its own, in which the clone is mounted a second time, without the right to write. */
  const whereNothingIsWritten = (...command: string[]) =>
    spawnSync(
      'unshare',
      [
        ...['--map-root-user', '--mount', 'sh', '-c'],
        'mount --bind . . && mount -o remount,ro,bind . && cd "$PWD" && exec "$@"',
        ...['sh', ...command],
      ],
      { encoding: 'utf8' },
    );

  it('runs its commands, and starts, if it is built', () => {
    const help = whereNothingIsWritten(process.execPath, 'scripts/gatehouse.mjs', 'help', 'check');
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('check [--json]');
    const { status, stderr } = whereNothingIsWritten(
      ...['env', 'GATEHOUSE_SERVER__PORT=none', process.execPath, 'scripts/start.mjs'],
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining('\n  server.port: must be a number\n')]);
  });

  it('runs `npx gatehouse` for a user who has run it before', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'gatehouse-npm-'));
    const npx = ['npx', '--no', '--cache', cache, 'gatehouse', 'help', 'check'] as const;
    const before = spawnSync(npx[0], npx.slice(1), { encoding: 'utf8' });
    expect(before).toMatchObject({ status: 0, stdout: expect.stringContaining('check [--json]') });
    expect(whereNothingIsWritten(...npx)).toMatchObject({ status: 0, stdout: before.stdout });
    await rm(cache, { recursive: true });
  });

  it('says what to do if it is not', () => {
    const { status, stderr } = whereNothingIsWritten(
      'sh',
      '-c',
      `mount -t tmpfs none dist && mount -o remount,ro dist && exec ${process.execPath} scripts/gatehouse.mjs help`,
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^Gatehouse is not built, or was changed since, and .* cannot be written: run `npm run build` where it can\.\n$/,
      ),
    ]);
  });
});

describe('The lock of a clone that is being prepared', () => {
  it('is taken over from a process that has ended, and released', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(file, String(pid));
    const release = await lock(file);
    expect(await holder()).toBe(String(process.pid));
    await release();
    expect(await holder()).toBe('none');
  });

  it('is waited for while its process lives', async () => {
    await writeFile(file, String(process.ppid));
    let isHeld = false;
    const locked = lock(file).then((release: () => Promise<void>) => {
      isHeld = true;
      return release;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isHeld).toBe(false);
    await rm(file);
    await until(() => isHeld);
    await (await locked)();
  });

  it('is left to a process that has taken it over, or removed it', async () => {
    const release = await lock(file);
    await writeFile(file, String(process.ppid));
    await release();
    expect(await holder()).toBe(String(process.ppid));
    await rm(file);
    await release();
  });
});
