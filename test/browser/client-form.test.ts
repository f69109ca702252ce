import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../src/contract/clients.js';
import { expectedFields } from '../rules/client-fields-expected.js';
import { type AdminPortal, startAdminPortal } from '../support/admin-portal.js';
import { expectFitInEveryLook, useBrowser } from '../support/browser.js';
import { publicApp } from '../support/clients.js';
import { beSignedIn, expectDialog, expectNotice, expectPage, expectText } from '../support/pages.js';
import { people } from '../support/people.js';

const browser = useBrowser();
const path = '/admin/client-management';
const call = '/api/admin/client';
let portal: AdminPortal;

beforeAll(async () => {
  portal = await startAdminPortal({
    config: {
      fhir: { resourceTypeGroups: [{ name: 'Laboratory', resourceTypes: ['Observation', 'Specimen'] }] },
      outbound: { allowedPrivateHosts: ['localhost'] },
    },
  });
});
afterAll(() => portal.close());

async function open(query = ''): Promise<Page> {
  const page = await browser.open();
  await beSignedIn(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path + query);
  await expectPage(page, path, 'Clients');
  return page;
}

async function openForm(): Promise<{ page: Page; form: Locator }> {
  const page = await open();
  await page.getByRole('button', { name: 'Add Client' }).click();
  return { page, form: await expectDialog(page, 'Add Client') };
}

/** A client of the test's own. */
async function created(clientName: string, more: object = {}): Promise<ClientView> {
  const clientId = clientName.toLowerCase().replaceAll(' ', '-');
  const { body } = await portal.api
    .post(call)
    .send({ ...publicApp, clientId, clientName, ...more })
    .expect(201);
  return body;
}

async function stored(clientId: string): Promise<ClientView> {
  const { body } = await portal.api.get(call).query({ searchTerm: clientId }).expect(200);
  return body.clients.find((client: ClientView) => client.clientId === clientId);
}

const named = (form: Locator, name: string) => form.getByLabel(name, { exact: true });

async function toSection(form: Locator, section: string): Promise<void> {
  await form.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: section }).click();
  await form.getByRole('heading', { level: 2, name: section }).waitFor();
}

async function openEdit({ id }: ClientView): Promise<{ page: Page; sheet: Locator }> {
  const page = await open(`?client=${id}`);
  const sheet = page.getByRole('dialog').filter({ has: page.getByRole('heading', { name: 'Permissions' }) });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await named(sheet, 'Client name').waitFor();
  return { page, sheet };
}

const save = (within: Locator) => within.getByRole('button', { name: 'Save', exact: true }).click();

describe('a new client', () => {
  it('gets an app its place, step by step and by keyboard, with a secret that is shown only until it is saved', async () => {
    const { page, form } = await openForm();
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
    const secret = await named(form, 'Secret').inputValue();
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
    await page.keyboard.type('http://localhost:4567/callback');
    await expectText(form, 'Note: This is an unsecured URL');
    for (const section of ['Token', 'SSO', 'Legal & Compliance']) {
      await next.press('Enter');
      await form.getByRole('heading', { level: 2, name: section }).waitFor();
    }
    await save(form);
    const question = await expectDialog(page, 'Do you want to proceed?');
    await expectText(question, secret);
    await question.getByRole('button', { name: 'Proceed' }).press('Enter');
    await expectNotice(page, 'New client was successfully added.');
    await page.getByRole('button', { name: 'Heart Diary', exact: true }).waitFor();
    const client = await stored('heart-diary');
    expect(client).toMatchObject({
      clientName: 'Heart Diary',
      clientType: 'StandaloneApp',
      redirectUris: ['http://localhost:4567/callback'],
    });
    expect(client.allowedResourceTypes).toEqual(['Observation']);
    expect(client.clientSecrets).toMatchObject([{ secretType: 'SharedSecret', secret: null }]);
  });

  it('of a service is asked for less, and can use the secret it was given', async () => {
    const { page, form } = await openForm();
    await form.getByRole('radio', { name: /^Backend service/ }).click();
    await expectText(form, 'Step 1 of 6');
    expect(await form.getByRole('button', { name: 'SSO' }).count()).toBe(0);
    await named(form, 'Client name').fill('Relay');
    await named(form, 'Client ID').fill('relay');
    await toSection(form, 'Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await named(form, 'Secret').fill('a secret that was typed');
    await toSection(form, 'Permissions');
    expect(await form.getByRole('checkbox', { name: 'user', exact: true }).isDisabled()).toBe(true);
    await toSection(form, 'Legal & Compliance');
    await save(form);
    await (await expectDialog(page, 'Do you want to proceed?')).getByRole('button', { name: 'Proceed' }).click();
    await expectNotice(page, 'New client was successfully added.');
    const token = await page.context().request.post(`${portal.issuer}/connect/token`, {
      headers: { authorization: `Basic ${Buffer.from('relay:a+secret+that+was+typed').toString('base64')}` },
      form: { grant_type: 'client_credentials', scope: 'system/Patient.rs' },
    });
    expect(token.status()).toBe(200);
  });

  it('of the management API has its access set, and proves itself with keys at an address', async () => {
    const { page, form } = await openForm();
    await form.getByRole('radio', { name: /^Management API/ }).click();
    await named(form, 'Client name').fill('Console');
    await named(form, 'Client ID').fill('console');
    await toSection(form, 'Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await form.getByRole('radio', { name: 'JWK (JWKS url)' }).click();
    const fetched = form.getByText(/^\d keys? found: /);
    await named(form, 'JWKS URL').fill(`${portal.issuer}/.well-known/openid-configuration/jwks`);
    await form.getByRole('button', { name: 'Fetch now' }).click();
    await fetched.waitFor();
    await named(form, 'JWKS URL').fill(' https://console.example/jwks ');
    await fetched.waitFor({ state: 'hidden' });
    await toSection(form, 'Permissions');
    const access = form.getByRole('switch', { name: 'Management API access' });
    expect([await access.isChecked(), await access.isDisabled()]).toEqual([true, true]);
    expect(await form.getByText('SMART actions').count()).toBe(0);
    await toSection(form, 'Legal & Compliance');
    await save(form);
    await expectNotice(page, 'New client was successfully added.');
    expect(await stored('console')).toMatchObject({
      clientType: 'ManagementApi',
      allowManagementApiAccess: true,
      clientSecrets: [{ secretType: 'JWK', secretUrl: 'https://console.example/jwks' }],
    });
  });

  it('says what it loses before its type takes it back', async () => {
    const { page, form } = await openForm();
    await toSection(form, 'Authorization Process');
    await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
    await page.keyboard.type('https://app.example/');
    await toSection(form, 'General Information');
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
  });

  it('cannot be added while the FHIR server is away', async () => {
    const page = await browser.open();
    await page.route('**/firely-server-status', (route) =>
      route.fulfill({ json: { isFirelyServerAvailable: false, firelyServerUrl: null, isAllDataLoaded: true } }),
    );
    await beSignedIn(page, portal.issuer, people.admin);
    await page.goto(`${portal.issuer}${path}?add=true`);
    const add = page.getByRole('button', { name: 'Add Client' });
    await page.getByRole('button', { name: 'Filter' }).waitFor();
    expect([await add.isDisabled(), await page.getByRole('dialog').count()]).toEqual([true, 0]);
    await add.hover({ force: true });
    await expectText(page, 'Clients can be added while the FHIR server is connected.');
  });
});

describe('what is wrong with the form', () => {
  /** Puts it into the field and says what stands beside it then. */
  async function said(field: Locator, text: string, message: string): Promise<void> {
    await field.fill(text);
    const id = await field.getAttribute('aria-describedby');
    await field.page().locator(`[id="${id}"]`).getByText(message, { exact: true }).waitFor();
  }

  it('stands beside its field, is counted for its section, and keeps it from being saved', async () => {
    const { page, form } = await openForm();
    await toSection(form, 'Legal & Compliance');
    await save(form);
    await expectNotice(page, 'Unable to save your changes. Please review the form for errors.');
    await form.getByRole('textbox', { name: 'Client name' }).and(page.locator(':focus')).waitFor();
    const steps = form.getByRole('navigation', { name: 'Steps' });
    await steps.getByRole('button', { name: /General Information\s*2 errors/ }).waitFor();
    await steps.getByRole('button', { name: /Client Secret\s*1 error/ }).waitFor();
    await said(named(form, 'Client name'), '', 'Field is required');
    await said(named(form, 'Client name'), 'a'.repeat(201), 'Please enter at most 200 characters');
    await said(named(form, 'Client ID'), ' ', 'Field is required');
    await said(named(form, 'Description (optional)'), 'a'.repeat(1001), 'Please enter at most 1000 characters');

    await toSection(form, 'Client Secret');
    await expectText(form, 'Please provide at least one Client Secret');
    await form.getByRole('button', { name: 'Add client secret' }).click();
    await said(named(form, 'Secret'), '', 'Field is required');
    await said(named(form, 'Secret'), ' x', 'A secret cannot begin or end with a space');
    await said(named(form, 'Description (optional)'), 'a'.repeat(101), 'Please enter at most 100 characters');
    await named(form, 'Description (optional)').fill('');
    await form.getByRole('radio', { name: 'JWK (JWKS url)' }).click();
    await said(named(form, 'JWKS URL'), '', 'Field is required');
    await said(named(form, 'JWKS URL'), 'ftp://a.example', 'Please enter a valid value');
    await form.getByRole('radio', { name: 'JWK', exact: true }).click();
    await said(named(form, 'Public key (JWK)'), '{', 'Please enter a valid value');
    await said(
      named(form, 'Public key (JWK)'),
      '{"kty":"EC","kid":"a","d":"x"}',
      'Please enter the public key only: this one holds private parts',
    );

    await toSection(form, 'Permissions');
    for (const name of [
      'Create (c)',
      'Read (r)',
      'Update (u)',
      'Delete (d)',
      'Search (s)',
      'read',
      'write',
      '* (all)',
    ]) {
      await form.getByRole('checkbox', { name, exact: true }).click();
    }
    await expectText(form, 'At least one SMART action should be selected');
    await expectText(
      form,
      'Note: With authorization_code, system scopes are granted only where the user is allowed the same access.',
    );
    for (const name of ['patient', 'user', 'system']) await form.getByRole('checkbox', { name, exact: true }).click();
    await expectText(form, 'Field is required');

    await toSection(form, 'Authorization Process');
    await expectText(form, 'Please provide at least one Redirect URI');
    for (let i = 0; i < 3; i++) await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
    await named(form, 'Redirect URIs 2').fill('https://a.example/');
    await said(named(form, 'Redirect URIs 3'), 'https://a.example/', 'Duplicate values are not allowed');
    await said(named(form, 'Redirect URIs 1'), 'app://x', 'Please enter a valid value');
    await said(
      named(form, 'Redirect URIs 1'),
      `https://a.example/${'a'.repeat(400)}`,
      'Please enter at most 400 characters',
    );

    await toSection(form, 'Token');
    const access = named(form, 'Access token lifetime');
    await expectText(form, '1 hour. JWT tokens are accepted for 5 more minutes', '90 days');
    await said(access, '1h', 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"');
    await said(access, '00:00:00', 'Lifetime must be at least 00:00:01');
    await said(
      access,
      '1.02:00:00',
      'Warning: Access token lifetime set to 1 day 2 hours, but should be no more than 1 hour.',
    );
    await said(
      named(form, 'Refresh token lifetime'),
      '1',
      'The Refresh Token Lifetime must be greater then the Access Token Lifetime',
    );
    await form.getByRole('button', { name: 'Add claim' }).click();
    await named(form, 'Name').fill('unit');
    await expectText(form, 'Please fill in all claim fields.');
    await named(form, 'Value').fill('icu');
    await form.getByRole('button', { name: 'Add claim' }).click();
    await named(form, 'Name').nth(1).fill('unit');
    await named(form, 'Value').nth(1).fill('icu');
    await expectText(form, 'A claim with this name and value already exists.');

    await toSection(form, 'SSO');
    await form.getByRole('switch', { name: 'Local login' }).click();
    await expectText(form, 'Local Login cannot be disabled if External Login is disabled');

    await toSection(form, 'Legal & Compliance');
    for (const name of ['Contact URL', 'Privacy policy URL', 'Terms of service URL']) {
      await said(named(form, `${name} (optional)`), 'www.example.org', 'Please enter a valid value');
    }
    await save(form);
    await form.getByRole('heading', { level: 2, name: 'General Information' }).waitFor();
  }, 90_000);

  it('is shown beside its field, too, where only the server knows it, until the field changes', async () => {
    await created('Taken One');
    const { page, sheet } = await openEdit(await created('Other One'));
    const { id } = await stored('other-one');
    browser.expectFailure(`${call}/${id}`, 409);
    await named(sheet, 'Client ID').fill('taken-one');
    await save(sheet);
    await expectNotice(page, 'Unable to save your changes. Please review the form for errors.');
    await sheet.getByRole('textbox', { name: 'Client ID' }).and(page.locator(':focus')).waitFor();
    const message = sheet.getByText('A client with this client id already exists.');
    await message.waitFor();
    await named(sheet, 'Client ID').fill('other-two');
    await message.waitFor({ state: 'hidden' });
    await save(sheet);
    await expectNotice(page, 'Client was successfully updated');
  });
});

describe('a client that is there', () => {
  it('is changed, but for what is fixed, and stays where it was seen', async () => {
    const client = await created('Nora Board', {
      requireClientSecret: true,
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'first' }],
    });
    const { page, sheet } = await openEdit(client);
    await expectText(page, 'Edit Client');
    expect(await sheet.getByRole('switch', { name: 'Require client secret' }).isDisabled()).toBe(true);
    expect(await sheet.getByRole('radio', { name: /^Backend service/ }).count()).toBe(0);
    await expectText(sheet, 'Cannot be viewed after saving');
    await sheet.getByRole('switch', { name: 'Require PKCE' }).click();
    await named(sheet, 'Expires (optional)').fill('2030-12-31');
    await save(sheet);
    await expectNotice(page, 'Client was successfully updated');
    await expectText(page, 'Client Info', 'Expires December 31, 2030');
    await page.getByRole('button', { name: 'Edit', exact: true }).and(page.locator(':focus')).waitFor();
    expect(await stored(client.clientId)).toMatchObject({ requirePkce: false, version: 2 });
  });

  it('that somebody else has changed meanwhile says what differs, and loses nothing of either', async () => {
    const client = await created('Petra Twice');
    const { page, sheet } = await openEdit(client);
    browser.expectFailure(`${call}/${client.id}`, 409);
    await named(sheet, 'Client name').fill('Petra Mine');
    await named(sheet, 'Description (optional)').fill('typed here');
    await portal.api
      .put(`${call}/${client.id}`)
      .send({ clientName: 'Petra Theirs', requirePar: true, version: 1 })
      .expect(200);
    await save(sheet);
    const notice = sheet.getByRole('alert').filter({ hasText: 'Somebody else has changed this client' });
    await expectText(notice, 'Petra Mine', 'Petra Theirs', 'Changed by both of you; as you entered it:');
    await notice.getByRole('listitem').filter({ hasText: 'Require pushed requests' }).waitFor();
    expect(await named(sheet, 'Client name').inputValue()).toBe('Petra Mine');
    await save(sheet);
    await expectNotice(page, 'Client was successfully updated');
    expect(await stored(client.clientId)).toMatchObject({
      clientName: 'Petra Mine',
      description: 'typed here',
      requirePar: true,
      version: 3,
    });
  });

  it('that somebody else has deleted meanwhile is said to be gone', async () => {
    const client = await created('Quentin Gone');
    const { page, sheet } = await openEdit(client);
    browser.expectFailure(`${call}/${client.id}`, 404);
    await named(sheet, 'Client name').fill('Quentin Still');
    await portal.api.delete(`${call}/${client.id}`).expect(204);
    await save(sheet);
    await expectText(
      await expectDialog(page, 'Oh No!'),
      'The selected client no longer exists. Please refresh the page to view the latest client list.',
    );
  });

  it('is not left with unsaved changes without a question', async () => {
    const client = await created('Rita Careful');
    const { page, sheet } = await openEdit(client);
    await named(sheet, 'Client name').fill('Rita Careless');
    await page.keyboard.press('Escape');
    const question = await expectDialog(page, 'Discard your changes?');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await named(sheet, 'Client name').inputValue()).toBe('Rita Careless');
    await sheet.getByRole('button', { name: 'Discard Changes' }).click();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expectText(page, 'Client Info');
    expect((await stored(client.clientId)).clientName).toBe('Rita Careful');
  });

  it('without a valid type gets one after a review, and nothing before it is saved', async () => {
    const client = await created('Sven Invalid');
    await portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [client.id]);
    const page = await open(`?client=${client.id}`);
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
    expect((await stored(client.clientId)).clientType).toBe('Invalid');
    await edit.getByRole('switch', { name: 'Require client secret' }).click();
    await edit.getByRole('button', { name: 'Add client secret' }).click();
    await edit.getByRole('button', { name: 'Generate' }).click();
    await save(edit);
    await (await expectDialog(page, 'Do you want to proceed?')).getByRole('button', { name: 'Proceed' }).click();
    await expectNotice(page, 'Client was successfully updated');
    expect(await stored(client.clientId)).toMatchObject({
      clientType: 'BackendService',
      redirectUris: [],
      allowedGrantTypes: ['client_credentials'],
      clientSecrets: [{ secretType: 'SharedSecret' }],
    });
  });
});

describe('every field is shown and locked as the specification says', () => {
  const types = [
    ['S', 'StandaloneApp', 'Standalone app', { redirectUris: ['https://app.example/'] }],
    ['B', 'BackendService', 'Backend service', {}],
    ['M', 'ManagementApi', 'Management API', {}],
  ] as const;
  /** Where there is no tenant and no identity provider to choose. */
  const absent = ['allowedTenants', 'enableExternalLogin', 'identityProviderRestrictions'];

  /** What the specification says: each field, and whether it can be changed. */
  const expected = (type: string, mode: 'create' | 'edit' | 'set-type') =>
    Object.entries(expectedFields)
      .filter(([name, { visible }]) => visible.includes(type) && !absent.includes(name))
      .map(([name, { locked }]) => [name, locked[mode]?.includes(type) ?? false]);

  /** What the page has. */
  const shown = (page: Page) =>
    page.evaluate<[string, boolean][]>(`
      [...document.querySelectorAll('[data-place]')]
        .filter(({ dataset }) => !dataset.place.includes('.'))
        .map((field) => [field.dataset.place, !field.querySelector(':is(input, textarea, button):not(:disabled)')])`);

  beforeAll(() => portal.api.post('/api/admin/configuration/tag').send({ value: 'Cardiology', color: '#0A6375' }));

  it.each(types)('%s: in a new client, and in one that is there, of type %s', async (type, clientType, label, more) => {
    const { page, form } = await openForm();
    await form.getByRole('radio', { name: new RegExp(`^${label}`) }).click();
    const created: [string, boolean][] = [];
    const sections = await form.getByRole('navigation').getByRole('listitem').count();
    for (let step = 1; step <= sections; step++) {
      await expectText(form, `Step ${step} of ${sections}`);
      created.push(...(await shown(page)));
      if (step < sections) await form.getByRole('button', { name: 'Next' }).click();
    }
    expect(created).toEqual(expected(type, 'create'));

    const clientSecrets = [{ secretType: 'SharedSecret', secret: 'of the table' }];
    const { body } = await portal.api
      .post(call)
      .send({ clientId: `table-${type}`, clientName: `Table ${type}`, clientType, clientSecrets, ...more })
      .expect(201);
    const { page: editing } = await openEdit(body);
    expect(await shown(editing)).toEqual(expected(type, 'edit'));

    await portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [body.id]);
    await editing.reload();
    await editing.getByRole('button', { name: 'Set client type' }).click();
    await editing.getByRole('radio', { name: new RegExp(`^${label}`) }).click();
    await editing.getByRole('button', { name: 'Accept and Continue' }).click();
    await editing.getByLabel('Client name', { exact: true }).waitFor();
    expect(await shown(editing)).toEqual(expected(type, 'set-type'));
  });
});

describe('axe finds nothing, and nobody scrolls sideways', () => {
  const shown = (query: string, prepare: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await beSignedIn(page, portal.issuer, people.admin);
    await page.goto(portal.issuer + path + query);
    await prepare(page);
  };
  it(
    'a step of the form, with errors',
    () =>
      expectFitInEveryLook(
        browser,
        shown('?add=true', async (page) => {
          const form = await expectDialog(page, 'Add Client');
          await toSection(form, 'Authorization Process');
          await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
          await named(form, 'Redirect URIs 1').fill('http:/x');
          await toSection(form, 'Token');
          await toSection(form, 'Authorization Process');
          await expectText(form, 'Please enter a valid value');
        }),
      ),
    60_000,
  );

  it('all sections at once, with secrets and claims', async () => {
    const { id } = await created('Tara Wide', {
      requireClientSecret: true,
      clientSecrets: [
        { secretType: 'SharedSecret', secret: 'first' },
        { secretType: 'JWK', secretUrl: 'https://tara.example/jwks' },
      ],
      clientClaims: [{ name: 'unit', value: 'icu' }],
    });
    await expectFitInEveryLook(
      browser,
      shown(`?client=${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await page.getByLabel('Client name', { exact: true }).waitFor();
      }),
    );
  }, 60_000);

  it('the review of a type', async () => {
    const { id } = await created('Ulf Review');
    await portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [id]);
    await expectFitInEveryLook(
      browser,
      shown(`?client=${id}`, async (page) => {
        await page.getByRole('button', { name: 'Set client type' }).click();
        await page.getByRole('radio', { name: /^Management API/ }).click();
        await expectText(page, 'This changes');
      }),
    );
  }, 60_000);
});
