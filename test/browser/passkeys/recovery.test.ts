import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectNotice, expectPage, expectText, signIn, signInByApi } from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { Agent } from '../../support/http/agent.js';
import { type MailSink, newLink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey } from '../../support/users/passkey-device.js';
import { type Person, people } from '../../support/users/people.js';

const browser = useBrowser();
const { patient, otherPatient, practitioner, admin } = people;
const keyHolder = { ...patient, email: 'key.holder@example.org' };
const newPassword = 'quiet-lantern-5582';
let portal: TestPortal;
let sink: MailSink;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({ config: { email: sink.config, users: [...Object.values(people), keyHolder] } });
});
afterEach(async () => {
  await browser.closePages();
  await portal.query('TRUNCATE passkey, recovery_code_set, account_recovery, rate_limit');
});
afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const kind = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });

/** The address of the link in a new mail. */
const linkFor = async ({ email }: Person, path: string, ask: () => Promise<unknown>): Promise<string> =>
  (await newLink(sink, email, path, ask)).url;

const resetLink = (person: Person) =>
  linkFor(person, '/password/reset', () =>
    new Agent(portal.issuer).post('/api/user/forgot-password', { email: person.email }),
  );

async function choose(page: Page): Promise<void> {
  await page.getByLabel('New password').fill(newPassword);
  await page.getByLabel('Confirm password').fill(newPassword);
  await button(page, 'Save password').click();
}

describe('A user with a passkey who follows the link for a new password', () => {
  it('makes recovery codes in the settings before, and chooses the password with one of them', async () => {
    browser.expectError(/status of 400/);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, patient);
    await VirtualAuthenticator.connect(page);
    await page.goto(`${portal.issuer}/user/account-settings`);
    await button(page, 'Add a passkey').click();
    await expectNotice(page, 'Passkey created');
    await button(page, 'Make recovery codes').click();
    await button(page.getByRole('dialog') as unknown as Page, 'Make recovery codes').click();
    const dialog = page.getByRole('dialog', { name: 'Save your recovery codes' });
    await dialog
      .getByText('you choose a new password with one of these codes and a link that we mail to you')
      .waitFor();
    const code = await dialog.locator('code').first().innerText();
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expectText(page, '10 codes are left.');

    const lost = await browser.open();
    await lost.goto(await resetLink(patient));
    expect(await kind(lost, 'Recovery code').isChecked()).toBe(true);
    await lost.getByLabel('Recovery code', { exact: true }).last().fill('AAAAAA-AAAAAA');
    await choose(lost);
    await expectText(lost, 'This recovery code is not valid.');
    await lost.getByLabel('Recovery code', { exact: true }).last().fill(code);
    await button(lost, 'Save password').click();
    await expectNotice(lost, 'Your password was changed. Sign in with the new one.');
    await signIn(lost, { ...patient, password: newPassword });
    await lost.getByText('Manage Apps').or(lost.getByText('Sign in faster next time')).first().waitFor();
  });

  itInLongRun.each([
    ['a phone or laptop', 'platform', otherPatient],
    ['a security key', 'roaming', keyHolder],
  ] as const)('chooses it with the passkey, also after stopping: %s', async (_name, deviceKind, person) => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, person);
    const device = await VirtualAuthenticator.connect(page, deviceKind);
    await page.goto(`${portal.issuer}/user/account-settings`);
    await button(page, 'Add a passkey').click();
    await expectNotice(page, 'Passkey created');
    await page.goto(await resetLink(person));
    await device.setUserVerified(false);
    await choose(page);
    await page.getByRole('status').getByText('No passkey was used.').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe(newPassword);
    await device.setUserVerified(true);
    await button(page, 'Save password').click();
    await expectNotice(page, 'Your password was changed. Sign in with the new one.');
  });

  itInLongRun('waits without any of them, and the owner of the account ends it by the link of the mail', async () => {
    await addPasskey(await signInByPassword(portal, practitioner));
    const page = await browser.open({ width: 360, height: 800 });
    await page.goto(await resetLink(practitioner));
    await kind(page, 'I have none of these').check();
    const link = await linkFor(practitioner, '/account/recovery', () => button(page, 'Wait 72 hours').click());
    await page.getByRole('status').getByText('You get a link by e-mail').waitFor();
    await page.locator('h1:focus').waitFor();

    const owner = await browser.open();
    await owner.goto(link);
    await expectPage(owner, '/account/recovery', 'End the recovery?');
    await button(owner, 'It was not me: end it').click();
    await expectNotice(owner, 'The recovery was ended. Please also change the password of your mailbox.');
    await owner.goto(link);
    await expectText(owner, 'This recovery has ended. There is nothing to do.');
  });

  itInLongRun('finds a recovery that another person has begun in the account settings, and ends it', async () => {
    const agent = await signInByPassword(portal, admin);
    await addPasskey(agent);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, admin);
    const { searchParams } = new URL(await resetLink(admin));
    const path = `/api/user/${searchParams.get('u')}/recovery`;
    await new Agent(portal.issuer).post(path, { token: searchParams.get('t') });
    await page.goto(`${portal.issuer}/admin/account-settings`);
    await expectText(page, 'A recovery of your account was requested');
    await button(page, 'End the recovery').click();
    await expectNotice(page, 'The recovery was ended');
    await page.getByText('A recovery of your account was requested').waitFor({ state: 'detached' });
    expect(await portal.query('SELECT FROM account_recovery')).toEqual([]);
  });

  itInLongRun('sees pages that fit every look, without accessibility violations', async () => {
    const agent = await signInByPassword(portal, admin);
    await addPasskey(agent);
    await agent.post('/api/passkeys/recovery/codes', {});
    const address = await resetLink(admin);
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await page.goto(address);
        await expectText(page, 'Confirm that it is you');
      },
      { number: 1 },
    );
    await browser.closePages();
    const { searchParams } = new URL(address);
    const path = `/api/user/${searchParams.get('u')}/recovery`;
    const ask = () => new Agent(portal.issuer).post(path, { token: searchParams.get('t') });
    const end = await linkFor(admin, '/account/recovery', ask);
    await expectFitInEveryLook(browser, async (page) => {
      await page.goto(end);
      await expectPage(page, '/account/recovery', 'End the recovery?');
    });
  });
});
