import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { InvitationWithCode } from '../../../src/contract/invitations.js';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { signInAtProvider } from '../../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/providers/identity-provider.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { itInLongRun } from '../../support/runs.js';

const browser = useBrowser();
let portal: FamilyPortal | undefined;
let sink: MailSink | undefined;
let provider: TestIdentityProvider | undefined;

afterEach(async () => {
  await browser.closePages();
  await portal?.close();
  await sink?.stop();
  await provider?.close();
  [portal, sink, provider] = [undefined, undefined, undefined];
});

/** Noah invites Ana on a phone; returns the page with the code, and the code. */
async function invite({ issuer }: FamilyPortal): Promise<{ phone: Page; code: string }> {
  const phone = await browser.open({ width: 360, height: 740 });
  await signInByApi(phone, issuer, family.noah);
  await phone.goto(`${issuer}/user/family`);
  await phone.getByRole('button', { name: 'Invite a helper' }).click();
  await phone.getByLabel('Their name').fill('Ana Duarte');
  await phone.getByLabel('Their email').fill(family.ana.email);
  await expectStateFits(phone);
  await phone.getByRole('button', { name: 'Send invitation' }).click();
  await phone.getByText('Code to say aloud').waitFor();
  await expectStateFits(phone);
  return { phone, code: (await phone.getByText(/^\d{3} \d{3}$/).textContent()) ?? '' };
}

/** Ana opens the link at a desk, and enters the code. */
async function answer({ issuer }: FamilyPortal, link: string, code: string): Promise<Page> {
  const desk = await browser.open();
  await signInByApi(desk, issuer, family.ana);
  await desk.goto(link);
  await desk.getByRole('heading', { name: 'Noah asks for your help' }).waitFor();
  const accept = desk.getByRole('button', { name: 'Accept with my account' });
  expect(await accept.isDisabled()).toBe(true);
  await expectStateFits(desk);
  await desk.getByLabel(/^Code from/).fill(code);
  await desk.getByLabel('I am 18 or older').check();
  await accept.click();
  return desk;
}

test('A patient invites on a phone, a helper accepts at a desk after a wrong code, and both have the card', async () => {
  browser.expectAnyFailure(400);
  sink = await startMailSink();
  portal = await startFamilyPortal({ config: { email: sink.config } });
  const { phone, code } = await invite(portal);
  const { u, t } = linkInMail(await sink.to(family.ana.email));
  const wrong = String((Number(code.replace(' ', '')) + 1) % 1_000_000).padStart(6, '0');
  const desk = await answer(portal, `${portal.issuer}/invitation?u=${u}&t=${t}`, wrong);
  await desk.getByText(/4 tries/).waitFor();
  await desk.getByLabel(/^Code from/).fill(code);
  await desk.getByRole('button', { name: 'Accept with my account' }).click();
  await expectPage(desk, '/user/family', 'Family and carers');
  await desk.getByRole('heading', { name: 'Noah Reed' }).waitFor();
  // The list of relationships arrives before the one of invitations, and the helper has one card all the same.
  await phone.route('**/api/representation/invitations', async (route) => {
    await setTimeout(300);
    await route.continue();
  });
  await phone.getByRole('button', { name: 'Done' }).click();
  await phone.getByRole('heading', { name: 'Ana Duarte' }).waitFor();
});

itInLongRun(
  'Without a mail server the patient hands over the link, and a user without an account is told',
  async () => {
    portal = await startFamilyPortal();
    const { phone, code } = await invite(portal);
    await phone.getByText('We cannot send mail', { exact: false }).waitFor({ state: 'detached' });
    const link = (await phone.getByRole('status', { name: 'Link to hand over' }).textContent()) ?? '';
    const stranger = await browser.open({ width: 360, height: 740 });
    await stranger.goto(link);
    await stranger.getByText('You need an account here.').waitFor();
    expect(await stranger.getByRole('button', { name: 'Make an account' }).count()).toBe(0);
    await expectStateFits(stranger);
    const shared = await browser.open();
    await signInByApi(shared, portal.issuer, family.noah);
    await shared.goto(link);
    await shared.getByRole('button', { name: 'Use another account' }).click();
    await shared.getByText('You need an account here.').waitFor();
    const desk = await answer(portal, link, code);
    await expectPage(desk, '/user/family', 'Family and carers');
  },
);

itInLongRun(
  'Where users sign in at a provider alone, the link offers no new account and leads to the provider',
  async () => {
    [sink, provider] = [await startMailSink(), await startIdentityProvider()];
    portal = await startFamilyPortal({
      config: { email: sink.config, account: { localLogin: false }, identityProviders: [provider.entry()] },
    });
    provider.trust(portal);
    portal.has('grace', { birthDate: '1950-01-01' });
    Object.assign(provider.members.grace ?? {}, { fhirUser: 'Patient/grace' });
    const inviter = (await signInAtProvider(portal, provider, 'grace')).browser;
    const form = { fullName: 'Rolf', email: 'rolf@example.org', level: 'basics' };
    const { spokenCode } = (await inviter.post('/api/representation/invitations', form)).json<InvitationWithCode>();
    const { u, t } = linkInMail(await sink.to(form.email));
    const phone = await browser.open({ width: 360, height: 740 });
    browser.expectAnyFailure(401);
    await phone.goto(`${portal.issuer}/invitation?u=${u}&t=${t}`);
    await phone.getByText('Accept with the account that you sign in to this portal with.', { exact: false }).waitFor();
    expect(await phone.getByRole('button', { name: 'Make an account' }).count()).toBe(0);
    await expectStateFits(phone);
    await phone.getByLabel(/^Code from/).fill(spokenCode);
    await phone.getByLabel('I am 18 or older').check();
    await phone.getByRole('button', { name: 'Accept with my account' }).click();
    await phone.waitForURL((url) => url.origin === provider?.authority);
  },
);
