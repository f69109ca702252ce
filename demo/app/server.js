// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { demoPorts } from '../demo-ports.js';

/** @import { AddressInfo } from 'node:net' */

const PUBLIC = fileURLToPath(new URL('./public', import.meta.url));
const FHIRCLIENT = dirname(createRequire(import.meta.url).resolve('fhirclient/package.json'));

/**
 * Serves the sample SMART app: static pages on a port, and so on an origin, of its own. It has no back end; everything
 * else it needs it gets from the FHIR server in the browser.
 *
 * @param {{ port?: number, fhirBase?: string, clientId?: string }} [options] port 0 takes any free one
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startSampleApp({
  port = demoPorts().app,
  fhirBase = `http://localhost:${demoPorts().portal}/fhir`,
  clientId = 'demo-app',
} = {}) {
  const app = express().disable('x-powered-by');
  app.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': contentSecurityPolicy(new URL(fhirBase).origin),
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });
  app.get('/config.json', (_req, res) => {
    res.json({ fhirBase, clientId });
  });
  app.get('/fhir-client.js', (_req, res) => {
    res.sendFile(join(FHIRCLIENT, 'build/fhir-client.pure.min.js'));
  });
  app.use(express.static(PUBLIC, { extensions: ['html'] }));
  app.use((_req, res) => {
    res.status(404).sendFile(join(PUBLIC, 'not-found.html'));
  });

  const server = createServer(app);
  // "localhost", as in the redirect URI, may be either loopback address.
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return {
    url: `http://localhost:${/** @type {AddressInfo} */ (server.address()).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Scripts and styles come from the app alone, and it talks to the FHIR server's origin alone: that is where the token
 * endpoint is too.
 *
 * @param {string} fhirOrigin
 */
function contentSecurityPolicy(fhirOrigin) {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${fhirOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
