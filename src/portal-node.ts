import { lookup } from 'node:dns/promises';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPortal } from './app.setup.js';
import type { Config } from './platform/config/config.js';
import { isLoopback } from './platform/config/load-config.js';
import { nodeAdvice } from './platform/logging/engine-warning.js';
import { log } from './platform/logging/log.js';
import { Health } from './portal/application/health.js';
import { configuration, explained, openRuntime, StartError } from './runtime.js';
import { SetupToken } from './users/application/setup-token.js';

async function start(): Promise<void> {
  const config = configuration();
  log.level = config.logging.level;
  const advice = nodeAdvice();
  if (advice) log.warn(advice);
  const { runtime, close } = await openRuntime(config, (message) => log.warn(message));
  try {
    const { app, server } = await createPortal(runtime);
    const stop = async () => {
      app.get(Health, { strict: false }).announceStop();
      // A connection that stayed in use would keep the server open, and finally break during a request.
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false;
      });
      await sleep(config.server.stopDelay * 1000);
      // Requests in progress may finish; idle keep-alive connections would keep the server open.
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 25_000).unref();
      await closed;
      await app.close();
      await close();
    };
    let stopped: Promise<void> | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // The handler stays registered: npm passes on a Ctrl-C that the terminal has sent already, and without a handler
      // the second signal would kill the process at once.
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
    await close();
    throw error;
  }
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

start().catch((error: unknown) => {
  const text = explained(error);
  if (text === undefined) log.fatal({ err: error }, 'Gatehouse could not start');
  else process.stderr.write(text);
  process.exit(1);
});
