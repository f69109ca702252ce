import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import type { ReadinessReport } from '../../../src/contract/readiness.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectNotice, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { backendService, publicApp } from '../../support/clients/clients.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const expired = { ...backendService, clientId: 'expired', clientName: 'Ward Round Assistant' };
const calls = '**/api/admin/readiness';
let portal: AdminPortal;
let sink: MailSink;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startAdminPortal({ config: { clients: [publicApp, expired], email: sink.config } });
  await portal.query("UPDATE client_secret SET expires_at = now() - interval '1 day'");
});

afterAll(async () => {
  await browser.closePages();
  await portal.close();
  await sink.stop();
});

async function open(page?: Page): Promise<Page> {
  const shown = page ?? (await browser.open());
  await signInByApi(shown, portal.issuer, people.admin);
  await shown.goto(`${portal.issuer}/admin/readiness`);
  await expectPage(shown, '/admin/readiness', 'Readiness report');
  await summary(shown).waitFor();
  return shown;
}

const summary = (page: Page) => page.getByRole('region', { name: 'Summary' });
const group = (page: Page, name: string) =>
  page.getByRole('group').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });
const row = (page: Page, title: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: title, exact: true }) });
/** Shows the checks that pass of a group in which others have a finding. */
const unfold = (page: Page, name: string) =>
  group(page, name)
    .getByText(/^\d checks? pass(es)?$/)
    .click();
const isOpen = (shown: Locator) => shown.evaluate((element) => (element as { open?: boolean }).open);

describe('The readiness report', () => {
  it('is reached from the dashboard, opens the groups with findings, and says of each what, why and what to do', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}/admin/dashboard`);
    await page.getByRole('link', { name: 'Readiness report' }).click();
    await expectPage(page, '/admin/readiness', 'Readiness report');
    await page.getByRole('navigation', { name: 'Position' }).getByRole('link', { name: 'Dashboard' }).click();
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    await page.getByRole('link', { name: 'Readiness report' }).click();
    await summary(page).waitFor();
    expect(await isOpen(group(page, 'Clients'))).toBe(true);
    await expectText(group(page, 'Clients'), '1 blocking', '2 to improve');
    const secrets = row(page, 'Secrets and keys of clients');
    await expectText(
      secrets,
      'Ward Round Assistant: no valid secret or key.',
      'A client whose last secret or key has expired gets no tokens.',
      'Add a new secret or key, or disable the client.',
    );
    await secrets.getByRole('img', { name: 'Blocking' }).waitFor();
    // What is good is folded.
    const proxies = row(page, 'Reverse proxies');
    expect(await proxies.isVisible()).toBe(false);
    await unfold(page, 'Network and keys');
    await expectText(proxies, 'No proxy is configured, and none is needed.');
    await expectText(row(page, 'Address of the portal'), 'Configuration key', 'server.issuer');
    await expectText(row(page, 'Second administrator'), 'Command', 'npx gatehouse add-admin <email>');
    await secrets.getByRole('link', { name: 'Open client' }).click();
    await expectText(page.getByRole('dialog'), 'Ward Round Assistant');
    expect(new URL(page.url()).pathname).toBe('/admin/client-management');
  });

  itInLongRun(
    'can be tried again when it could not be loaded, and folds a group in which all checks pass',
    async () => {
      const page = await browser.open();
      browser.expectFailure('/api/admin/readiness', 503);
      await page.route(calls, (route) => route.fulfill({ status: 503, json: {} }));
      await signInByApi(page, portal.issuer, people.admin);
      await page.goto(`${portal.issuer}/admin/readiness`);
      const again = page.getByRole('button', { name: 'Try again' });
      await again.waitFor();
      await page.unroute(calls);
      await page.route(calls, async (route) => {
        const answer = await route.fetch();
        const report = (await answer.json()) as ReadinessReport;
        for (const { group: name, checks } of report.sections) {
          for (const check of name === 'audit' ? checks : []) check.state = 'pass';
        }
        await route.fulfill({ json: report });
      });
      await again.click();
      await summary(page).waitFor();
      const audit = group(page, 'Audit record');
      await expectText(audit, 'All 3 pass');
      expect(await isOpen(audit)).toBe(false);
      await audit.getByRole('heading', { level: 2 }).click();
      await row(page, 'Seals of the audit record').waitFor();
    },
  );

  itInLongRun('keeps the rows while it checks again, and announces the new verdict', async () => {
    const page = await open();
    const verdict = summary(page).getByRole('status');
    const before = Number.parseInt(await verdict.innerText(), 10);
    expect(before).toBeGreaterThan(1);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(calls, async (route) => {
      await held;
      await route.continue();
    });
    await portal.query('UPDATE client_secret SET expires_at = NULL');
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.locator('[aria-busy=true]').first().waitFor();
    await expectText(row(page, 'Secrets and keys of clients'), 'Ward Round Assistant: no valid secret or key.');
    release();
    await unfold(page, 'Clients');
    await expectText(
      row(page, 'Secrets and keys of clients'),
      'Every enabled client that needs a secret or key has a valid one.',
    );
    await verdict.getByText(new RegExp(`^${before - 1} things? block`)).waitFor();
    await portal.query("UPDATE client_secret SET expires_at = now() - interval '1 day'");
  });

  itInLongRun('sends a test mail, whose link confirms that it has arrived', async () => {
    const page = await open();
    const test = row(page, 'Test mail');
    await expectText(test, 'No test mail is recorded.');
    await test.getByRole('button', { name: 'Send a test mail' }).click();
    await expectNotice(page, 'A test mail will be sent to your address.');
    const first = linkInMail(await sink.to(people.admin.email)).url;
    await test.getByText(/^A test mail (was sent to|to) ada/).waitFor();
    await test.getByRole('button', { name: 'Send again' }).click();
    const second = linkInMail(await sink.to(people.admin.email, 2)).url;

    browser.expectFailure('/api/admin/readiness/test-mail/confirm', 400);
    await page.goto(first);
    await expectNotice(page, 'This link is not that of the latest test mail. Please send another one.');
    await page.goto(second);
    await expectNotice(page, 'The test mail has arrived.');
    await unfold(page, 'Mail');
    await row(page, 'Test mail').getByRole('img', { name: 'Pass' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  itInLongRun('is downloaded as JSON, and printed whole, without buttons and links', async () => {
    const page = await open();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^gatehouse-readiness-\d{4}-\d\d-\d\d\.json$/);
    const report = JSON.parse(await readFile(await file.path(), 'utf8')) as ReadinessReport;
    expect([report.ready, report.checkedBy, report.issuer]).toEqual([false, people.admin.fullName, portal.issuer]);
    expect(report.sections.map((section) => section.group)).toContain('fhir');

    await group(page, 'Mail').getByRole('heading', { level: 2 }).click();
    expect(await isOpen(group(page, 'Mail'))).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    await row(page, 'Sender address').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link').count()).toBe(0);
    await page.evaluate('window.dispatchEvent(new Event("afterprint"))');
    await page.emulateMedia({ media: 'screen' });
    expect(await isOpen(group(page, 'Mail'))).toBe(false);
  });

  itInLongRun('is accessible and fits', async () => {
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await open(page);
        await expectText(page, 'Mail');
      },
      { number: 1 },
    );
  });
});
