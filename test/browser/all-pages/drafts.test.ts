import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { fieldNamed } from '../../support/browser/client-pages.js';
import {
  expectDialog,
  expectInView,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signIn,
  signInByApi,
} from '../../support/browser/pages.js';
import { Agent } from '../../support/http/agent.js';
import { startFhirPortal, untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { inTurn, itInLongRun } from '../../support/runs.js';
import { alterAccounts, login } from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';
import { at, dialog, type FormCase, forms, nameField, press, secret, users } from './draft-forms.js';

const browser = useBrowser();
const { admin, patient } = people;
const otherAdmin: Person = { ...admin, email: 'berta.admin@example.org', fullName: 'Berta Admin' };
let portal: TestPortal;

beforeAll(async () => {
  portal = await startFhirPortal({ config: { users: [admin, otherAdmin, patient] } });
  const api = new Agent(portal.issuer);
  await login(api, admin);
  await untilFhirServerIsAvailable(api);
});

afterAll(() => portal.close());

beforeEach(async () => {
  for (const { email, fullName } of [admin, patient]) {
    await alterAccounts(portal, `UPDATE account SET full_name = '${fullName}' WHERE email = '${email}'`);
  }
});

async function begun({ person, begin }: FormCase, look = {}): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, person);
  await begin(page, portal);
  return page;
}

const endSessions = () => portal.query("DELETE FROM oidc_record WHERE model = 'Session'");
const lostTitle = 'You have been signed out';
const storage = (page: Page) => page.evaluate<string>('JSON.stringify(sessionStorage)');

/** Saves without a session; the page then asks the user to sign in again. */
async function loseSession(page: Page, form: FormCase): Promise<Locator> {
  browser.expectAnyFailure(401);
  await endSessions();
  await form.save(page);
  return expectDialog(page, lostTitle);
}

/** Signs in with the tab that the dialog opens. */
async function signInAgain(page: Page, asked: Locator, person: Person): Promise<Page> {
  const [tab] = await Promise.all([page.waitForEvent('popup'), press(asked, 'Sign in again')]);
  await signIn(tab, person);
  return tab;
}

/** A save that fails in the server. */
async function failToSave(page: Page, { call, method, save }: FormCase): Promise<void> {
  browser.expectAnyFailure(500);
  await page.route(call, (route) =>
    route.request().method() === method ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
  );
  await save(page);
  await expectPage(page, '/error/500', 'Server error');
  await page.unroute(call);
}

// Usually the form of a user; all forms keep their drafts by the same hook.
describe.each(inTurn(forms, 4))('the form of $name', (form) => {
  it('keeps its content when the session ends, and is saved after the user has signed in again in another tab', async () => {
    const page = await begun(form);
    const tab = await signInAgain(page, await loseSession(page, form), form.person);
    const closed = tab.isClosed() ? Promise.resolve() : tab.waitForEvent('close');
    await page.getByRole('dialog', { name: lostTitle }).waitFor({ state: 'hidden' });
    await closed;
    const told = 'You were signed out, so this was not saved. You are signed in again: please save once more.';
    await expectInView(page.getByText(told, { exact: true }));
    expect(await page.getByText('Unable to save your changes. Please review the form for errors.').count()).toBe(0);
    expect(await form.typed(page)).toEqual(form.expected);
    await form.save(page);
    await expectNotice(page, form.saved);
    expect(await storage(page)).not.toContain('gatehouse.drafts');
  });

  itInLongRun('has its content again after a save that failed in the server, without a question', async () => {
    const page = await begun(form);
    await failToSave(page, form);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await storage(page)).not.toContain(secret);
    await press(page, 'Back to what you entered');
    await expectText(page, 'What you entered is back. It is not saved yet.');
    expect(await form.typed(page)).toEqual(form.expected);
    await form.retype?.(page);
    await form.save(page);
    await expectNotice(page, form.saved);
    expect(await storage(page)).not.toContain('gatehouse.drafts');
  });
});

describe('The content of a form', () => {
  const [, , , newUserForm, userForm] = forms as [FormCase, FormCase, FormCase, FormCase, FormCase];

  it('is hidden while no user is signed in, and deleted when another user signs in', async () => {
    const page = await begun(userForm);
    const asked = await loseSession(page, userForm);
    // Neither visible nor announced by a screen reader.
    expect(await page.getByLabel('Name', { exact: true }).first().isVisible()).toBe(false);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Users' }).count()).toBe(0);
    expect(await storage(page)).toContain('Entered Name');
    const tab = await signInAgain(page, asked, otherAdmin);
    await expectPage(tab, '/admin/dashboard', 'Dashboard');
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    for (const one of [page, tab]) expect(await storage(one)).not.toContain('Entered Name');
  });

  itInLongRun('is deleted when another user signs in after a failed save', async () => {
    const page = await begun(newUserForm);
    await failToSave(page, newUserForm);
    await endSessions();
    await signInByApi(page, portal.issuer, otherAdmin);
    await at(page, portal, `${users}?add=true`, 'Users');
    const form = await expectDialog(page, 'Add User');
    expect(await nameField(form).inputValue()).toBe('');
    expect(await storage(page)).not.toContain('Entered');
  });

  itInLongRun(
    'is deleted when another user signs in in another tab, and covered when the user signs out there',
    async () => {
      const page = await begun(userForm);
      const tab = await page.context().newPage();
      await tab.goto(`${portal.issuer}/logout`);
      await expectLogin(tab);
      await expectDialog(page, lostTitle);
      await signIn(tab, otherAdmin);
      await expectPage(page, '/admin/dashboard', 'Dashboard');
      expect(await storage(page)).not.toContain('Entered Name');
    },
  );

  itInLongRun('is deleted when the page learns that another user is signed in', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, admin);
    await page.clock.install();
    await userForm.begin(page, portal);
    await signInByApi(page, portal.issuer, otherAdmin);
    await page.clock.fastForward(31_000);
    await nameField(dialog(page)).pressSequentially('!');
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    expect(await storage(page)).not.toContain('Entered Name');
  });

  itInLongRun('is discarded by a button, in the dialog and in the restored form, which are accessible', async () => {
    let page = undefined as unknown as Page;
    await expectFitInEveryLook(browser, {
      'The session has ended': async (opened) => {
        page = opened;
        await signInByApi(page, portal.issuer, admin);
        await newUserForm.begin(page, portal);
        await loseSession(page, newUserForm);
      },
      'A save has failed': async () => {
        await press(page, 'Discard changes');
        await expectLogin(page);
        expect(await storage(page)).not.toContain('Entered');

        await signInByApi(page, portal.issuer, admin);
        await newUserForm.begin(page, portal);
        await failToSave(page, newUserForm);
        await page.getByRole('button', { name: 'Back to what you entered' }).waitFor();
      },
      'The content is back': async () => {
        await press(page, 'Back to what you entered');
        await expectText(page, 'What you entered is back. It is not saved yet.');
      },
    });
    await press(page, 'Discard it');
    expect(await nameField(dialog(page)).inputValue()).toBe('');
    await press(page, 'Cancel');
    await dialog(page).waitFor({ state: 'hidden' });
  });

  itInLongRun('is deleted when the user signs out', async () => {
    const page = await begun(newUserForm);
    await failToSave(page, newUserForm);
    await at(page, portal, '/admin/dashboard', 'Dashboard');
    await press(page, `Account menu of ${admin.fullName}`);
    await page.getByRole('menuitem', { name: 'Logout' }).click();
    await expectLogin(page);
    expect(await storage(page)).not.toContain('Entered');
  });

  it('is never stored if it is a password', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, patient);
    await at(page, portal, '/user/account-settings', 'Account settings');
    await press(page, 'Change password');
    await page.getByLabel('Current password').fill(patient.password);
    for (const name of ['New password', 'Confirm new password'])
      await fieldNamed(page.locator('form'), name).fill(secret);
    const save = () => press(page, 'Save');
    const form = { save: () => save(), call: '**/api/user/reset-password', method: 'POST' } as unknown as FormCase;
    const asked = await loseSession(page, form);
    expect(await storage(page)).not.toContain(secret);
    await signInAgain(page, asked, patient);
    await asked.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('Current password').inputValue()).toBe(patient.password);
    await failToSave(page, form);
    expect(await storage(page)).not.toContain(secret);
  });
});
