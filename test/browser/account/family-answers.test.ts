import { Relationships } from '../../../src/representation/domain/relationships.js';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

const browser = useBrowser();
let portal: FamilyPortal;

beforeAll(async () => {
  portal = await startFamilyPortal();
});

afterEach(async () => {
  await browser.closePages();
  await portal.query('TRUNCATE representation_relationship CASCADE');
});

afterAll(() => portal.close());

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000);

/** Ana helps Noah, who has chosen her. */
async function anaHelps(members: object, person = family.ana as { email: string }): Promise<void> {
  const ana = await portal.accountId(person as typeof family.ana);
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  await relationships.add(
    aNewRelationship(ana, {
      basis: 'voluntary',
      relation: 'helper',
      patient: '2',
      decidedAt: daysFromNow(-400),
      ...members,
    }),
  );
}

/** The page of Noah, on a phone. */
async function openFamily() {
  const page = await browser.open({ width: 360, height: 740 });
  await signInByApi(page, portal.issuer, family.noah);
  await page.goto(`${portal.issuer}/user/family`);
  return page;
}

test('A patient answers that help without an end is still right, and is not asked again', async () => {
  await anaHelps({});
  const page = await openFamily();
  const yes = page.getByRole('button', { name: 'Yes, this is still right' });
  await yes.waitFor();
  await expectStateFits(page);
  await yes.click();
  await page.getByText('Your answer is saved.').waitFor();
  await yes.waitFor({ state: 'detached' });
});

test('A patient gives help that ends soon another year', async () => {
  const end = daysFromNow(10).toISOString().slice(0, 10);
  await anaHelps({ end });
  await anaHelps({ representativeName: 'Aaron Reed', decidedAt: new Date() }, family.secondAdmin);
  const page = await openFamily();
  await page.getByRole('button', { name: 'Renew the help by' }).click();
  await page.getByRole('dialog').waitFor();
  await expectStateFits(page);
  // What ends soon stands before what does not.
  expect(await page.locator('li h3').allInnerTexts()).toEqual(['Ana Duarte', 'Aaron Reed']);
  await page.getByRole('radio', { name: '1 year' }).check({ force: true });
  await page.getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByText('Your answer is saved.').waitFor();
  const [row] = await portal.query<{ years: number }>(
    `SELECT extract(year FROM ends_on) - extract(year FROM $1::date) AS years FROM representation_relationship
      WHERE representative_name = 'Ana Duarte'`,
    [end],
  );
  expect(Number(row?.years)).toBe(1);
});

test('A patient ends the help, and gets a confirmation, which stays', async () => {
  await anaHelps({});
  const page = await openFamily();
  await page.getByRole('button', { name: 'End the help' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
  const title = page.getByRole('heading', { level: 1, name: 'Ana does not act for you any more' });
  await title.waitFor();
  await page.getByText('No app had access.').waitFor();
  await page.getByText('We send no mail about it.').waitFor();
  await expectStateFits(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Ended', { exact: true }).first().click();
  await page.getByRole('link', { name: 'Confirmation that this with Ana has ended' }).click();
  await title.waitFor();
});
