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

/** Ana helps Noah, who is Patient/2. */
async function anaHelps(): Promise<void> {
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const facts = { basis: 'voluntary', relation: 'helper', patient: '2', level: 'daily', decidedAt: new Date() };
  await relationships.add(aNewRelationship(await portal.accountId(family.ana), { ...facts, patientName: 'Noah Reed' }));
}

async function openFamily(person: typeof family.noah, width = 360) {
  const page = await browser.open({ width, height: 740 });
  await signInByApi(page, portal.issuer, person);
  await page.goto(`${portal.issuer}/user/family`);
  return page;
}

const levelNow = async () =>
  (await portal.query<{ level: string }>('SELECT level FROM representation_relationship'))[0]?.level;

test('A patient gives less at once, and more with the password once the sign-in is old; a second tab is told', async () => {
  browser.expectError(/status of 40[09]/);
  await anaHelps();
  const page = await openFamily(family.noah);
  await page.getByRole('button', { name: 'Change what' }).click();
  await page.getByRole('dialog').waitFor();
  await expectStateFits(page);
  const stale = await page.context().newPage();
  await stale.goto(`${portal.issuer}/user/family`);
  await stale.getByRole('button', { name: 'Change what' }).click();
  // A page behind another paints once a second.
  await page.bringToFront();
  await page.getByRole('radio', { name: 'Limited: the basics' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('may see has changed.').waitFor();
  expect(await levelNow()).toBe('basics');

  await stale.bringToFront();
  await stale.getByRole('radio', { name: 'Full' }).check();
  await stale.getByRole('button', { name: 'Save' }).click();
  await stale.getByText('This was changed meanwhile.').waitFor();
  expect(await levelNow()).toBe('basics');

  await portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 301))
      WHERE model = 'Session'`,
  );
  await page.bringToFront();
  await page.getByRole('button', { name: 'Change what' }).click();
  await page.getByRole('radio', { name: 'Full' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Current password', { exact: true }).fill(family.noah.password);
  await expectStateFits(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await levelNow()).toBe('full');
});

test('A representative asks the hospital for a change from the card', async () => {
  await anaHelps();
  const page = await openFamily(family.ana);
  await page.getByRole('button', { name: 'Ask to change' }).click();
  await page.getByRole('dialog').waitFor();
  await expectStateFits(page);
  await page.getByRole('textbox').fill('Noah needs help with letters.');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('heading', { name: 'We are checking your request' }).waitFor();
  await page.getByText('Nothing changes until then.').waitFor();
});
