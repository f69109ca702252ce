import type { Locator, Page } from 'playwright-core';
import { AuditBatch } from '../../../src/platform/audit/audit-batch.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectNotice, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { recordAccesses } from '../../support/portal/recorded-accesses.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const phone = { width: 360, height: 740 };
const diary = {
  ...publicApp,
  clientId: 'diary',
  clientName: 'Heart Diary',
  legalCompanyName: 'Fernhill Health',
  requireConsent: false,
};
const others = ['Record Box', 'Sugar Log', 'Sleep Well', 'Step Count', 'Pill Time', 'Baby Book', 'Skin Check'].map(
  (clientName, index) => ({
    ...publicApp,
    clientId: `other-${index}`,
    clientName,
    legalCompanyName: index === 0 ? 'Birch Labs' : '',
    requireConsent: false,
  }),
);
const scope = 'openid launch/patient patient/Observation.rs patient/Condition.cruds offline_access';
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);

let upstream: Upstream;
let portal: TestPortal;
let app: SmartApp;
let token: string;

beforeAll(async () => {
  const condition = { resourceType: 'Condition', id: 'c', subject: { reference: 'Patient/1' } };
  upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(condition));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: upstream.url },
      users: Object.values(people),
      clients: [diary, ...others],
    },
  });
});

beforeEach(async () => {
  app = new SmartApp(portal, { client: diary, scope });
  token = (await app.tokens(people.patient)).access_token;
});

afterEach(async () => {
  await browser.closePages();
  await portal.query('DELETE FROM oidc_record; DELETE FROM app_consent; DELETE FROM app_pause');
  await portal.query("SELECT pg_notify('gatehouse_pauses', ''), pg_notify('gatehouse_grants', '')");
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

/** The apps have their access since an hour. */
const allowedBefore = () => portal.query("UPDATE oidc_record SET created_at = created_at - interval '1 hour'");

const read = async () =>
  (await fetch(`${portal.fhirBase}/Condition/c`, { headers: { authorization: `Bearer ${token}` } })).status;

async function opened(query = '', size: object = phone): Promise<Page> {
  const page = await browser.open(size);
  await signInByApi(page, portal.issuer, people.patient);
  await page.goto(`${portal.issuer}/user/grants${query}`);
  await expectPage(page, '/user/grants', 'Manage Apps');
  return page;
}

const cardOf = (page: Page, name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
const names = (page: Page) => page.getByRole('heading', { level: 2 }).allInnerTexts();

describe('Manage Apps on a phone', () => {
  it('says in plain words what an app read last, and leads to everything it has seen', async () => {
    await allowedBefore();
    await recordAccesses(
      portal,
      people,
      {
        at: ago(2),
        app: diary.clientId,
        patients: ['1'],
        seen: [{ 'Observation/laboratory': 3 }],
        unattended: true,
      },
      { at: ago(1), app: diary.clientId, patients: ['1'], seen: [{ Encounter: 9 }], unattended: true },
    );
    const page = await opened();
    const card = cardOf(page, 'Heart Diary');
    await expectText(card, 'Fernhill Health', 'Read last', 'Visits, Laboratory (while you were not there)');
    await card.getByText(/^(Today|Yesterday), /).waitFor();
    await card.getByRole('link', { name: 'Everything Heart Diary has seen' }).click();
    await page.waitForURL((url) => url.pathname === '/user/access-log' && url.searchParams.get('clientId') === 'diary');
  });

  it('takes back one permission, or only the right to change it, by keyboard', async () => {
    expect(await read()).toBe(200);
    const page = await opened();
    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Diary' }).press('Enter');
    const panel = page.getByRole('dialog').filter({ hasText: 'Granted permissions' });
    const row = panel.getByRole('listitem').filter({ hasText: 'Conditions' });
    await expectText(row, 'see', 'add, change, delete');

    await row.getByRole('button', { name: 'Take back access to Conditions from Heart Diary' }).press('Enter');
    const question = await expectDialog(page, 'Take back access to “Conditions” from Heart Diary?');
    await expectText(question, 'Access ends immediately, even if the app is open now. Nothing else changes.');
    await question.getByRole('radio', { name: 'Seeing and changing it' }).focus();
    await page.keyboard.press('ArrowDown');
    await question.getByRole('button', { name: 'Take back access' }).press('Enter');
    await expectNotice(page, 'Heart Diary has lost this permission: Conditions');
    await row.getByText('add, change, delete', { exact: true }).waitFor({ state: 'hidden' });
    expect(await read()).toBe(200);

    await row.getByRole('button', { name: 'Take back access to Conditions from Heart Diary' }).click();
    const last = await expectDialog(page, 'Take back access to “Conditions” from Heart Diary?');
    expect(await last.getByRole('radio').count()).toBe(0);
    await last.getByRole('button', { name: 'Take back access' }).click();
    await row.waitFor({ state: 'hidden' });
    await panel.getByRole('list', { name: 'Granted permissions' }).and(page.locator(':focus')).waitFor();
    expect(await read()).toBe(403);
    await expectText(panel, 'Test results and observations');
  });

  it('takes back one kind of everything', async () => {
    await new SmartApp(portal, { client: diary, scope: 'openid patient/*.rs' }, app.browser).tokens(people.patient);
    const page = await opened();
    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Diary' }).click();
    const panel = page.getByRole('dialog').filter({ hasText: 'Granted permissions' });
    await panel.getByRole('button', { name: 'Kind by kind' }).click();
    await panel.getByRole('button', { name: 'Take back access to Allergies from Heart Diary' }).click();
    await (await expectDialog(page, 'Take back access to “Allergies” from Heart Diary?'))
      .getByRole('button', { name: 'Take back access' })
      .click();
    await panel.getByText('Health record', { exact: true }).waitFor({ state: 'hidden' });
    await expectText(panel, 'Goals');
    expect(await panel.getByText('Allergies', { exact: true }).count()).toBe(0);
  });

  it('pauses an app and resumes it, and its next launch asks whether to resume it', async () => {
    const page = await opened();
    const card = cardOf(page, 'Heart Diary');
    await card.getByRole('button', { name: 'Pause Heart Diary' }).press('Enter');
    await expectNotice(page, 'Heart Diary is paused. Nothing that it may do is lost.');
    await card.getByText(/Paused since/).waitFor();
    expect(await read()).toBe(401);
    await card.getByRole('button', { name: 'Resume Heart Diary' }).press('Enter');
    await card.getByText(/Paused since/).waitFor({ state: 'hidden' });
    expect(await read()).toBe(200);

    await card.getByRole('button', { name: 'Pause Heart Diary' }).click();
    await card.getByText(/Paused since/).waitFor();
    await page.goto(portal.issuer + app.authorizationPath);
    await expectPage(page, '/user/paused-app', 'You paused Heart Diary');
    await page.getByText(/^Resume and continue\?/).waitFor();
    const answered = page.waitForRequest((request) => /^http:\/\/localhost:4567\/.*code=/.test(request.url()));
    await page.getByRole('button', { name: 'Resume and continue' }).press('Enter');
    await answered;
    await page.close();
    expect(await read()).toBe(200);
  });

  it('can be searched and sorted from eight apps on, which stay in the address', async () => {
    for (const client of others.slice(0, 6)) {
      await new SmartApp(portal, { client, scope }, app.browser).tokens(people.patient);
    }
    const page = await opened();
    expect(await page.getByRole('searchbox').count()).toBe(0);
    await new SmartApp(portal, { client: others[6], scope } as never, app.browser).tokens(people.patient);
    await allowedBefore();
    await recordAccesses(portal, people, { at: ago(0), app: 'other-1', patients: ['1'], seen: [{ Condition: 1 }] });
    await portal.apps[0]?.get(AuditBatch, { strict: false }).flush();
    await page.reload();
    await page.getByRole('searchbox', { name: 'Search for apps or companies' }).waitFor();
    expect(await names(page)).toEqual([
      ...['Baby Book', 'Heart Diary', 'Pill Time', 'Record Box', 'Skin Check', 'Sleep Well', 'Step Count', 'Sugar Log'],
    ]);
    await page.getByLabel('Sort by').selectOption('Read last');
    await page.waitForURL((url) => url.searchParams.get('sort') === 'read');
    await page.locator('h2').first().filter({ hasText: 'Sugar Log' }).waitFor();

    await page.getByRole('searchbox').fill('birch');
    await page.getByRole('searchbox').press('Enter');
    await expectText(page, '1 of 8 apps');
    expect(await names(page)).toEqual(['Record Box']);
    await page.reload();
    await expectText(page, '1 of 8 apps');
    expect(await page.getByLabel('Sort by').inputValue()).toBe('read');

    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('searchbox').press('Enter');
    await expectText(page, 'No app matches');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await cardOf(page, 'Heart Diary').waitFor();
  });
});
