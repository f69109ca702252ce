/**
 * A thread next to tests that may never end: kills the process when it has used the CPU time of its shared limit, in
 * milliseconds.
 */
import { workerData as killedAt } from 'node:worker_threads';

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const limit = Atomics.load(killedAt, 0);
  if (limit > 0 && (user + system) / 1000 > limit) process.kill(process.pid, 'SIGKILL');
}, 100);
