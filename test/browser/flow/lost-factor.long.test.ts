/** A user who has neither phone nor codes, for each way that an installation can configure. */
import type { Page } from 'playwright-core';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { expectVisibleFocus, pressByKeyboard } from '../../support/browser/focus.js';
import { expectDialog, expectLogin, expectPage, expectText, signIn } from '../../support/browser/pages.js';
import { Agent } from '../../support/http/agent.js';
import { type MailSink, newLink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { enableTwoFactor, signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey } from '../../support/users/passkey-device.js';
import { type Person, people } from '../../support/users/people.js';

const { patient } = people;
const keyed: Person = { ...patient, email: 'keyed@example.org' };
const newPassword = 'quiet-lantern-5582';
const helpDesk = {
  phone: '+41 44 000 00 00',
  email: 'help@harbour.example',
  page: 'https://harbour.example/help',
  hours: 'Monday to Friday, 8:00 to 17:00',
};
const branding = { organizationTitle: 'Harbour Hospital' };
const contact = 'The help desk of Harbour Hospital checks who you are, and then lets you in again.';

interface Way {
  name: string;
  account: object;
  /** What the page shows of the help desk. */
  shows: string[];
  waits: boolean;
}

const ways: Way[] = [
  {
    name: 'nothing',
    account: {},
    shows: ['Please contact Harbour Hospital. An administrator there checks who you are, and then lets you in again.'],
    waits: false,
  },
  {
    name: 'a help desk',
    account: { helpDesk },
    shows: [contact, helpDesk.phone, helpDesk.email, 'harbour.example', helpDesk.hours],
    waits: false,
  },
  {
    name: 'a help desk and the waiting time',
    account: { helpDesk, lostSecondFactor: 'waiting-time' },
    shows: [contact, helpDesk.phone, helpDesk.email, 'harbour.example', helpDesk.hours],
    waits: true,
  },
];

const browser = useBrowser();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const shown = (page: Page, text: string) => page.getByText(text).first().waitFor();

describe.each(ways)('Where an installation configures $name, a user without phone and codes', (way) => {
  let sink: MailSink;
  let portal: TestPortal;

  beforeAll(async () => {
    sink = await startMailSink();
    portal = await startPortal({
      config: { email: sink.config, branding, account: way.account, users: [patient, keyed] },
    });
    await enableTwoFactor(await signInByPassword(portal, patient));
    await addPasskey(await signInByPassword(portal, keyed));
  });
  afterEach(async () => {
    await browser.closePages();
    await portal.query('TRUNCATE account_recovery, rate_limit');
  });
  afterAll(async () => {
    await portal.close();
    await sink.stop();
  });

  async function resetLink(person: Person): Promise<string> {
    const { email } = person;
    const ask = () => new Agent(portal.issuer).post('/api/user/forgot-password', { email });
    return (await newLink(sink, email, '/password/reset', ask)).url;
  }

  async function expectPanel(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'Lost your phone and your codes?' }).and(page.locator(':focus')).waitFor();
    for (const text of way.shows) await shown(page, text);
    expect(await button(page, 'Wait 72 hours').count()).toBe(way.waits ? 1 : 0);
  }

  it('is led there at the sign-in, by the keyboard, and back to the code', async () => {
    const page = await browser.open({ width: 360, height: 740 });
    await page.goto(`${portal.issuer}/login`);
    await signIn(page, patient);
    await expectDialog(page, 'Verify Your Identity');
    await pressByKeyboard(button(page, 'I have neither'));
    await expectPanel(page);
    if (way.waits) {
      await newLink(sink, patient.email, '/account/recovery', () => pressByKeyboard(button(page, 'Wait 72 hours')));
      await shown(page, 'You get a link by e-mail, with which you choose a new password.');
      expect(await portal.query('SELECT FROM account_recovery')).toHaveLength(1);
    }
    await page.keyboard.press('Tab');
    const back = button(page, 'Enter a code');
    await back.focus();
    await expectVisibleFocus(page, 'Enter a code');
    await page.keyboard.press('Enter');
    await page.getByLabel('Code from your authenticator app').waitFor();
  });

  it('is led there after a mailed link for a new password, too', async () => {
    const page = await browser.open();
    await page.goto(await resetLink(patient));
    await page.getByLabel('New password').fill(newPassword);
    await page.getByLabel('Confirm password').fill(newPassword);
    await button(page, 'Save password').click();
    await (await expectLogin(page)).signIn({ email: patient.email, password: newPassword });
    await expectDialog(page, 'Verify Your Identity');
    await pressByKeyboard(button(page, 'I have neither'));
    await expectPanel(page);
    await portal.query('UPDATE account SET password_hash = (SELECT password_hash FROM account WHERE email = $1)', [
      keyed.email,
    ]);
  });

  it('is led there on the page of a mailed link that needs a passkey or a code', async () => {
    const page = await browser.open({ width: 360, height: 740 });
    await page.goto(await resetLink(keyed));
    await page.getByRole('radio', { name: 'I have none of these' }).check();
    for (const text of way.shows) await shown(page, text);
    // With a passkey each installation has the waiting time: the mailbox alone is not enough (decision 0083).
    await pressByKeyboard(button(page, 'Wait 72 hours'));
    await page.getByRole('status').getByText('You get a link by e-mail').waitFor();
    await pressByKeyboard(button(page, 'Go to Login'));
    await expectPage(page, '/login', 'Sign in');
  });

  it('sees accessible pages that fit', async () => {
    await expectFitInEveryLook(browser, async (page) => {
      await page.goto(`${portal.issuer}/login`);
      await signIn(page, patient);
      await expectDialog(page, 'Verify Your Identity');
      await button(page, 'I have neither').click();
      await expectPanel(page);
    });
    await browser.closePages();
    const link = await resetLink(keyed);
    await expectFitInEveryLook(
      browser,
      async (page) => {
        await page.goto(link);
        await page.getByRole('radio', { name: 'I have none of these' }).check();
        await expectText(page, ...way.shows.slice(0, 1));
      },
      { number: 1 },
    );
  });
});
