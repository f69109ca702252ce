import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startStaticApp } from '../../support/apps/static-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { signIn, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const quiet = { ...publicApp, requireConsent: false };
const scope = 'openid fhirUser';

/** Where the app's pages are: not where its registered addresses are. */
let front: StaticApp;
/** Answers each registered address with a redirect to the front. */
let backend: Server;
let origin: string;
let portal: TestPortal;

beforeAll(async () => {
  const body = '<!doctype html><html lang="en"><title>The app</title><h1>Back in the app</h1></html>';
  front = await startStaticApp({ '/front': { type: 'text/html', body } });
  backend = createServer((_request, response) => response.writeHead(302, { Location: `${front.url}/front` }).end());
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  portal = await startPortal({
    config: {
      users: [people.patient, people.admin],
      clients: [{ ...quiet, redirectUris: [`${origin}/callback`], postLogoutRedirectUris: [`${origin}/bye`] }],
    },
  });
});

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal.close();
  backend.close();
  await front.close();
});

const app = (parameters: Record<string, string> = {}) =>
  new SmartApp(portal, { scope, parameters: { redirect_uri: `${origin}/callback`, ...parameters } });
const expectFront = (page: Page) => page.waitForURL(`${front.url}/front`);

describe('An app whose registered address redirects to another origin', () => {
  it('gets a code that is posted to it', async () => {
    const page = await browser.open();
    await page.goto(portal.issuer + app({ response_mode: 'form_post' }).authorizationPath);
    await signIn(page, people.patient);
    await expectFront(page);
  });

  it('gets an error that is posted to it', async () => {
    browser.expectFailure('/connect/authorize', 400);
    const page = await browser.open();
    // The page posts itself while it is loaded.
    await page.goto(portal.issuer + app({ response_mode: 'form_post', prompt: 'none' }).authorizationPath, {
      waitUntil: 'commit',
    });
    await expectFront(page);
  });

  it.each(['GET', 'POST'])('gets the user back after it has signed them out by %s', async (method) => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const parameters = { client_id: quiet.clientId, post_logout_redirect_uri: `${origin}/bye` };
    const fields = Object.entries(parameters).map(([name, value]) => `<input name="${name}" value="${value}">`);
    await page.goto(`${front.url}/front`);
    await page.setContent(
      `<form method="${method}" action="${portal.issuer}/connect/endsession">${fields.join('')}</form>`,
    );
    await page.locator('form').evaluate((form: { submit(): void }) => form.submit());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectFront(page);
  });

  it('gets back an administrator who does not sign in with another account', async () => {
    const page = await browser.open();
    await page.goto(portal.issuer + app().authorizationPath);
    await signIn(page, people.admin);
    await page.getByRole('button', { name: 'Return to the app' }).click();
    await expectFront(page);
  });
});
