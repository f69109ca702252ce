import type { Locator, Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectNoSidewaysScroll, useBrowser } from '../../support/browser/browser.js';
import {
  type ConsentPage,
  expectConsent,
  expectDialog,
  expectInView,
  expectLogin,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { makePseudoLanguages, type PseudoLanguages } from '../../support/browser/pseudo-language.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const diary = {
  ...publicApp,
  clientId: 'diary',
  clientName: 'Heart Diary',
  showFineGrainedScopes: true,
  consentLifetime: '90',
  legalCompanyName: 'Fernhill Health',
};
const scope =
  'openid profile launch/patient patient/Condition.crus patient/Observation.rs patient/Encounter.rs offline_access';
let fhirServer: SmallFhirServer;
let portal: TestPortal;
let origin: StaticApp;
let callback: string;
let languages: PseudoLanguages;

beforeAll(async () => {
  languages = await makePseudoLanguages();
  fhirServer = await startSmallFhirServer();
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      languages: languages.config,
      consent: {
        sensitive: { types: ['Encounter'], categories: ['Observation/social-history'], securityLabels: ['HIV'] },
      },
      users: [people.patient, people.otherPatient, people.practitioner],
      clients: [{ ...diary, redirectUris: [callback] }],
    },
  });
});

beforeEach(async () => {
  await portal.query('DELETE FROM app_consent');
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
  await origin.close();
  await languages.remove();
});

async function launch(page: Page, scopes = scope): Promise<void> {
  const app = new SmartApp(portal, {
    client: diary,
    scope: scopes,
    parameters: { prompt: 'consent', redirect_uri: callback },
  });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
}

async function opened(size: { width?: number; height?: number } = {}, scopes = scope): Promise<[Page, ConsentPage]> {
  const page = await browser.open(size);
  await signInByApi(page, portal.issuer, people.patient);
  await launch(page, scopes);
  return [page, await expectConsent(page, diary.clientName)];
}

const signOut = (page: Page) =>
  page.context().request.get(`${portal.issuer}/logout`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  });

describe('The choice on the consent page', () => {
  const chosen = [
    '- Conditions',
    'x Problem list',
    'x Diagnoses from visits',
    'x Health concerns',
    '  Changes: Conditions',
  ];

  /** Unticks the changes of one kind, all of another, and the profile, and wants to be asked again. */
  async function choose(consent: ConsentPage): Promise<string[]> {
    await consent.unfold('Conditions');
    await consent.permission('Changes: Conditions').uncheck();
    await consent.permission('Visits').uncheck();
    await consent.promptAgain();
    const ticks = await consent.ticks();
    expect(ticks.slice(0, 5)).toEqual(chosen);
    return ticks;
  }

  itInLongRun('outlives a reload and a way back, and is not filled in for another request', async () => {
    const [page, consent] = await opened();
    const ticks = await choose(consent);
    for (const leaveAndReturn of [
      () => page.reload(),
      async () => {
        await page.goto(`${portal.issuer}/help/errors/access_denied`);
        await page.goBack();
      },
    ]) {
      await leaveAndReturn();
      const again = await expectConsent(page, diary.clientName);
      // A row that is ticked in part is unfolded.
      expect(await again.ticks()).toEqual(ticks);
      await again.open('Remember my decision');
      expect(await page.getByRole('radio', { name: 'Prompt me again next time' }).isChecked()).toBe(true);
    }

    await launch(page);
    expect(await (await expectConsent(page, diary.clientName)).ticks()).toEqual([
      'x Conditions',
      'x Test results and observations',
      'x Visits',
      'x Stay connected',
    ]);
  });

  itInLongRun('outlives a second sign-in of the same user, and is not shown to another one', async () => {
    for (const [person, isKept] of [
      [people.patient, true],
      [people.otherPatient, false],
    ] as const) {
      browser.expectFailure('/api/consent', 401);
      const [page, consent] = await opened();
      const ticks = await choose(consent);
      await signOut(page);
      await consent.accept.click();
      await (await expectLogin(page)).signIn(person);
      const again = await expectConsent(page, diary.clientName);
      expect(await again.ticks()).toEqual(
        isKept ? ticks : ['x Conditions', 'x Test results and observations', 'x Visits', 'x Stay connected'],
      );
    }
  });

  it('changes with one switch, except for what is required and what is no choice', async () => {
    const [page, consent] = await opened();
    await consent.open('About you');
    expect((await consent.ticks()).slice(-2)).toEqual(['x Your sign-in identifier', 'x Your profile']);
    await consent.grantAll.click();
    const ticks = await consent.ticks();
    expect(ticks.filter((tick) => tick.startsWith('x'))).toEqual(['x Your sign-in identifier']);
    await expectText(
      page,
      'Kinds of data: 3, ticked: 0',
      'Required',
      'The app is opened for your record',
      'Always shared',
    );
    await consent.grantAll.click();
    expect((await consent.ticks()).every((tick) => tick.startsWith('x'))).toBe(true);
  });
});

describe('The consent page', () => {
  itInLongRun('shows the summary at once, and can be accepted, on a phone, on a desktop and at 200 %', async () => {
    const page = await browser.open({ width: 360, height: 740 });
    await signInByApi(page, portal.issuer, people.patient);
    for (const size of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
      // 1280 x 800 at 200 %.
      { width: 640, height: 400 },
    ]) {
      await page.setViewportSize(size);
      await launch(page);
      await expectConsent(page, diary.clientName);
      await expectInView(page.getByText('3 kinds of data', { exact: true }));
      await expectText(page, 'Fernhill Health', `Returns to ${new URL(callback).host}`);
      expect(await page.getByRole('button', { name: 'Show what the app asks for' }).count()).toBe(0);
      await expectNoSidewaysScroll(page, size.width);
    }
  });

  itInLongRun('is accepted in a window without room for the summary after the summary was shown', async () => {
    const page = await browser.open({ width: 320, height: 256 });
    await signInByApi(page, portal.issuer, people.patient);
    await launch(page);
    const show = page.getByRole('button', { name: 'Show what the app asks for' });
    await show.waitFor();
    const accept = page.getByRole('button', { name: 'Accept', exact: true });
    expect(await accept.isDisabled()).toBe(true);
    await page.mouse.wheel(0, 5_000);
    await until(() => page.evaluate<boolean>('scrollY > 0'));
    expect(await accept.isDisabled()).toBe(true);
    // Neither the header nor the buttons stand over the page (WCAG 1.4.10).
    await page.mouse.wheel(0, -2_000);
    await until(() =>
      accept.and(page.locator(':visible')).evaluate((button) => button.getBoundingClientRect().top > 256),
    );
    for (let presses = 0; presses < 2 && (await show.count()) > 0; presses++) {
      await show.focus();
      await page.keyboard.press('Enter');
      await page.evaluate('new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))');
    }
    await accept.and(page.locator(':enabled')).waitFor();
  });

  itInLongRun('marks sensitive data, and a parent that includes it as long as it is folded', async () => {
    const [page, consent] = await opened({ width: 360, height: 740 });
    await expectText(consent.row('Visits'), 'Sensitive');
    await expectText(consent.row('Test results and observations'), 'Includes sensitive data');
    await consent.unfold('Test results and observations');
    expect(await page.getByText('Includes sensitive data').count()).toBe(0);
    await expectText(consent.row('Social history'), 'Sensitive');
    expect(await consent.row('Laboratory').getByText('Sensitive').count()).toBe(0);
  });

  itInLongRun('says what is new since the user allowed the app', async () => {
    const parameters = { redirect_uri: callback };
    const app = new SmartApp(portal, { client: diary, scope: 'openid patient/Condition.rs', parameters });
    await app.complete(people.patient);
    await portal.query("UPDATE app_consent SET granted_at = '2024-03-04T12:00:00Z'");
    const [page] = await opened();
    await expectText(page, 'You decided about this app before: March 2024.');
    await expectText(page, 'New since then: Conditions (changes), Test results and observations, Visits, 2 more.');
  });

  it('names the patient to a practitioner, and says "you" of the account only', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.practitioner);
    await launch(page, 'openid fhirUser launch/patient patient/*.rs patient/Condition.crus');
    await page.getByText('Amelia Jane Ward').click();
    await page.getByRole('button', { name: 'Confirm Selection' }).click();
    const consent = await expectConsent(page, diary.clientName);
    await expectText(page, 'Born March 14, 1948', 'Record NB204118', 'Change patient');
    await expectText(
      page.locator('#consent-summary'),
      'Health data of Amelia Jane Ward',
      'See: everything',
      'Add and change: Conditions',
      'How long: while you are signed in, 90 days at most',
    );
    expect((await consent.ticks())[0]).toBe('x The whole health record of Amelia Jane Ward');
    await consent.unfold('Conditions');
    await consent.open('About you');
    await expectText(page, 'Diagnoses from visits', 'Link to your own entry');
    await expectText(page, 'Patient: Amelia Jane Ward', 'Always shared');
    expect(await page.locator('section[aria-labelledby=consent-api]').innerText()).not.toMatch(/\byour\b/i);
    await consent.decline.click();
    const dialog = await expectDialog(page, 'Are you sure you want to decline?');
    await dialog.getByText('will get no access to the health record of Amelia Jane Ward by this request').waitFor();
  });
});

/** The height on the page at which the element has its middle. */
async function middleOf(element: Locator): Promise<number> {
  const { y = 0, height = 0 } = (await element.boundingBox()) ?? {};
  return y + height / 2;
}

/** The words of the rows of up to 12 letters that stand in two lines. */
const brokenWords = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main .ant-checkbox-label')].flatMap((row) => {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const broken = [];
    while (walker.nextNode()) {
      const { currentNode } = walker;
      if (currentNode.parentElement.closest('code')) continue;
      for (const { index, 0: word } of currentNode.data.matchAll(/(?<=^|\\s)[^\\s-]{1,12}(?=\\s|$)/g)) {
        const range = new Range();
        range.setStart(currentNode, index);
        range.setEnd(currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
    return broken;
  })`);

describe('The rows of the consent page', () => {
  itInLongRun('have their chips at the height of their checkbox, also next to a second line', async () => {
    const [page, consent] = await opened({ width: 360 });
    for (const width of [360, 768]) {
      await page.setViewportSize({ width, height: 740 });
      // Next to a short title there is no room on a phone for all that may be done: the chips go below it.
      const kinds = ['Test results and observations', 'Visits', ...(width > 360 ? ['Conditions'] : [])];
      for (const kind of kinds) {
        const box = await middleOf(consent.permission(kind));
        const chip = await middleOf(consent.row(kind).getByText('see', { exact: true }));
        expect([kind, Math.abs(box - chip) <= 1]).toEqual([kind, true]);
      }
    }
  });

  // The longest texts, and in the long run English and the direction from right to left, which other tests have.
  itInLongRun.each(['en-US', 'de-XA', 'ar-XB'])(
    'have whole words at the width of a phone, a tablet and a desktop, in %s',
    async (locale) => {
      const page = await browser.open({ locale, width: 360 });
      await signInByApi(page, portal.issuer, people.patient);
      await launch(page, `${scope} patient/*.rs`);
      await page.locator('main .ant-checkbox-label').first().waitFor();
      for (const folded = page.locator('main [aria-expanded=false]'); (await folded.count()) > 0; )
        await folded.first().click();
      for (const width of [360, 768, 1280]) {
        await expectNoSidewaysScroll(page, width);
        expect([width, await brokenWords(page)]).toEqual([width, []]);
      }
    },
  );
});
