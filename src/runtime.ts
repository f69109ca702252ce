import type { Config } from './platform/config/config.js';
import { masterKey } from './platform/crypto/master-key.js';
import { Secrets } from './platform/crypto/secrets.js';
import { failureReason, refusePooledTransactions, waitForDatabase } from './platform/database/first-contact.js';
import { migrate } from './platform/database/migrate.js';
import type { Runtime } from './platform/platform.module.js';
import { type DatabaseServer, StartError } from './prerequisites.js';

/**
 * Opens the resources that the portal and its commands share: keys and a database, which is migrated unless it is only
 * inspected. `say` gets the reason of each wait. The server stops if they cannot be opened.
 */
export async function openRuntime(
  config: Config,
  server: DatabaseServer,
  say: (message: string) => void,
  { inspectOnly = false } = {},
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const { connection, stop } = server;
  try {
    const secrets = new Secrets(await masterKey(config));
    try {
      if (config.database.url) {
        await waitForDatabase(connection, { seconds: config.database.startWait, say });
        await refusePooledTransactions(connection);
      }
      if (!inspectOnly) await migrate(connection, { say });
    } catch (error) {
      throw unusable(error);
    }
    return { runtime: { config, secrets, connection }, close: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The error that tells the operator why the database cannot be used. */
export function unusable(error: unknown): StartError {
  return new StartError(`The database cannot be used: ${failureReason(error)}`, { cause: error });
}
