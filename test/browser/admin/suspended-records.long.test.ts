import { Relationships } from '../../../src/representation/domain/relationships.js';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

const browser = useBrowser();
let portal: FamilyPortal;

/** Twelve children whose records were gone, and are there again. */
beforeAll(async () => {
  portal = await startFamilyPortal();
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const ana = await portal.accountId(family.ana);
  for (let child = 1; child <= 12; child += 1) {
    portal.has(`child-${child}`);
    const facts = { patient: `child-${child}`, patientName: `Child ${child}` };
    await relationships.add(aNewRelationship(ana, { ...facts, status: 'suspended', reason: 'deleted' }));
  }
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

test('An administrator lets all suspended relationships continue, page by page', async () => {
  const page = await browser.open();
  await signInByApi(page, portal.issuer, family.admin);
  await page.goto(`${portal.issuer}/admin/requests?show=records`);
  await page.getByText('1–10 of 12').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('11–12 of 12').waitFor();
  expect(await page.getByRole('checkbox', { name: /Ana Duarte/ }).count()).toBe(2);
  await expectStateFits(page);
  await page.getByRole('checkbox', { name: 'Choose all that can continue' }).check();
  await page.getByLabel('Reason').fill('The server was restored');
  await page.getByRole('button', { name: 'Confirm 2' }).click();
  await page.getByText('1–10 of 10').waitFor();
  await expectPage(page, '/admin/requests', 'Requests');
  await page.getByRole('checkbox', { name: 'Choose all that can continue' }).check();
  await page.getByLabel('Reason').fill('The server was restored');
  await page.getByRole('button', { name: 'Confirm 10' }).click();
  await page.getByText('Nothing is suspended').waitFor();
  expect(await portal.query("SELECT FROM representation_relationship WHERE status = 'active'")).toHaveLength(12);
});

test('A search that finds none of them says so', async () => {
  const page = await browser.open();
  await signInByApi(page, portal.issuer, family.admin);
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const facts = { patient: '2', patientName: 'Noah Reed', status: 'suspended', reason: 'deleted' } as const;
  await relationships.add(aNewRelationship(await portal.accountId(family.ana), facts));
  await page.goto(`${portal.issuer}/admin/requests?show=records&searchTerm=zzz`);
  await page.getByRole('button', { name: 'Clear' }).waitFor();
});
