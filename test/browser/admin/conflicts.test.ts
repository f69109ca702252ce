import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook } from '../../support/browser/browser.js';
import { clickSave, clientsPath, fieldNamed, useClientPages } from '../../support/browser/client-pages.js';
import { expectInView, expectNotice, expectText, signInByApi } from '../../support/browser/pages.js';
import { people } from '../../support/users/people.js';

const { browser, clients } = useClientPages();
const fhirUser = (id: string) => ({ name: 'fhirUser', value: `Patient/${id}` });

interface Form {
  /** The list with the open panel. */
  address: string;
  call: string;
  /** A change of the name, which both administrators change, and of a field that only the other one changes. */
  theirs: object;
  title: string;
  field: string;
  only: string;
  saveAs: string;
  saved: string;
}

async function clientForm(name: string): Promise<Form> {
  const tags = ['Pilot', 'Ward'];
  for (const value of tags) {
    await clients.portal.api.post('/api/admin/configuration/tag').send({ value, color: '#123456' });
  }
  const redirectUris = Array.from({ length: 40 }, (_, n) => `https://app.example/${n}`);
  const { id } = await clients.createClient(name, { redirectUris });
  return {
    address: `${clientsPath}?client=${id}`,
    call: `/api/admin/client/${id}`,
    theirs: { clientName: 'Their Name', requirePar: true },
    title: 'Another administrator has changed this client in the meantime.',
    field: 'Client name',
    only: 'Require pushed requests: Yes',
    saveAs: 'Save',
    saved: 'Client was successfully updated',
  };
}

async function userForm(fullName: string): Promise<Form> {
  const claims = [fhirUser('77'), ...Array.from({ length: 30 }, (_, n) => ({ name: `ward-${n}`, value: 'x' }))];
  const email = `${fullName.toLowerCase().replaceAll(' ', '.')}@example.org`;
  const { body } = await clients.portal.api
    .post('/api/admin/user')
    .send({ fullName, email, userType: 'Patient', claims })
    .expect(201);
  return {
    address: `/admin/user-management?user=${body.id}`,
    call: `/api/admin/user/${body.id}`,
    theirs: { fullName: 'Their Name', userType: 'Patient', claims: [fhirUser('78')] },
    title: 'This user was changed in the meantime.',
    field: 'Name',
    only: 'Claims: fhirUser: Patient/78',
    saveAs: 'Save changes',
    saved: 'User was successfully changed.',
  };
}

async function openForm(page: Page, { address, field }: Form): Promise<Locator> {
  await signInByApi(page, clients.portal.issuer, people.admin);
  await page.goto(clients.portal.issuer + address);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const sheet = page.getByRole('dialog').filter({ hasText: /Edit (Client|User)/ });
  await sheet.getByRole('textbox', { name: field, exact: true }).first().waitFor();
  return sheet;
}

const change = (form: Form) => clients.portal.api.put(form.call).send(form.theirs).expect(200);
const stored = async ({ call }: Form) => (await clients.portal.api.get(call).expect(200)).body;
const nameIn = ({ clientName, fullName }: { clientName?: string; fullName?: string }) => clientName ?? fullName;
const fieldOf = (sheet: Locator, { field }: Form) => sheet.getByRole('textbox', { name: field, exact: true }).first();
const notice = (sheet: Locator, { title }: Form) => sheet.getByRole('region', { name: title });

async function conflict(page: Page, form: Form): Promise<Locator> {
  const sheet = await openForm(page, form);
  await fieldOf(sheet, form).fill('My Name');
  await change(form);
  const button = sheet.getByRole('button', { name: form.saveAs, exact: true });
  await button.scrollIntoViewIfNeeded();
  await button.click();
  await notice(sheet, form).waitFor();
  return sheet;
}

describe.each([
  ['a client', clientForm],
  ['a user', userForm],
] as const)('The form of %s that another administrator has changed', (kind, make) => {
  it('scrolls to its conflict notice with the focus, however long the form is', async () => {
    const form = await make(`Into View ${kind}`);
    browser.expectFailure(form.call, 409);
    const page = await browser.open({ width: 1280 });
    const sheet = await openForm(page, form);
    await fieldOf(sheet, form).fill('My Name');
    await change(form);
    // From the last field, as after reading all of them.
    await sheet.getByRole('textbox').last().focus();
    await page.keyboard.press('Enter');
    await notice(sheet, form).and(page.locator(':focus')).waitFor();
    const { top, bottom } = await notice(sheet, form).evaluate((element) => {
      const { top, bottom } = element.querySelector('strong')?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
      return { top, bottom };
    });
    expect(top).toBeGreaterThanOrEqual(0);
    expect(bottom).toBeLessThan(page.viewportSize()?.height ?? 0);
  });

  it('shows its conflict notice on a phone with no other message over it', async () => {
    const form = await make(`Uncovered ${kind}`);
    browser.expectFailure(form.call, 409);
    const page = await browser.open({ width: 360 });
    const sheet = await conflict(page, form);
    await notice(sheet, form).and(page.locator(':focus')).waitFor();
    await expectInView(notice(sheet, form).getByText('Nothing of yours is lost.'));
    expect(await page.locator('.notices [role=alert]').count()).toBe(0);
  });

  it('names both values, and Save says that it replaces the other ones', async () => {
    const form = await make(`Mine Wins ${kind}`);
    browser.expectFailure(form.call, 409);
    const page = await browser.open();
    const sheet = await conflict(page, form);
    await expectText(notice(sheet, form), 'My Name', 'Their Name', 'Changed by them, and taken over:', form.only);
    expect(await notice(sheet, form).getByRole('radio', { name: 'Yours: My Name' }).isChecked()).toBe(true);
    expect(await fieldOf(sheet, form).inputValue()).toBe('My Name');
    expect(nameIn(await stored(form))).toBe('Their Name');
    await sheet.getByRole('button', { name: 'Save my values' }).click();
    await expectNotice(page, form.saved);
    expect(await stored(form)).toMatchObject({ ...form.theirs, ...changedName(form, 'My Name'), version: 3 });
  });

  it('accepts the other administrator’s values on request, and Save is Save again', async () => {
    const form = await make(`Theirs Wins ${kind}`);
    browser.expectFailure(form.call, 409);
    const page = await browser.open();
    const sheet = await conflict(page, form);
    await notice(sheet, form).getByText('Theirs:').first().click();
    await sheet.getByRole('button', { name: form.saveAs, exact: true }).waitFor();
    expect(await fieldOf(sheet, form).inputValue()).toBe('Their Name');
    await notice(sheet, form).getByText('Yours:').click();
    expect(await fieldOf(sheet, form).inputValue()).toBe('My Name');
    await sheet.getByRole('button', { name: 'Save my values' }).waitFor();
    await notice(sheet, form).getByText('Theirs:').first().click();
    await sheet.getByRole('button', { name: form.saveAs, exact: true }).click();
    await expectNotice(page, form.saved);
    expect(await stored(form)).toMatchObject({ ...form.theirs });
  });

  it('shows the notice again after another change', async () => {
    const form = await make(`Once More ${kind}`);
    browser.expectFailure(form.call, 409);
    const page = await browser.open();
    const sheet = await conflict(page, form);
    await clients.portal.api
      .put(form.call)
      .send({ ...form.theirs, ...changedName(form, 'Later Name') })
      .expect(200);
    await sheet.getByRole('button', { name: 'Save my values' }).click();
    await expectText(notice(sheet, form), 'My Name', 'Later Name');
    await notice(sheet, form).and(page.locator(':focus')).waitFor();
    await sheet.getByRole('button', { name: 'Save my values' }).click();
    await expectNotice(page, form.saved);
  });

  it('fits every layout without accessibility violations', async () => {
    let form: Form;
    let times = 0;
    browser.expectFailure('/api/admin/', 409);
    await expectFitInEveryLook(browser, async (page) => {
      times += 1;
      form = await make(`Look ${times} ${kind}`);
      browser.expectFailure(form.call, 409);
      await conflict(page, form);
    });
  });
});

function changedName({ field }: Form, name: string): object {
  return field === 'Name' ? { fullName: name } : { clientName: name };
}

describe('The conflict notice of a client', () => {
  it('names tags, claims and secrets by their content, not by their number', async () => {
    const [pilot, ward] = (await clients.portal.api.get('/api/admin/configuration/tag').expect(200)).body;
    const { id } = await clients.createClient('Named Lists', {
      requireClientSecret: true,
      clientSecrets: [{ secretType: 'SharedSecret', secret: 'first', description: 'Production' }],
      clientClaims: [{ name: 'site', value: 'north' }],
    });
    const call = `/api/admin/client/${id}`;
    browser.expectFailure(call, 409);
    const page = await browser.open();
    const address = `${clientsPath}?client=${id}`;
    const sheet = await openForm(page, { ...(await clientForm('Unused')), address, field: 'Client name' });
    await fieldNamed(sheet, 'Client name').fill('Mine');
    await sheet.getByRole('checkbox', { name: 'Pilot' }).check();
    const { body } = await clients.portal.api.get(call).expect(200);
    const [secret] = body.clientSecrets;
    await clients.portal.api
      .put(call)
      .send({
        clientTags: [ward],
        clientClaims: [{ name: 'site', value: 'south' }],
        clientSecrets: [{ ...secret, description: 'Old one' }],
      })
      .expect(200);
    await clickSave(sheet);
    const region = sheet.getByRole('region', { name: 'Another administrator has changed this client' });
    await expectText(region, pilot.value, ward.value, 'site: south', 'Shared secret, Old one');
  });
});
