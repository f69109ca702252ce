import type { Page } from 'playwright-core';
import { Flow } from '../../support/apps/flow.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import {
  acceptDisclaimer,
  expectBackInApp,
  expectConsent,
  expectDialog,
  expectNotice,
  expectPage,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { KeptUsers } from '../../support/users/kept-users.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const phone = { width: 390, height: 844 };

/** HTML that parsers read differently; the Content-Security-Policy is the second defence. */
const hostile = `
  <h2>Your duties</h2>
  <p onclick="hit()">Keep your <strong>password</strong> to yourself, and read our
  <a href="https://hospital.example/privacy" onmouseover="hit()">privacy policy</a>.</p>
  <script>hit()</script><img src="x" onerror="hit()"><svg onload="hit()"><a href="javascript:hit()">s</a></svg>
  <a href="javascript:hit()">Do not click</a><iframe srcdoc="<script>parent.hit()</script>"></iframe>
  <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=hit()&gt;"></table></mtext></math>
  <form action="https://evil.example/"><button>Send</button></form><base href="https://evil.example/">
  <style>body { display: none }</style><div id="root" class="ant-modal" style="position:fixed;inset:0">Over it all</div>`;

const long = `<ol>${'<li>In an emergency, call your local number. The app does not alert the staff of the hospital.</li>'.repeat(40)}</ol>`;

const disclaimers = [
  { id: 'use', description: 'Use of this portal', html: hostile, clients: [], everyLogin: false },
  {
    id: 'data',
    description: 'How we handle your health data',
    html: '<p>With care.</p>',
    clients: [],
    everyLogin: false,
  },
  {
    id: 'app',
    description: 'Heart Companion is not for emergencies',
    html: long,
    clients: [publicApp.clientId],
    everyLogin: false,
  },
];

let portal: TestPortal;
let users: KeptUsers;
let origin: StaticApp;
let callback: string;

beforeAll(async () => {
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [publicApp, { ...publicApp, clientId: 'strict-app', clientName: 'Ward Round', require2fa: true }].map(
        (client) => ({ ...client, redirectUris: [callback] }),
      ),
      disclaimers,
    },
  });
  users = await KeptUsers.of(portal);
});

beforeEach(() => users.restore());

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal.close();
  await origin.close();
});

async function launch(page: Page, client = publicApp): Promise<SmartApp> {
  const app = new SmartApp(portal, { client, parameters: { redirect_uri: callback } });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  return app;
}

async function atDisclaimers(page: Page): Promise<void> {
  await signInByApi(page, portal.issuer, people.patient);
  await launch(page);
  await expectPage(page, '/user/disclaimer', 'Disclaimers');
  await page.getByRole('checkbox').first().waitFor();
}

const box = (page: Page, name: string) => page.getByRole('checkbox', { name });

/** The user has agreed to all disclaimers in another browser. */
async function agreedBefore(): Promise<void> {
  const flow = await Flow.begin(portal, publicApp, { parameters: { redirect_uri: callback } });
  await flow.agreeToAll();
  expect(flow.path).toBe('/user/consent');
}

async function acceptAll(page: Page): Promise<void> {
  for (const { description } of disclaimers) await acceptDisclaimer(page, description);
  await page.getByRole('button', { name: 'Confirm my choices' }).click();
}

describe('A patient of an app with disclaimers', () => {
  it('agrees to each in its dialog, continues to consent, and revokes the agreement in the list of apps', async () => {
    const page = await browser.open(phone);
    await atDisclaimers(page);
    await expectText(
      page,
      'Please agree to all disclaimers in order to proceed with login.',
      'Step 1 of 2 · Heart Companion',
      'Agreed: 0 of 3',
      'About Heart Companion',
    );
    const confirm = page.getByRole('button', { name: 'Confirm my choices' });
    expect(await confirm.isDisabled()).toBe(true);

    await acceptDisclaimer(page, 'Use of this portal');
    await expectText(page, 'Agreed: 1 of 3');
    await page.getByRole('button', { name: 'Show How we handle your health data' }).click();
    const shown = await expectDialog(page, 'How we handle your health data');
    await expectText(shown, 'With care.');
    await shown.getByRole('button', { name: 'Cancel' }).click();
    await shown.waitFor({ state: 'hidden' });
    expect(await box(page, 'How we handle your health data').isChecked()).toBe(false);

    await acceptDisclaimer(page, 'How we handle your health data');
    expect(await confirm.isDisabled()).toBe(true);
    await acceptDisclaimer(page, 'Heart Companion is not for emergencies');
    await box(page, 'Use of this portal').uncheck();
    expect(await confirm.isDisabled()).toBe(true);
    await acceptDisclaimer(page, 'Use of this portal');
    await confirm.click();

    const consent = await expectConsent(page, 'Heart Companion');
    await expectText(page, 'Step 2 of 2 · Heart Companion');
    await consent.accept.click();
    expect((await expectBackInApp(page, callback)).get('code')).not.toBeNull();

    await page.goto(`${portal.issuer}/user/grants`);
    await expectPage(page, '/user/grants', 'Manage Apps');
    const general = page.locator('section', { has: page.getByRole('heading', { name: 'Manage General Agreements' }) });
    await expectText(general, 'Use of this portal', 'How we handle your health data');
    await general.getByRole('button', { name: 'Revoke Disclaimers' }).click();
    const question = await expectDialog(page, 'Revoke the general disclaimers?');
    await question.getByRole('button', { name: 'Revoke Disclaimers' }).click();
    await expectNotice(page, 'Disclaimers were successfully revoked.');
    await general.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    const sheet = page.getByRole('dialog').filter({ hasText: 'Agreed disclaimers' });
    await expectText(sheet, 'Heart Companion is not for emergencies');
    await sheet.getByRole('button', { name: 'Revoke App Permissions' }).click();
    const revoke = await expectDialog(page, 'Take back access from Heart Companion?');
    await revoke.getByRole('button', { name: 'Take back access' }).click();
    await expectNotice(page, 'App permissions were successfully revoked.');
    await page.getByRole('button', { name: 'Done' }).click();
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Heart Companion' }) });
    await expectText(card, 'N/A');
    await expectText(card, 'This app has no access. You only agreed to its disclaimers.');
    expect(await card.getByText('Expires on').count()).toBe(0);

    await page.getByRole('button', { name: 'View Disclaimers & Permissions of Heart Companion' }).click();
    await sheet.getByRole('button', { name: 'Revoke Disclaimers' }).click();
    const last = await expectDialog(page, 'Revoke the disclaimers of Heart Companion?');
    await last.getByRole('button', { name: 'Revoke Disclaimers' }).click();
    await expectText(page, 'No Applications Yet');

    await launch(page);
    await expectPage(page, '/user/disclaimer', 'Disclaimers');
    await expectText(page, 'Agreed: 0 of 3');
  });

  itInLongRun('sees earlier agreements, and agrees only to the rest', async () => {
    const page = await browser.open(phone);
    await agreedBefore();
    await portal.query("DELETE FROM disclaimer_agreement WHERE disclaimer_id = 'app'");
    await atDisclaimers(page);
    await expectText(page, 'Agreed: 2 of 3', 'You agreed to this before');
    expect(await box(page, 'Use of this portal').isDisabled()).toBe(true);
    await acceptDisclaimer(page, 'Heart Companion is not for emergencies');
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
    await expectConsent(page, 'Heart Companion');
  });

  it('L-01 L-02 sees a text whose scripts do not run and whose pictures are not loaded', async () => {
    const page = await browser.open(phone);
    const hits: string[] = [];
    await page.exposeFunction('hit', () => hits.push('hit'));
    page.on('dialog', (dialog) => hits.push(dialog.message()));
    page.on('request', (request) => {
      if (!request.url().startsWith(portal.issuer) && !request.url().startsWith(origin.url)) hits.push(request.url());
    });
    await atDisclaimers(page);
    await page.getByRole('button', { name: 'Show Use of this portal' }).click();
    const dialog = await expectDialog(page, 'Use of this portal');
    await expectText(dialog, 'Your duties', 'Over it all');
    const link = dialog.getByRole('link', { name: 'privacy policy' });
    expect([
      await link.getAttribute('target'),
      await link.getAttribute('rel'),
      await link.getAttribute('href'),
    ]).toEqual(['_blank', 'noopener noreferrer', 'https://hospital.example/privacy']);
    await dialog.getByText('Do not click').click();
    await dialog.getByText('Over it all').click();
    expect(
      await dialog.locator('section :is(script,img,svg,iframe,form,base,style,[id],[class*=ant],[style])').count(),
    ).toBe(0);
    expect(hits).toEqual([]);
  });

  itInLongRun('returns to the same page by reloading, and continues in a second tab after agreeing', async () => {
    const page = await browser.open(phone);
    await atDisclaimers(page);
    const second = await page.context().newPage();
    await launch(second);
    await expectPage(second, '/user/disclaimer', 'Disclaimers');
    await page.bringToFront();
    await page.reload();
    await expectPage(page, '/user/disclaimer', 'Disclaimers');
    await acceptAll(page);
    await expectConsent(page, 'Heart Companion');
    await second.bringToFront();
    await second.reload();
    await expectConsent(second, 'Heart Companion');
  });

  itInLongRun('sees that an agreement is missing when the texts have changed, and can start again', async () => {
    browser.expectFailure('/api/disclaimer', 400);
    const page = await browser.open(phone);
    await atDisclaimers(page);
    for (const { description } of disclaimers) await acceptDisclaimer(page, description);
    await portal.query(`UPDATE oidc_record SET payload = '{"texts": {}}' WHERE model = 'DisclaimerOffer'`);
    await page.getByRole('button', { name: 'Confirm my choices' }).click();
    await expectText(page, 'Required fields are not provided.');
    await page.reload();
    await acceptAll(page);
    await expectConsent(page, 'Heart Companion');
  });

  itInLongRun('sees the page for bad requests when there is no such request', async () => {
    browser.expectFailure('/api/disclaimer', 400);
    browser.expectFailure('/api/authorization', 400);
    const page = await browser.open(phone);
    await signInByApi(page, portal.issuer, people.patient);
    await page.goto(`${portal.issuer}/user/disclaimer?returnUrl=%2Fconnect%2Fauthorize%2Fcallback%3Fix%3Dunknown-one`);
    await expectPage(page, '/error/400', 'Oh no!');
    await page.goto(`${portal.issuer}/user/disclaimer`);
    await expectPage(page, '/error/400', 'Oh no!');
  });

  itInLongRun('can do everything by keyboard', async () => {
    const page = await browser.open(phone);
    await atDisclaimers(page);
    const focused = () =>
      page.evaluate<string>(
        '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.closest("label")?.innerText ?? document.activeElement.innerText).split("\\n")[0]',
      );
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 20 && (await focused()) !== name; presses += 1) await page.keyboard.press('Tab');
      expect(await focused()).toBe(name);
    };
    for (const { description } of disclaimers) {
      await tabTo(description);
      await page.keyboard.press('Space');
      await expectDialog(page, description);
      // A function, because the page's policy refuses to evaluate an expression a second time.
      await page.waitForFunction('() => document.activeElement.tagName === "SECTION"');
      expect(await focused()).toBe(description);
      await page.keyboard.press('End');
      await tabTo('Accept');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.waitForFunction('() => document.activeElement.type === "checkbox"');
    }
    await tabTo('Confirm my choices');
    await page.keyboard.press('Enter');
    await expectConsent(page, 'Heart Companion');
  });
});

describe('no accessibility violations and no horizontal scrolling', () => {
  // The usual run sees them from right to left (`all-pages/languages.test.ts`).
  itInLongRun('in the disclaimers and in their texts', () =>
    expectFitInEveryLook(browser, {
      disclaimers: async (page) => {
        await atDisclaimers(page);
        await acceptDisclaimer(page, 'Use of this portal');
      },
      'a text': async (page) => {
        await box(page, 'Heart Companion is not for emergencies').click();
        await expectDialog(page, 'Heart Companion is not for emergencies');
      },
    }),
  );

  itInLongRun('in the list of apps, with general agreements and the disclaimers of an app', async () => {
    await agreedBefore();
    await new SmartApp(portal, { parameters: { redirect_uri: callback } }).complete(people.patient);
    await expectFitInEveryLook(browser, {
      'general agreements': async (page) => {
        await signInByApi(page, portal.issuer, people.patient);
        await page.goto(`${portal.issuer}/user/grants`);
        await expectPage(page, '/user/grants', 'Manage Apps');
        await page.getByRole('heading', { name: 'Manage General Agreements' }).waitFor();
      },
      'disclaimers of an app': async (page) => {
        await page.getByRole('button', { name: /^View Disclaimers/ }).click();
        await page.getByText('Agreed disclaimers').waitFor();
      },
    });
  });
});

/** Last, because passport has one configuration per process: that of this portal replaces that of the others. */
describe('A practitioner in an authorization with all steps', () => {
  itInLongRun('sees on each page its number and the total, also after skipping a step', async () => {
    const fhirServer = await startSmallFhirServer();
    const hospital = await startPortal({
      config: {
        fhir: { baseUrl: fhirServer.url },
        users: [people.practitioner],
        clients: [{ ...publicApp, redirectUris: [callback] }],
        disclaimers,
      },
    });
    try {
      const page = await browser.open(phone);
      const scope = 'openid fhirUser launch/patient launch/encounter patient/*.rs';
      const app = new SmartApp(hospital, { scope, parameters: { redirect_uri: callback } });
      await signInByApi(page, hospital.issuer, people.practitioner);
      await page.goto(`${hospital.issuer}/connect/authorize?${app.query()}`);
      await expectText(page, 'Step 1 of 4 · Heart Companion');
      await acceptAll(page);
      await expectPage(page, '/user/launch-context', 'Select Patient');
      await expectText(page, 'Step 2 of 4 · Heart Companion', 'Cancel and return to Heart Companion');
      await page.getByRole('radio', { name: 'Amelia Jane Ward' }).check();
      await page.getByRole('button', { name: 'Confirm Selection' }).click();
      await expectPage(page, '/user/launch-context', 'Select Encounter');
      await expectText(page, 'Step 3 of 4 · Heart Companion');
      await page.getByRole('button', { name: 'Skip' }).click();
      const consent = await expectConsent(page, 'Heart Companion');
      await expectText(page, 'Step 4 of 4 · Heart Companion');
      await consent.accept.click();
      expect((await expectBackInApp(page, callback)).get('code')).not.toBeNull();
    } finally {
      await browser.closePages();
      await hospital.close();
      fhirServer.close();
    }
  });
});
