import type { Config } from './platform/config/config.js';
import { ConfigError, loadConfig } from './platform/config/load-config.js';
import type { PostgresConnection } from './platform/database/connection.js';
import { startEmbeddedPostgres } from './platform/database/embedded-postgres.js';
import { failureReason } from './platform/database/first-contact.js';
import { log } from './platform/logging/log.js';
import { mostConnections } from './platform/workers/worker-count.js';

/** An error that the operator can fix: printed in one line, without a stack. */
export class StartError extends Error {}

export interface DatabaseServer {
  connection: PostgresConnection;
  /** Stops the embedded server unless another process uses it. */
  stop(): Promise<void>;
}

/** Connections for commands, and those that PostgreSQL reserves for superusers. */
const forCommands = 16;

export function configuration(): Config {
  return loadConfig(process.env, process.cwd());
}

/** Message for the operator; undefined for an error that an operator cannot fix. */
export function explanationOf(error: unknown): string | undefined {
  if (error instanceof ConfigError) {
    return `${error.message}\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`;
  }
  return error instanceof StartError ? `${error.message}\n` : undefined;
}

/**
 * The configured database server, or the embedded one, started. `onSpawn` is called when the embedded one starts as a
 * process of its own, and this process has nothing to do but wait.
 */
export async function databaseServer(config: Config, onSpawn = () => {}): Promise<DatabaseServer> {
  const { url } = config.database;
  if (url) return { connection: { connectionString: url }, stop: async () => undefined };
  const maxConnections = Math.max(100, mostConnections(config) + forCommands);
  return startEmbeddedPostgres({ dataDir: config.dataDir, log, maxConnections, onSpawn }).catch((error: unknown) => {
    throw new StartError(failureReason(error), { cause: error });
  });
}

let currentStop: (() => Promise<void>) | undefined;
let stopped: Promise<void> | undefined;

/**
 * Ends the process after `stop` when it receives SIGTERM or SIGINT; with code 1 if `stop` fails. A later call replaces
 * `stop`. As the first process of a container a process without a handler would ignore the signal.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  const isFirst = currentStop === undefined;
  currentStop = stop;
  if (!isFirst) return;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The handler stays registered: npm passes on a Ctrl-C that the terminal has sent already, and without a handler
    // the second signal would kill the process at once.
    process.on(signal, () => {
      stopped ??= currentStop?.() ?? Promise.resolve();
      stopped.then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

/** True after the signal: what fails from then on does so because the process stops. */
export function isStopping(): boolean {
  return stopped !== undefined;
}
