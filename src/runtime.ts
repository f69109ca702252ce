import type { Config } from './platform/config/config.js';
import { ConfigError, loadConfig } from './platform/config/load-config.js';
import { masterKey } from './platform/crypto/master-key.js';
import { Secrets } from './platform/crypto/secrets.js';
import type { PostgresConnection } from './platform/database/connection.js';
import { startEmbeddedPostgres } from './platform/database/embedded-postgres.js';
import { failureReason, refusePooledTransactions, waitForDatabase } from './platform/database/first-contact.js';
import { migrate } from './platform/database/migrate.js';
import { log } from './platform/logging/log.js';
import type { Runtime } from './platform/platform.module.js';

/** An error that the operator can fix: printed in one line, without a stack. */
export class StartError extends Error {}

/**
 * Opens the resources that the portal and its commands share: configuration, keys, and a migrated database. `say` gets
 * the reason of each wait.
 */
export async function openRuntime(
  config: Config,
  say: (message: string) => void,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const { connection, stop } = await database(config);
  try {
    const secrets = new Secrets(await masterKey(config));
    try {
      if (config.database.url) {
        await waitForDatabase(connection, { seconds: config.database.startWait, say });
        await refusePooledTransactions(connection);
      }
      await migrate(connection, { say });
    } catch (error) {
      throw new StartError(`The database cannot be used: ${failureReason(error)}`, { cause: error });
    }
    return { runtime: { config, secrets, connection }, close: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function configuration(): Config {
  return loadConfig(process.env, process.cwd());
}

/** Message for the operator; undefined for an error that an operator cannot fix. */
export function explained(error: unknown): string | undefined {
  if (error instanceof ConfigError) {
    return `${error.message}\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`;
  }
  return error instanceof StartError ? `${error.message}\n` : undefined;
}

async function database(config: Config): Promise<{ connection: PostgresConnection; stop(): Promise<void> }> {
  const { url } = config.database;
  if (url) return { connection: { connectionString: url }, stop: async () => undefined };
  return startEmbeddedPostgres({ dataDir: config.dataDir, log }).catch((error: unknown) => {
    throw new StartError(failureReason(error), { cause: error });
  });
}
