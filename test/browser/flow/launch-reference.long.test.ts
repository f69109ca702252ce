/** The reference of a launch on the pages that a person sees when it goes wrong. */
import type { Page } from 'playwright-core';
import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectConsent, expectLogin, expectNotice, expectPage, expectText } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const registered = { ...publicApp, clientName: 'Heart Diary', initiateLoginUri: 'https://apps.example/heart/start' };
const withoutAddress = { ...publicApp, clientId: 'without-address', clientName: 'Bone Diary' };
const strict = { ...publicApp, clientId: 'strict', require2fa: true };
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [registered, withoutAddress, strict] } });
});
afterEach(() => browser.closePages());
afterAll(() => portal.close());

const card = (page: Page) => page.getByRole('region', { name: 'Reference for the help desk' });

async function referenceOn(page: Page): Promise<string> {
  const [reference = ''] = /\w{2}-\w{4}-\w{2}/.exec(await card(page).innerText()) ?? [];
  return reference;
}

/** Clients of the launches that the record has under a reference. */
async function clientsOf(reference: string): Promise<(string | null)[]> {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
  const id = reference.replaceAll('-', '');
  const rows = await portal.query<{ client_id: string | null }>(
    "SELECT client_id FROM launch WHERE id LIKE $1 || '%'",
    [id],
  );
  return rows.map(({ client_id }) => client_id);
}

function expectEnded(): void {
  for (const call of ['/api/consent', '/api/authorization']) browser.expectFailure(call, 400);
}

/** Opens the consent page of an app, declines in another tab, and loads the page again. */
async function openEnded(page: Page, client: { clientId: string; clientName: string }): Promise<void> {
  const app = new SmartApp(portal, { client, parameters: { prompt: 'login consent' } });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await (await expectLogin(page)).signIn(people.patient);
  await expectConsent(page, client.clientName);
  const returnUrl = new URL(page.url()).searchParams.get('returnUrl') ?? '';
  const { request } = page.context();
  const headers = { origin: portal.issuer };
  await request.delete(`${portal.issuer}/api/authorization?${new URLSearchParams({ returnUrl })}`, { headers });
  const { location = '' } = (await request.get(portal.issuer + returnUrl, { maxRedirects: 0 })).headers();
  const answer = await request.get(new URL(location, portal.issuer).href, { maxRedirects: 0 });
  expect(answer.headers().location).toContain('error=access_denied');
  await page.reload();
  await expectPage(page, '/error/400', 'Oh no!');
}

it('The page of a request that has ended names its launch, the app, and the registered address to start it', async () => {
  expectEnded();
  const page = await browser.open({ width: 390, height: 844 });
  await openEnded(page, registered);
  await expectText(page, 'This sign-in for Heart Diary cannot be continued here.');
  const startAgain = page.getByRole('link', { name: 'Start again in Heart Diary' });
  expect(await startAgain.getAttribute('href')).toBe(registered.initiateLoginUri);
  expect(await clientsOf(await referenceOn(page))).toEqual([registered.clientId]);
  await browser.closePages();
  await expectFitInEveryLook(browser, (shown) => openEnded(shown, registered), { number: 1 });
});

it('Without a registered address to start the app, the page leads to the home page and to no address of the request', async () => {
  expectEnded();
  const page = await browser.open();
  await openEnded(page, withoutAddress);
  await expectText(page, 'This sign-in for Bone Diary cannot be continued here.');
  const home = page.getByRole('link', { name: 'Go to the home page' });
  expect(await home.getAttribute('class')).toContain('ant-btn-primary');
  expect(await page.getByRole('main').getByRole('link').count()).toBe(1);
  expect(await clientsOf(await referenceOn(page))).toEqual([withoutAddress.clientId]);
});

it.each([
  ['an unknown client', { client_id: 'unknown' }],
  ['an address that is not registered', { redirect_uri: 'https://evil.example/callback' }],
])('The page about %s has the reference of the answer, and tells nothing else', async (_, parameters) => {
  browser.expectFailure('/connect/authorize', 400);
  const page = await browser.open();
  const app = new SmartApp(portal, { parameters });
  const answer = await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await expectPage(page, '/connect/authorize', 'Oh no!');
  expect(await referenceOn(page)).toBe(answer?.headers()['x-launch-reference']);
  const lines = (await page.getByRole('main').innerText()).split('\n').filter(Boolean);
  expect(lines.filter((line) => line !== lines.at(-2))).toEqual([
    '400',
    'Oh no!',
    'The request cannot be processed. Please try again.',
    'Go to the home page',
    'Reference for the help desk',
    'Copy',
  ]);
  await expectFitInEveryLook(browser, (shown) => shown.goto(`${portal.issuer}/connect/authorize?${app.query()}`));
});

it('The reference is copied by its button', async () => {
  browser.expectFailure('/connect/authorize', 400);
  const page = await browser.open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: portal.issuer });
  await page.goto(`${portal.issuer}/connect/authorize?client_id=unknown`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await expectNotice(page, 'Copied.');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await referenceOn(page));
});

it('An error page that belongs to no launch has no reference', async () => {
  const page = await browser.open();
  for (const kind of ['400', '404', '500']) {
    await page.goto(`${portal.issuer}/error/${kind}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await card(page).count()).toBe(0);
  }
});

it('The page of a second factor that the app requires names the launch', async () => {
  const page = await browser.open();
  const app = new SmartApp(portal, { client: strict });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await (await expectLogin(page)).signIn(people.patient);
  await page.waitForURL('**/user/two-factor-required?*');
  await card(page).waitFor();
  expect(await clientsOf(await referenceOn(page))).toEqual([strict.clientId]);
});

it('The help about errors fits in every look', () => {
  browser.expectFailure('/help/errors/unknown', 404);
  const at = (path: string) => async (page: Page) => {
    await page.goto(portal.issuer + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  return expectFitInEveryLook(browser, {
    'one error': at('/help/errors/invalid_request'),
    'all errors': at('/help/errors'),
    'an unknown error': at('/help/errors/unknown'),
  });
});
