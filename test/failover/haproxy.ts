import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** HAProxy in front of the database servers and of the nodes, with the files that operators copy. */
export function startHaproxy(addresses: Record<string, string>): ChildProcess {
  const files = ['haproxy-postgres.cfg', 'haproxy-gatehouse.cfg'].flatMap((name) => ['-f', `deploy/failover/${name}`]);
  return spawn('haproxy', ['-db', '-q', ...files], {
    env: { PATH: process.env.PATH, ...addresses },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function stopHaproxy(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
