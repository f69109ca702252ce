import type { Page } from 'playwright-core';
import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { referenceOf } from '../../../src/contract/activity/reference.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type AdminPortal, startAdminPortal } from '../../support/portal/admin-portal.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const other = 'https://heart.example.org/callback';
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startAdminPortal({ config: { clients: [publicApp], users: [people.patient] } });
});
afterAll(() => portal.close());

async function open(path: string, heading: string, page?: Page): Promise<Page> {
  const shown = page ?? (await browser.open());
  await signInByApi(shown, portal.issuer, people.admin);
  await shown.goto(portal.issuer + path);
  await expectPage(shown, path, heading);
  return shown;
}

describe('The page of a launch', () => {
  itInLongRun(
    'leads from a refused launch to the field that refused it, after whose change the same launch passes',
    async () => {
      const page = await browser.open();
      const request = new SmartApp(portal, { parameters: { redirect_uri: other } }).authorizationPath;
      browser.expectFailure('/connect/authorize', 400);
      await page.goto(portal.issuer + request);
      await page.getByRole('heading', { level: 1, name: 'Oh no!' }).waitFor();
      const reference = (await page.locator('meta[name="gatehouse-reference"]').getAttribute('content')) ?? '';
      for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();

      await open('/admin/activity', 'Activity', page);
      await page.getByRole('searchbox').fill(reference);
      await page.getByRole('searchbox').press('Enter');
      await page
        .getByRole('link', { name: publicApp.clientName })
        .and(page.locator(`[href$="${reference}"]`))
        .click();
      await expectPage(page, `/admin/activity/${reference}`, publicApp.clientName);
      await page.getByRole('region', { name: 'What happened' }).locator('[aria-current=step]').waitFor();
      // On a slow device the form is there before the address has changed, and is changed at once.
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 8 });
      await page.evaluate(`new MutationObserver((_, observer) => {
      const add = [...document.querySelectorAll('button')].find((one) => one.textContent.trim() === 'Add redirect URI');
      if (!add) return;
      observer.disconnect();
      add.click();
    }).observe(document, { subtree: true, childList: true })`);
      await page
        .getByRole('region', { name: 'What to change' })
        .getByRole('button', { name: 'Change Redirect URIs' })
        .click();
      await expectPage(page, '/admin/client-management', 'Clients');
      const fields = page.getByRole('group', { name: /^Redirect URIs\b(?! after)/ });
      await fields.locator('input:focus').waitFor();
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
      await fields.locator('input').last().fill(other);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expectText(page, 'Client was successfully updated');

      await page.goto(portal.issuer + request);
      await page.waitForURL((url) => url.pathname !== '/connect/authorize');
      expect(await page.getByRole('heading', { level: 1, name: 'Oh no!' }).count()).toBe(0);
    },
  );

  it('has what happened, the text for the developer, and the launches of the same cause', async () => {
    const reference = await refusedAudience();
    await refusedAudience();
    const page = await open(`/admin/activity/${reference}`, publicApp.clientName);
    const happened = page.getByRole('region', { name: 'What happened' });
    expect(await happened.locator('[aria-current=step] h3').innerText()).toContain('refused');
    await expectText(happened, 'Tokens not issued');
    await happened.getByRole('button', { name: 'Show technical details' }).click();
    await happened
      .locator('code, p', { hasText: /^[a-z]+(-[a-z]+)+$/ })
      .first()
      .waitFor();

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: portal.issuer });
    const developer = page.getByRole('region', { name: 'For the app’s developer' });
    await developer.getByRole('button', { name: 'Copy' }).click();
    await developer.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(`Reference: ${reference}`);
    await developer.getByRole('button', { name: 'Copy', exact: true }).waitFor();

    await page.getByRole('region', { name: 'Same cause' }).getByRole('link', { name: '2 launches' }).click();
    await expectPage(page, '/admin/activity', 'Activity');
    await expectText(page, '1–2 of 2', 'Same cause');
    await page.goBack();
    await page.getByRole('button', { name: 'Open client' }).click();
    await page.getByRole('dialog').getByText(publicApp.clientId, { exact: true }).first().waitFor();
  });

  it('says that the access was taken back and when, and what a later request was refused for', async () => {
    const app = new SmartApp(portal);
    const { refresh_token: token = '' } = await app.tokens(people.patient);
    await app.browser.send(`/api/grant?clientId=${publicApp.clientId}`, { method: 'DELETE' });
    const reference = await newestReference();
    const page = await open(`/admin/activity/${reference}`, publicApp.clientName);
    await page.getByText('Access ended', { exact: true }).waitFor();
    await expectText(
      page.getByRole('region', { name: 'What happened' }).locator('[aria-current=step]'),
      'The user took the access back',
    );
    await expectText(page.getByRole('region', { name: 'What to change' }), 'The user took the access back');
    const developer = page.getByRole('region', { name: 'For the app’s developer' });
    await developer.getByText('The user took the access of your app back.').waitFor();

    await app.refresh(token);
    expect(await newestReference()).toBe(reference);
    await page.reload();
    await page.getByText('Refused', { exact: true }).waitFor();
    const decision = page.getByRole('region', { name: 'What happened' }).locator('[aria-current=step]');
    await decision.getByText('Token request refused').waitFor();
    await decision.getByText('The user took the access back, on').waitFor();
    expect(await page.getByText(/everything worked|under way|no refused request/i).count()).toBe(0);
  });

  itInLongRun('says that a reference is unknown, or is none', async () => {
    const page = await browser.open();
    for (const typed of ['NB-7Q4K-2M', 'nonsense']) {
      browser.expectFailure(`/api/admin/activity/${typed}`, 404);
      browser.expectFailure(`/api/admin/activity/${typed}`, 400);
      await open(`/admin/activity/${typed}`, 'No launch with this reference', page);
      await page.getByRole('link', { name: 'Back to Activity' }).click();
      await expectPage(page, '/admin/activity', 'Activity');
    }
  });

  itInLongRun('is shown after signing in to an administrator who follows a link to it', async () => {
    const reference = await refusedAudience();
    const page = await browser.open();
    await page.addInitScript('localStorage.setItem("gatehouse-visited", "true")');
    await page.goto(`${portal.issuer}/admin/activity/${reference}`);
    await page.waitForURL((url) => url.searchParams.has('returnUrl'));
    expect(new URL(page.url()).searchParams.get('returnUrl')).toBe(`/admin/activity/${reference}`);
  });

  itInLongRun('is accessible in every look, also of an unknown reference', async () => {
    const reference = await refusedAudience();
    browser.expectFailure('/api/admin/activity/NB-7Q4K-2M', 404);
    await expectFitInEveryLook(browser, {
      'A launch': (page) => open(`/admin/activity/${reference}`, publicApp.clientName, page),
      'An unknown reference': (page) => open('/admin/activity/NB-7Q4K-2M', 'No launch with this reference', page),
    });
  });
});

async function newestReference(): Promise<string> {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
  const [row] = await portal.query<{ id: string }>(
    'SELECT id FROM launch WHERE account_id IS NOT NULL ORDER BY started_at DESC LIMIT 1',
  );
  return referenceOf(row?.id ?? '');
}

async function refusedAudience(): Promise<string> {
  const { headers } = await new SmartApp(portal, { parameters: { aud: 'https://elsewhere.test' } }).authorize();
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
  return headers['x-launch-reference']?.toString() ?? '';
}
