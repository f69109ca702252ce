// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getStatus, OperationOutcomeError } from '@medplum/core';
import { FhirRouter } from '@medplum/fhir-router';
import express from 'express';
import { demoPorts } from '../demo-ports.js';
import { loadDefinitions } from './definitions.js';
import { createDemoRepository } from './demo-repository.js';
import { FhirError } from './fhir-error.js';
import { fhirRoutes, send } from './routes.js';

/** @import { AddressInfo } from 'node:net' */
/** @import { ErrorRequestHandler } from 'express' */

/** It checks no token, so nothing but this machine may reach it. */
const HOST = '127.0.0.1';

/** Below the root, so that a proxy in front of it must handle a base URL with a path. */
const BASE_PATH = '/r4';
/** The same resources a second time, for a portal with two tenants: it takes no server for two of them. */
const CLINIC_PATH = '/clinic/r4';

/**
 * Starts the demo FHIR server with the generated patients.
 *
 * @param {{ port?: number, log?: (message: string) => void }} [options] port 0 takes any free one
 * @returns {Promise<{ url: string, clinicUrl: string, count: number, close: () => Promise<void> }>} its base URLs and
 *   number of resources
 */
export async function startFhirServer({ port = demoPorts().fhir, log = () => {} } = {}) {
  loadDefinitions();
  const repository = await createDemoRepository();

  const app = express().disable('x-powered-by').disable('etag');
  const server = createServer(app);
  server.listen(port, HOST);
  await once(server, 'listening');
  const origin = `http://${HOST}:${/** @type {AddressInfo} */ (server.address()).port}`;

  app.use((req, res, next) => {
    res.on('finish', () => log(`${req.method} ${req.originalUrl} ${res.statusCode}`));
    next();
  });
  for (const path of [BASE_PATH, CLINIC_PATH]) {
    app.use(path, fhirRoutes({ router: new FhirRouter(), repository, baseUrl: origin + path }));
  }
  app.use((req) => {
    throw new FhirError(404, 'not-found', `FHIR is served below ${BASE_PATH}, not at ${req.path}`);
  });
  app.use(answerError(log));

  return {
    url: origin + BASE_PATH,
    clinicUrl: origin + CLINIC_PATH,
    count: repository.size,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Every error is an OperationOutcome (FHIR R4 §3.1.0.1.9).
 *
 * @param {(message: string) => void} log
 * @returns {ErrorRequestHandler}
 */
function answerError(log) {
  return (error, _req, res, _next) => {
    if (error instanceof OperationOutcomeError) {
      send(res, getStatus(error.outcome), error.outcome);
    } else if (error instanceof FhirError) {
      send(res, error.status, error.outcome);
    } else if (error.status >= 400 && error.status < 500) {
      // Express and its body reader: a malformed path, a body that is too large or cut off.
      send(res, error.status, new FhirError(error.status, 'invalid', error.message).outcome);
    } else {
      log(String(error.stack));
      send(res, 500, new FhirError(500, 'exception', 'Internal server error').outcome);
    }
  };
}
