import type { Page } from 'playwright-core';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { aPdf, type RequestPortal, startRequestPortal } from '../../support/representation/asked.js';
import { family } from '../../support/representation/family-portal.js';

const browser = useBrowser();
let portal: RequestPortal;

beforeAll(async () => {
  portal = await startRequestPortal();
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

async function ask(page: Page, number: string) {
  await page.goto(`${portal.issuer}/user/family`);
  await page.getByRole('button', { name: 'Ask to look after someone' }).click();
  await page.getByLabel('First and last name').fill('Leo Duarte');
  await page.getByLabel('Date of birth').fill('2020-05-10');
  await page.getByLabel(/Record number/).fill(number);
  await page.getByRole('radio', { name: /mother/i }).check();
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add a file' }).click();
  await (await chosen).setFiles({ name: 'page.pdf', mimeType: 'application/pdf', buffer: Buffer.from('<html>') });
  await page.getByText('Please choose a PDF, JPEG or PNG file.').waitFor();
  await addCertificate(page);
  await page.getByRole('button', { name: /^Remove .*page\.pdf/ }).click();
  // The device keeps what was typed, and no files.
  await page.reload();
  await page.getByText('Please add your files again.').waitFor();
  expect(await page.getByLabel('First and last name').inputValue()).toBe('Leo Duarte');
  await addCertificate(page);
  await page.getByText('Please add your files again.').waitFor({ state: 'detached' });
  await page.getByLabel(/What I wrote is true/).check();
}

async function addCertificate(page: Page) {
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add a file' }).click();
  await (await chosen).setFiles({ name: 'certificate.pdf', mimeType: 'application/pdf', buffer: aPdf() });
  await page.getByText('certificate.pdf was added.').waitFor();
}

test('A mother asks for her child on a phone, an administrator approves, and the child is on her page', async () => {
  browser.expectFailure('/api/requests/files', 400);
  const number = portal.aChild();
  const phone = await browser.open({ width: 360, height: 740 });
  await signInByApi(phone, portal.issuer, family.ana);
  await ask(phone, number);
  await expectStateFits(phone);
  await phone.getByRole('button', { name: 'Send request' }).click();
  await phone.getByRole('heading', { name: 'We are checking your request' }).waitFor();
  await expectStateFits(phone);

  const desk = await browser.open();
  await signInByApi(desk, portal.issuer, family.admin);
  await desk.goto(`${portal.issuer}/admin/requests`);
  await desk.getByRole('link', { name: /Requests\s*1/ }).waitFor();
  await desk.getByRole('button', { name: 'Ana Duarte' }).waitFor();
  await desk.keyboard.press('j');
  await desk.keyboard.press('Enter');
  await desk.getByText('One record fits.').waitFor();
  await desk.getByText('Asks as mother').waitFor();
  const approve = desk.getByRole('button', { name: 'Approve' });
  const download = desk.waitForEvent('download');
  expect(await desk.getByLabel(/^I have seen/).isDisabled()).toBe(true);
  await desk.getByRole('link', { name: /^Open .*certificate/ }).click();
  expect((await download).suggestedFilename()).toBe('certificate.pdf');
  await desk.getByLabel(/^I have seen/).check();
  await desk.getByLabel('Basis').selectOption('Power of attorney');
  await desk.getByLabel('Relation').selectOption('attorney');
  await desk.getByLabel('Basis').selectOption('Parental responsibility');
  await desk.getByLabel('No last day').check();
  await desk.getByRole('radio', { name: 'Full' }).check();
  expect(await approve.isDisabled()).toBe(true);
  await desk.getByLabel('Reason').fill('Birth certificate seen');
  // A relation of the basis before does not count.
  expect(await approve.isDisabled()).toBe(true);
  await desk.getByLabel('Relation').selectOption('mother');
  await desk.getByRole('radio', { name: 'Let me choose' }).check();
  expect(await approve.isDisabled()).toBe(true);
  const kinds = desk.getByRole('group', { name: 'Kinds they may see' });
  await kinds.getByRole('checkbox', { name: 'Vaccinations' }).check();
  await kinds.getByRole('checkbox', { name: 'Appointments' }).check();
  await expectStateFits(desk);
  await approve.click();
  await desk.getByText('No requests').waitFor();

  // An approved request is a card, and no page.
  browser.expectAnyFailure(404);
  await phone.reload();
  await phone.getByRole('heading', { name: 'This request is closed' }).waitFor();
  await phone.getByRole('link', { name: 'Family and carers' }).click();
  await phone.getByRole('heading', { name: 'Leo Duarte' }).waitFor();
  await phone.getByText('Only: Appointments and Vaccinations').waitFor();
});
