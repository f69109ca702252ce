import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { useBrowser } from '../../support/browser/browser.js';
import {
  expectDialog,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const client = {
  ...publicApp,
  description: 'Keeps an eye on your heart.',
  legalCompanyName: 'Heart Companion Ltd',
  contactUsUrl: 'https://heart.example/contact',
};
let portal: TestPortal;
let tokens: Tokens;

beforeEach(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [client] } });
  tokens = await new SmartApp(portal, { scope: 'openid offline_access patient/Observation.rs' }).tokens(people.patient);
});

afterEach(() => portal.close());

/** The gateway's answer to the app. There is no FHIR server, so a permitted request is answered with 502 or 503. */
async function gatewayStatus(): Promise<number> {
  const answer = await fetch(`${portal.fhirBase}/Observation?patient=Patient/1`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  return answer.status;
}

describe('The list of a patient’s apps', () => {
  it('shows the permissions of each app and its provider', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/user/grants', 'Manage Apps');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Heart Companion' }) });
    const [grant] = await portal.query<{ created_at: Date }>(
      "SELECT created_at FROM oidc_record WHERE model = 'Grant'",
    );
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
    await expectText(
      card,
      'Granted on',
      day.format(grant?.created_at),
      'Expires on',
      'Last used',
      'Has access when you are not there',
    );

    await card.getByRole('button', { name: 'About Heart Companion' }).click();
    const about = await expectDialog(page, 'Heart Companion');
    await expectText(about, 'Keeps an eye on your heart.', 'Heart Companion Ltd', 'Terms of service URL', 'No value');
    const contact = about.getByRole('link', { name: 'https://heart.example/contact' });
    expect([await contact.getAttribute('target'), await contact.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
    await about.getByRole('button', { name: 'Close' }).click();
    await about.waitFor({ state: 'hidden' });

    await card.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    const permissions = page.getByRole('dialog').filter({ hasText: 'Granted permissions' });
    await expectText(permissions, 'Your sign-in identifier', 'Stay connected', 'Test results and observations');
    await page.keyboard.press('Escape');
    await permissions.waitFor({ state: 'hidden' });
  });

  it('revokes an app at once, after a question', async () => {
    expect(await gatewayStatus()).toBeGreaterThanOrEqual(500);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    await page.getByRole('button', { name: 'Revoke App Permissions' }).click();
    const question = await expectDialog(page, 'Revoke the permissions of Heart Companion?');
    expect(await gatewayStatus()).toBeGreaterThanOrEqual(500);
    await question.getByRole('button', { name: 'Revoke App Permissions' }).click();

    await expectNotice(page, 'App permissions were successfully revoked.');
    await expectText(page, 'No Applications Yet');
    await page.locator('h1:focus').waitFor();
    expect(await gatewayStatus()).toBe(401);
    const refreshed = await new SmartApp(portal).refresh(tokens.refresh_token ?? '');
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
  });

  it('requires sign-in when the session has ended', async () => {
    browser.expectFailure('/api/grant', 401);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/grants`);
    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    await page.getByRole('button', { name: 'Revoke App Permissions' }).click();
    await page.context().request.get(`${portal.issuer}/logout`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      maxRedirects: 0,
    });
    await page.getByRole('dialog').last().getByRole('button', { name: 'Revoke App Permissions' }).click();
    await expectLogin(page);
    expect(await gatewayStatus()).toBeGreaterThanOrEqual(500);
  });
});
