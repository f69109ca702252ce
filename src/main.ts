import { lookup } from 'node:dns/promises';
import process from 'node:process';
import { createPortal } from './app.setup.js';
import type { Config } from './platform/config/config.js';
import { ConfigError, isLoopback, loadConfig } from './platform/config/load-config.js';
import { masterKey } from './platform/crypto/master-key.js';
import { Secrets } from './platform/crypto/secrets.js';
import type { PostgresConnection } from './platform/database/connection.js';
import { startEmbeddedPostgres } from './platform/database/embedded-postgres.js';
import { migrate } from './platform/database/migrate.js';
import { log } from './platform/logging/log.js';
import { SetupToken } from './users/application/setup-token.js';

/** What an operator can mend: said in one line, without a stack. */
class StartError extends Error {}

async function start(): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  log.level = config.logging.level;
  const { connection, stop: stopDatabase } = await database(config);
  try {
    const secrets = new Secrets(await masterKey(config));
    await migrate(connection).catch((error: unknown) => {
      throw new StartError(`The database cannot be used: ${reason(error)}`);
    });
    const { app, server } = await createPortal({ config, secrets, connection });
    const stop = async () => {
      // Requests that are being answered may finish; idle keep-alive connections would hold the server open.
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 25_000).unref();
      await closed;
      await app.close();
      await stopDatabase();
    };
    let stopped: Promise<void> | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // More than once: npm passes on a Ctrl-C that the terminal has sent already, and unheard it would end us at once.
      process.on(signal, () => {
        stopped ??= stop();
        stopped.then(
          () => process.exit(0),
          () => process.exit(1),
        );
      });
    }
    await listen(server, config);
    await greet(config, app.get(SetupToken, { strict: false }));
  } catch (error) {
    await stopDatabase();
    throw error;
  }
}

async function database(config: Config): Promise<{ connection: PostgresConnection; stop(): Promise<void> }> {
  const { url } = config.database;
  if (url) return { connection: { connectionString: url }, stop: async () => undefined };
  return startEmbeddedPostgres({ dataDir: config.dataDir, log });
}

async function listen(server: import('node:http').Server, config: Config): Promise<void> {
  const { host, port } = config.server;
  await lookup(host).catch(() => {
    throw new StartError(`server.host: ${host} is not an address of this machine`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(new StartError(taken ? `Port ${port} is taken. Choose another with server.port.` : error.message));
    });
    server.listen(port, host, resolve);
  });
}

async function greet(config: Config, setup: SetupToken): Promise<void> {
  const token = await setup.whileNeeded();
  const { issuer, host } = config.server;
  const first = token === undefined ? `${issuer}/` : `${issuer}/register?setup=${token}`;
  process.stdout.write(
    `\nGatehouse is ready.\n\n  Portal     ${first}\n  FHIR base  ${issuer}${config.gateway.path}\n`,
  );
  if (!config.fhir.baseUrl) process.stdout.write('  Set fhir.baseUrl in gatehouse.yaml to connect a FHIR server.\n');
  if (!isLoopback(host)) process.stdout.write(`  Listening on ${host}:${config.server.port}\n`);
  process.stdout.write('\n');
}

function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
}

start().catch((error: unknown) => {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n${error.problems.map((problem) => `  ${problem}\n`).join('')}`);
  } else if (error instanceof StartError) {
    process.stderr.write(`${error.message}\n`);
  } else {
    log.fatal({ err: error }, 'Gatehouse could not start');
  }
  process.exit(1);
});
