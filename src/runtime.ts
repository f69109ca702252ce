import type { Config } from './platform/config/config.js';
import { MasterKeyProblem, masterKey, refuseOtherMasterKey } from './platform/crypto/master-key.js';
import { Secrets } from './platform/crypto/secrets.js';
import type { PostgresConnection } from './platform/database/connection.js';
import { failureReason, refusePooledTransactions, withDatabase } from './platform/database/first-contact.js';
import { migrate } from './platform/database/migrate.js';
import type { Runtime } from './platform/platform.module.js';
import { type DatabaseServer, StartError } from './prerequisites.js';

/**
 * Opens the resources that the portal and its commands share: keys and a database, which is migrated unless it is only
 * inspected. `say` gets the reason of each wait. With `withAnyKey` the master key may be another one than that of the
 * database. The server stops if they cannot be opened, and then nothing was changed.
 */
export async function openRuntime(
  config: Config,
  server: DatabaseServer,
  say: (message: string) => void,
  { inspectOnly = false, withAnyKey = false } = {},
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const { connection, stop } = server;
  try {
    try {
      return await whileDatabaseStarts(config, connection, say, async () => {
        if (config.database.url) await refusePooledTransactions(connection);
        const secrets = new Secrets(await masterKey(config, connection));
        if (!withAnyKey) await refuseOtherMasterKey(config, secrets, connection);
        if (!inspectOnly) await migrate(connection, { say });
        return { runtime: { config, secrets, connection }, close: stop };
      });
    } catch (error) {
      throw error instanceof MasterKeyProblem ? new StartError(error.message, { cause: error }) : unusable(error);
    }
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Runs `use`, again while a server of the deployer starts, is restarted or changes roles: `database.startWait` seconds
 * at most. The embedded server is started by the node itself.
 */
export async function whileDatabaseStarts<T>(
  { database }: Config,
  connection: PostgresConnection,
  say: (message: string) => void,
  use: () => Promise<T>,
): Promise<T> {
  return database.url ? withDatabase(connection, { seconds: database.startWait, say }, use) : use();
}

/** The error that tells the operator why the database cannot be used. */
export function unusable(error: unknown): StartError {
  return new StartError(`The database cannot be used: ${failureReason(error)}`, { cause: error });
}
