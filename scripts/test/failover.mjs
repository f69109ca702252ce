/**
 * `npm run test:failover [-- <number>]`: forces so many failovers (3 without a number) of three PostgreSQL servers
 * under Patroni, etcd and HAProxy, with the files of `deploy/failover`, while nodes serve sign-ins, codes, refreshes,
 * reads and revocations. Prints a table, and fails if a grant is lost, something is used twice, a wrong answer is
 * given, or sign-ins do not work again within 15 seconds. Without Debian's packages of these programs it says so and
 * tests nothing; as root it installs them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { exitWith, run } from '../prepare.mjs';

const packages = { etcd: 'etcd-server', patroni: 'patroni', patronictl: 'patroni', haproxy: 'haproxy' };
const clients = ['python3-etcd', 'python3-psycopg2'];

try {
  const number = Number(process.argv[2] ?? 3);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${process.argv[2]} is not a number of failovers`);
  if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) await install();
  if (missing().length > 0) {
    console.log(`Failover tests skipped, not installed: ${missing().join(', ')}.`);
  } else {
    const env = { GATEHOUSE_FAILOVERS: String(number) };
    await run(process.execPath, ['scripts/test.mjs', 'test/failover'], { env });
  }
} catch (error) {
  exitWith(error);
}

function missing() {
  const programs = Object.keys(packages).filter((name) => spawnSync(name, ['--version']).error);
  return existsSync('/usr/lib/postgresql') ? programs : [...programs, 'PostgreSQL'];
}

async function install() {
  console.log('Installing etcd, Patroni, HAProxy and PostgreSQL …');
  const quietly = { quiet: true, env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  const all = [...new Set(Object.values(packages)), ...clients, 'postgresql'];
  await run('apt-get', ['update'], quietly);
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...all], quietly).catch(() => undefined);
}
