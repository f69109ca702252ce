import type { Locator, Page } from 'playwright-core';
import { AuditBatch } from '../../../src/platform/audit/audit-batch.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectPage, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { type GivenAccess, recordAccesses } from '../../support/portal/recorded-accesses.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const phone = { width: 390, height: 844 };
const condition = { resourceType: 'Condition', id: 'c', subject: { reference: 'Patient/1' } };
const otherApp = { ...publicApp, clientId: 'record-box', clientName: 'Record Box' };
let upstream: Upstream;
let portal: TestPortal;

beforeEach(async () => {
  upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(condition));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: upstream.url },
      users: [people.patient, people.practitioner],
      clients: [publicApp, otherApp],
      audit: { reportAddress: 'privacy@example.org' },
    },
  });
});

afterEach(async () => {
  await portal.close();
  upstream.close();
});

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const given = (...accesses: (Omit<GivenAccess, 'app'> & { app?: string })[]) =>
  recordAccesses(portal, people, ...accesses.map((one) => ({ app: publicApp.clientId, patients: ['1'], ...one })));

async function opened(query = '', size = { width: 1280, height: 900 }, person = people.patient): Promise<Page> {
  const page = await browser.open(size);
  await signInByApi(page, portal.issuer, person);
  await page.goto(`${portal.issuer}/user/access-log${query}`);
  await expectPage(page, '/user/access-log', 'Who has seen my record');
  return page;
}

async function shows(within: Page | Locator | undefined, ...texts: string[]): Promise<void> {
  for (const text of texts) await within?.getByText(text).filter({ visible: true }).first().waitFor();
}

const entries = (page: Page) => page.locator('li').filter({ has: page.locator('button[aria-expanded]') });

describe('Who has seen my record', () => {
  it('shows on a phone what an app has read within seconds, and that its access was taken back', async () => {
    const app = new SmartApp(portal, { scope: 'openid launch/patient patient/*.rs' });
    const { access_token: token } = await app.tokens(people.patient);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${portal.fhirBase}/Condition/c`, { headers })).status).toBe(200);
    await portal.apps[0]?.get(AuditBatch, { strict: false }).flush();

    const page = await opened('', phone);
    await shows(page, 'Today', 'Seen: Conditions');
    const entry = entries(page).first();
    await entry.getByRole('button').first().click();
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
    await shows(entry, `You allowed this on ${day.format(new Date())}`, 'What was seen', 'Conditions', '1 entry');

    await entry.getByRole('button', { name: 'Take back access' }).click();
    const question = await expectDialog(page, `Take back access from ${publicApp.clientName}?`);
    await question.getByRole('button', { name: 'Take back access' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/user/receipts/'));
    await page.getByRole('heading', { name: `${publicApp.clientName} can no longer see your record` }).waitFor();
    await shows(page, 'Read last', 'Conditions');
    const receipt = new URL(page.url()).pathname;

    await page.goto(`${portal.issuer}/user/access-log`);
    await shows(page, 'You took back the access of this app');
    await page.getByRole('link', { name: 'Confirmation' }).click();
    await page.waitForURL((url) => url.pathname === receipt);
    expect((await fetch(`${portal.fhirBase}/Condition/c`, { headers })).status).toBe(401);
  });

  it('shows staff with the app, refusals and changes, and its single requests', async () => {
    await given(
      { at: ago(1), by: 'practitioner', seen: [{ 'Observation/laboratory': 12, Encounter: 2, Patient: 1 }] },
      { at: ago(0.5), by: 'practitioner', seen: [{ 'Observation/laboratory': 3 }] },
      { at: ago(30), status: 403, resource: 'DocumentReference', app: otherApp.clientId },
      { at: ago(60), interaction: 'create', status: 201, seen: [{ Condition: 1 }], unattended: true },
    );
    const page = await opened();
    await entries(page).nth(2).waitFor();
    const [staff, refused, added] = await entries(page).all();
    await shows(
      staff,
      people.practitioner.fullName,
      `App: ${publicApp.clientName}`,
      'Seen: Laboratory, Visits, 1 more',
    );
    await shows(refused, 'Record Box', 'Asked for, not shown: Documents', 'Refused, nothing shown');
    await shows(added, publicApp.clientName, 'Added: Conditions', 'With changes', 'While you were not there');

    await staff?.getByRole('button').first().click();
    await shows(staff, 'Laboratory', '15 entries', 'Signed in as staff of');
    await staff?.getByRole('button', { name: 'Show the 2 single requests' }).click();
    await page.getByRole('row').nth(2).waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
    const report = page.getByRole('link', { name: 'This does not look right' });
    expect(decodeURIComponent((await report.getAttribute('href')) ?? '')).toMatch(
      /^mailto:privacy@example\.org\?subject=An access to my health record&body=[\s\S]*Mira Hart/,
    );
    expect(await page.getByRole('button', { name: 'Take back access' }).count()).toBe(0);

    // One entry is open at a time.
    await refused?.getByRole('button').first().click();
    expect(await page.locator('button[aria-expanded=true]').count()).toBe(1);
  });

  it('is narrowed by chips and lists, which are in the address', async () => {
    await given(
      { at: ago(1), seen: [{ Condition: 1 }] },
      { at: ago(20), app: otherApp.clientId, seen: [{ Encounter: 1 }] },
      { at: ago(40), by: 'practitioner', seen: [{ Encounter: 1 }] },
      { at: ago(60 * 24 * 40), status: 403 },
    );
    const page = await opened();
    await page.getByRole('button', { name: 'Staff', exact: true }).click();
    await page.waitForURL(/show=staff/);
    await shows(page, people.practitioner.fullName);
    await entries(page).nth(1).waitFor({ state: 'detached' });
    await page.goBack();
    await entries(page).nth(2).waitFor();

    await page.getByLabel('App or user').selectOption({ label: 'Record Box' });
    await page.waitForURL(/clientId=record-box/);
    await shows(page, '1 access in this period');
    await page.getByLabel('Period').selectOption({ label: 'Last 12 months' });
    await shows(page, '1 access in this period');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await entries(page).nth(2).waitFor();

    await page.getByRole('button', { name: 'Refused accesses', exact: true }).click();
    await shows(page, 'Nothing in this period');
    await page.getByLabel('Period').selectOption({ label: 'All time' });
    await shows(page, 'Refused, nothing shown');
    expect(new URL(page.url()).search).toBe('?show=refused&period=all');
  });

  it('says when there is nothing at all, and leads to earlier accesses', async () => {
    const page = await opened();
    await shows(page, 'No access is recorded yet');
    await given({ at: ago(60 * 24 * 40) });
    await page.reload();
    await shows(page, 'Nothing in this period');
    await page.getByRole('button', { name: 'Show all time' }).click();
    await entries(page).first().waitFor();
  });

  it('shows 20 entries, and more on request', async () => {
    await given(...Array.from({ length: 25 }, (_, index) => ({ at: ago(index * 20 + 1) })));
    const page = await opened('?period=all');
    await entries(page).nth(19).waitFor();
    expect(await entries(page).count()).toBe(20);
    await page.getByRole('button', { name: 'Show more' }).click();
    await entries(page).nth(20).waitFor();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  });

  it('is downloaded as a table, and printed with all of its entries', async () => {
    await given(...Array.from({ length: 25 }, (_, index) => ({ at: ago(index * 20 + 1) })));
    const page = await opened('?period=all');
    await entries(page).nth(19).waitFor();
    await page.getByRole('button', { name: 'Download' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Table (CSV)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('who-has-seen-my-record.csv');
    await page.evaluate(
      'window.print = () => { window.printed = document.querySelectorAll("button[aria-expanded]").length }',
    );
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Print or save as PDF' }).click();
    await until(async () => (await page.evaluate('window.printed')) === 25);
  });

  it('leads to the app under Manage Apps, and from there to everything that the app has seen', async () => {
    await new SmartApp(portal, { scope: 'openid patient/*.rs' }).tokens(people.patient);
    await given({ at: ago(1), seen: [{ Condition: 1 }] }, { at: ago(20), app: otherApp.clientId });
    const page = await opened();
    await entries(page).first().getByRole('button').first().click();
    await page.getByRole('link', { name: 'View Disclaimers & Permissions' }).click();
    const sheet = page.getByRole('dialog').filter({ hasText: 'Granted permissions' });
    await sheet.waitFor();
    await page.locator('[role=dialog]:focus-within').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    await page
      .getByRole('button', { name: `View Disclaimers & Permissions of ${publicApp.clientName}` })
      .and(page.locator(':focus'))
      .waitFor();
    await page.getByRole('link', { name: `Everything ${publicApp.clientName} has seen` }).click();
    await expectPage(page, '/user/access-log', 'Who has seen my record');
    await shows(page, '1 access', `Accesses by ${publicApp.clientName} to your health data through`);
    await entries(page).first().waitFor();
    expect(await entries(page).count()).toBe(1);
  });

  it('says of an app by its name that it has seen nothing yet', async () => {
    await new SmartApp(portal, { scope: 'openid patient/*.rs' }).tokens(people.patient);
    await given({ at: ago(20), app: otherApp.clientId });
    const page = await opened(`?clientId=${publicApp.clientId}&period=all`);
    await shows(
      page,
      `Accesses by ${publicApp.clientName} to your health data through`,
      `No access by ${publicApp.clientName} is recorded`,
    );
    await page.getByRole('button', { name: `Remove filter ${publicApp.clientName}` }).waitFor();
    await page.getByRole('button', { name: 'Show all accesses' }).click();
    await entries(page).first().waitFor();
  });

  it('is in the menu of patients, and not for practitioners', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Who has seen my record' }).click();
    await expectPage(page, '/user/access-log', 'Who has seen my record');

    const other = await browser.open();
    await signInByApi(other, portal.issuer, people.practitioner);
    await other.goto(`${portal.issuer}/user/access-log`);
    await expectPage(other, '/user/grants', 'Manage Apps');
    await other.getByRole('button', { name: /^Account menu/ }).click();
    await other.getByRole('menuitem', { name: 'Manage Apps' }).waitFor();
    expect(await other.getByRole('menuitem', { name: 'Who has seen my record' }).count()).toBe(0);
  });
});
