import type { Page } from 'playwright-core';
import type { RelationshipView } from '../../../src/contract/representation.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type StaticApp, startCallbackApp } from '../../support/apps/static-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectBackInApp, expectLogin, expectPage, expectText } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

const browser = useBrowser();
const scope = 'openid launch/patient patient/Observation.rs patient/MedicationRequest.rs patient/Patient.rs';
let origin: StaticApp;
let portal: FamilyPortal;
let callback: string;

beforeAll(async () => {
  origin = await startCallbackApp();
  callback = `${origin.url}/callback`;
  portal = await startFamilyPortal({ config: { clients: [{ ...publicApp, redirectUris: [callback] }] } });
  portal.has('mia', { birthDate: '2012-01-01' });
  await acts('leo');
  await acts('mia');
});

afterEach(async () => {
  await browser.closePages();
  await portal.query('DELETE FROM represented_consent');
});

afterAll(async () => {
  await portal.close();
  await origin.close();
});

async function acts(patient: string): Promise<string> {
  const admin = await portal.as(family.admin);
  const form = {
    email: family.ana.email,
    patient,
    basis: 'parental-responsibility',
    relation: 'mother',
    level: 'full',
  };
  const { id } = (await admin.post('/api/admin/representation', form)).json<RelationshipView>();
  await admin.post(`/api/admin/representation/${id}/decision`, { decision: 'approve', note: 'Seen' });
  return id;
}

/** An app's request, up to the page *Who is this for?*. */
async function begin(page: Page): Promise<SmartApp> {
  const app = new SmartApp(portal, { scope, parameters: { redirect_uri: callback } });
  await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
  await (await expectLogin(page)).signIn(family.ana);
  await expectPage(page, '/user/launch-context', 'Who is this for?');
  return app;
}

const banner = (page: Page, name: string) => page.getByRole('region', { name: `You act for ${name}` });

describe('A mother whose app asks for a record', () => {
  it('chooses her child by the keyboard, allows what she may see, and the app reads the child’s data', async () => {
    const page = await browser.open({ width: 360, height: 740 });
    const app = await begin(page);
    await expectText(
      page,
      'Step 1 of 2 · Heart Companion',
      'Your own record',
      'Full is all but what the hospital keeps private.',
    );
    expect(await page.locator('input[type=radio]:checked').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
    await page.getByRole('radio', { name: 'Ana Duarte' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Mia Duarte' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Continue' }).press('Enter');

    await expectPage(page, '/user/consent', 'Heart Companion wants to see Mia’s health data');
    await banner(page, 'Mia Duarte').waitFor();
    await expectText(page, 'Kept private', '1 kind');
    await page.getByRole('button', { name: 'Why, and what I can do' }).press('Enter');
    await expectText(
      page.getByRole('dialog'),
      'It follows from the rule, and does not depend on what is in the record.',
    );
    const ask = page.getByRole('dialog').getByRole('link', { name: /^Ask to change/ });
    expect(await ask.getAttribute('href')).toBe(`${portal.issuer}/user/family`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Accept for Mia' }).click();
    const answer = await expectBackInApp(page, callback);
    const tokens = await app.exchange(answer.get('code') ?? '', { redirect_uri: callback });
    const { access_token, patient } = tokens.json<Tokens>();
    expect(patient).toBe('mia');
    const read = await fetch(`${portal.fhirBase}/Patient/mia`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect([read.status, await read.json()]).toMatchObject([200, { id: 'mia', birthDate: '2012-01-01' }]);
  });

  it('changes the person, declines, and is told when what she may see has changed', async () => {
    const page = await browser.open({ width: 1280, height: 800 });
    await begin(page);
    await page.getByRole('radio', { name: 'Leo Duarte' }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectPage(page, '/user/consent', 'Heart Companion wants to see Leo’s health data');
    await page.getByRole('link', { name: 'Change person' }).click();
    await expectPage(page, '/user/launch-context', 'Who is this for?');
    expect(await page.getByRole('radio', { name: 'Leo Duarte' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Continue' }).click();
    await banner(page, 'Leo Duarte').waitFor();
    await expectPage(page, '/user/consent', 'Heart Companion wants to see Leo’s health data');

    browser.expectFailure('/api/consent', 409);
    await portal.query("UPDATE representation_relationship SET level = 'basics' WHERE patient = 'leo'");
    await page.getByRole('button', { name: 'Accept for Leo' }).click();
    await expectText(
      page.getByRole('alert'),
      'What you may see has changed. Nothing was allowed. Please look at the request again.',
    );
    await expectText(page, 'Kept private', 'Medication', 'Acts for Leo Duarte');

    await page.getByRole('link', { name: 'Change person' }).click();
    await expectPage(page, '/user/launch-context', 'Who is this for?');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await expectBackInApp(page, callback)).get('error')).toBe('access_denied');
  });

  it('finds pages that fit a desktop and a phone', async () => {
    await expectFitInEveryLook(browser, {
      'Who is this for?': (page) => begin(page),
      'The consent page': async (page) => {
        await page.getByRole('radio', { name: 'Mia Duarte' }).check();
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Accept for Mia' }).waitFor();
      },
      'The reason why kinds are private': (page) =>
        page.getByRole('button', { name: 'Why, and what I can do' }).click(),
    });
  });
});
