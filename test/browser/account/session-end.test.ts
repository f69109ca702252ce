import type { Page, Request, Route } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectLogin, expectPage, expectText, signIn, signInByApi } from '../../support/browser/pages.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong, itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { type Person, people } from '../../support/users/people.js';

// cspell:ignore requestfinished requestfailed
const browser = useBrowser();
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient] } });
});

beforeEach(() => portal.query("DELETE FROM oidc_record WHERE model = 'Session'"));

afterAll(() => portal.close());

/** Seconds until the only session expires. */
async function secondsLeft(): Promise<number> {
  const [row] = await portal.query<{ left: number }>(
    "SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM oidc_record WHERE model = 'Session'",
  );
  return row?.left ?? 0;
}

/** Lets the session expire in so many seconds, as after idle time. */
const idleUntil = (seconds: number) =>
  portal.query(
    `UPDATE oidc_record SET expires_at = now() + make_interval(secs => $1), last_used_at = now() - interval '10 minutes'
      WHERE model = 'Session'`,
    [seconds],
  );

/** The dashboard of an administrator whose session expires in so many seconds. */
async function soonOver(page: Page, seconds: number): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  // Each call of the page that is loading would extend the session again.
  const pending = new Set<Request>();
  let lastUse = Date.now();
  page.on('request', (request) => {
    if (!/\/api\/(?!session\/time-left)/.test(request.url())) return;
    pending.add(request);
    lastUse = Date.now();
  });
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => pending.delete(request));
  }
  const whenLoaded = async (route: Route) => {
    // Parts of the page that load late make their calls after those of others were answered.
    await until(() => pending.size === 0 && Date.now() - lastUse > 750);
    await idleUntil(seconds);
    await route.continue();
  };
  await page.route('**/api/session/time-left', whenLoaded, { times: 1 });
  await page.goto(`${portal.issuer}/admin/dashboard`);
  await expectPage(page, '/admin/dashboard', 'Dashboard');
}

describe('An idle administrator', () => {
  it('E-07 is warned by an accessible countdown that screen readers announce, and stays signed in by a button', async () => {
    let page = undefined as unknown as Page;
    await expectFitInEveryLook(browser, async (opened) => {
      page = opened;
      await soonOver(page, 115);
      await expectDialog(page, 'Are you still there?');
    });
    const dialog = await expectDialog(page, 'Are you still there?');
    await dialog.getByText(/^1:\d\d$/).waitFor();
    await dialog
      .getByRole('status')
      .filter({ hasText: 'You are signed out in 2 minutes.' })
      .waitFor({ state: 'attached' });
    const stay = dialog.getByRole('button', { name: 'Stay signed in' });
    await stay.and(page.locator(':focus')).waitFor();
    expect(await secondsLeft()).toBeLessThan(115);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(await secondsLeft()).toBeGreaterThan(14 * 60);
    await expectPage(page, '/admin/dashboard', 'Dashboard');
  });

  itInLongRun('E-07 is signed out at the end, which requesting the remaining time does not delay', async () => {
    browser.expectFailure('/api/session/time-left', 401);
    browser.expectFailure('/api/admin/dashboard/firely-server-status', 401);
    const page = await browser.open();
    await soonOver(page, 100);
    await expectDialog(page, 'Are you still there?');
    // The page checks every five seconds, so once more before the end.
    await idleUntil(7);
    const login = await expectLogin(page);
    await expectText(page, 'Your session has ended. Please sign in again to continue.');
    await login.email.and(page.locator(':focus')).waitFor();
  });

  itInLongRun('E-07 stays signed in while typing, which causes no other request', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.clock.install();
    await page.goto(`${portal.issuer}/admin/user-management?add=true`);
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true }).first();
    await name.fill('Typed');
    await idleUntil(400);
    await page.clock.fastForward(31_000);
    await name.pressSequentially('!');
    await until(async () => (await secondsLeft()) > 14 * 60);
    // Typing does not extend the session with each key.
    await idleUntil(400);
    await name.pressSequentially('!!!');
    await page.clock.fastForward(31_000);
    expect(await secondsLeft()).toBeLessThan(401);
    await name.pressSequentially('!');
    await until(async () => (await secondsLeft()) > 14 * 60);
  });

  itInLongRun('is not warned while another window is in use', async () => {
    const page = await browser.open();
    await soonOver(page, 100);
    const dialog = await expectDialog(page, 'Are you still there?');
    await idleUntil(800);
    await dialog.waitFor({ state: 'hidden' });
  });

  itInLongRun('can sign out at once', async () => {
    const page = await browser.open();
    await soonOver(page, 100);
    await expectDialog(page, 'Are you still there?');
    await page.getByRole('button', { name: 'Sign out now' }).click();
    await expectLogin(page);
    await until(async () => (await secondsLeft()) === 0);
  });
});

describe('A page that is loaded after the session has ended', () => {
  const told = 'Your session has ended. Please sign in again to continue.';
  const open = async (person: Person): Promise<Page> => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, person);
    await page.goto(portal.issuer);
    await page.getByRole('button', { name: /^Account menu of / }).waitFor();
    return page;
  };

  const pages: [string, string, Person][] = [
    ['/admin/user-management?isExternal=false', 'Users', people.admin],
    ['/user/grants', 'Manage Apps', people.patient],
    ['/admin/dashboard', 'Dashboard', people.admin],
    ['/admin/account-settings', 'Account settings', people.admin],
    ['/user/account-settings', 'Account settings', people.patient],
  ];

  // The rule for addresses has tests without a browser (`client/src/shared/addresses/return-url.test.ts`).
  it.each(isLong ? pages : pages.slice(0, 1))(
    'E-07 leads to the sign-in page, which reports the ended session and leads back: %s',
    async (address, heading, person) => {
      // The document preloads data before the page knows that there is no session.
      browser.expectAnyFailure(401);
      const page = await open(person);
      // A page that is still there may notice the end by itself, and go to the sign-in page meanwhile.
      await page.goto('about:blank');
      await portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
      await page.goto(portal.issuer + address);
      await expectLogin(page);
      await expectText(page, told);
      await signIn(page, person);
      await expectPage(page, new URL(address, portal.issuer).pathname, heading);
      expect(page.url()).toBe(portal.issuer + address);
    },
  );

  itInLongRun(
    'leads to the sign-in page without that message after a sign-out, and for a user who was never signed in',
    async () => {
      const page = await open(people.patient);
      await page.getByRole('button', { name: /^Account menu of / }).click();
      await page.getByRole('menuitem', { name: 'Logout' }).click();
      await expectLogin(page);
      await page.goto(`${portal.issuer}/user/grants`);
      await expectPage(page, '/welcome', 'Welcome to Gatehouse');
      await page.goto(`${portal.issuer}/user/account-settings`);
      await expectLogin(page);
      expect(await page.getByText(told).count()).toBe(0);
    },
  );

  itInLongRun('reports the ended session also when another tab notices the end first', async () => {
    browser.expectAnyFailure(401);
    const page = await open(people.patient);
    const other = await page.context().newPage();
    await portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
    await other.goto(`${portal.issuer}/user/account-settings`);
    await expectText(other, told);
  });
});

it('E-08 a user whose session has reached its maximum sees a message, and cannot extend it', async () => {
  const page = await browser.open();
  await signInByApi(page, portal.issuer, people.patient);
  await portal.query(
    `UPDATE oidc_record SET expires_at = now() + interval '90 seconds',
       payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 12 * 3600 + 90))
      WHERE model = 'Session'`,
  );
  await page.goto(`${portal.issuer}/user/grants`);
  const dialog = await expectDialog(page, 'You will be signed out soon');
  await dialog.getByRole('button', { name: 'OK' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expectText(page, 'Manage Apps');
  expect(await secondsLeft()).toBeLessThanOrEqual(90);
});
