import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, isAskedByBrowser, useBrowser } from '../../support/browser/browser.js';
import {
  expectBackInApp,
  expectConsent,
  expectDialog,
  expectLogin,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const fineGrained = {
  ...publicApp,
  clientId: 'fine-grained-app',
  clientName: 'Lab Results',
  showFineGrainedScopes: true,
};
let portal: TestPortal;
let origin: StaticApp;
let callback: string;

beforeAll(async () => {
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [publicApp, fineGrained].map((client) => ({ ...client, redirectUris: [callback] })),
    },
  });
});

// Forgets the decisions of the previous test.
beforeEach(async () => {
  await portal.query('DELETE FROM app_consent');
});

afterAll(async () => {
  await portal.close();
  await origin.close();
});

/** An app that sends a user to the portal. */
async function launch(page: Page, scope: string, client = publicApp, prompt?: string): Promise<SmartApp> {
  const app = new SmartApp(portal, { client, scope, parameters: { redirect_uri: callback, prompt } });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  return app;
}

async function grantedScopes(app: SmartApp, answer: URLSearchParams): Promise<string[]> {
  expect(answer.get('state')).toBe(app.state);
  const tokens = await app.exchange(answer.get('code') ?? '', { redirect_uri: callback });
  expect(tokens.status).toBe(200);
  return tokens.json<{ scope: string }>().scope.split(' ').toSorted();
}

const expectSummary = (page: Page, ...lines: string[]) => expectText(page.locator('#consent-summary'), ...lines);

describe('A patient on the consent page', () => {
  it('unticks scopes, and the token has the rest', async () => {
    const page = await browser.open();
    const app = await launch(
      page,
      'openid fhirUser profile offline_access launch/patient patient/Observation.rs patient/Condition.rs patient/Appointment.cu',
    );
    await (await expectLogin(page)).signIn(people.patient);
    const consent = await expectConsent(page, 'Heart Companion');
    await expectText(page, 'Uncheck the permission you do not want to grant.', `Returns to ${new URL(callback).host}`);
    await consent.expectSections('Application Access to', 'How long', 'Personal information', 'Remember my decision');
    await expectSummary(
      page,
      'Your health data',
      'See: Test results and observations, Conditions',
      'Add and change: Appointments',
      'How long: until you take it back, also when you are not there',
    );
    await consent.open('About you');
    expect(await consent.ticks()).toEqual([
      'x Test results and observations',
      'x Conditions',
      'x Appointments',
      'x Stay connected',
      'x Your sign-in identifier',
      'x Link to your record',
      'x Your profile',
    ]);
    await expectText(page, 'New to you: your first time with this app', 'Maker unknown', 'Kinds of data: 3, ticked: 3');
    await expectText(page, 'The app is opened for your record', 'Always shared');
    await expectText(
      consent.row('Stay connected'),
      'Also when you are not there, until you take it back or the app is not used for 90 days.',
    );
    await expectText(consent.row('Appointments'), 'book, change', 'Allowed: book, change');
    await consent.open('Remember my decision');
    expect(await page.getByRole('radio', { name: 'Remember this decision until I revoke it' }).isChecked()).toBe(true);

    expect(await page.getByText('patient/Condition.rs').count()).toBe(0);
    await page.getByRole('button', { name: 'Show technical details' }).click();
    await expectText(consent.row('Conditions'), 'patient/Condition.rs');
    // A button named "Hide" in the state "pressed" would announce the opposite of its effect.
    const hide = page.getByRole('button', { name: 'Hide technical details' });
    expect(await hide.getAttribute('aria-pressed')).toBeNull();

    await consent.permission('Conditions').uncheck();
    await consent.permission('Stay connected').uncheck();
    await consent.permission('Your profile').uncheck();
    expect(await consent.grantAll.isChecked()).toBe(false);
    await consent.accept.click();
    const answer = await expectBackInApp(page, callback);
    expect(await grantedScopes(app, answer)).toEqual([
      'fhirUser',
      'launch/patient',
      'openid',
      'patient/Appointment.cu',
      'patient/Observation.rs',
    ]);
  });

  itInLongRun('grants all or no permissions by one button', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const app = await launch(page, 'patient/Observation.rs patient/Condition.rs');
    const consent = await expectConsent(page, 'Heart Companion');
    expect(await consent.grantAll.isChecked()).toBe(true);
    await consent.grantAll.click();
    expect(await consent.ticks()).toEqual(['  Test results and observations', '  Conditions']);
    await expectText(page, 'Choose at least one, or decline');
    expect(await consent.accept.isDisabled()).toBe(true);
    await consent.grantAll.click();
    await consent.accept.click();
    expect(await grantedScopes(app, await expectBackInApp(page, callback))).toEqual([
      'patient/Condition.rs',
      'patient/Observation.rs',
    ]);
  });

  itInLongRun('chooses single categories, which change their parent', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const app = await launch(page, 'patient/Condition.rs', fineGrained);
    const consent = await expectConsent(page, 'Lab Results');
    expect(await consent.ticks()).toEqual(['x Conditions']);
    await consent.unfold('Conditions');
    const all = ['x Conditions', 'x Problem list', 'x Diagnoses from visits', 'x Health concerns'];
    expect(await consent.ticks()).toEqual(all);

    await consent.permission('Problem list').uncheck();
    await consent.permission('Health concerns').uncheck();
    expect(await consent.ticks()).toEqual([
      '- Conditions',
      '  Problem list',
      'x Diagnoses from visits',
      '  Health concerns',
    ]);
    await expectText(consent.row('Conditions'), 'Selected: 1 of 3');

    // A click on a mixed parent ticks all children, and the next click none.
    await consent.permission('Conditions').click();
    expect(await consent.ticks()).toEqual(all);
    await consent.permission('Conditions').click();
    await consent.permission('Diagnoses from visits').check();
    await consent.accept.click();
    expect(await grantedScopes(app, await expectBackInApp(page, callback))).toEqual([
      'patient/Condition.rs?category=http://terminology.hl7.org/CodeSystem/condition-category|encounter-diagnosis',
    ]);
  });

  itInLongRun('unticks one resource type, which a wildcard then does not permit either', async () => {
    const page = await browser.open({ width: 360, height: 740 });
    await signInByApi(page, portal.issuer, people.patient);
    const app = await launch(page, 'patient/MedicationRequest.rs patient/*.rs');
    const consent = await expectConsent(page, 'Heart Companion');
    expect((await consent.ticks()).slice(0, 2)).toEqual(['x Your whole health record', 'x Medication']);
    await consent.permission('Medication').uncheck();
    expect((await consent.ticks()).slice(0, 2)).toEqual(['- Your whole health record', '  Medication']);
    await expectText(
      consent.row('Your whole health record'),
      'Off: only the kinds ticked below, nothing that comes later',
    );

    const more = page.getByRole('button', { name: /^Show \d+ more kinds$/ });
    await more.focus();
    await page.keyboard.press('Enter');
    const ticks = await consent.ticks();
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks.filter((tick) => tick.startsWith(' '))).toEqual(['  Medication']);
    // The focus is on the first kind that was shown.
    expect(await page.getByRole('checkbox').nth(9).and(page.locator(':focus')).count()).toBe(1);
    await consent.permission('Allergies').uncheck();

    await consent.accept.click();
    const granted = await grantedScopes(app, await expectBackInApp(page, callback));
    expect(granted).toContain('patient/Observation.rs');
    expect(granted.filter((scope) => /MedicationRequest|Allergy|\*/.test(scope))).toEqual([]);
  });

  itInLongRun('can choose among all resource types in every layout', async () => {
    const show = async (page: Page) => {
      await signInByApi(page, portal.issuer, people.patient);
      await launch(page, 'patient/*.rs');
      await expectConsent(page, 'Heart Companion');
      await page.getByRole('button', { name: /^Show \d+ more kinds$/ }).click();
    };
    await expectFitInEveryLook(browser, show, { number: 1 });
  });

  it('is not asked again after a remembered decision, and is asked after another one', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await launch(page, 'patient/Encounter.rs');
    const consent = await expectConsent(page, 'Heart Companion');
    await consent.promptAgain();
    await consent.accept.click();
    await expectBackInApp(page, callback);

    await launch(page, 'patient/Encounter.rs');
    await (await expectConsent(page, 'Heart Companion')).accept.click();
    await expectBackInApp(page, callback);

    const app = await launch(page, 'patient/Encounter.rs');
    expect(await grantedScopes(app, await expectBackInApp(page, callback))).toEqual(['patient/Encounter.rs']);
  });

  itInLongRun('sees the last choice when the app asks for consent again', async () => {
    const note = 'The rest is asked again. What you unchecked then is unchecked at first.';
    const scope = 'openid patient/Condition.rs patient/Observation.rs offline_access';
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await launch(page, scope, fineGrained);
    const first = await expectConsent(page, 'Lab Results');
    expect(await page.getByText(note).count()).toBe(0);
    await first.permission('Conditions').uncheck();
    await first.unfold('Test results and observations');
    await first.permission('Laboratory').uncheck();
    const ticks = await first.ticks();
    await first.accept.click();
    await expectBackInApp(page, callback);

    const app = await launch(page, scope, fineGrained, 'consent');
    const again = await expectConsent(page, 'Lab Results');
    expect(await again.ticks()).toEqual(ticks);
    await expectText(page, note);
    const sentences = [page.getByText(/^You decided about this app before: /), page.getByText(/^Allowed then: /)];
    const boxes = await Promise.all([...sentences, page.getByText(note)].map((sentence) => sentence.boundingBox()));
    // Each is below the one before.
    for (const [index, box] of boxes.slice(1).entries()) {
      expect(box).toMatchObject({ x: boxes[index]?.x });
      expect(box?.y).toBeGreaterThan(boxes[index]?.y ?? 0);
    }
    await page.getByRole('button', { name: 'Show technical details' }).click();
    await expectText(again.row('Vital signs'), 'Requested as: patient/Observation.rs');
    await again.accept.click();
    const granted = await grantedScopes(app, await expectBackInApp(page, callback));
    expect(granted.filter((text) => /Condition|laboratory|Observation.rs$/.test(text))).toEqual([]);
    expect(granted).toContain('offline_access');
  });

  it('declines after a confirmation, and the app gets access_denied', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const app = await launch(page, 'openid patient/Procedure.rs');
    const consent = await expectConsent(page, 'Heart Companion');
    await consent.decline.click();
    const dialog = await expectDialog(page, 'Are you sure you want to decline?');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await consent.decline.click();
    await (await expectDialog(page, 'Are you sure you want to decline?'))
      .getByRole('button', { name: 'Confirm Decline' })
      .click();
    const answer = await expectBackInApp(page, callback);
    expect([answer.get('error'), answer.get('state'), answer.get('code')]).toEqual(['access_denied', app.state, null]);
  });

  it('D-03 returns to the registered redirect URI for any address of the page', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await launch(page, 'patient/Goal.rs');
    await expectConsent(page, 'Heart Companion');
    const here = new URL(page.url());
    const returnUrl = new URL(here.searchParams.get('returnUrl') ?? '', portal.issuer);
    returnUrl.searchParams.set('redirect_uri', 'https://evil.example/callback');
    here.searchParams.set('returnUrl', returnUrl.pathname + returnUrl.search);
    await page.goto(here.href);

    await (await expectConsent(page, 'Heart Companion')).decline.click();
    await page.getByRole('button', { name: 'Confirm Decline' }).click();
    expect((await expectBackInApp(page, callback)).get('error')).toBe('access_denied');
  });

  itInLongRun('signs in again when the app requires it, although there is a session', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    const parameters = { redirect_uri: callback, prompt: 'login' };
    const app = new SmartApp(portal, { scope: 'patient/CarePlan.rs', parameters });
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    await (await expectLogin(page)).signIn(people.patient);
    await (await expectConsent(page, 'Heart Companion')).accept.click();
    expect(await grantedScopes(app, await expectBackInApp(page, callback))).toEqual(['patient/CarePlan.rs']);
  });

  it('O-12 accepts neither by a script nor by a click that began on the previous page', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await page.addInitScript(`
      const seen = [];
      window.lookedAtFor = () => seen.at(-1) - seen[0];
      new MutationObserver(() => {
        const accept = document.querySelector('main .ant-btn-primary');
        if (accept && (seen.length === 0) === accept.disabled) seen.push(performance.now());
      }).observe(document, { attributes: true, childList: true, subtree: true });`);
    await launch(page, 'patient/Flag.rs');
    const consent = await expectConsent(page, 'Heart Companion');
    await consent.accept.click({ trial: true });
    expect(await page.evaluate<number>('window.lookedAtFor()')).toBeGreaterThan(490);

    const sent: string[] = [];
    page.on('request', (request) => {
      if (!isAskedByBrowser(request.url())) sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await consent.accept.evaluate((button) => (button as unknown as { click(): void }).click());
    expect(await consent.accept.isEnabled()).toBe(true);
    expect(sent).toEqual([]);
    await consent.accept.click();
    await expectBackInApp(page, callback);

    const { headers } = await fetch(`${portal.issuer}/user/consent`);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  itInLongRun('whose session has ended signs in and is asked again', async () => {
    browser.expectFailure('/api/consent', 401);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.patient);
    await launch(page, 'patient/Device.rs');
    const consent = await expectConsent(page, 'Heart Companion');
    await page.context().request.get(`${portal.issuer}/logout`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      maxRedirects: 0,
    });
    await consent.accept.click();
    await (await expectLogin(page)).signIn(people.patient);
    await (await expectConsent(page, 'Heart Companion')).accept.click();
    expect((await expectBackInApp(page, callback)).get('code')).not.toBeNull();
  });
});
