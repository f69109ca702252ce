import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../../support/browser/browser.js';
import { pressByKeyboard } from '../../../support/browser/focus.js';
import { expectDialog, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { Agent } from '../../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../../support/portal/portal.js';
import { login } from '../../../support/users/authenticator.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
const password = 'copper-meadow-8841';
let portal: TestPortal;
let api: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin] } });
  api = new Agent(portal.issuer);
  await login(api, people.admin);
});
beforeEach(() => portal.query('DELETE FROM rate_limit'));
afterAll(() => portal.close());

async function invite(fullName: string): Promise<string> {
  const email = `${fullName.toLowerCase().replaceAll(' ', '.')}@example.org`;
  const claims = [{ name: 'fhirUser', value: 'Patient/77' }];
  const answer = await api.post('/api/admin/user', { fullName, email, userType: 'Patient', claims });
  expect(answer.status).toBe(201);
  return email;
}

async function openSheet(page: Page, name: string): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/user-management`);
  await page.getByRole('button', { name, exact: true }).click();
  await expectText(page, 'The invitation could not be sent yet');
}

async function addUser(page: Page, name: string, email: string): Promise<void> {
  await signInByApi(page, portal.issuer, people.admin);
  await page.goto(`${portal.issuer}/admin/user-management`);
  await page.getByRole('button', { name: 'Add User' }).click();
  const dialog = await expectDialog(page, 'Add User');
  await dialog.getByText('No mail server is configured.').waitFor();
  await dialog.locator('#add-user_fullName').fill(name);
  await dialog.getByLabel('Email', { exact: true }).fill(email);
  await dialog.getByRole('radio', { name: 'Patient' }).click();
  await dialog.getByLabel('Value', { exact: true }).fill('Patient/77');
  await dialog.getByRole('button', { name: 'Add User' }).click();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last();

describe('The invitation of a user, without a mail server,', () => {
  it('is a link that an administrator copies once, and with which the user chooses a password', async () => {
    const email = 'lena.marsh@example.org';
    const page = await browser.open({ width: 360, height: 740 });
    await addUser(page, 'Lena Marsh', email);
    await expectText(page, 'The invitation could not be sent yet');
    await pressByKeyboard(button(page, 'Copy link'));
    const dialog = await expectDialog(page, 'Invitation link for Lena Marsh');
    await expectText(dialog, 'It works once, within 72 hours. A link from before ends.');
    await pressByKeyboard(button(page, 'Create link'));
    const link = await dialog.getByRole('status').innerText();
    expect(link).toMatch(new RegExp(`^${portal.issuer}/account/activate\\?u=[\\w-]+&t=[\\w-]+$`));
    await expectText(dialog, 'It is shown only now. If it is lost, create another one.');
    await pressByKeyboard(button(page, 'Close'));
    await dialog.waitFor({ state: 'hidden' });
    await expectText(page, 'The invitation has not been accepted yet');
    expect(await page.content()).not.toContain(link);

    const user = await browser.open({ width: 360, height: 740 });
    await user.goto(link);
    await expectPage(user, '/account/activate', 'Activate Account');
    await user.getByLabel('New password').fill(password);
    await user.getByLabel('Confirm password').fill(password);
    await user.getByRole('button', { name: 'Activate account' }).click();
    await expectPage(user, '/login', 'Sign in');
    expect((await login(new Agent(portal.issuer), { email, password })).status).toBe(200);
    await page.reload();
    await expectText(page, 'Active, not confirmed');
  });

  it('is offered in a dialog that is accessible and fits', async () => {
    await invite('Nora Field');
    await expectFitInEveryLook(browser, {
      'the user': (page) => openSheet(page, 'Nora Field'),
      'the question': async (page) => {
        await page.getByRole('button', { name: 'Copy link', exact: true }).click();
        await expectDialog(page, 'Invitation link for Nora Field');
      },
      'the link': async (page) => {
        await page.getByRole('button', { name: 'Create link' }).click();
        await expectText(page, 'It is shown only now. If it is lost, create another one.');
      },
    });
  });
});
