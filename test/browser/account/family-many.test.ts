import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { itInLongRun } from '../../support/runs.js';
import type { Person } from '../../support/users/people.js';

const browser = useBrowser();
const count = 60;
let portal: FamilyPortal;

beforeAll(async () => {
  portal = await startFamilyPortal({ config: { clients: [publicApp] } });
  for (let number = 1; number <= count; number += 1) {
    portal.has(`child-${number}`, { name: [{ text: `Child ${number}` }] });
  }
  await portal.query(
    `INSERT INTO representation_relationship (account_id, tenant, patient, basis, level, relation, proposed_by, decided_at,
       representative_name, patient_name, status)
     SELECT $1, '', 'child-' || number, 'parental-responsibility', 'full', 'mother', '{"kind":"portal"}', now(),
       'Ana Duarte', 'Child ' || number, 'active' FROM generate_series(1, $2::int) AS number`,
    [await portal.accountId(family.ana), count],
  );
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

async function openAs(person: Person, path: string): Promise<Page> {
  const page = await browser.open({ width: 360, height: 740 });
  await signInByApi(page, portal.issuer, person);
  await page.goto(portal.issuer + path);
  return page;
}

/** A part of the list is shown, then all of it. */
async function expectParts(page: Page): Promise<void> {
  await page.getByText(`50 of ${count} are shown`).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
}

test('Family and carers of a user who acts for many shows some, more on request, and those of a name', async () => {
  const page = await openAs(family.ana, '/user/family');
  const cards = page.getByRole('button', { name: /^End/ });
  await expectParts(page);
  expect(await cards.count()).toBe(count);
  const search = page.getByRole('searchbox', { name: 'Name' });
  await search.fill('child 17');
  await search.press('Enter');
  await page.getByText('Child 18').waitFor({ state: 'detached' });
  expect(await cards.count()).toBe(1);
  await search.fill('grandson');
  await search.press('Enter');
  await page.getByText('Nothing was found. Check the spelling of the name.').waitFor();
  await search.fill('');
  await page.getByText(`Child ${count}`).waitFor();
});

test('Who is this for? shows some of many, more on request, and those of a name', async () => {
  const app = new SmartApp(portal, { client: publicApp });
  const page = await openAs(family.ana, app.authorizationPath);
  await page.getByRole('heading', { name: 'Who is this for?' }).waitFor();
  const people = page.getByRole('radio');
  await page.getByRole('button', { name: 'Show more' }).waitFor();
  expect(await people.count()).toBe(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  // The own record as well.
  expect(await people.count()).toBe(count + 1);
  const search = page.getByRole('searchbox', { name: 'Name' });
  await search.fill('child 17');
  await search.press('Enter');
  await page.getByText('Child 18').waitFor({ state: 'detached' });
  expect(await people.count()).toBe(1);
  await search.fill('grandson');
  await search.press('Enter');
  await page.getByText('Nothing was found. Check the spelling of the name.').waitFor();
});

test('The sheet of a user who acts for many shows some, and more on request', async () => {
  const page = await openAs(family.admin, `/admin/user-management?user=${await portal.accountId(family.ana)}`);
  const add = await page.getByRole('button', { name: 'Add a patient' }).elementHandle();
  const distance = await page
    .getByRole('button', { name: 'Show more' })
    .evaluate((more, below) => (below?.getBoundingClientRect().top ?? 0) - more.getBoundingClientRect().bottom, add);
  expect(distance).toBeGreaterThanOrEqual(8);
  await expectParts(page);
  await page.getByText(`Child ${count}`).waitFor();
});

itInLongRun('A part of a long list fits in every look', async () => {
  const page = await openAs(family.ana, '/user/family');
  await page.getByText(`50 of ${count} are shown`).waitFor();
  await expectStateFits(page);
});
