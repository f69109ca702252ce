/** Accounts that act for patients, on the sheet of a user, and the page of the age rules. */
import type { Locator, Page } from 'playwright-core';
import { expectFitInEveryLook, expectStateFits, useBrowser } from '../../../support/browser/browser.js';
import { expectDialog, expectNotice, expectPage, expectText, signInByApi } from '../../../support/browser/pages.js';
import { startPortal } from '../../../support/portal/portal.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../../support/representation/family-portal.js';
import { itInLongRun } from '../../../support/runs.js';
import { people } from '../../../support/users/people.js';

const browser = useBrowser();
let portal: FamilyPortal;

beforeAll(async () => {
  portal = await startFamilyPortal();
  portal.has('zoe', { birthDate: '2011-05-10', name: [{ text: 'Zoe Duarte' }] });
});

afterAll(() => portal.close());

async function open(path: string, heading: string, look = {}): Promise<Page> {
  const page = await browser.open(look);
  await signInByApi(page, portal.issuer, family.admin);
  await page.goto(portal.issuer + path);
  await expectPage(page, path, heading);
  return page;
}

async function sheetOf(page: Page, fullName: string): Promise<Locator> {
  await page.getByRole('button', { name: fullName, exact: true }).click();
  const sheet = page.getByRole('dialog').filter({ hasText: 'User Info' });
  await sheet.getByRole('link', { name: 'Refused sign-ins' }).waitFor();
  await sheet.getByRole('button', { name: 'Add a patient' }).waitFor();
  return sheet;
}

describe('The sheet of a user who acts for others', () => {
  it('leads from a proposal over the second administrator to a safeguarding end, with errors at their fields', async () => {
    browser.expectFailure('/api/admin/representation', 400);
    const page = await open('/admin/user-management', 'Users');
    const sheet = await sheetOf(page, 'Ana Duarte');
    await sheet.getByRole('button', { name: 'Add a patient' }).click();
    const form = await expectDialog(page, 'A patient for whom Ana Duarte acts');
    await form.getByRole('button', { name: 'Propose' }).click();
    await expectText(form, 'Field is required');
    await form.getByLabel('FHIR id of the patient').fill('1');
    await form.getByRole('button', { name: 'Propose' }).click();
    await expectText(form, 'An account needs no relationship for its own record.');
    await form.getByLabel('FHIR id of the patient').fill('Patient/zoe');
    await form.getByLabel('Relation', { exact: true }).selectOption('mother');
    await form.getByRole('button', { name: 'Propose' }).click();
    await expectNotice(page, 'The relationship waits for a decision.');
    await expectText(sheet, 'Zoe Duarte', 'The age rules have a lower level today.');

    const act = async (name: string, title: string, fill: (dialog: Locator) => Promise<void>) => {
      await sheet.getByRole('button', { name: `${name}: Ana Duarte for Zoe Duarte` }).click();
      const dialog = await expectDialog(page, title);
      await fill(dialog);
      await dialog.getByRole('button', { name, exact: true }).click();
    };
    await act('Approve', 'Let Ana Duarte act for Zoe Duarte?', async (dialog) => {
      await dialog.getByRole('checkbox').check();
      await dialog.getByLabel('Reason, for administrators only').fill('Court order');
    });
    await expectNotice(page, 'Another administrator has to approve it as well.');
    await expectText(sheet, 'One administrator has approved. Another one has to approve as well.');
    const second = await portal.as(family.secondAdmin);
    const list = await second.get('/api/admin/representation?patient=zoe');
    const { relationships } = list.json<{ relationships: { id: string }[] }>();
    const decision = { decision: 'approve', note: 'Seen', exceedsTable: true };
    await second.post(`/api/admin/representation/${relationships[0]?.id}/decision`, decision);
    await page.reload();
    await expectText(sheet, 'Active');
    await act('End', 'End that Ana Duarte acts for Zoe Duarte?', async (dialog) => {
      await dialog.getByRole('radio', { name: 'The patient has to be protected' }).check();
      await dialog.getByText('without a mail to the representative').waitFor();
      await dialog.getByLabel('Reason, for administrators only').fill('Police');
    });
    await expectNotice(page, 'It has ended.');
    await sheet.getByText('This pair is blocked.').waitFor();
    await sheet.getByRole('button', { name: /^Lift block: Ana Duarte for Zoe/ }).click();
    await (await expectDialog(page, 'Lift the block of Ana Duarte for Zoe?'))
      .getByRole('button', { name: 'Lift block' })
      .click();
    await expectNotice(page, 'Another administrator has to lift the block, too.');
    await sheet.getByText('One administrator wants to lift the block.').waitFor();
  });
});

describe('Without the age rules', () => {
  it('the sheet says that its relationships could not be read, and reads what is missing when asked', async () => {
    browser.expectFailure('/api/admin/representation/age-rules', 503);
    const page = await open('/admin/user-management', 'Users');
    await page.route('**/api/admin/representation/age-rules', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.getByRole('button', { name: 'Ana Duarte', exact: true }).click();
    const sheet = page.getByRole('dialog').filter({ hasText: 'User Info' });
    await sheet.getByRole('button', { name: 'Try again' }).click();
    await sheet.getByRole('button', { name: 'Add a patient' }).waitFor();
  });
});

describe('Single kinds', () => {
  it('are ticked in a proposal, named in words, and changed in its approval', async () => {
    portal.has('ben', { name: [{ text: 'Ben Duarte' }] });
    const page = await open('/admin/user-management', 'Users', { width: 360, height: 740 });
    const sheet = await sheetOf(page, 'Ana Duarte');
    await sheet.getByRole('button', { name: 'Add a patient' }).click();
    const form = await expectDialog(page, 'A patient for whom Ana Duarte acts');
    await form.getByLabel('FHIR id of the patient').fill('ben');
    await form.getByRole('radio', { name: 'Let me choose' }).check();
    await form.getByRole('button', { name: 'Propose' }).click();
    await expectText(form, 'Please choose one kind at least.');
    await form.getByRole('checkbox', { name: 'Appointments' }).check();
    await form.getByRole('checkbox', { name: 'mental health' }).check();
    await expectStateFits(page);
    await form.getByRole('button', { name: 'Propose' }).click();
    await expectNotice(page, 'The relationship waits for a decision.');
    const item = sheet.getByRole('listitem').filter({ hasText: 'Ben Duarte' });
    await expectText(item, 'Parental responsibility, Chosen kinds: Appointments and mental health');
    await item.getByRole('button', { name: 'Approve: Ana Duarte for Ben Duarte' }).click();
    const dialog = await expectDialog(page, 'Let Ana Duarte act for Ben Duarte?');
    expect(await dialog.getByRole('checkbox', { name: 'Appointments' }).isChecked()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'mental health' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'Vaccinations' }).check();
    await dialog.getByLabel('Reason, for administrators only').fill('Birth certificate');
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await expectText(item, 'Active', 'Parental responsibility, Chosen kinds: Appointments and Vaccinations');
    const [stored] = await portal.query<{ level: string }>(
      "SELECT level FROM representation_relationship WHERE patient = 'ben'",
    );
    expect(stored?.level).toBe('full Appointment Immunization');
  });
});

describe('An import of who acts for whom', () => {
  it('is checked, names the wrong line, and is done by the administrator who presses Import', async () => {
    portal.has('tom', { name: [{ text: 'Tom Duarte' }] });
    const page = await open('/admin/user-management', 'Users');
    const sheet = await sheetOf(page, 'Ana Duarte');
    await sheet.getByRole('button', { name: 'Import a file' }).click();
    const dialog = await expectDialog(page, 'Import who acts for whom');
    const line = (patient: string) => `${family.ana.email},${patient},parental-responsibility,full`;
    await dialog
      .getByLabel('Or paste its lines')
      .fill(['email,patient,basis,level', line('tom'), line('nowhere')].join('\n'));
    await dialog.getByRole('button', { name: 'Check' }).click();
    await expectText(dialog, '1 line becomes active.', '1 line is wrong. It is left out.');
    await expectText(dialog, 'patient: There is no such patient.');
    expect(await portal.query("SELECT FROM representation_relationship WHERE patient = 'tom'")).toEqual([]);
    await dialog.getByRole('button', { name: 'Import 1 line' }).click();
    await expectText(dialog, '1 is active.');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await expectText(sheet, 'Tom Duarte');
  });
});

describe('The page of the age rules', () => {
  it('shows the table, and tries it as the gateway decides', async () => {
    const page = await open('/admin/age-rules', 'Age rules');
    await expectText(page, 'Parental responsibility', 'Europe/Amsterdam', 'Limited: the basics');
    await page.getByLabel('Born on').fill('2012-02-29');
    await page.getByLabel('Seen on').fill('2025-02-28');
    await expectText(page, 'What all of these levels show: Full, Limited: the basics');
    await page.getByLabel('Seen on').fill('2025-03-01');
    await expectText(page, 'Age on that day: 13');
  });

  itInLongRun('and the sheet of a user fit every look, with the dialogs of the sheet', async () => {
    const admin = await portal.as(family.admin);
    const email = family.ana.email;
    for (const patient of ['leo', 'mia']) {
      const basics = { email, patient, basis: 'parental-responsibility', level: 'full' };
      const { id } = (await admin.post('/api/admin/representation', basics)).json<{ id: string }>();
      if (patient === 'mia') continue;
      await admin.post(`/api/admin/representation/${id}/decision`, { decision: 'approve', note: 'Birth certificate' });
    }
    const close = async (page: Page, title: string) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: title }).waitFor({ state: 'hidden' });
    };
    const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).click();
    await expectFitInEveryLook(browser, {
      'The age rules': async (page) => {
        await signInByApi(page, portal.issuer, family.admin);
        await page.goto(`${portal.issuer}/admin/age-rules`);
        await expectText(page, 'Parental responsibility');
      },
      'The sheet': async (page) => {
        await page.goto(`${portal.issuer}/admin/user-management`);
        await sheetOf(page, 'Ana Duarte');
      },
      'A proposal': async (page) => {
        await button(page, /^Add a patient/);
        await expectDialog(page, 'A patient for whom Ana Duarte acts');
      },
      'An approval': async (page) => {
        await close(page, 'A patient for whom Ana Duarte acts');
        await button(page, /^Approve: /);
        await expectDialog(page, 'Let Ana Duarte act for Mia Duarte?');
      },
      'An end': async (page) => {
        await close(page, 'Let Ana Duarte act for Mia Duarte?');
        await button(page, /^End: .* Leo Duarte$/);
        await expectDialog(page, 'End that Ana Duarte acts for Leo Duarte?');
      },
      'An import': async (page) => {
        await close(page, 'End that Ana Duarte acts for Leo Duarte?');
        await button(page, /^Import a file/);
        await expectDialog(page, 'Import who acts for whom');
      },
    });
  });

  it('says where no account can act for others', async () => {
    const plain = await startPortal({ config: { users: [people.admin] } });
    const page = await browser.open();
    await signInByApi(page, plain.issuer, people.admin);
    await page.goto(`${plain.issuer}/admin/age-rules`);
    await expectText(page, 'No account can act for others yet');
    await page.waitForLoadState('networkidle');
    await page.close();
    await plain.close();
  });
});
