import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook } from '../../../support/browser/browser.js';
import { useClientPages } from '../../../support/browser/client-pages.js';
import { expectInView, expectNotice, expectText, signInByApi } from '../../../support/browser/pages.js';
import { people } from '../../../support/users/people.js';

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
  const sheet = page.getByRole('dialog').filter({ hasText: 'Edit User' });
  await sheet.getByRole('textbox', { name: field, exact: true }).first().waitFor();
  return sheet;
}

const change = (form: Form) => clients.portal.api.put(form.call).send(form.theirs).expect(200);
const stored = async ({ call }: Form) => (await clients.portal.api.get(call).expect(200)).body;
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

describe('The form of a user that another administrator has changed', () => {
  it('scrolls to its conflict notice with the focus, however long the form is', async () => {
    const form = await userForm('Into View');
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
    const form = await userForm('Uncovered');
    browser.expectFailure(form.call, 409);
    const page = await browser.open({ width: 360 });
    const sheet = await conflict(page, form);
    await notice(sheet, form).and(page.locator(':focus')).waitFor();
    await expectInView(notice(sheet, form).getByText('Nothing of yours is lost.'));
    expect(await page.locator('.notices [role=alert]').count()).toBe(0);
  });

  it('names both values, again after another change, and Save says that it replaces the other ones', async () => {
    const form = await userForm('Mine Wins');
    browser.expectFailure(form.call, 409);
    const page = await browser.open();
    const sheet = await conflict(page, form);
    await expectText(notice(sheet, form), 'My Name', 'Their Name', 'Changed by them, and taken over:', form.only);
    expect(await notice(sheet, form).getByRole('radio', { name: 'Yours: My Name' }).isChecked()).toBe(true);
    expect(await fieldOf(sheet, form).inputValue()).toBe('My Name');
    expect(await stored(form)).toMatchObject({ fullName: 'Their Name' });
    await clients.portal.api
      .put(form.call)
      .send({ ...form.theirs, fullName: 'Later Name' })
      .expect(200);
    await sheet.getByRole('button', { name: 'Save my values' }).click();
    await expectText(notice(sheet, form), 'My Name', 'Later Name');
    await notice(sheet, form).and(page.locator(':focus')).waitFor();
    await sheet.getByRole('button', { name: 'Save my values' }).click();
    await expectNotice(page, form.saved);
    expect(await stored(form)).toMatchObject({ ...form.theirs, fullName: 'My Name', version: 4 });
  });

  it('accepts the other administrator’s values on request, and Save is Save again', async () => {
    const form = await userForm('Theirs Wins');
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

  it('fits every layout without accessibility violations', async () => {
    let form: Form;
    let times = 0;
    browser.expectFailure('/api/admin/', 409);
    await expectFitInEveryLook(browser, async (page) => {
      times += 1;
      form = await userForm(`Look ${times}`);
      browser.expectFailure(form.call, 409);
      await conflict(page, form);
    });
  });
});
