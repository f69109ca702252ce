import { pages } from '../../../src/contract/rules/pages.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectConsent, expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { pauseApp } from '../../support/portal/paused-app.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { inTurn } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const asking = { ...publicApp, clientId: 'asking-app' };
const paused = { ...publicApp, clientId: 'paused-app', requireConsent: false };
const silent = { ...publicApp, clientId: 'silent-app', requireConsent: false };
let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [people.practitioner],
      clients: [publicApp, asking, paused, silent],
      disclaimers: [{ id: 'use', description: 'Use', html: '<p>x</p>', clients: ['asking-app'], everyLogin: false }],
    },
  });
  await pauseApp(portal, people.practitioner, paused.clientId);
});

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

const authorize = (client: typeof publicApp, scope: string) =>
  `/connect/authorize?${new SmartApp(portal, { client, scope }).query()}`;

type PreloadingCalls = {
  [Path in keyof typeof pages]: (typeof pages)[Path] extends { calls: unknown } ? Path : never;
}[keyof typeof pages];

/** The address of a page for each kind of first calls. */
const beginnings: Record<PreloadingCalls, () => string> = {
  '/user/consent': () => authorize(publicApp, 'openid fhirUser user/Patient.rs'),
  '/user/paused-app': () => authorize(paused, 'openid fhirUser user/Patient.rs'),
  '/user/disclaimer': () => authorize(asking, 'openid fhirUser user/Patient.rs'),
  '/user/launch-context': () => authorize(silent, 'openid fhirUser launch/patient user/Patient.rs'),
  '/user/grants': () => '/user/grants',
};

describe('The preload links of a document', () => {
  it.each(inTurn(Object.entries(beginnings), 0))('name what %s loads, and each of them once', async (path, address) => {
    const page = await browser.open({ cold: true });
    await signInByApi(page, portal.issuer, people.practitioner);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (/^\/(api|assets)\//.test(pathname)) asked.push(pathname + search);
    });
    await page.goto(portal.issuer + address());
    if (path === '/user/consent') await expectConsent(page, 'Heart Companion');
    else if (path === '/user/grants') await expectPage(page, path, 'Manage Apps');
    else await page.getByRole('heading', { level: 1 }).and(page.locator(':not(.visually-hidden)')).waitFor();
    const document = await (await page.context().request.get(page.url())).text();
    const named = [...document.matchAll(/<link [^>]*href="(\/(?:api|assets)\/[^"]+)"/g)].map(([, href = '']) => href);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((address) => !asked.includes(address))).toEqual([]);
    expect(asked.filter((address, index) => asked.indexOf(address) !== index)).toEqual([]);
    // The preload links name each call that the page made while it loaded.
    const calls = asked.filter((address) => address.startsWith('/api/'));
    expect(calls.filter((address) => !named.includes(address) && !address.startsWith('/api/session/'))).toEqual([]);
  });
});

describe('The document of a page', () => {
  it('shows the header before any script or style sheet is there', async () => {
    const page = await browser.open({ cold: true });
    await page.route(/\.(?:css|js)$/, () => {});
    await page.goto(`${portal.issuer}/user/consent`, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    expect(await page.getByText('Gatehouse', { exact: true }).boundingBox()).toMatchObject({ x: 0, y: 0, height: 64 });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
