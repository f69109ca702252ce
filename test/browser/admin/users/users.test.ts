import type { Locator, Page } from 'playwright-core';
import type { UserView } from '../../../../src/contract/users/users.js';
import { SmartApp } from '../../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import {
  doubleClick,
  expectDialog,
  expectNotice,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../../support/browser/pages.js';
import { publicApp } from '../../../support/clients/clients.js';
import { Agent } from '../../../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../../support/portal/portal.js';
import { itInLongRun } from '../../../support/runs.js';
import { login } from '../../../support/users/authenticator.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const path = '/admin/user-management';
let sink: MailSink;
let portal: TestPortal;
let api: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    config: { email: sink.config, users: [people.admin, people.patient], clients: [publicApp] },
  });
  api = new Agent(portal.issuer);
  await login(api, people.admin);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

/** A new user for one test. */
async function created(fullName: string, change: object = {}): Promise<UserView> {
  const email = `${fullName.toLowerCase().replaceAll(' ', '.')}@example.org`;
  const claims = [{ name: 'fhirUser', value: 'Patient/77' }];
  const answer = await api.post('/api/admin/user', { fullName, email, userType: 'Patient', claims, ...change });
  expect(answer.status).toBe(201);
  return answer.json<UserView & Record<string, unknown>>();
}

async function open(query = '', look = {}): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(portal.issuer + path + query);
  await expectPage(page, path, 'Users');
  return page;
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function openSheet(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name, exact: true }).click();
  const sheet = page.getByRole('dialog').filter({ hasText: 'User Info' });
  await sheet.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  return sheet;
}

/** The field is marked as invalid and described by this text. */
async function expectProblem(field: Locator, text: string): Promise<void> {
  const page = field.page();
  await field.and(page.locator('[aria-invalid="true"]')).waitFor();
  const id = (await field.getAttribute('aria-describedby'))?.split(' ')[0];
  await page.locator(`[id="${id}"]`).getByText(text, { exact: true }).waitFor();
}

itInLongRun('a double click on the button for a new user or on the name of a user opens it once', async () => {
  const page = await open();
  const dialog = page.getByRole('dialog');
  for (const [name, close] of [
    ['Add User', 'Cancel'],
    [people.patient.fullName, 'Close'],
  ] as const) {
    await doubleClick(page.getByRole('button', { name, exact: true }), dialog);
    await dialog.getByRole('button', { name: close, exact: true }).last().click();
    await dialog.waitFor({ state: 'hidden' });
  }
});

describe('Adding a user', () => {
  it('shows missing fields, sends an invitation, and lists the user after activation', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Add User' }).click();
    const dialog = await expectDialog(page, 'Add User');
    const save = dialog.getByRole('button', { name: 'Add User' });
    const field = (name: string) => dialog.getByLabel(name, { exact: true });
    await save.click();
    await expectProblem(field('Email'), 'The Email field is required.');
    await expectText(dialog, 'Field is required', 'The user type must be Patient or Practitioner.');
    await dialog.locator('#add-user_fullName:focus').waitFor();

    await dialog.locator('#add-user_fullName').fill('Lena Marsh');
    await field('Email').fill('lena');
    await expectProblem(field('Email'), 'The Email field is not a valid e-mail address');
    await field('Email').fill(people.patient.email);
    await dialog.getByRole('radio', { name: 'Practitioner' }).click();
    await dialog.getByRole('radio', { name: 'Practitioner', checked: true }).waitFor();
    expect(await field('Value').inputValue()).toBe('Practitioner/');
    await expectProblem(field('Value'), "Provide the 'Practitioner' id in the fhirUser claim.");
    await dialog.getByRole('radio', { name: 'Patient' }).click();
    await dialog.getByRole('radio', { name: 'Patient', checked: true }).waitFor();
    await field('Value').fill('Patient/77');

    browser.expectFailure('/api/admin/user', 409);
    await save.click();
    await expectNotice(page, 'Unable to save your changes. Please review the form for errors.');
    await expectProblem(field('Email'), 'A user with this e-mail address already exists.');
    await field('Email').fill('lena.marsh@example.org');
    await save.click();
    await expectNotice(page, 'User was successfully added');
    await dialog.waitFor({ state: 'hidden' });
    await expectText(row(page, 'Lena Marsh'), 'Patient', 'Local', 'Not confirmed');
    await page.locator('button:focus', { hasText: 'Add User' }).waitFor();

    const person = await browser.open();
    const password = 'quiet-lantern-5582';
    await person.goto(linkInMail(await sink.to('lena.marsh@example.org')).url);
    await person.getByLabel('New password').fill(password);
    await person.getByLabel('Confirm password').fill(password);
    await person.getByRole('button', { name: 'Activate account' }).click();
    await signIn(person, { email: 'lena.marsh@example.org', password });
    await expectPage(person, '/user/grants', 'Manage Apps');
    await page.reload();
    await expectText(row(page, 'Lena Marsh'), 'Confirmed');
  });

  itInLongRun('asks before it discards typed text', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Add User' }).click();
    const dialog = await expectDialog(page, 'Add User');
    await dialog.locator('#add-user_fullName').fill('Half a name');
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => page.goBack(),
    ]) {
      await leave();
      const question = await expectDialog(page, 'Discard your changes?');
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'hidden' });
    }
    expect(await dialog.locator('#add-user_fullName').inputValue()).toBe('Half a name');
    await page.goBack();
    await (await expectDialog(page, 'Discard your changes?')).getByRole('button', { name: 'Discard changes' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expectPage(page, path, 'Users');
  });
});

describe('The panel of a user', () => {
  it('shows the user, sends the invitation again, and changes name and claims with each problem next to its field', async () => {
    const { id } = await created('Edith Reed');
    // A second invitation withdraws a mail that has not been sent.
    await sink.to('edith.reed@example.org');
    const page = await open();
    const sheet = await openSheet(page, 'Edith Reed');
    await expectText(sheet, 'edith.reed@example.org', 'Patient', 'Local', 'Not confirmed', 'fhirUser', 'Patient/77');
    expect(new URL(page.url()).searchParams.get('user')).toBe(id);
    await sheet.getByRole('button', { name: 'Resend', exact: true }).click();
    await expectNotice(page, 'A new invitation will be sent by mail.');
    await sink.to('edith.reed@example.org', 2);
    await sheet.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog').filter({ hasText: 'Edit User' });
    const claim = (number: number, field: string) =>
      form.getByRole('group', { name: `Claim ${number}` }).getByLabel(field);
    const save = form.getByRole('button', { name: 'Save changes' });
    await expectText(form, 'Cannot be changed', 'Set when the user was created');

    await form.locator('#edit-user_fullName').fill(' ');
    await claim(1, 'Value').fill('Practitioner/77');
    await save.click();
    await expectProblem(form.locator('#edit-user_fullName'), 'Field is required');
    const wrongType = "The 'fhirUser' claim must point to resource matching Patient type.";
    await expectProblem(claim(1, 'Value'), wrongType);
    await claim(1, 'Value').fill('Patient/');
    await expectText(form, "Provide the 'Patient' id in the fhirUser claim.");
    await form.locator('#edit-user_fullName').fill('Edith Field');

    await form.getByRole('button', { name: 'Remove claim 1' }).click();
    await expectText(form, 'The fhirUser claim is mandatory');
    await form.getByRole('button', { name: 'Add claim' }).click();
    await claim(1, 'Name').fill('fhirUser');
    await claim(1, 'Value').fill('Patient/78');
    for (const number of [2, 3]) {
      await form.getByRole('button', { name: 'Add claim' }).click();
      await claim(number, 'Name').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('ward');
      await expectProblem(claim(number, 'Value'), 'Please fill in all claim fields.');
      await claim(number, 'Value').fill('4B');
    }
    await expectProblem(claim(3, 'Name'), 'A claim with this name and value already exists.');
    await claim(3, 'Name').fill('sub');
    await expectProblem(claim(3, 'Name'), "The claim 'sub' is set by the server and cannot be chosen.");
    await form.getByRole('button', { name: 'Remove claim 3' }).click();
    await save.click();

    await expectNotice(page, 'User was successfully changed.');
    await expectText(sheet, 'Edith Field', 'Patient/78', 'ward', '4B');
    await page.locator('button:focus', { hasText: 'Edit' }).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edith Field', exact: true }).waitFor();
    const answer = await api.get(`/api/admin/user/${id}`);
    expect(answer.json()).toMatchObject({
      fullName: 'Edith Field',
      claims: [{ value: 'Patient/78' }, { value: '4B' }],
    });
  });

  itInLongRun('can set the type of an Incomplete account, which resets the fhirUser claim', async () => {
    const { id } = await created('Ina Unfinished');
    await portal.query("UPDATE account SET user_type = 'Incomplete', claims = '[]' WHERE id = $1", [id]);
    const page = await open(`?user=${id}`);
    // The notice that the user cannot sign in has the same button as the panel, and is loaded after it.
    const actions = page.getByRole('button', { name: 'Edit', exact: true });
    await actions.nth(1).waitFor();
    await actions.last().click();
    const form = page.getByRole('dialog').filter({ hasText: 'Edit User' });
    await form.getByRole('radio', { name: 'Practitioner' }).click();
    await form.getByRole('radio', { name: 'Practitioner', checked: true }).waitFor();
    expect(await form.getByLabel('Value').inputValue()).toBe('Practitioner/');
    await form.getByLabel('Value').fill('Practitioner/9');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectNotice(page, 'User was successfully changed.');
    expect((await api.get(`/api/admin/user/${id}`)).json().userType).toBe('Practitioner');
  });

  itInLongRun('takes back the access of one app, after a question', async () => {
    const { access_token } = await new SmartApp(portal, { scope: 'openid patient/*.rs' }).tokens(people.patient);
    const page = await open('', { width: 360, height: 740 });
    const sheet = await openSheet(page, people.patient.fullName);
    await sheet.getByRole('button', { name: 'Take back access from Heart Companion' }).click();
    const question = await expectDialog(page, 'Take back access from Heart Companion?');
    browser.expectAnyFailure(503);
    await page.route('**/app?*', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
    await question.getByRole('button', { name: 'Take back access' }).click();
    await expectText(question, 'Something went wrong.');
    await question.getByRole('button', { name: 'Take back access' }).click();
    await expectNotice(page, 'Access was taken back.');
    await expectText(sheet, 'No apps');
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await new Agent(portal.issuer).get('/fhir/Patient/1', { headers })).status).toBe(401);
    const { mail } = await sink.to(people.patient.email);
    expect(mail.text).toContain('An administrator of Gatehouse took back the access of Heart Companion to your data.');
  });

  itInLongRun('deletes after a question, and moves the focus to the start of the list', async () => {
    const { id } = await created('Dora Gone');
    const page = await open('?searchTerm=dora');
    const sheet = await openSheet(page, 'Dora Gone');
    await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = await expectDialog(page, 'Delete user Dora Gone?');
    await expectText(question, 'You will not be able to recover this user.');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect((await api.get(`/api/admin/user/${id}`)).status).toBe(200);
    await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await expectNotice(page, 'User was successfully deleted.');
    await expectText(page, 'No users found');
    await page.locator('h1:focus').waitFor();
    expect((await api.get(`/api/admin/user/${id}`)).status).toBe(404);
  });

  itInLongRun(
    'reports that another administrator has deleted the user before it is opened, changed, deleted or invited again',
    async () => {
      const acts: [name: string, prepare: (sheet: Locator) => Promise<unknown>, button?: string][] = [
        ['Gone Before Opening', async () => {}],
        [
          'Gone Before Saving',
          async (sheet) => {
            await sheet.getByRole('button', { name: 'Edit', exact: true }).click();
            await sheet.page().locator('#edit-user_fullName').fill('Another');
          },
          'Save changes',
        ],
        [
          'Gone Before Deleting',
          (sheet) => sheet.getByRole('button', { name: 'Delete', exact: true }).click(),
          'Delete',
        ],
        ['Gone Before Resending', async () => {}, 'Resend'],
      ];
      const ids = new Map<string, string>();
      for (const [name] of acts) ids.set(name, (await created(name)).id);
      const page = await open('?searchTerm=gone');
      for (const [name, prepare, button] of acts) {
        const call = `/api/admin/user/${ids.get(name)}`;
        browser.expectFailure(call, 404);
        browser.expectFailure(`${call}/resend-confirmation`, 404);
        const drop = () => api.send(call, { method: 'DELETE' });
        if (button) {
          await prepare(await openSheet(page, name));
          await drop();
          await page.getByRole('dialog').last().getByRole('button', { name: button }).click();
        } else {
          await page.getByRole('button', { name, exact: true }).waitFor();
          await drop();
          await page.getByRole('button', { name, exact: true }).click();
        }
        const dialog = await expectDialog(page, 'Oh No!');
        await expectText(
          dialog,
          name,
          'The selected user no longer exists. Please refresh the page to view the latest user list.',
        );
        await dialog.getByRole('button', { name: 'Refresh' }).click();
        await dialog.waitFor({ state: 'hidden' });
        await expectPage(page, path, 'Users');
        await page.getByRole('button', { name, exact: true }).waitFor({ state: 'hidden' });
      }
    },
  );
});

itInLongRun(
  'the list of users, its filters, the sheet, the question before deleting and the forms are accessible and fit',
  () =>
    expectFitInEveryLook(browser, {
      'the list': async (page) => {
        await signInByApi(page, portal.issuer, people.admin);
        await page.goto(portal.issuer + path);
        await page.getByRole('button', { name: 'Amelia Ward', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Next page' }).waitFor();
      },
      'the new user': async (page) => {
        await page.getByRole('button', { name: 'Add User' }).click();
        const dialog = await expectDialog(page, 'Add User');
        await dialog.getByRole('button', { name: 'Add User' }).click();
        await page.getByText('The Email field is required.').waitFor();
      },
      'the filters': async (page) => {
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        await page.getByRole('searchbox').fill('amelia');
        await page.waitForURL((url) => url.searchParams.get('searchTerm') === 'amelia');
        await page.getByRole('button', { name: /^Filter/ }).click();
        await (await expectDialog(page, 'Filter')).getByRole('checkbox', { name: 'Patient' }).click();
        await page.getByRole('button', { name: 'Remove filter Patient' }).waitFor({ state: 'attached' });
      },
      'the sheet': async (page) => {
        await page.keyboard.press('Escape');
        await openSheet(page, 'Amelia Ward');
      },
      'the question before deleting': async (page) => {
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await expectDialog(page, 'Delete user Amelia Ward?');
      },
      'the form with problems': async (page) => {
        await page.getByRole('dialog', { name: 'Delete user' }).getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await page.getByRole('button', { name: 'Add claim' }).click();
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.getByText('Please fill in all claim fields.').waitFor();
      },
    }),
);
