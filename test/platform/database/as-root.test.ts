import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { compileLauncher } from './node-process.js';

type Launcher = Awaited<ReturnType<typeof compileLauncher>>;
const UNPRIVILEGED = 65_534;

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;

asRoot('The embedded PostgreSQL', () => {
  let dataDir: string;
  let programs: string;
  let open: Launcher;
  let closed: Launcher;

  beforeAll(async () => {
    [open, closed] = await Promise.all([compileLauncher({ mode: 0o755 }), compileLauncher({ mode: 0o700 })]);
  });
  afterAll(() => Promise.all([open.remove(), closed.remove()]));

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
    programs = mkdtempSync(join(tmpdir(), 'gatehouse-programs-'));
  });
  afterEach(() => {
    for (const dir of [dataDir, programs]) rmSync(dir, { recursive: true, force: true });
  });

  const status = () => {
    const pid = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0];
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  };

  const givenToUser = () => {
    mkdirSync(join(dataDir, 'postgres'));
    chownSync(join(dataDir, 'postgres'), UNPRIVILEGED, UNPRIVILEGED);
  };
  /** Most containers have no user namespaces. */
  const withoutNamespaces = () => {
    writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    return `${programs}:${process.env.PATH}`;
  };

  test('started as root runs as the owner of the cluster', async () => {
    givenToUser();
    const owner = await open.start(dataDir);
    expect(status()).toMatch(new RegExp(`^Uid:\\t${UNPRIVILEGED}\\t`, 'm'));
    expect(await owner.end('SIGTERM')).toBe(0);
  });

  test('started as root without user namespaces runs as another user', async () => {
    const owner = await open.start(dataDir, { path: withoutNamespaces() });
    expect(status()).not.toMatch(/^Uid:\t0\t/m);
    expect(await owner.end('SIGTERM')).toBe(0);
  });

  test('started as root runs from a folder that only root may enter', async () => {
    const owner = await closed.start(dataDir);
    expect(await owner.end('SIGTERM')).toBe(0);
  });

  test('started by an ordinary user runs', async () => {
    chownSync(dataDir, UNPRIVILEGED, UNPRIVILEGED);
    const owner = await open.start(dataDir, { uid: UNPRIVILEGED, gid: UNPRIVILEGED });
    expect(await owner.end('SIGTERM')).toBe(0);
    await until(() => !existsSync(join(dataDir, 'postgres', 'postmaster.pid')));
  });

  test('started as root names the folder that hides the binaries from the owner of the cluster', async () => {
    givenToUser();
    await expect(closed.start(dataDir)).rejects.toThrow(
      `PostgreSQL must run as the user nobody here, which cannot enter ${closed.dir} to reach its programs`,
    );
  });

  test('started as root without user namespaces names the folder that hides the binaries from the other user', async () => {
    await expect(closed.start(dataDir, { path: withoutNamespaces() })).rejects.toThrow(
      new RegExp(`run as the user (postgres|nobody) here, which cannot enter ${closed.dir} to reach its programs`),
    );
  });

  test('started as root without user namespaces names the folder that hides the data from the other user', async () => {
    chmodSync(dataDir, 0o700);
    await expect(open.start(join(dataDir, 'data'), { path: withoutNamespaces() })).rejects.toThrow(
      new RegExp(`run as the user (postgres|nobody) here, which cannot enter ${dataDir} to reach its data`),
    );
  });
});
