import type { Locator, Page } from 'playwright-core';
import { useBrowser } from '../../../support/browser/browser.js';
import { clickSave, clientsPath, fieldNamed, unfold } from '../../../support/browser/client-pages.js';
import { expectNotice, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { publicApp } from '../../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../../support/fhir/gateway.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { until } from '../../../support/until.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const statusPath = '/api/admin/dashboard/firely-server-status';
const apps = ['Quill A', 'Quill B'].map((clientName) => ({
  ...publicApp,
  clientId: clientName.toLowerCase().replace(' ', '-'),
  clientName,
}));
const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Patient' }] }],
};
let portal: AdminPortal;
let upstream: Upstream;
let isUp = true;

const knownToBeUp = (expected: boolean) =>
  until(async () => (await portal.api.get(statusPath)).body.isFirelyServerAvailable === expected);

beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    response.setHeader('content-type', 'application/fhir+json');
    if (isUp) response.end(JSON.stringify(statement));
    else response.writeHead(503).end();
  });
  const fhir = { baseUrl: upstream.url, timeoutMs: 1000 };
  portal = await startAdminPortal({ fhirServer: false, config: { fhir, clients: apps } });
  await knownToBeUp(true);
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

async function open(width = 1280): Promise<{ page: Page; panel: Locator }> {
  const page = await browser.open({ width });
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + clientsPath);
  await expectPage(page, clientsPath, 'Clients');
  await rowOf(page, 'Quill A').click();
  const panel = page.getByRole('dialog');
  await expectText(panel, 'General Information');
  return { page, panel };
}

const rowOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('In a wide window', () => {
  it('the client is shown next to the list, which hides a column and stays usable', async () => {
    const { page, panel } = await open();
    expect(await panel.getAttribute('aria-modal')).toBe('false');
    await expectText(page, 'Client', 'Type', 'Tags', 'Status');
    expect(await page.getByRole('columnheader', { name: 'Client ID' }).count()).toBe(0);
    await page.getByRole('cell', { name: 'Quill A quill-a' }).waitFor();
    const [list, beside] = await Promise.all([page.getByRole('table').boundingBox(), panel.boundingBox()]);
    expect(Number(list?.x) + Number(list?.width)).toBeLessThan(Number(beside?.x));

    const search = page.getByRole('searchbox', { name: 'Search by name, id, URI, company or tag' });
    await search.fill('quill');
    await search.press('Escape');
    await rowOf(page, 'Quill B').click();
    await expectText(panel, 'quill-b');
    await panel.getByRole('button', { name: 'Copy client ID' }).focus();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await rowOf(page, 'Quill B').and(page.locator(':focus')).waitFor();
    await page.getByRole('columnheader', { name: 'Client ID' }).waitFor();
  });

  it('the form covers the list, is left by Back only after a question, and keeps typed text when the window becomes too narrow for both', async () => {
    const { page, panel } = await open();
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    await fieldNamed(panel, 'Client name').fill('Quill Z');
    expect([await panel.getAttribute('aria-modal'), (await panel.boundingBox())?.width]).toEqual(['true', 840]);
    await page.goBack();
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await fieldNamed(panel, 'Client name').inputValue()).toBe('Quill Z');
    await page.setViewportSize({ width: 900, height: 800 });
    await panel.and(page.locator('[aria-modal="true"]')).waitFor();
    expect(await fieldNamed(panel, 'Client name').inputValue()).toBe('Quill Z');
  });
});

it('in a narrow window the client covers the list', async () => {
  const { page, panel } = await open(1279);
  expect(await panel.getAttribute('aria-modal')).toBe('true');
  await page.getByRole('columnheader', { name: 'Client ID', includeHidden: true }).waitFor();
});

it('an outage of the FHIR server is shown while a client is edited, and the text is saved when it is over', async () => {
  const { page, panel } = await open();
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await fieldNamed(panel, 'Description (optional)').fill('typed meanwhile');
  isUp = false;
  await knownToBeUp(false);
  browser.expectFailure(`/api/admin/client/${new URL(page.url()).searchParams.get('client')}`, 503);
  await clickSave(panel);
  await expectNotice(page, 'Unable to save your changes. Please review the form for errors.');
  const lost = 'Connection to the FHIR server is lost. Please keep in mind that your data may be outdated.';
  await panel.getByRole('alert').getByText(lost).waitFor();
  await panel.getByRole('status').getByText(lost).waitFor();
  isUp = true;
  await panel.getByRole('status').getByText(lost).waitFor({ state: 'hidden' });
  expect(await fieldNamed(panel, 'Description (optional)').inputValue()).toBe('typed meanwhile');
  await clickSave(panel);
  await expectNotice(page, 'Client was successfully updated');
  await unfold(panel);
  await expectText(panel, 'typed meanwhile');
});
