/** Two administrators who change the same client. */
import type { Locator, Page } from 'playwright-core';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import { expectFitInEveryLook } from '../../../support/browser/browser.js';
import { clickSave, fieldNamed, secondAdmin, useClientPages } from '../../../support/browser/client-pages.js';
import { expectDialog, expectInView, expectNotice, expectText } from '../../../support/browser/pages.js';
import { Agent } from '../../../support/http/agent.js';
import { itInLongRun } from '../../../support/runs.js';
import { login } from '../../../support/users/authenticator.js';

const { browser, clients } = useClientPages();
const calls = '/api/admin/client';

interface Opened {
  page: Page;
  sheet: Locator;
}

const banner = ({ sheet }: Opened) => sheet.getByRole('alert').filter({ hasText: 'Jonas Vale saved this client' });
const save = ({ sheet }: Opened) => sheet.getByRole('button', { name: 'Save', exact: true });
const group = ({ sheet }: Opened, name: string) => sheet.getByRole('group', { name: `Decide about ${name}` });
const section = ({ sheet }: Opened, name: string) =>
  sheet.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name });

/** The second administrator saves. */
async function saveByApi({ id }: ClientView): Promise<void> {
  const other = new Agent(clients.portal.issuer);
  await login(other, secondAdmin);
  const body = { accessTokenLifetime: '00:15:00', requirePar: true };
  expect((await other.send(`${calls}/${id}`, { method: 'PUT', body })).status).toBe(200);
}

/** The second administrator saves while the first one has entered another lifetime. */
async function bothLifetimes(clientName: string): Promise<Opened & { client: ClientView }> {
  const client = await clients.createClient(clientName, {
    accessTokenLifetime: '00:45:00',
    redirectUris: Array.from({ length: 20 }, (_, n) => `https://app.example/${n}`),
  });
  browser.expectFailure(`${calls}/${client.id}`, 409);
  const mine = await clients.openEdit(client);
  await fieldNamed(mine.sheet, 'Access token lifetime').fill('00:30:00');
  await fieldNamed(mine.sheet, 'Description (optional)').fill('Mine');
  await saveByApi(client);
  await clickSave(mine.sheet);
  await banner(mine).waitFor();
  return { ...mine, client };
}

describe('The form of a client that another administrator has saved first', () => {
  it('says above the form and with the focus who saved it and what collides, compares the values, and is saved only once all are decided', async () => {
    const mine = await bothLifetimes('Waits');
    await banner(mine).and(mine.page.locator(':focus')).waitFor();
    await expectText(banner(mine), 'Jonas Vale saved this client this minute');
    await banner(mine)
      .getByText('Access token lifetime collides with yours. The change to Require pushed requests is taken over.')
      .waitFor();
    await section(mine, 'Legal & Compliance').click();
    await expectInView(banner(mine).getByRole('button', { name: 'Compare' }));
    await banner(mine).getByRole('button', { name: 'Compare' }).click();
    const comparison = await expectDialog(mine.page, 'Compare the changes');
    const [lifetime] = await comparison.locator('section', { hasText: 'Access token lifetime' }).all();
    expect(await lifetime?.locator('dt, dd').allInnerTexts()).toEqual([
      ...['Before', '00:45:00'],
      ...['Theirs', '00:15:00'],
      ...['Yours', '00:30:00'],
    ]);
    const [pushed] = await comparison.locator('section', { hasText: 'Require pushed requests' }).all();
    expect(await pushed?.locator('dd').allInnerTexts()).toEqual(['No', 'Yes', 'Yes']);
    await mine.page.keyboard.press('Escape');
    await banner(mine).getByRole('button', { name: 'Compare' }).and(mine.page.locator(':focus')).waitFor();

    const { sheet, page, client } = mine;
    expect(await sheet.getByRole('switch', { name: 'Require pushed requests' }).isChecked()).toBe(true);
    await expectText(sheet, 'From Jonas Vale', '2 changes, 1 to decide');
    expect(await save(mine).isDisabled()).toBe(true);
    await fieldNamed(sheet, 'Client name').press('Enter');
    expect((await clients.storedClient(client.clientId)).version).toBe(2);
    await section(mine, 'Token 1 setting to decide or to correct').waitFor();
    await expectText(group(mine, 'Access token lifetime'), 'Jonas Vale set 15 minutes.');
    await group(mine, 'Access token lifetime').getByRole('button', { name: 'Keep 30 minutes' }).click();
    await group(mine, 'Access token lifetime').waitFor({ state: 'hidden' });
    await fieldNamed(sheet, 'Access token lifetime').and(page.locator(':focus')).waitFor();
    await save(mine).click();
    await expectNotice(page, 'Client was successfully updated');
    expect(await clients.storedClient(client.clientId)).toMatchObject({
      accessTokenLifetime: '00:30:00',
      description: 'Mine',
      requirePar: true,
      version: 3,
    });
  });

  itInLongRun('takes the other value on request', async () => {
    const mine = await bothLifetimes('Takes');
    const { sheet, page, client } = mine;
    await group(mine, 'Access token lifetime').getByRole('button', { name: 'Take 15 minutes' }).press('Enter');
    const field = fieldNamed(sheet, 'Access token lifetime').and(page.locator(':focus'));
    await field.waitFor();
    expect(await field.inputValue()).toBe('00:15:00');
    await expectText(sheet, '1 change');
    expect(await sheet.getByText('From Jonas Vale').count()).toBe(2);
    await save(mine).click();
    await expectNotice(page, 'Client was successfully updated');
    expect(await clients.storedClient(client.clientId)).toMatchObject({
      accessTokenLifetime: '00:15:00',
      description: 'Mine',
    });
  });

  itInLongRun('asks again after another change of the same field', async () => {
    const mine = await bothLifetimes('Again');
    await group(mine, 'Access token lifetime').getByRole('button', { name: 'Keep 30 minutes' }).click();
    await clients.portal.api.put(`${calls}/${mine.client.id}`).send({ accessTokenLifetime: '00:20:00' }).expect(200);
    await save(mine).click();
    await mine.sheet.getByRole('group', { name: 'Decide about Access token lifetime' }).waitFor();
    await expectText(mine.sheet, 'Ada Admin set 20 minutes.');
    await mine.sheet.getByRole('button', { name: 'Keep 30 minutes' }).click();
    await save(mine).click();
    await expectNotice(mine.page, 'Client was successfully updated');
  });

  itInLongRun('names tags, claims and secrets by their content, not by their number', async () => {
    for (const value of ['Pilot', 'Ward']) {
      await clients.portal.api.post('/api/admin/configuration/tag').send({ value, color: '#123456' }).expect(201);
    }
    const [, ward] = (await clients.portal.api.get('/api/admin/configuration/tag').expect(200)).body;
    const client = await clients.createClient('Named Lists', {
      requireClientSecret: true,
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'first', description: 'Production' }],
      clientClaims: [{ name: 'site', value: 'north' }],
    });
    browser.expectFailure(`${calls}/${client.id}`, 409);
    const { page, sheet } = await clients.openEdit(client);
    await sheet.getByRole('checkbox', { name: 'Pilot' }).check();
    const [secret] = client.clientSecrets;
    await clients.portal.api
      .put(`${calls}/${client.id}`)
      .send({
        clientTags: [ward],
        clientClaims: [{ name: 'site', value: 'south' }],
        clientSecrets: [{ ...secret, secret: null, description: 'Old one' }],
      })
      .expect(200);
    await clickSave(sheet);
    await sheet.getByRole('button', { name: 'Compare' }).click();
    const comparison = await expectDialog(page, 'Compare the changes');
    await expectText(comparison, 'Pilot', 'Ward', 'site: south', 'Shared secret, Old one');
  });

  itInLongRun('cannot be saved once the client is deleted', async () => {
    const client = await clients.createClient('Deleted First');
    browser.expectFailure(`${calls}/${client.id}`, 404);
    browser.expectFailure(`${calls}/${client.id}/history`, 404);
    const { page, sheet } = await clients.openEdit(client);
    await fieldNamed(sheet, 'Client name').fill('Mine');
    await clients.portal.api.delete(`${calls}/${client.id}`).expect(204);
    await clickSave(sheet);
    const gone = await expectDialog(page, 'Oh No!');
    expect(await gone.getByRole('button').count()).toBe(1);
  });

  itInLongRun('fits every layout without accessibility violations', async () => {
    let times = 0;
    browser.expectAnyFailure(409);
    await expectFitInEveryLook(
      browser,
      async (page) => {
        times += 1;
        const client = await clients.createClient(`Look ${times}`);
        await clients.signIn(page, `?client=${client.id}`);
        const sheet = await clients.edit(page);
        await fieldNamed(sheet, 'Client name').fill('My Name');
        await clients.portal.api
          .put(`${calls}/${client.id}`)
          .send({ clientName: 'Their Name', requirePar: true })
          .expect(200);
        await clickSave(sheet);
        await sheet.getByRole('button', { name: 'Compare' }).waitFor();
      },
      { number: 1 },
    );
  });
});
