import type { Config } from './platform/config/config.js';
import { nodeAdvice } from './platform/logging/engine-warning.js';
import { log } from './platform/logging/log.js';
import { announceFailure, announceReady, fromPrimary, isWorker } from './platform/workers/worker.js';
import { workerCount } from './platform/workers/worker-count.js';
import { WorkerFailed, Workers } from './platform/workers/workers.js';
import {
  configuration,
  type DatabaseServer,
  databaseServer,
  explanationOf,
  isStopping,
  stopOnSignal,
} from './prerequisites.js';

/**
 * Starts what this process is: the only node, the primary process of several (`server.workers`), or one of its workers.
 * `main` is the file that a worker runs. The portal's code is loaded where it is needed: not by the primary process,
 * and while the embedded PostgreSQL starts.
 */
export async function start(main: string): Promise<void> {
  try {
    if (isWorker) await serveAsWorker();
    else {
      const config = configuration();
      log.level = config.logging.level;
      const advice = nodeAdvice();
      if (advice) log.warn(advice);
      const count = workerCount(config);
      // Where the log cannot be written, this cannot either, and the node serves nevertheless.
      process.stdout.on('error', () => undefined);
      process.stdout.write(count > 1 ? await serveByWorkers(main, config, count) : await serveAlone(config));
    }
  } catch (error) {
    await giveUp(error);
  }
}

async function serveAlone(config: Config): Promise<string> {
  const { server, spawned } = databaseServerOf(config);
  stopWhileStarting(server);
  await spawned;
  const { serveNode } = await import('./portal-node.js');
  return serveNode(config, await server);
}

async function serveByWorkers(main: string, config: Config, count: number): Promise<string> {
  const starting = databaseServer(config);
  stopWhileStarting(starting);
  const server = await starting;
  const workers = new Workers({ main, count, config, connection: server.connection });
  const stop = async () => {
    const isClean = await workers.stop();
    await server.stop();
    if (!isClean) throw new Error('a worker failed while it stopped');
  };
  stopOnSignal(stop);
  try {
    return await workers.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function serveAsWorker(): Promise<void> {
  const { config, connection } = await fromPrimary();
  log.level = config.logging.level;
  const { serveNode } = await import('./portal-node.js');
  await announceReady(await serveNode(config, { connection, stop: async () => undefined }));
}

/** The server, and the moment from which this process would only wait for it. */
function databaseServerOf(config: Config): { server: Promise<DatabaseServer>; spawned: Promise<unknown> } {
  let onSpawn: (() => void) | undefined;
  const spawn = new Promise<void>((resolve) => {
    onSpawn = resolve;
  });
  const server = databaseServer(config, onSpawn);
  // It is awaited after the code is loaded.
  server.catch(() => undefined);
  return { server, spawned: Promise.race([spawn, server]) };
}

/** A signal before the node serves ends the process as soon as the embedded server has stopped. */
function stopWhileStarting(server: Promise<DatabaseServer>): void {
  const started = server.catch(() => undefined);
  stopOnSignal(async () => (await started)?.stop());
}

async function giveUp(error: unknown): Promise<void> {
  // The process ends when it has stopped.
  if (isStopping()) return;
  const explanation = error instanceof WorkerFailed ? error.explanation : explanationOf(error);
  const isLogged = error instanceof WorkerFailed;
  if (explanation === undefined && !isLogged) log.fatal({ err: error }, 'Gatehouse could not start');
  if (isWorker) await announceFailure(explanation).catch(() => undefined);
  else if (explanation !== undefined) process.stderr.write(explanation);
  process.exit(1);
}
