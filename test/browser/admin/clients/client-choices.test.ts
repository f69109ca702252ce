import { useBrowser } from '../../../support/browser/browser.js';
import { ClientPages, clickSave, fieldNamed, openSection, unfold } from '../../../support/browser/client-pages.js';
import { expectDialog, expectNotice, expectText } from '../../../support/browser/pages.js';
import { startUpstream, type Upstream } from '../../../support/fhir/gateway.js';
import { type AdminPortal, startAdminPortal } from '../../../support/portal/admin-portal.js';
import { providerEntry } from '../../../support/providers/identity-provider.js';
import { itInLongRun } from '../../../support/runs.js';
import { until } from '../../../support/until.js';

const browser = useBrowser();
const everything = { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' };
const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Observation' }, { type: 'Patient', operation: [everything] }] }],
};
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    response.setHeader('content-type', 'application/fhir+json').end(JSON.stringify(statement));
  });
});
afterAll(() => upstream.close());

async function start(config: { fhir?: object } & Record<string, unknown>): Promise<AdminPortal> {
  const fhir = { baseUrl: upstream.url, ...config.fhir };
  const portal = await startAdminPortal({ fhirServer: false, config: { ...config, fhir } });
  await until(async () => {
    const { body } = await portal.api.get('/api/admin/dashboard/firely-server-status');
    return body.isFirelyServerAvailable && body.isAllDataLoaded;
  });
  return portal;
}

const providers = ['hospital', 'university'].map((scheme) =>
  providerEntry({ scheme, displayName: `${scheme} ID`, authority: `https://${scheme}.example` }),
);

describe('With identity providers, tenants and operations configured', () => {
  let portal: AdminPortal;
  let clients: ClientPages;

  beforeAll(async () => {
    const tenant = (id: string) => ({ id, name: `${id} clinic`, baseUrl: upstream.url, credentials: { type: 'none' } });
    portal = await start({ identityProviders: providers, fhir: { tenants: [tenant('north'), tenant('south')] } });
    clients = new ClientPages(browser, portal);
  });
  afterAll(() => portal.close());

  itInLongRun('a client can be limited to some of them, and its view shows these', async () => {
    const { page, sheet } = await clients.openEdit(await clients.createClient('Xenia Choices'));
    const box = (name: string) => sheet.getByRole('checkbox', { name, exact: true });
    expect(await box('All operation scopes').isChecked()).toBe(true);
    await box('patient/Patient.$everything').click();
    expect(await box('All operation scopes').isChecked()).toBe(false);
    await box('north clinic').click();
    await box('hospital ID').click();
    expect([await box('All tenants').isChecked(), await box('All identity providers').isChecked()]).toEqual([
      false,
      false,
    ]);
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
    await unfold(sheet);
    await expectText(sheet, 'patient/Patient.$everything', 'north', 'hospital ID');
    expect(await clients.storedClient('xenia-choices')).toMatchObject({
      allowedOperationScopes: ['patient/Patient.$everything'],
      allowedTenants: ['north'],
      identityProviderRestrictions: ['hospital'],
    });
    await sheet.getByRole('button', { name: 'Edit', exact: true }).click();
    await box('All identity providers').click();
    await clickSave(sheet);
    await until(async () => (await clients.storedClient('xenia-choices')).identityProviderRestrictions.length === 0);
  });

  it('restrictions are removed with external login, and local login cannot be turned off after it', async () => {
    const { form } = await clients.openForm();
    await openSection(form, 'SSO');
    const external = form.getByRole('switch', { name: 'External login' });
    const restrictions = form.getByRole('group', { name: 'Identity providers' });
    await restrictions.getByRole('checkbox', { name: 'university ID' }).click();
    await form.getByRole('switch', { name: 'Local login' }).click();
    await external.click();
    await restrictions.waitFor({ state: 'hidden' });
    await openSection(form, 'Token');
    await openSection(form, 'SSO');
    await expectText(form, 'Local Login cannot be disabled if External Login is disabled');
  });
});

itInLongRun('where apps may not use external login, both switches are locked and show the reason', async () => {
  const portal = await start({ identityProviders: providers, account: { restrictExternalLogin: true } });
  const { form } = await new ClientPages(browser, portal).openForm();
  await openSection(form, 'SSO');
  const [local, external] = ['Local login', 'External login'].map((name) => form.getByRole('switch', { name }));
  expect([await local?.isChecked(), await local?.isDisabled()]).toEqual([true, true]);
  expect(await external?.isDisabled()).toBe(true);
  await expectText(form, 'Set by the configuration of this portal');
  await browser.closePages();
  await portal.close();
});

itInLongRun('without identity providers and tenants the client form does not ask about them', async () => {
  const portal = await start({});
  const { page, form } = await new ClientPages(browser, portal).openForm();
  await fieldNamed(form, 'Client name').fill('Yann Alone');
  await openSection(form, 'SSO');
  expect(await form.getByRole('switch').count()).toBe(1);
  await openSection(form, 'Permissions');
  await form.getByRole('group', { name: 'Operation scopes' }).waitFor();
  expect(await form.getByRole('group', { name: 'Tenants' }).count()).toBe(0);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await (await expectDialog(page, 'Discard your changes?')).getByRole('button', { name: 'Discard changes' }).click();
  await form.waitFor({ state: 'hidden' });
  await browser.closePages();
  await portal.close();
});
