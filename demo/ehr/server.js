// @ts-check
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { demoEhr } from '../demo-accounts.js';
import { demoPorts } from '../demo-ports.js';

/** @import { AddressInfo } from 'node:net' */

const PUBLIC = fileURLToPath(new URL('./public', import.meta.url));
const STYLES = fileURLToPath(new URL('../app/public/styles', import.meta.url));

/**
 * Stands in for an EHR: a visitor opens an app for a patient. It announces the patient to the portal, as an EHR does,
 * and sends the browser to the app with the `launch` value it got. It does not authenticate the visitor; the portal
 * does.
 *
 * @param {{ port?: number, portal?: string, app?: string }} [options] port 0 takes any free one; `app` is the address
 *   of the sample app, which the form suggests
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startEhr({
  port = demoPorts().ehr,
  portal = `http://localhost:${demoPorts().portal}`,
  app = `http://localhost:${demoPorts().app}`,
} = {}) {
  const page = await readFile(join(PUBLIC, 'index.html'), 'utf8');
  const ehr = express().disable('x-powered-by');
  ehr.use((_req, res, next) => {
    res.set({
      // Forms may lead to any app.
      'Content-Security-Policy':
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });
  ehr.get('/launch', async (req, res) => {
    const { app: launchUrl, patient, encounter } = req.query;
    if (typeof launchUrl !== 'string' || !/^https?:\/\//.test(launchUrl) || !URL.canParse(launchUrl)) {
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
    const address = new URL(launchUrl);
    address.searchParams.set('iss', `${portal}/fhir`);
    address.searchParams.set('launch', launchContextIdentifier);
    res.redirect(303, address.href);
  });
  ehr.get('/', (_req, res) => {
    res.type('html').send(page.replace('{app}', app));
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
