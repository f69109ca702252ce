import type { Page } from 'playwright-core';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { type MailSink, startMailSink } from '../../support/mail-sink.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

const browser = useBrowser();
let portal: FamilyPortal;
let sink: MailSink;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({ config: { email: sink.config } });
});

afterEach(() => browser.closePages());

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

async function openAs(person: typeof family.noah, path: string): Promise<Page> {
  const page = await browser.open({ width: 360, height: 740 });
  await signInByApi(page, portal.issuer, person);
  await page.goto(portal.issuer + path);
  return page;
}

test('A patient invites a helper for chosen kinds, who sees them before accepting; the patient then changes them', async () => {
  const page = await openAs(family.noah, '/user/family/invite');
  await page.getByLabel('Their name').fill('Ana Duarte');
  await page.getByLabel('Their email').fill(family.ana.email);
  await page.getByRole('radio', { name: 'Let me choose' }).check();
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText('Please choose one kind at least.').waitFor();
  const kinds = page.getByRole('group', { name: 'Kinds they may see' });
  await kinds.getByRole('checkbox', { name: 'Appointments' }).check();
  await kinds.getByRole('checkbox', { name: 'Conditions' }).check();
  const sensitive = page.getByRole('group', { name: 'Sensitive kinds' });
  await sensitive.getByRole('checkbox', { name: 'mental health' }).check();
  await expectStateFits(page);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByRole('heading', { name: 'Now tell' }).waitFor();
  await page.getByText('Only: Appointments, Conditions').waitFor();
  const [stored] = await portal.query<{ level: string }>('SELECT level FROM representation_invitation');
  expect(stored?.level).toBe('full ?_security=MH ?_security=PSY Appointment Condition');
  const code = (await page.getByText(/^\d{3} \d{3}$/).textContent()) ?? '';

  const { text } = (await sink.to(family.ana.email)).mail as { text: string };
  const invited = await openAs(family.ana, /\/invitation\?\S+/.exec(text)?.[0] ?? '');
  await invited.getByText('Only: Appointments, Conditions').waitFor();
  await expectStateFits(invited);
  await invited.getByLabel('Code from').fill(code);
  await invited.getByRole('checkbox', { name: '18 or older' }).check();
  await invited.getByRole('button', { name: 'Accept with my account' }).click();
  await invited.getByText('You can now look after').waitFor();

  await page.goto(`${portal.issuer}/user/family`);
  await page.getByText('What “Limited: chosen kinds” includes').click();
  await page.getByText('Kept private:').waitFor();
  await page.getByRole('button', { name: 'Change what' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('checkbox', { name: 'mental health' }).uncheck();
  await expectStateFits(page);
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByText('may see has changed.').waitFor();
  const [changed] = await portal.query<{ level: string }>('SELECT level FROM representation_relationship');
  expect(changed?.level).toBe('full Appointment Condition');
});
