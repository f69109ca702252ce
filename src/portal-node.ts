import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPortal } from './app.setup.js';
import type { Config } from './platform/config/config.js';
import { isLoopback } from './platform/config/load-config.js';
import { log } from './platform/logging/log.js';
import { releaseStartMemory } from './platform/process/start-memory.js';
import { Health } from './portal/application/health.js';
import { type DatabaseServer, StartError, stopOnSignal } from './prerequisites.js';
import { openRuntime, whileDatabaseStarts } from './runtime.js';
import { Admins } from './users/application/admins/admins.js';

/**
 * Serves until SIGTERM or SIGINT, then ends the process. Resolves with the text for the operator when it is ready;
 * rejects, and stops the database server, if it cannot start.
 */
export async function serveNode(config: Config, databaseServer: DatabaseServer): Promise<string> {
  process.on('uncaughtException', endBecauseOf);
  const say = (message: string) => log.warn(message);
  const { runtime, close } = await openRuntime(config, databaseServer, say);
  try {
    const { app, server, management } = await whileDatabaseStarts(config, runtime.connection, say, () =>
      createPortal(runtime),
    );
    const stop = async () => {
      app.get(Health, { strict: false }).announceStop();
      await sleep(config.server.stopDelay * 1000);
      // Requests in progress may finish; idle keep-alive connections would keep the server open, also those whose
      // response had begun before clients were asked to close them.
      const closed = new Promise((resolve) => server.close(resolve));
      const closing = setInterval(() => server.closeIdleConnections(), 100);
      setTimeout(() => server.closeAllConnections(), 25_000).unref();
      await closed;
      clearInterval(closing);
      // It tells until the end that the node stops.
      management?.close();
      management?.closeAllConnections();
      await app.close();
      await close();
    };
    stopOnSignal(stop);
    await releaseStartMemory();
    const { management: address } = config.server;
    if (management && address) await listen(management, address, 'server.management');
    await listen(server, config.server, 'server');
    return await greeting(config, app.get(Admins, { strict: false }));
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * As Node does by itself, but with the places of the sources, and without the line of the built file, which is most of
 * that file.
 */
function endBecauseOf(err: Error): void {
  log.fatal({ err }, 'uncaught error; Gatehouse stops');
  process.exit(1);
}

async function listen(
  server: import('node:http').Server,
  { host, port }: { host: string; port: number },
  section: string,
): Promise<void> {
  await lookup(host).catch(() => {
    throw new StartError(`${section}.host: ${host} is not an address of this machine`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(new StartError(taken ? `Port ${port} is taken. Choose another with ${section}.port.` : error.message));
    });
    server.listen(port, host, resolve);
  });
}

async function greeting(config: Config, admins: Admins): Promise<string> {
  const token = await admins.neededSetupToken().catch((err: unknown) => {
    // The node serves already: a database that is away for a moment must not end it for a line that is printed.
    log.warn(
      { err },
      'the database did not answer whether there is an administrator: start again to see the link for the first one',
    );
    return undefined;
  });
  const { issuer, host, port } = config.server;
  const first = token === undefined ? `${issuer}/` : `${issuer}/register?setup=${token}`;
  const lines = [
    '',
    'Gatehouse is ready.',
    '',
    `  Portal     ${first}`,
    `  FHIR base  ${issuer}${config.gateway.path}`,
  ];
  const { management } = config.server;
  if (management) lines.push(`  Metrics    http://${management.host}:${management.port}/metrics`);
  if (!config.fhir.baseUrl) lines.push('  Set fhir.baseUrl in gatehouse.yaml to connect a FHIR server.');
  if (!isLoopback(host)) lines.push(`  Listening on ${host}:${port}`);
  return `${lines.join('\n')}\n\n`;
}
