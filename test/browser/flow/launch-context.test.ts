import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectBackInApp, expectLogin, expectPage, expectText } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type LargeFhirServer, startLargeFhirServer } from '../../support/fhir/large-fhir-server.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun, itInTurn } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let portal: TestPortal;
let largeServer: LargeFhirServer;
let origin: StaticApp;
let callback: string;

beforeAll(async () => {
  largeServer = await startLargeFhirServer();
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startPortal({
    config: {
      fhir: { baseUrl: largeServer.url },
      users: [people.practitioner],
      clients: [{ ...publicApp, requireConsent: false, redirectUris: [callback] }],
    },
  });
});

afterAll(async () => {
  await browser.closePages();
  await portal.close();
  await origin.close();
  largeServer.close();
});

/** A practitioner at the choice among 100,000 patients. */
async function atChoice(page: Page): Promise<SmartApp> {
  const scope = 'openid launch/patient patient/*.rs';
  const app = new SmartApp(portal, { scope, parameters: { redirect_uri: callback } });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await (await expectLogin(page)).signIn(people.practitioner);
  await expectPage(page, '/user/launch-context', 'Select Patient');
  await expectText(page, '50+ to choose from');
  return app;
}

const rows = (page: Page) => page.getByRole('radio');
const field = (page: Page) => page.getByRole('searchbox', { name: 'Name, birth date or record number' });

describe.each([
  ['at a desk', 0, { width: 1280, height: 800 }],
  ['on a phone', 1, { width: 390, height: 844 }],
] as const)('A practitioner %s', (_where, number, viewport) => {
  const inTurn = itInTurn(number, 2);

  itInLongRun('loads more patients, and the focus moves to the first of them', async () => {
    const page = await browser.open(viewport);
    await atChoice(page);
    await page.getByRole('button', { name: 'Load more' }).click();
    await expectText(page, '100+ to choose from');
    expect(await rows(page).count()).toBe(100);
    expect(await page.locator('input[type=radio]:focus').getAttribute('id')).toMatch(/Patient\/p50$/);
  });

  inTurn('finds a patient by name, chooses, and the app gets that patient', async () => {
    const page = await browser.open(viewport);
    const app = await atChoice(page);
    await page.getByText('Ga Fa', { exact: true }).click();
    await field(page).fill('fehbb ghbb');
    await field(page).press('Enter');
    await expectText(page, 'Ghbb Fehbb', '1 to choose from');
    expect(await page.getByRole('button', { name: 'Confirm Selection' }).isDisabled()).toBe(true);
    await page.getByText('Ghbb Fehbb', { exact: true }).click();
    await page.getByRole('button', { name: 'Confirm Selection' }).click();
    const answer = await expectBackInApp(page, callback);
    const tokens = await app.exchange(answer.get('code') ?? '', { redirect_uri: callback });
    expect(tokens.json()).toMatchObject({ patient: 'p4711' });
  });
});

itInLongRun(
  'a practitioner whose search finds no patient sees a message, and all patients again when the field is empty',
  async () => {
    const page = await browser.open();
    await atChoice(page);
    await field(page).fill('no such name');
    await expectText(page, 'Nothing was found. Check the spelling, or write a date as in 1980\u201112\u201131.');
    await field(page).fill('');
    await expectText(page, '50+ to choose from');
  },
);

itInLongRun('a failed search for patients can be repeated', async () => {
  const page = await browser.open();
  await atChoice(page);
  browser.expectFailure('/api/launch-context', 503);
  await page.route('**/api/launch-context?*searchTerm*', (route) => route.fulfill({ status: 503, json: {} }), {
    times: 1,
  });
  await field(page).fill('MR31415');
  await field(page).press('Enter');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectText(page, 'MR31415');
});

itInLongRun(
  'a practitioner is told when further patients cannot be offered, and can choose one of the others',
  async () => {
    largeServer.pagesAt = 'https://fhir.other.example/r4';
    try {
      const page = await browser.open();
      await atChoice(page);
      const told = page.getByRole('status').filter({ hasText: 'There may be more that cannot be shown here.' });
      expect(await told.textContent()).toContain('further pages at an address of another server');
      expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
      await page.getByText('Ga Fa', { exact: true }).click();
      expect(await page.getByRole('button', { name: 'Confirm Selection' }).isEnabled()).toBe(true);
    } finally {
      largeServer.pagesAt = undefined;
    }
  },
);

// The usual run sees it from right to left (`all-pages/languages.test.ts`).
itInLongRun('the launch-context page has no accessibility violations and no horizontal scrolling', () =>
  expectFitInEveryLook(browser, (page) => atChoice(page), { number: 1 }),
);
