import {
  clickSave,
  clientsPath,
  fieldNamed,
  openSection,
  useClientPages,
} from '../../../support/browser/client-pages.js';
import { doubleClick, expectDialog, expectNotice, expectText, signInByApi } from '../../../support/browser/pages.js';
import { itInLongRun } from '../../../support/runs.js';
import { people } from '../../../support/users/people.js';

const { browser, clients } = useClientPages();
const call = '/api/admin/client';

describe('A new client', () => {
  it('is added step by step and by keyboard, with a secret that is shown only until it is saved', async () => {
    const { page, form } = await clients.openForm();
    await expectText(form, 'Step 1 of 7');
    await form.getByRole('textbox', { name: 'Client name' }).focus();
    await page.keyboard.type('  Heart Diary ');
    await page.keyboard.press('Tab');
    await page.keyboard.type('heart-diary');
    await page.keyboard.press('Enter');
    await form.getByRole('heading', { level: 2, name: 'Client Secret' }).waitFor();
    await form.getByRole('button', { name: 'Add client secret' }).press('Enter');
    await form.getByRole('radio', { name: 'Shared secret' }).waitFor();
    await form.getByRole('button', { name: 'Generate' }).press('Enter');
    const secret = await fieldNamed(form, 'Secret').inputValue();
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const next = form.getByRole('button', { name: 'Next' });
    await next.press('Enter');
    await form.getByRole('heading', { level: 2, name: 'Permissions' }).waitFor();
    const all = form.getByRole('checkbox', { name: 'All resource types' });
    expect(await all.isChecked()).toBe(true);
    await form.getByRole('checkbox', { name: 'Patient', exact: true }).press('Space');
    expect(await all.isChecked()).toBe(false);
    await all.press('Space');
    expect(await form.getByRole('checkbox', { name: 'Patient', exact: true }).isChecked()).toBe(false);
    await form.getByRole('checkbox', { name: 'Laboratory (group of 1 type)' }).press('Space');
    await next.press('Enter');
    await form.getByRole('button', { name: 'Add redirect URI', exact: true }).press('Enter');
    await fieldNamed(form, 'Redirect URIs 1').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('http://localhost:4567/callback');
    await expectText(form, 'Note: This is an unsecured URL');
    for (const section of ['Token', 'SSO', 'Legal & Compliance']) {
      await next.press('Enter');
      await form.getByRole('heading', { level: 2, name: section }).waitFor();
    }
    await clickSave(form);
    const question = await expectDialog(page, 'Do you want to proceed?');
    await expectText(question, secret);
    await question.getByRole('button', { name: 'Proceed' }).press('Enter');
    await expectNotice(page, 'New client was successfully added.');
    await page.getByRole('button', { name: 'Heart Diary', exact: true }).waitFor();
    const client = await clients.storedClient('heart-diary');
    expect(client).toMatchObject({
      clientName: 'Heart Diary',
      clientType: 'StandaloneApp',
      redirectUris: ['http://localhost:4567/callback'],
    });
    expect(client.allowedResourceTypes).toEqual(['Observation']);
    expect(client.clientSecrets).toMatchObject([{ secretType: 'SharedSecret', secret: null }]);
  });

  itInLongRun('of a back-end service has fewer fields, and can authenticate with its secret', async () => {
    const { page, form } = await clients.openForm();
    await form.getByRole('radio', { name: /^Backend service/ }).click();
    await expectText(form, 'Step 1 of 6');
    expect(await form.getByRole('button', { name: 'SSO' }).count()).toBe(0);
    await fieldNamed(form, 'Client name').fill('Relay');
    await fieldNamed(form, 'Client ID').fill('relay');
    await openSection(form, 'Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await fieldNamed(form, 'Secret').fill('a secret that was typed');
    await openSection(form, 'Permissions');
    expect(await form.getByRole('checkbox', { name: 'user', exact: true }).isDisabled()).toBe(true);
    await openSection(form, 'Legal & Compliance');
    await clickSave(form);
    await (await expectDialog(page, 'Do you want to proceed?')).getByRole('button', { name: 'Proceed' }).click();
    await expectNotice(page, 'New client was successfully added.');
    const token = await page.context().request.post(`${clients.portal.issuer}/connect/token`, {
      headers: { authorization: `Basic ${Buffer.from('relay:a+secret+that+was+typed').toString('base64')}` },
      form: { grant_type: 'client_credentials', scope: 'system/Patient.rs' },
    });
    expect(token.status()).toBe(200);
  });

  itInLongRun('of the management API has fixed access, and authenticates with keys at a URL', async () => {
    const { page, form } = await clients.openForm();
    await form.getByRole('radio', { name: /^Management API/ }).click();
    await fieldNamed(form, 'Client name').fill('Console');
    await fieldNamed(form, 'Client ID').fill('console');
    await openSection(form, 'Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await form.getByRole('radio', { name: 'JWK (JWKS url)' }).click();
    const fetched = form.getByText(/^\d keys? found: /);
    await fieldNamed(form, 'JWKS URL').fill(`${clients.portal.issuer}/.well-known/openid-configuration/jwks`);
    await form.getByRole('button', { name: 'Fetch now' }).click();
    await fetched.waitFor();
    await fieldNamed(form, 'JWKS URL').fill(' https://console.example/jwks ');
    await fetched.waitFor({ state: 'hidden' });
    await openSection(form, 'Permissions');
    const access = form.getByRole('switch', { name: 'Management API access' });
    expect([await access.isChecked(), await access.isDisabled()]).toEqual([true, true]);
    expect(await form.getByText('SMART actions').count()).toBe(0);
    await openSection(form, 'Legal & Compliance');
    await clickSave(form);
    await expectNotice(page, 'New client was successfully added.');
    expect(await clients.storedClient('console')).toMatchObject({
      clientType: 'ManagementApi',
      allowManagementApiAccess: true,
      clientSecrets: [{ secretType: 'JWK', secretUrl: 'https://console.example/jwks' }],
    });
  });

  itInLongRun(
    'shows which values will be lost before its type is changed, and is not saved by a double click on the last Next, at whose position Save appears',
    async () => {
      const { page, form } = await clients.openForm();
      await openSection(form, 'Authorization Process');
      await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
      await fieldNamed(form, 'Redirect URIs 1').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('https://app.example/');
      await openSection(form, 'General Information');
      const service = form.getByRole('radio', { name: /^Backend service/ });
      await service.click();
      const question = await expectDialog(page, 'Change the client type?');
      await expectText(question, 'Redirect URIs', 'authorization_code', 'client_credentials');
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'hidden' });
      expect(await service.isChecked()).toBe(false);
      await service.click();
      await question.getByRole('button', { name: 'Change type' }).click();
      await question.waitFor({ state: 'hidden' });
      expect(await service.isChecked()).toBe(true);

      await openSection(form, 'Token');
      const last = form.getByRole('heading', { level: 2, name: 'Legal & Compliance' });
      await doubleClick(form.getByRole('button', { name: 'Next', exact: true }), last);
      // Saving would open the first section, where a field is missing.
      await fieldNamed(form, 'Legal company name (optional)').fill('Heart Company');
      expect(await form.getByText('Step 6 of 6').first().isVisible()).toBe(true);
    },
  );

  itInLongRun('cannot be added while the FHIR server is unavailable', async () => {
    const page = await browser.open();
    await page.route('**/firely-server-status', (route) =>
      route.fulfill({ json: { isFirelyServerAvailable: false, firelyServerUrl: null, isAllDataLoaded: true } }),
    );
    await signInByApi(page, clients.portal.issuer, people.admin);
    await page.goto(`${clients.portal.issuer}${clientsPath}?add=true`);
    const add = page.getByRole('button', { name: 'Add Client' });
    await page.getByRole('button', { name: 'Filter' }).waitFor();
    expect([await add.isDisabled(), await page.getByRole('dialog').count()]).toEqual([true, 0]);
    await add.hover({ force: true });
    await expectText(page, 'Clients can be added while the FHIR server is connected.');
  });
});

describe('An existing client', () => {
  it('is changed except for its fixed fields, and stays at its position in the list', async () => {
    const client = await clients.createClient('Nora Board', {
      requireClientSecret: true,
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'first' }],
    });
    const { page, sheet } = await clients.openEdit(client);
    await expectText(page, 'Edit Client');
    expect(await sheet.getByRole('switch', { name: 'Require client secret' }).isDisabled()).toBe(true);
    expect(await sheet.getByRole('radio', { name: /^Backend service/ }).count()).toBe(0);
    await expectText(sheet, 'Cannot be viewed after saving');
    await sheet.getByRole('switch', { name: 'Require PKCE' }).click();
    await fieldNamed(sheet, 'Expires (optional)').fill('2030-12-31');
    await clickSave(sheet);
    await expectNotice(page, 'Client was successfully updated');
    await expectText(page, 'Client Info', 'Expires December 31, 2030');
    await page.getByRole('button', { name: 'Edit', exact: true }).and(page.locator(':focus')).waitFor();
    expect(await clients.storedClient(client.clientId)).toMatchObject({ requirePkce: false, version: 2 });
  });

  itInLongRun(
    'with unsaved changes is left only after a question, and reported as deleted once another administrator has deleted it',
    async () => {
      const client = await clients.createClient('Rita Careful');
      const { page, sheet } = await clients.openEdit(client);
      await fieldNamed(sheet, 'Client name').fill('Rita Careless');
      await page.keyboard.press('Escape');
      const question = await expectDialog(page, 'Discard your changes?');
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'hidden' });
      expect(await fieldNamed(sheet, 'Client name').inputValue()).toBe('Rita Careless');
      await sheet.getByRole('button', { name: 'Discard Changes' }).click();
      await question.getByRole('button', { name: 'Discard changes' }).click();
      await expectText(page, 'Client Info');
      expect((await clients.storedClient(client.clientId)).clientName).toBe('Rita Careful');

      browser.expectFailure(`${call}/${client.id}`, 404);
      await fieldNamed(await clients.edit(page), 'Client name').fill('Rita Still');
      await clients.portal.api.delete(`${call}/${client.id}`).expect(204);
      await clickSave(sheet);
      await expectText(
        await expectDialog(page, 'Oh No!'),
        'The selected client no longer exists. Please refresh the page to view the latest client list.',
      );
    },
  );

  itInLongRun('without a valid type gets one after a review, and no change before saving', async () => {
    const client = await clients.createClient('Sven Invalid');
    await clients.portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [client.id]);
    const page = await clients.open(`?client=${client.id}`);
    await page.getByRole('button', { name: 'Set client type' }).click();
    const sheet = page.getByRole('dialog').filter({ hasText: 'Client Type is Invalid' });
    const accept = page.getByRole('button', { name: 'Accept and Continue' });
    expect(await accept.isDisabled()).toBe(true);
    await sheet.getByRole('radio', { name: /^Backend service/ }).click();
    await expectText(
      sheet,
      'SMART subjects',
      'Redirect URIs',
      'This changes',
      'This is set back to its default and hidden',
    );
    await accept.click();
    const edit = page.getByRole('dialog').filter({ hasText: 'Set Client Type' });
    await expectText(edit, 'Backend service', 'client_credentials');
    expect((await clients.storedClient(client.clientId)).clientType).toBe('Invalid');
    await edit.getByRole('switch', { name: 'Require client secret' }).click();
    await edit.getByRole('button', { name: 'Add client secret' }).click();
    await edit.getByRole('button', { name: 'Generate' }).click();
    await clickSave(edit);
    await (await expectDialog(page, 'Do you want to proceed?')).getByRole('button', { name: 'Proceed' }).click();
    await expectNotice(page, 'Client was successfully updated');
    expect(await clients.storedClient(client.clientId)).toMatchObject({
      clientType: 'BackendService',
      redirectUris: [],
      allowedGrantTypes: ['client_credentials'],
      clientSecrets: [{ secretType: 'SharedSecret' }],
    });
  });
});
