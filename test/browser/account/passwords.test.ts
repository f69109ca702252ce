import type { Page, Request as PageRequest } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectFitInEveryLook, useBrowser } from '../../support/browser/browser.js';
import { typeAndSubmit } from '../../support/browser/controls.js';
import {
  expectConsent,
  expectLogin,
  expectNotice,
  expectPage,
  expectText,
  signInByApi,
} from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { linkInMail, type MailSink, newLink, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInLongRun } from '../../support/runs.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const browser = useBrowser();
const { patient, admin } = people;
const newPassword = 'quiet-lantern-5582';
let portal: TestPortal;
let sink: MailSink;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({ config: { email: sink.config, users: [admin, patient], clients: [publicApp] } });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

/** Invites a user; returns the link in the mail. */
async function invite(email: string): Promise<string> {
  const agent = new Agent(portal.issuer);
  await login(agent, admin);
  const claims = [{ name: 'fhirUser', value: 'Patient/3' }];
  const answer = await agent.post('/api/admin/user', { fullName: 'Ida Field', email, userType: 'Patient', claims });
  expect(answer.status).toBe(201);
  return linkInMail(await sink.to(email)).url;
}

async function choose(page: Page, password: string, submit: string): Promise<void> {
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Confirm password').fill(password);
  await page.getByRole('button', { name: submit, exact: true }).click();
}

async function askForLink(page: Page, email: string): Promise<void> {
  const send = page.getByRole('button', { name: 'Send link' });
  // The sign-in page, from which the link leads here, has a field of this name, too.
  await send.waitFor();
  await page.getByLabel('Email').fill(email);
  await send.click();
}

/** The link for a new password that this requests. */
const resetLink = (email: string, request: () => Promise<unknown>) => newLink(sink, email, '/password/reset', request);

/** The page at this address shows an error, and neither the lead nor a field for a password. */
async function expectRefused(page: Page, address: string, lead: string): Promise<void> {
  await page.goto(portal.issuer + address);
  await page.getByRole('alert').getByRole('listitem').waitFor();
  expect(await page.getByText(lead).count()).toBe(0);
  expect(await page.getByLabel('New password').count()).toBe(0);
}

describe('A forgotten password', () => {
  it('is replaced through a link, whose token leaves the address bar at once; without one the user goes back to the same sign-in page', async () => {
    const page = await browser.open();
    const forgotten = async () => {
      await page.getByRole('link', { name: 'Forgot Password?' }).click();
      await expectPage(page, '/password/forgot', 'Forgot your password?');
    };
    await page.goto(`${portal.issuer}/login?returnUrl=%2Fuser%2Fgrants`);
    await expectLogin(page);
    await forgotten();
    await page.getByRole('button', { name: 'Go Back' }).click();
    await expectLogin(page);
    expect(new URL(page.url()).searchParams.get('returnUrl')).toBe('/user/grants');
    await forgotten();
    await askForLink(page, ' ');
    await expectText(page, 'The Email field is required.');
    await askForLink(page, 'amelia');
    await expectText(page, 'The Email field is not a valid e-mail address');
    await askForLink(page, patient.email);
    await expectText(page, 'Password reset link sent!');

    await page.goto(linkInMail(await sink.to(patient.email)).url);
    await expectPage(page, '/password/reset', 'Reset your password');
    await page.waitForURL(`${portal.issuer}/password/reset`);
    // This browser has asked for the link: it is signed in.
    await choose(page, newPassword, 'Save and sign in');
    await expectNotice(page, 'Your password was changed.');
    await expectPage(page, '/user/grants', 'Manage Apps');
    expect(
      await page.evaluate('JSON.stringify([history.state, { ...sessionStorage }, { ...localStorage }])'),
    ).not.toContain(newPassword);
  });

  itInLongRun(
    'S2-044 is replaced also after reloading the page, and the address is filled in for sign-in',
    async () => {
      const page = await browser.open();
      const ask = () => new Agent(portal.issuer).post('/api/user/forgot-password', { email: patient.email });
      await page.goto((await resetLink(patient.email, ask)).url);
      await page.waitForURL(`${portal.issuer}/password/reset`);
      await page.reload();
      expect(await page.getByLabel('Email').inputValue()).toBe(patient.email);
      expect(await page.getByLabel('Email').getAttribute('autocomplete')).toBe('username');
      await choose(page, 'bright-harbour-7731', 'Save password');
      const login = await expectLogin(page);
      expect(await login.email.inputValue()).toBe(patient.email);
      await login.password.and(page.locator(':focus')).waitFor();
      await login.password.fill('bright-harbour-7731');
      await login.submit.click();
      await expectPage(page, '/user/grants', 'Manage Apps');
      // The link is no longer known after the browser has lost its cookies. It loses them while no page is open whose
      // calls would be refused.
      await page.goto('about:blank');
      await page.context().clearCookies();
      await page.goto(`${portal.issuer}/password/reset`);
      await expectText(page, 'This link is not complete. Please open it from the email again.');
    },
  );

  itInLongRun('leads back to the app that the user came from', async () => {
    const page = await browser.open();
    const app = new SmartApp(portal);
    await page.goto(`${portal.issuer}/connect/authorize?${app.query()}`);
    await expectLogin(page);
    await page.getByRole('link', { name: 'Forgot Password?' }).click();
    const { url } = await resetLink(patient.email, async () => {
      await askForLink(page, patient.email);
      await expectText(page, 'Password reset link sent!');
    });
    const mail = await page.context().newPage();
    await mail.goto(url);
    await choose(mail, 'calm-river-9042', 'Save and sign in');
    await expectConsent(mail, 'Heart Companion');
  });

  itInLongRun('is not asked for by an invalid link, from which another one can be requested', async () => {
    browser.expectFailure('/api/user/unknown/link', 400);
    const page = await browser.open();
    await expectRefused(
      page,
      '/password/reset?u=unknown',
      'Choose a new password. You will be signed out everywhere else.',
    );
    await expectRefused(
      page,
      '/password/reset?u=unknown&t=old',
      'Choose a new password. You will be signed out everywhere else.',
    );
    await expectText(page, 'This link is no longer valid. Please ask for a new one.');
    await page.getByRole('button', { name: 'Ask for a new link' }).click();
    await expectPage(page, '/password/forgot', 'Forgot your password?');
  });
});

describe('An invited account', () => {
  it('is activated with a password that is entered twice', async () => {
    const email = 'ida.field@example.org';
    const page = await browser.open();
    await page.goto(await invite(email));
    await expectPage(page, '/account/activate', 'Activate Account');
    await expectText(page, 'Create your password to activate your account', 'Set by the link');
    const [fill, edge] = await page.evaluate<[string, string]>(`(() => {
      const { backgroundColor, borderTopWidth } = getComputedStyle(document.querySelector('input[autocomplete=username]'));
      return [backgroundColor, borderTopWidth];
    })()`);
    expect([fill, edge]).toEqual(['rgb(238, 242, 244)', '0px']);
    await page.getByLabel('New password').fill(newPassword);
    await page.getByLabel('Confirm password').fill(newPassword);
    // Another character comes right before Enter.
    await typeAndSubmit(page.getByLabel('Confirm password'), `${newPassword}x`);
    await expectText(page, 'Please make sure your password match.');
    expect(await page.getByRole('button', { name: 'Activate account' }).isDisabled()).toBe(true);
    await choose(page, newPassword, 'Activate account');
    await expectNotice(page, 'Your account is active. Sign in with your new password.');
    await (await expectLogin(page)).signIn({ email, password: newPassword });
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('is not activated by a used or incomplete link, which leads to sign-in', async () => {
    browser.expectFailure('/api/user/unknown/link', 400);
    const page = await browser.open();
    const lead = 'Create your password to activate your account';
    await expectRefused(page, '/account/activate?u=unknown', lead);
    await expectRefused(page, '/account/activate', lead);
    await expectText(page, 'This link is not complete. Please open it from the email again.');
    await expectRefused(page, '/account/activate?u=unknown&t=used', lead);
    await expectText(page, 'This link is no longer valid. Please ask for a new one.');
    await page.reload();
    await expectText(page, 'This link is no longer valid. Please ask for a new one.');
    await page.getByRole('button', { name: 'Go to Login' }).click();
    await expectLogin(page);
  });

  itInLongRun('sees a message when the link was used in another window meanwhile', async () => {
    browser.expectAnyFailure(400);
    const email = 'ines.east@example.org';
    const link = await invite(email);
    const page = await browser.open();
    await page.goto(link);
    await page.getByLabel('New password').waitFor();
    const { u, t } = linkInMail(await sink.to(email));
    const body = { password: newPassword, token: t };
    expect((await new Agent(portal.issuer).post(`/api/user/${u}/activate`, body)).status).toBe(204);
    await choose(page, newPassword, 'Activate account');
    await page.getByRole('alert').getByRole('listitem').waitFor();
    expect(await page.getByText('Create your password to activate your account').count()).toBe(0);
    expect(await page.getByLabel('New password').count()).toBe(0);
    await page.getByRole('button', { name: 'Go to Login' }).click();
    await expectLogin(page);
  });
});

describe('A link that is opened where a user is signed in', () => {
  itInLongRun('names that user, works for its own account, and leads to signing in there', async () => {
    const email = 'iris.north@example.org';
    const link = await invite(email);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, admin);
    await page.goto(link);
    await expectPage(page, '/account/activate', 'Activate Account');
    await expectText(
      page,
      'You are signed in as Ada Admin. Saving signs you out here, so that you can sign in with the new password.',
    );
    await choose(page, newPassword, 'Activate account');
    await expectNotice(page, 'Your account is active. Sign in with your new password.');
    await (await expectLogin(page)).signIn({ email, password: newPassword });
    await expectPage(page, '/user/grants', 'Manage Apps');
  });

  itInLongRun('replaces the password of that same user, who signs in again', async () => {
    const agent = new Agent(portal.issuer);
    const ask = () => agent.post('/api/user/forgot-password', { email: admin.email });
    const { url } = await resetLink(admin.email, ask);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, admin);
    await page.goto(url);
    await expectPage(page, '/password/reset', 'Reset your password');
    await choose(page, 'marble-orchard-1190', 'Save password');
    await (await expectLogin(page)).signIn({ email: admin.email, password: 'marble-orchard-1190' });
    await expectPage(page, '/admin/dashboard', 'Dashboard');
    const { u, t } = await resetLink(admin.email, ask);
    await agent.send(`/api/user/forgot-password/${u}/reset`, {
      method: 'PUT',
      body: { password: admin.password, token: t },
    });
  });

  itInLongRun('leads to the start page when it is no longer valid', async () => {
    const page = await browser.open();
    await signInByApi(page, portal.issuer, admin);
    await page.goto(`${portal.issuer}/account/activate`);
    await expectPage(page, '/admin/dashboard', 'Dashboard');
  });
});

it('D-07 H-13 the page of a link sends its address to no other host and loads nothing from one', async () => {
  const link = await invite('ivo.south@example.org');
  const { t } = linkInMail(await sink.to('ivo.south@example.org'));
  const page = await browser.open();
  const requests: PageRequest[] = [];
  page.on('request', (request) => requests.push(request));
  await page.goto(link);
  await expectPage(page, '/account/activate', 'Activate Account');
  await choose(page, newPassword, 'Activate account');
  await expectLogin(page);
  expect(requests.length).toBeGreaterThan(5);
  for (const request of requests) {
    const { origin, pathname } = new URL(request.url());
    expect(request.url().startsWith('data:') || origin === portal.issuer).toBe(true);
    expect((await request.allHeaders()).referer ?? '').toBe('');
    if (request.url() !== link) expect([pathname, request.url().includes(t)]).toEqual([pathname, false]);
  }
});

itInLongRun('the page of a link is accessible', async () => {
  const link = await invite('olga.west@example.org');
  await expectFitInEveryLook(
    browser,
    async (page) => {
      await page.goto(link);
      await page.getByLabel('New password').waitFor();
    },
    { number: 1 },
  );
});
