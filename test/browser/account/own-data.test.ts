/** Users download everything kept about them, and delete their own accounts. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { KeepLinks } from '../../../src/users/application/deletion/keep-links.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { typeAndSubmit } from '../../support/browser/controls.js';
import { expectDialog, expectLogin, expectNotice, expectPage, expectText } from '../../support/browser/pages.js';
import { VirtualAuthenticator } from '../../support/browser/virtual-authenticator.js';
import { linkInMail, type MailSink, mailAbout, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/providers/identity-provider.js';
import { inTurn, itInLongRun } from '../../support/runs.js';
import { ageAcceptedCodes, authenticatorCode } from '../../support/users/authenticator.js';
import { type Owner, type OwnerKind, ownerKinds, ownerUsers, signInOwner } from '../../support/users/owners.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
let sink: MailSink;
let provider: TestIdentityProvider;
let portal: TestPortal;

async function start(deletionDays: number): Promise<void> {
  sink = await startMailSink();
  provider = await startIdentityProvider();
  portal = await startPortal({
    config: {
      account: { deletionDays },
      email: sink.config,
      users: [...ownerUsers, people.admin, people.patient, people.practitioner],
      identityProviders: [provider.entry({ allowedGroups: ['patients', 'staff'] })],
    },
  });
  provider.trust(portal);
}

async function stop(): Promise<void> {
  await browser.closePages();
  await portal.close();
  await provider.close();
  await sink.stop();
}

/**
 * The account settings of a user who has just signed in, or `longAgo`: before the page has calls that store the session
 * as it was.
 */
async function settingsOf(page: Page, kind: OwnerKind, { longAgo = false } = {}): Promise<Owner> {
  const owner = await signInOwner(portal, provider, kind);
  if (longAgo) {
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 301))
        WHERE model = 'Session'`,
    );
  }
  await bring(page, owner);
  await page.goto(`${portal.issuer}${kind.area}/account-settings`);
  await expectPage(page, `${kind.area}/account-settings`, 'Account settings');
  await page.getByRole('heading', { name: 'Your data' }).waitFor();
  return owner;
}

/** Gives the page the session of the owner. */
async function bring(page: Page, { agent }: Owner): Promise<void> {
  const cookies = [...agent.cookies].map(([name, value]) => ({ name, value, url: portal.issuer }));
  await page.context().addCookies(cookies);
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function atProvider(page: Page, { subject }: OwnerKind): Promise<void> {
  await page.waitForURL((url) => url.origin === provider.authority);
  await page.getByLabel('Name').fill(subject);
  await page.getByRole('button', { name: 'Go on' }).click();
}

/**
 * Usually a patient is deleted at once, and a practitioner after days: `test/own-data` has all kinds in both ways
 * without a browser.
 */
const kindsFor = (way: 'at once' | 'after days') =>
  inTurn(
    ownerKinds.filter(({ hasPasskeyAlone, hasPasskeyAsWell }) => !hasPasskeyAlone && !hasPasskeyAsWell),
    way === 'at once' ? 0 : 2,
  );

/** Confirms who it is, and deletes the account. */
async function deleteIn(page: Page, owner: Owner): Promise<void> {
  await press(page, 'Delete account');
  const asked = await expectDialog(page, 'Delete your account?');
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await asked.waitFor({ state: 'hidden' });
  await press(page, 'Delete account');
  await expectDialog(page, 'Delete your account?');
  if (!owner.person) {
    await page.getByRole('link', { name: 'Confirm with Hospital ID' }).click();
    await atProvider(page, owner);
    await expectPage(page, `${owner.area}/account-settings`, 'Account settings');
  }
  const dialog = await expectDialog(page, 'Delete your account?');
  if (owner.person) await dialog.getByLabel('Current password').fill(owner.person.password);
  if (owner.factor) {
    await ageAcceptedCodes(portal);
    await dialog.getByLabel('Code from your authenticator app').fill(authenticatorCode(owner.factor.key));
  }
  await dialog.getByRole('button', { name: 'Delete my account' }).click();
}

describe('An account that is deleted at once', () => {
  beforeAll(() => start(0));
  afterAll(stop);

  it.each(kindsFor('at once'))('is downloaded and deleted by $kind', async (kind) => {
    const page = await browser.open({ width: 360 });
    const owner = await settingsOf(page, kind);
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    expect(download.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
    const data = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect([data.account.id, data.account.fullName]).toEqual([owner.id, kind.fullName]);
    await expectNotice(page, 'Your download has begun.');

    await deleteIn(page, owner);
    await expectLogin(page);
    await expectText(page, 'Your account was deleted.');
    expect(await portal.query('SELECT FROM account WHERE id = $1', [owner.id])).toEqual([]);
  });

  it('is deleted by a passkey alone where the account has one, also with a password', async () => {
    const kind = ownerKinds.find(({ hasPasskeyAsWell }) => hasPasskeyAsWell) as OwnerKind;
    const page = await browser.open({ width: 360 });
    const authenticator = await VirtualAuthenticator.connect(page);
    const { id, passkey } = await settingsOf(page, kind);
    if (passkey) await authenticator.hold(passkey);
    await press(page, 'Delete account');
    const dialog = await expectDialog(page, 'Delete your account?');
    await expectText(dialog, 'Confirm that it is you:');
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await expectText(dialog, 'Please use a passkey.');
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await expectText(dialog, 'Confirmed by a passkey');
    // The authenticator still offers the passkey to the page for signing in.
    browser.expectFailure('/api/passkeys/sign-in', 400);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await expectLogin(page);
    expect(await portal.query('SELECT FROM account WHERE id = $1', [id])).toEqual([]);
  });

  itInLongRun('stays as it is when the dialog is closed, and an error is shown at its field', async () => {
    const kind = {
      ...(ownerKinds[4] as OwnerKind),
      person: people.admin,
      email: people.admin.email,
      hasTwoFactor: true,
    };
    const page = await browser.open();
    await portal.query("DELETE FROM account WHERE user_type = 'Admin' AND email <> $1", [people.admin.email]);
    const owner = await settingsOf(page, kind);
    await press(page, 'Delete account');
    await expectText(
      await expectDialog(page, 'Delete your account?'),
      'You are the last administrator. Make sure that there is another one before you delete your account.',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Delete account', exact: true }).and(page.locator(':focus')).waitFor();

    await portal.query("UPDATE account SET user_type = 'Admin' WHERE email = $1", [people.practitioner.email]);
    await press(page, 'Delete account');
    const dialog = await expectDialog(page, 'Delete your account?');
    await dialog.getByLabel('Current password').and(page.locator(':focus')).waitFor();
    browser.expectFailure('/api/user/deletion', 400);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await expectText(dialog, 'Field is required');
    const password = dialog.getByLabel('Current password');
    await password.fill('not the password');
    await dialog.getByLabel('Code from your authenticator app').fill('000000');
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await expectText(dialog, 'The current password is wrong.');
    await password.and(page.locator(':focus')).waitFor();
    expect(await password.getAttribute('aria-invalid')).toBe('true');
    await password.fill(people.admin.password);
    await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click();
    expect(await password.inputValue()).toBe(people.admin.password);
    await dialog.getByLabel('Recovery code').fill(owner.factor?.recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await expectLogin(page);
    expect(await portal.query('SELECT FROM account WHERE id = $1', [owner.id])).toEqual([]);
  });
});

describe('A download long after the sign-in', () => {
  beforeAll(() => start(0));
  afterAll(stop);

  it('takes the password, also if Enter follows its last character at once', async () => {
    const page = await browser.open();
    const { person } = await settingsOf(page, ownerKinds[0] as OwnerKind, { longAgo: true });
    browser.expectFailure('/api/user/data', 400);
    await press(page, 'Download');
    const dialog = await expectDialog(page, 'Confirm that it is you');
    const password = dialog.getByLabel('Current password');
    await password.fill('wrong');
    await page.keyboard.press('Enter');
    await expectText(dialog, 'The current password is wrong.');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      typeAndSubmit(password, person?.password ?? ''),
    ]);
    expect(download.suggestedFilename()).toMatch(/^my-data/);
    await dialog.waitFor({ state: 'hidden' });
  });

  itInLongRun('takes a new sign-in at the provider of a user who has no password', async () => {
    const kind = ownerKinds.find(({ person }) => !person) as OwnerKind;
    const page = await browser.open();
    await settingsOf(page, kind, { longAgo: true });
    browser.expectFailure('/api/user/data', 400);
    await press(page, 'Download');
    await (await expectDialog(page, 'Confirm that it is you')).getByRole('link').click();
    await atProvider(page, kind);
    await expectPage(page, '/user/account-settings', 'Account settings');
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    expect(download.suggestedFilename()).toMatch(/^my-data/);
  });
});

describe('An account that is deleted after days', () => {
  beforeAll(() => start(7));
  afterAll(stop);

  it.each(kindsFor('after days'))('is kept after a sign-in by $kind', async (kind) => {
    const page = await browser.open({ width: 360 });
    const owner = await settingsOf(page, kind);
    await deleteIn(page, owner);
    const login = await expectLogin(page);
    await expectText(page, 'Your account is locked and will be deleted. To keep it, sign in.');
    if (owner.person) await login.signIn(owner.person);
    else await page.getByRole('link', { name: 'Continue with Hospital ID' }).click();
    if (owner.person && owner.factor) {
      await ageAcceptedCodes(portal);
      const dialog = await expectDialog(page, 'Verify Your Identity');
      await dialog.getByLabel('Code from your authenticator app').fill(authenticatorCode(owner.factor.key));
    }
    await expectPage(page, '/account/keep', 'Keep your account?');
    expect(new URL(page.url()).search).toBe('');
    await press(page, 'Keep the account');
    await expectNotice(page, 'Your account is kept. You can sign in as before.');
    await expectLogin(page);
    expect(await portal.query('SELECT FROM account_deletion WHERE account_id = $1', [owner.id])).toEqual([]);
  });

  itInLongRun('has a list of what happens, and a page to keep it, that fit in every look', async () => {
    const { admin } = people;
    const kind = { ...(ownerKinds[5] as OwnerKind), person: admin, email: admin.email };
    const owner = await signInOwner(portal, provider, kind);
    await expectFitInEveryLook(browser, async (page) => {
      await bring(page, owner);
      await page.goto(`${portal.issuer}/admin/account-settings?open=delete`);
      await expectText(await expectDialog(page, 'Delete your account?'), 'The access that you gave to apps ends.');
    });
    await portal.query("INSERT INTO account_deletion VALUES ($1, '2026-11-22', '2126-11-29')", [owner.id]);
    const links = portal.apps[0]?.get(KeepLinks, { strict: false }) as KeepLinks;
    const keepPage = await links.pageFor(owner.id);
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await page.goto(`${portal.issuer}${keepPage}`);
        await page.getByText('You asked for your account to be deleted.').waitFor();
      },
      { number: 1 },
    );
  });

  itInLongRun('is kept by the link in the mail, which says so when it is followed again', async () => {
    const page = await browser.open();
    const { patient } = people;
    const kind = { ...(ownerKinds[0] as OwnerKind), person: patient, email: patient.email };
    const owner = await settingsOf(page, kind);
    await deleteIn(page, owner);
    await expectLogin(page);
    const mail = await mailAbout(sink, owner.email, 'Your account at Gatehouse will be deleted');
    const { url } = linkInMail(mail);
    await page.goto(url);
    await expectPage(page, '/account/keep', 'Keep your account?');
    await press(page, 'Keep the account');
    await expectLogin(page);
    await page.goto(url);
    await expectText(page, 'Your account is kept already. You can sign in as before.');
    browser.expectAnyFailure(400);
    await page.goto(`${url}x`);
    await expectText(
      page,
      'This link is not valid any more. As long as your account exists, you can also keep it by signing in.',
    );
  });
});
