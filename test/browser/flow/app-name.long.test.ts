/** The app on each page from its request to its response. */
import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import {
  expectBackInApp,
  expectConsent,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type MailSink, newLink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const disclaimer = { id: 'use', description: 'Portal use', html: '<p>Be careful.</p>', clients: ['asking'] };
const forgetful = {
  ...people.patient,
  email: 'ida.field@example.org',
  claims: [{ name: 'fhirUser', value: 'Patient/9' }],
};
const startUrl = 'https://heart.example/start';
let origin: StaticApp;
let portal: TestPortal;
let sink: MailSink;

beforeAll(async () => {
  origin = await startCallbackApp();
  sink = await startMailSink();
  const client = { ...publicApp, clientName: 'Heart Diary', redirectUris: [`${origin.url}/callback`] };
  portal = await startPortal({
    config: {
      email: sink.config,
      branding: { organizationTitle: 'Northbrook Hospital' },
      users: [people.patient, people.otherPatient, forgetful],
      clients: [
        client,
        { ...client, clientId: 'strict', require2fa: true },
        { ...client, clientId: 'asking' },
        { ...client, clientId: 'heart', initiateLoginUri: startUrl },
      ],
      disclaimers: [disclaimer],
    },
  });
  await portal.query("UPDATE account SET user_type = 'Incomplete' WHERE email = $1", [people.otherPatient.email]);
});
afterEach(() => browser.closePages());
afterAll(async () => {
  await portal.close();
  await origin.close();
  await sink.stop();
});

function request(clientId = publicApp.clientId): SmartApp {
  const parameters = { redirect_uri: `${origin.url}/callback`, prompt: 'consent' };
  return new SmartApp(portal, { client: { clientId }, parameters });
}

/** Begins an app's request in this browser without its page; returns the returnUrl of the sign-in page. */
async function beginUnseen(page: Page, clientId?: string): Promise<string> {
  const address = portal.issuer + request(clientId).authorizationPath;
  const answer = await page.context().request.get(address, { maxRedirects: 0 });
  return new URL(answer.headers().location ?? '').searchParams.get('returnUrl') ?? '';
}

/** Opens the sign-in page of an app's request. */
async function begin(page: Page, clientId?: string): Promise<SmartApp> {
  const app = request(clientId);
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await expectLogin(page);
  return app;
}

/** Asks for a link on the way of an app's request; returns the address of the link. */
async function askForLink(page: Page, clientId?: string): Promise<string> {
  await portal.query('DELETE FROM rate_limit');
  await begin(page, clientId);
  await page.getByRole('link', { name: 'Forgot Password?' }).click();
  await expectPage(page, '/password/forgot', 'Forgot your password?');
  await page.getByLabel('Email').fill(forgetful.email);
  const { url } = await newLink(sink, forgetful.email, '/password/reset', () =>
    page.getByRole('button', { name: 'Send link' }).click(),
  );
  await expectText(page, 'Password reset link sent!');
  // The button that had the focus is gone.
  await page.locator('h1:focus').waitFor();
  return url;
}

/** The same without the pages. */
async function askUnseen(page: Page, clientId?: string): Promise<string> {
  await portal.query('DELETE FROM rate_limit');
  const data = { email: forgetful.email, returnUrl: await beginUnseen(page, clientId) };
  const ask = async () => {
    const answer = await page.context().request.post(`${portal.issuer}/api/user/forgot-password`, { data });
    expect(answer.status()).toBe(200);
  };
  return (await newLink(sink, forgetful.email, '/password/reset', ask)).url;
}

let passwords = 0;

/** Chooses a new password on the page of a link. */
async function choose(page: Page): Promise<string> {
  passwords += 1;
  const password = `quiet-lantern-${passwords}-meadow`;
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Confirm password').fill(password);
  await page.getByRole('button', { name: /^Save (password|and sign in)$/ }).click();
  return password;
}

/** A user who is signed in comes from an app. */
async function comeFrom(page: Page, clientId: string): Promise<void> {
  await signInByApi(page, portal.issuer, people.patient);
  await page.goto(portal.issuer + request(clientId).authorizationPath);
}

const pages: [string, string, string, (page: Page) => Promise<unknown>][] = [
  ['the sign-in', '/login', 'Sign in', (page) => begin(page)],
  [
    'a forgotten password',
    '/password/forgot',
    'Forgot your password?',
    async (page) => {
      await begin(page);
      await page.getByRole('link', { name: 'Forgot Password?' }).click();
    },
  ],
  [
    'a forgotten password, once the link is on its way',
    '/password/forgot',
    'Forgot your password?',
    (page) => askForLink(page),
  ],
  [
    'a link by mail',
    '/password/reset',
    'Reset your password',
    async (page) => {
      await page.goto(await askUnseen(page));
    },
  ],
  [
    'an account that is to be deleted',
    '/account/keep',
    'Keep your account?',
    async (page) => {
      const returnUrl = await beginUnseen(page);
      await page.goto(`${portal.issuer}/account/keep?${new URLSearchParams({ returnUrl })}`);
    },
  ],
  [
    'an account that is not ready',
    '/account/error',
    'Your account is not ready',
    async (page) => {
      browser.expectFailure('/api/session/login', 403);
      await begin(page);
      await (await expectLogin(page)).signIn(people.otherPatient);
    },
  ],
  [
    'a second factor',
    '/user/two-factor-required',
    'Two-Factor Authentication Required',
    (page) => comeFrom(page, 'strict'),
  ],
  ['the disclaimers', '/user/disclaimer', 'Disclaimers', (page) => comeFrom(page, 'asking')],
];

describe('In an authorization request of an app', () => {
  it('each page names the app and its host, and fits in every look', () =>
    expectFitInEveryLook(
      browser,
      Object.fromEntries(
        pages.map(([name, path, heading, open]) => [
          name,
          async (page: Page) => {
            await page.context().clearCookies();
            await open(page);
            await expectPage(page, path, heading);
            await expectText(page, 'Continue to Heart Diary', new URL(origin.url).host);
          },
        ]),
      ),
    ));

  it('*Cancel* on the sign-in page leads back to the app, by keyboard, and fits in half the window, as at 200 % zoom', async () => {
    const page = await browser.open({ width: 640, height: 440 });
    const app = await begin(page);
    await page.getByRole('button', { name: 'Cancel and return to Heart Diary' }).waitFor();
    await expectNoSidewaysScroll(page, 640);
    await page.setViewportSize({ width: 360, height: 740 });
    const { submit } = await expectLogin(page);
    const cancel = page.getByRole('button', { name: 'Cancel and return to Heart Diary' });
    await cancel.waitFor();
    await submit.focus();
    await page.keyboard.press('Tab');
    await cancel.and(page.locator(':focus')).waitFor();
    // Without a network the page says so, and stays.
    browser.expectFailure('/api/authorization/sign-in', 'offline');
    await page.context().setOffline(true);
    await page.keyboard.press('Enter');
    await expectNotice(page, 'Something went wrong.');
    await page.context().setOffline(false);
    await cancel.and(page.locator(':enabled')).focus();
    await page.keyboard.press('Enter');
    const parameters = await expectBackInApp(page, `${origin.url}/callback`);
    expect([parameters.get('error'), parameters.get('state')]).toEqual(['access_denied', app.state]);
  });

  it('an account that is not ready leads back to the sign-in of the app, or to the app', async () => {
    browser.expectFailure('/api/session/login', 403);
    const page = await browser.open();
    await begin(page);
    await (await expectLogin(page)).signIn(people.otherPatient);
    await expectPage(page, '/account/error', 'Your account is not ready');
    await page.getByRole('button', { name: 'Go to Login' }).click();
    await expectLogin(page);
    await expectText(page, 'Continue to Heart Diary');
    await page.goBack();
    await page.getByRole('button', { name: 'Cancel and return to Heart Diary' }).click();
    expect((await expectBackInApp(page, `${origin.url}/callback`)).get('error')).toBe('access_denied');
  });

  it('a request that has ended asks for no password', async () => {
    const page = await browser.open();
    await begin(page);
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Interaction'");
    await page.reload();
    await expectPage(page, '/error/400', 'Oh no!');
  });

  it('A-19 the request of another browser names no app', async () => {
    const [page, other] = [await browser.open(), await browser.open()];
    await begin(page);
    await other.goto(page.url());
    await expectPage(other, '/error/400', 'Oh no!');
    expect(await other.getByText('Continue to').count()).toBe(0);
  });
});

it('Without an app the sign-in page names none and has nothing to cancel', async () => {
  const page = await browser.open();
  await page.goto(`${portal.issuer}/login?returnUrl=%2Fuser%2Fgrants`);
  await expectLogin(page);
  await page.waitForLoadState('networkidle');
  expect(await page.getByText('Continue to').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Cancel/ }).count()).toBe(0);
});

describe('A link by mail that was requested during an authorization request of an app', () => {
  it('leads on to the app in the same browser, from another tab', async () => {
    const page = await browser.open();
    const link = await askForLink(page);
    await expectText(
      page,
      'Open the link in this browser to continue to Heart Diary. If you open it on another device, come back here afterwards and sign in.',
    );
    const tab = await page.context().newPage();
    await tab.goto(link);
    await choose(tab);
    await (await expectConsent(tab, 'Heart Diary')).accept.click();
    expect((await expectBackInApp(tab, `${origin.url}/callback`)).has('code')).toBe(true);
  });

  it.each([
    ['which names the app and starts it there', 'heart', true],
    ['which names the app', publicApp.clientId, false],
  ] as const)('is good on another device, %s, and the first device goes on', async (_, clientId, starts) => {
    const page = await browser.open();
    const link = await askForLink(page, clientId);
    const device = await browser.open({ width: 360, height: 740 });
    await device.goto(link);
    await expectText(
      device,
      'You asked for this link in another browser, where Heart Diary waits for you. After this, go back to that browser and sign in there.',
    );
    expect(await device.getByText('Continue to').count()).toBe(0);
    const password = await choose(device);
    await device.getByText('To continue to Heart Diary, go back to the browser in which you began.').waitFor();
    const start = device.getByRole('link', { name: 'Start Heart Diary here' });
    expect(await start.count()).toBe(starts ? 1 : 0);
    if (starts) expect(await start.getAttribute('href')).toBe(startUrl);
    await device.getByRole('button', { name: 'Go to Login' }).waitFor();
    await device.locator('h1:focus').waitFor();

    await page.getByRole('button', { name: 'Go Back' }).click();
    const login = await expectLogin(page);
    await expectText(page, 'Continue to Heart Diary');
    expect(await login.email.inputValue()).toBe(forgetful.email);
    await login.password.fill(password);
    await login.submit.click();
    await expectConsent(page, 'Heart Diary');
  });

  it('says on another device that the request has ended, and fits in every look', async () => {
    const link = await askUnseen(await browser.open(), 'heart');
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Interaction'");
    await expectFitInEveryLook(browser, {
      'the page of the link': async (device) => {
        await device.goto(link);
        await expectText(
          device,
          'You asked for this link on the way to Heart Diary. That sign-in has ended meanwhile; after this, start again in Heart Diary.',
        );
      },
      'the answer': async (device) => {
        await choose(device);
        await device.getByRole('link', { name: 'Start Heart Diary here' }).waitFor();
      },
    });
  });
});

/** The node refuses requests for a minute, as after very many: for the last test. */
async function exhaustStarts(): Promise<void> {
  const context = await (await browser.open()).context().request;
  await until(async () => {
    await portal.query("UPDATE rate_limit SET points = 1000000 WHERE key LIKE 'start-authorization:%'");
    return (await context.get(`${portal.issuer}/connect/authorize`, { maxRedirects: 0 })).status() === 429;
  });
}

it('An app whose request may not begin yet is named by the error page, and no other one', async () => {
  browser.expectFailure('/connect/authorize', 429);
  await exhaustStarts();
  const open = async (page: Page, parameters: Record<string, string>) => {
    const app = new SmartApp(portal, { client: { clientId: 'heart' }, parameters });
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    await page.getByRole('heading', { level: 1, name: 'One moment, please' }).waitFor();
  };
  const registered = { redirect_uri: `${origin.url}/callback` };
  await expectFitInEveryLook(
    browser,
    async (page) => {
      await open(page, registered);
      await expectText(page, 'The sign-in for Heart Diary could not begin yet.');
      const start = page.getByRole('link', { name: 'Start again in Heart Diary' });
      expect(await start.getAttribute('href')).toBe(startUrl);
    },
    { number: 1 },
  );
  browser.expectFailure('/api/authorization/ended', 404);
  for (const foreign of [{ redirect_uri: 'https://evil.example/' }, { ...registered, client_id: 'unknown' }]) {
    const page = await browser.open();
    await open(page, foreign);
    await page.getByRole('link', { name: 'Go to the home page' }).waitFor();
    expect(await page.getByText('Heart Diary').count()).toBe(0);
  }
});
