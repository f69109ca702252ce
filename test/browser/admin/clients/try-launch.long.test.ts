import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { expectConsent, expectPage, signInByApi } from '../../../support/browser/pages.js';
import { alterClient, backendService, publicApp } from '../../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../../support/fhir/gateway.js';
import { startPortal, type TestPortal } from '../../../support/portal/portal.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const app = {
  ...publicApp,
  clientName: 'Heart Diary',
  accessTokenType: 'Jwt',
  allowedResourceTypes: ['Patient', 'Observation', 'Condition'],
};
const disabled = { ...publicApp, clientId: 'resting-app', clientName: 'Resting App' };
const path = '/admin/try-launch';
let portal: TestPortal;
let server: Upstream;

beforeAll(async () => {
  server = await startUpstream(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://server');
    const resource = [{ type: 'Patient' }, { type: 'Observation' }, { type: 'Condition' }];
    const metadata = {
      resourceType: 'CapabilityStatement',
      fhirVersion: '4.0.1',
      rest: [{ mode: 'server', resource }],
    };
    const patient = { resourceType: 'Patient', id: '1', birthDate: '1970-01-01', name: [{ text: 'Test Patient' }] };
    const bundle = { resourceType: 'Bundle', type: 'searchset', total: 1, entry: [{ resource: patient }] };
    const body = pathname.endsWith('/metadata') ? metadata : pathname.endsWith('/Patient/1') ? patient : bundle;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: server.url, testPatients: ['1'] },
      users: [people.admin],
      clients: [app, backendService, disabled],
    },
  });
  await alterClient(portal, disabled.clientId, { enabled: false });
});
afterAll(async () => {
  await portal.close();
  server.close();
});

async function idOf(clientId: string): Promise<string> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [clientId]);
  return row?.id ?? '';
}

/** Each text is there, also as a part of another. */
async function expectTexts(within: Page | Locator, ...texts: string[]): Promise<void> {
  for (const text of texts) await within.getByText(text).first().waitFor();
}

async function openForm(page: Page, clientId = app.clientId): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}${path}?client=${await idOf(clientId)}`);
  await expectPage(page, path, 'Try a launch');
}

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function finish(page: Page): Promise<void> {
  await press(page, 'Start the trial');
  await expectConsent(page, app.clientName);
  await press(page, 'Accept');
  await expectPage(page, path, `Trial of ${app.clientName}`);
}

describe('Try a launch', () => {
  it('leads from the client’s sheet over the consent page to request, decisions, token and read, which a reload and Back show again', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}/admin/client-management?client=${await idOf(app.clientId)}`);
    await press(page, 'Try a launch');
    await expectPage(page, path, 'Try a launch');
    await expectTexts(page, 'Test Patient · 1');
    await page.getByLabel('Further scopes').fill('patient/Immunization.rs');
    await page.getByRole('checkbox', { name: 'offline_access' }).uncheck();
    await press(page, 'Start the trial');
    const consent = await expectConsent(page, app.clientName);
    await expectTexts(page, 'Test by an administrator.');
    await page.getByText('Test Patient', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Change patient' }).count()).toBe(0);
    expect(await page.getByText('Remember my decision').count()).toBe(0);
    await consent.permission('Conditions').uncheck();
    await press(page, 'Accept');
    await expectPage(page, path, `Trial of ${app.clientName}`);
    await expectTexts(part(page, 'Request'), 'code_challenge', `${portal.issuer}${path}`);
    await expectTexts(
      part(page, 'Decisions'),
      'patient/Patient.cruds',
      'patient/Immunization.rs was dropped',
      'patient/Condition.cruds was dropped',
      'fhirUser was dropped',
    );
    await expectTexts(part(page, 'Token'), 'Claims of the access token', 'need_patient_banner');
    await expectTexts(part(page, 'FHIR read'), 'GET /Patient/1', '200', 'Patient');
    expect(await page.content()).not.toContain('1970-01-01');
    expect(new URL(page.url()).searchParams.has('code')).toBe(false);
    await part(page, 'Decisions').getByRole('link', { name: 'Change it' }).first().waitFor();
    await page.reload();
    await expectTexts(part(page, 'FHIR read'), '200');
    await page.getByRole('link', { name: /^Open in Activity/ }).click();
    await page.getByText('Trial of an administrator').waitFor();
    await page.goBack();
    await expectTexts(part(page, 'FHIR read'), '200');
  });

  it('ends with the refusal and its reason where the administrator declines', async () => {
    const page = await browser.open();
    await openForm(page);
    await press(page, 'Start the trial');
    await expectConsent(page, app.clientName);
    await press(page, 'Decline');
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await expectPage(page, path, `Trial of ${app.clientName}`);
    await expectTexts(part(page, 'Decisions'), 'Refused with access_denied', 'No scope was granted.');
    await expectTexts(part(page, 'Token'), 'No token was issued.');
    await press(page, 'Try again');
    await expectPage(page, path, 'Try a launch');
  });

  it('shows the result of a back-end service at once', async () => {
    const page = await browser.open();
    await openForm(page, backendService.clientId);
    await press(page, 'Start the trial');
    await expectPage(page, path, `Trial of ${backendService.clientName}`);
    await expectTexts(part(page, 'FHIR read'), '200');
    await expectTexts(part(page, 'Not tried'), 'Whether the app authenticates');
  });

  it('says why a client cannot be tried', async () => {
    const page = await browser.open();
    await openForm(page, disabled.clientId);
    await expectTexts(page, 'This client is disabled. Enable it to try a launch.');
    expect(await page.getByRole('button', { name: 'Start the trial' }).count()).toBe(0);
  });

  it('says that an answer without its try was not accepted', async () => {
    const page = await browser.open();
    const unknown = '/api/admin/launch-trial/7e0b6f6e-0c2b-4a52-9d8c-3f6f4f7a9f10';
    browser.expectFailure(`${unknown}/answer`, 404);
    browser.expectFailure(unknown, 404);
    await signInByApi(page, portal.issuer, people.admin);
    const query = new URLSearchParams({ state: '7e0b6f6e-0c2b-4a52-9d8c-3f6f4f7a9f10', code: 'stolen' });
    await page.goto(`${portal.issuer}${path}?${query}`);
    await page.getByText('This trial is unknown, or it ended more than an hour ago.').first().waitFor();
  });

  it('is done by keyboard alone', async () => {
    const page = await browser.open();
    await openForm(page);
    const tabTo = async (name: string) => {
      const isThere = async () =>
        (await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).count()) === 1;
      for (let count = 0; count < 80 && !(await isThere()); count += 1) await page.keyboard.press('Tab');
      expect(await isThere()).toBe(true);
      await page.keyboard.press('Enter');
    };
    await tabTo('Start the trial');
    await expectConsent(page, app.clientName);
    await tabTo('Accept');
    await expectPage(page, path, `Trial of ${app.clientName}`);
  });

  it('fits and is accessible in every look: the form and the result', async () => {
    await expectFitInEveryLook(browser, {
      'the form': openForm,
      'the result': async (page) => {
        await page.getByLabel('Further scopes').fill('user/*.rs patient/Immunization.rs');
        await finish(page);
        await part(page, 'Decisions').getByText('patient/Immunization.rs was dropped').waitFor();
      },
    });
  });
});
