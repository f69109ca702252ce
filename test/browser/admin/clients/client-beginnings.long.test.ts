/** The beginnings of a new client: a template, nothing, or the settings of another client. */
import type { Locator, Page } from 'playwright-core';
import { type ClientTemplate, formOfTemplate } from '../../../../src/contract/rules/clients/client-templates.js';
import { expectFitInEveryLook } from '../../../support/browser/browser.js';
import {
  clickSave,
  fieldNamed,
  openNewClient,
  openSection,
  useClientPages,
} from '../../../support/browser/client-pages.js';
import { expectDialog, expectNotice, expectText } from '../../../support/browser/pages.js';

const { browser, clients } = useClientPages();

const titles: Record<ClientTemplate, string> = {
  'patient-app': 'Patient app Runs',
  'patient-app-with-backend': 'Patient app with a backend',
  'ehr-app': 'EHR app',
  'backend-service': 'Back-end service',
  'bulk-export': 'Bulk export',
};

/** Fills in what no template can know, and saves. */
async function complete(form: Locator, clientId: string, more: { secret: boolean; keys: boolean; uri: boolean }) {
  await fieldNamed(form, 'Client name').fill(clientId);
  await fieldNamed(form, 'Client ID').fill(clientId);
  if (more.secret || more.keys) {
    await openSection(form, 'Client Secret');
    if (more.keys) await fieldNamed(form, 'JWKS URL').fill('https://app.example/jwks');
    else {
      await form.getByRole('button', { name: 'Add client secret' }).click();
      await form.getByRole('button', { name: 'Generate' }).click();
    }
  }
  if (more.uri) {
    await openSection(form, 'Authorization Process');
    await form.getByRole('button', { name: 'Add redirect URI', exact: true }).click();
    await fieldNamed(form, 'Redirect URIs 1').fill(`https://${clientId}.example/callback`);
  }
  await openSection(form, 'Legal & Compliance');
  await clickSave(form);
  if (more.secret) {
    const question = await expectDialog(form.page(), 'Do you want to proceed?');
    await question.getByRole('button', { name: 'Proceed' }).click();
  }
}

describe('A new client', () => {
  it('has the settings of the template that it began with', async () => {
    const page = await clients.open();
    for (const template of Object.keys(titles) as ClientTemplate[]) {
      const form = await openNewClient(page, titles[template]);
      await expectText(form, 'Add Client');
      const { clientName, clientId, redirectUris, clientSecrets, ...settings } = formOfTemplate(template);
      const keys = clientSecrets.length > 0;
      const isApp = settings.clientType === 'StandaloneApp';
      await complete(form, `from-${template}`, { keys, secret: isApp && settings.requireClientSecret, uri: isApp });
      await page.getByRole('button', { name: `from-${template}`, exact: true }).waitFor();
      await expectNotice(page, 'New client was successfully added.');
      const stored = await clients.storedClient(`from-${template}`);
      expect(stored).toMatchObject({ ...settings, enableExternalLogin: false });
      expect(stored.clientSecrets.length).toBe(settings.requireClientSecret ? 1 : 0);
    }
  });

  it('is chosen a kind for by keyboard, and another kind or is left without a question as long as nothing is entered', async () => {
    const page = await clients.open();
    // It is disabled until the choices of the form are there, which a key does not wait for.
    const add = page.getByRole('button', { name: 'Add Client' });
    await add.and(page.locator(':enabled')).waitFor();
    const left = await openNewClient(page, titles['ehr-app']);
    await page.keyboard.press('Escape');
    await left.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.has('add')).toBe(false);
    await add.press('Enter');
    const dialog = await expectDialog(page, 'Add Client');
    await dialog.getByRole('button', { name: titles['patient-app'] }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await fieldNamed(dialog, 'Client name').and(page.locator(':focus')).waitFor();
    await openSection(dialog, 'Permissions');
    expect(await dialog.getByRole('checkbox', { name: 'user', exact: true }).isChecked()).toBe(true);
    expect(await dialog.getByRole('checkbox', { name: 'system', exact: true }).isChecked()).toBe(false);
    await openSection(dialog, 'General Information');
    await dialog.getByRole('button', { name: 'Other kind' }).press('Enter');
    await dialog.getByRole('button', { name: titles['patient-app'] }).and(page.locator(':focus')).waitFor();
    await dialog.getByRole('button', { name: 'Without a template' }).press('Enter');
    await fieldNamed(dialog, 'Client name').fill('Typed');
    await dialog.getByRole('button', { name: 'Other kind' }).click();
    const question = await expectDialog(page, 'Discard your changes?');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    expect(await fieldNamed(dialog, 'Client name').inputValue()).toBe('Typed');
  });

  it('begins with the template in the address, so that other pages can link to it', async () => {
    const page = await clients.open('?add=backend-service');
    const dialog = await expectDialog(page, 'Add Client');
    expect(await dialog.getByRole('radio', { name: /^Backend service/ }).isChecked()).toBe(true);
  });
});

describe('A duplicate of a client', () => {
  const original = (clientName: string) =>
    clients.createClient(clientName, {
      requireClientSecret: true,
      requirePar: true,
      accessTokenLifetime: '00:15:00',
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'first', description: 'Production' }],
    });

  async function duplicate(page: Page) {
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const form = await expectDialog(page, 'Add Client');
    await form.locator('input:focus').waitFor({ state: 'attached' });
    return form;
  }

  it('is left by Back, has the settings, and needs a client ID and a secret of its own; it is disabled until it is enabled', async () => {
    const first = await original('Heart Diary');
    const page = await clients.open(`?client=${first.id}`);
    const form = await duplicate(page);
    await page.goBack();
    await form.waitFor({ state: 'hidden' });
    await duplicate(page);
    await page.keyboard.press('Escape');
    // The panel whose button began it is closed.
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    await page.goBack();
    await duplicate(page);
    expect(await fieldNamed(form, 'Client name').inputValue()).toBe('Copy of Heart Diary');
    expect(await fieldNamed(form, 'Client ID').inputValue()).toBe('');
    expect(await form.getByRole('switch', { name: 'Enabled' }).isChecked()).toBe(false);
    await form.getByText('without its client ID, secrets and keys').waitFor();
    await openSection(form, 'Client Secret');
    expect(await form.getByRole('button', { name: /^Remove secret/ }).count()).toBe(0);
    await openSection(form, 'Authorization Process');
    await form.getByText('These addresses are those of Heart Diary.').waitFor();
    expect(await fieldNamed(form, 'Redirect URIs 1').inputValue()).toBe(first.redirectUris[0]);
    await openSection(form, 'Legal & Compliance');
    await clickSave(form);
    await fieldNamed(form, 'Client ID').and(page.locator(':focus')).waitFor();
    await complete(form, 'heart-diary-2', { secret: true, keys: false, uri: false });
    await expectNotice(page, 'New client was successfully added.');
    const { id, clientId, clientName, clientSecrets, version, ...settings } =
      await clients.storedClient('heart-diary-2');
    const { clientSecrets: [secret] = [] } = first;
    expect(first).toMatchObject({ ...settings, enabled: true });
    expect(settings.enabled).toBe(false);
    expect([id === first.id, clientSecrets.length, clientSecrets[0]?.id === secret?.id]).toEqual([false, 1, false]);
    expect(await clients.storedClient(first.clientId)).toEqual({
      ...first,
      clientSecrets: [{ ...secret, secret: null }],
    });
  });

  it('cannot be made of a client without a valid type', async () => {
    const client = await clients.createClient('No Type');
    await clients.portal.query("UPDATE client SET client_type = 'Invalid' WHERE id = $1", [client.id]);
    const page = await clients.open(`?client=${client.id}`);
    await page.getByRole('button', { name: 'Set client type' }).waitFor();
    expect(await page.getByRole('button', { name: 'Duplicate' }).count()).toBe(0);
  });

  it('of a client that was deleted meanwhile begins with a kind', async () => {
    const client = await original('Gone');
    await clients.portal.api.delete(`/api/admin/client/${client.id}`).expect(204);
    browser.expectFailure(`/api/admin/client/${client.id}`, 404);
    const page = await clients.open(`?add=${client.id}`);
    const dialog = await expectDialog(page, 'Add Client');
    await dialog.getByRole('button', { name: titles['ehr-app'] }).waitFor();
  });
});

describe('The beginnings of a new client', () => {
  // The usual run sees the kinds from right to left (`all-pages/admin-dialogs.test.ts`), and the form in
  // `client-form-fields.test.ts`.
  it('fit every layout without accessibility violations', async () => {
    await clients.createClient('Copied Look');
    await expectFitInEveryLook(browser, {
      'the kinds': async (page) => {
        await clients.signIn(page, '?add=true&searchTerm=look');
        await page.getByRole('button', { name: titles['bulk-export'] }).waitFor();
      },
      'a duplicate': async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        await page.getByRole('button', { name: 'Copied Look', exact: true }).click();
        await page.getByRole('button', { name: 'Duplicate' }).click();
        await page.getByText('without its client ID, secrets and keys').waitFor();
      },
    });
  });
});
