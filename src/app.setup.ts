import { createServer, type Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { ActivityLog } from './activity/application/activity-log.js';
import { AppModule } from './app.module.js';
import { fileBodyType, filesPath } from './contract/rules/request-files.js';
import { Gateway } from './gateway/http/gateway.handler.js';
import { managementServer } from './management.js';
import { EngineHandler } from './oidc/engine/engine.handler.js';
import { accountPath } from './oidc/http/account.controller.js';
import { MisdirectedHandler } from './oidc/http/misdirected.handler.js';
import { ClientAddress } from './platform/http/client-address.js';
import { frontDoor, kindOfPage, refuseUnreadable } from './platform/http/front-door.js';
import { ProblemFilter } from './platform/http/problem.filter.js';
import { jsonBody } from './platform/http/request-body.js';
import { onlyOwnMethods } from './platform/http/route-methods.js';
import { sameOrigin } from './platform/http/same-origin.js';
import { limitUploads, usualPace } from './platform/http/upload-pace.js';
import { ContractValidationPipe } from './platform/http/validation.js';
import { Languages } from './platform/language/languages.js';
import { NestLog } from './platform/logging/nest-log.js';
import { RequestFigures } from './platform/metrics/request-figures.js';
import type { Runtime } from './platform/platform.module.js';
import { Arrivals } from './platform/request/arrivals.js';
import { Telemetry } from './platform/telemetry/telemetry.js';
import { Health } from './portal/application/health.js';

export interface Portal {
  app: INestApplication;
  /** The server; not yet listening. */
  server: Server;
  /** The server of `server.management`; not yet listening. */
  management: Server | undefined;
}

/** Time to read a response, in addition to the FHIR server's time to begin it. */
const readWithinMs = 60_000;
/**
 * Longer than proxies keep a connection that nothing uses (nginx and AWS for 60 seconds, Traefik for 90, Caddy for
 * 120): they would lose a request that they send while the node closes it.
 */
const idleWithinMs = 125_000;

/** Bytes of a body: a form, or a file of users. */
const longestBody = (path: string) => (path.startsWith('/admin/user/import') ? 2048 : 256) * 1024;

/** A call whose body is a file, which its handler reads for a caller that is admitted. */
const isFile = (path: string) => `/api${path}` === filesPath;
const bodyType = (path: string) => (isFile(path) ? fileBodyType : 'application/json');

/** Creates the portal as `main` and the tests start it: the engine and the gateway are dispatched before Express. */
export async function createPortal(runtime: Runtime): Promise<Portal> {
  const { issuer } = runtime.config.server;
  const web = express();
  web.disable('x-powered-by');
  web.disable('etag');
  // One spelling per path, so that code before Express (the front door) and Express agree on the route.
  web.enable('case sensitive routing');
  const app = await NestFactory.create(AppModule.forRuntime(runtime), new ExpressAdapter(web), {
    bodyParser: false,
    logger: new NestLog(),
    // `start` reports a failure, and a worker reports its own to the primary process. Otherwise Nest ends the process.
    abortOnError: false,
  });
  app.use('/api', onlyOwnMethods(web), sameOrigin(issuer, bodyType), jsonBody(longestBody, isFile));
  // The only form of a page that works without the React application.
  const form = 'application/x-www-form-urlencoded';
  app.use(
    accountPath,
    sameOrigin(issuer, () => form),
    express.urlencoded({ extended: false, limit: '32kb' }),
  );
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new ContractValidationPipe());
  const telemetry = app.get(Telemetry, { strict: false });
  try {
    await app.init();
    await telemetry.start();
  } catch (error) {
    // Background work that has begun already would continue without a portal.
    await app.close().catch(() => undefined);
    throw error;
  }
  const health = app.get(Health, { strict: false });
  const browser = {
    addresses: app.get(ClientAddress, { strict: false }),
    languages: app.get(Languages, { strict: false }),
    arrivals: app.get(Arrivals, { strict: false }),
    activity: app.get(ActivityLog, { strict: false }),
    figures: app.get(RequestFigures, { strict: false }),
    tracing: telemetry.tracing,
    isStopping: () => health.isStopping,
  };
  const server = createServer(
    {
      headersTimeout: 10_000,
      // For bodies see `limitUploads`.
      requestTimeout: 0,
      // Interval at which Node checks its time-out; on average it expires half of it late.
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 32 * 1024,
    },
    frontDoor(issuer, browser, [
      app.get(EngineHandler, { strict: false }),
      app.get(Gateway, { strict: false }),
      app.get(MisdirectedHandler, { strict: false }),
      { isFor: () => true, kindOf: kindOfPage, handle: (request, response) => web(request, response) },
    ]),
  );
  limitUploads(server, usualPace);
  server.on('connection', () => browser.arrivals.connected());
  server.on('clientError', refuseUnreadable);
  server.keepAliveTimeout = idleWithinMs;
  // Ends connections whose client does not read the response: no data has moved for this time.
  server.setTimeout(runtime.config.fhir.timeoutMs + readWithinMs);
  const management = runtime.config.server.management && managementServer(app);
  return { app, server, management };
}
