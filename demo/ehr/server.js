// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { DEMO_EHR_PORT, demoEhr } from '../demo-accounts.js';

/** @import { AddressInfo } from 'node:net' */

const PUBLIC = fileURLToPath(new URL('./public', import.meta.url));
const STYLES = fileURLToPath(new URL('../app/public/styles', import.meta.url));

/**
 * Stands in for an EHR: whoever comes opens an app for a patient. It announces the patient to the portal, as an EHR does, and
 * sends the browser to the app with what it got. It asks nobody who they are; the portal does.
 *
 * @param {{ port?: number, portal?: string }} [options] port 0 takes any free one
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startEhr({ port = DEMO_EHR_PORT, portal = 'http://localhost:3000' } = {}) {
  const ehr = express().disable('x-powered-by');
  ehr.use((_req, res, next) => {
    res.set({
      // Forms may lead to any app.
      'Content-Security-Policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });
  ehr.get('/launch', async (req, res) => {
    const { app, patient, encounter } = req.query;
    if (typeof app !== 'string' || !/^https?:\/\//.test(app) || !URL.canParse(app)) {
      res.status(400).type('text').send('app has to be the launch URL of an app.\n');
      return;
    }
    const announced = await announce(portal, { patient, encounter });
    if (!announced.ok) {
      res
        .status(400)
        .type('text')
        .send(`Gatehouse does not take that: ${await announced.text()}\n`);
      return;
    }
    const { launchContextIdentifier } = /** @type {{ launchContextIdentifier: string }} */ (await announced.json());
    const address = new URL(app);
    address.searchParams.set('iss', `${portal}/fhir`);
    address.searchParams.set('launch', launchContextIdentifier);
    res.redirect(303, address.href);
  });
  ehr.use('/styles', express.static(STYLES));
  ehr.use(express.static(PUBLIC));

  const server = createServer(ehr);
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
 * @param {string} portal
 * @param {Record<string, unknown>} context
 */
function announce(portal, context) {
  const said = Object.entries(context).filter(([, value]) => typeof value === 'string' && value !== '');
  return fetch(`${portal}/connect/launchContext`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${demoEhr.id}:${demoEhr.secret}`).toString('base64')}` },
    body: new URLSearchParams(/** @type {[string, string][]} */ (said)),
  });
}
