import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.js';
import { mostWorkers } from '../config/server.js';

/** Connections next to those of the pool: one that listens, and one at the start. */
const besidePool = 2;

/** Number of processes that serve the port. */
export function workerCount({ server: { workers } }: Pick<Config, 'server'>): number {
  return workers === 'auto' ? Math.min(availableParallelism(), mostWorkers) : workers;
}

/** The most connections to the database that the processes of this machine open. */
export function mostConnections(config: Pick<Config, 'server' | 'database'>): number {
  return workerCount(config) * (config.database.poolSize + besidePool);
}
