import { dayIn } from '../../../src/representation/domain/ages.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import { birthdayAfter, bornFor, thisYear } from '../../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

const browser = useBrowser();
let portal: FamilyPortal;

beforeAll(async () => {
  portal = await startFamilyPortal({ config: { clients: [publicApp] } });
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

test('A mother reads what the 13th birthday changes 20 days before it, also while she acts in a request, and asks to keep more', async () => {
  const birthday = birthdayAfter(dayIn(new Date(), 'Europe/Amsterdam'), 20);
  portal.has('mia', { birthDate: bornFor(13, birthday) });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const facts = { patient: 'mia', patientName: 'Mia Duarte', decidedAt: new Date() };
  await relationships.add(aNewRelationship(await portal.accountId(family.ana), facts));

  const page = await browser.open({ width: 360, height: 740 });
  await signInByApi(page, portal.issuer, family.ana);
  await page.goto(`${portal.issuer}/user/family`);
  await page.getByRole('link', { name: 'See what changes' }).click();
  await page.getByRole('heading', { name: /Mia Duarte.* turns 13 on/ }).waitFor();
  const row = page.getByRole('row', { name: /Visits|Encounter/ });
  expect(await row.getByText('see', { exact: true }).count()).toBe(1);
  expect(await row.getByText('private').count()).toBe(1);
  await expectStateFits(page);
  const banner = page.getByRole('region', { name: /^You act for/ });
  expect(await banner.count()).toBe(0);
  await page.goto(`${page.url()}?acting`);
  await banner.getByText('Your child, 12 years').waitFor();
  await expectStateFits(page);
  await page.getByRole('button', { name: 'Ask to keep more' }).click();
  await page.getByRole('textbox').fill('Insulin has to be watched.');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('heading', { name: 'We are checking your request' }).waitFor();
  const [request] = await portal.query<{ content: object }>('SELECT content FROM request');
  expect(request?.content).toEqual({ reason: 'Insulin has to be watched.', step: 13 });
});

test('An app’s request continues by itself when the news of it were read in another tab', async () => {
  portal.has('2', {
    birthDate: `${thisYear() - 15}-01-01`,
    name: [{ given: ['Noah'], family: 'Reed' }],
  });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const facts = { patient: '2', patientName: 'Noah Reed', decidedAt: new Date('2020-01-01') };
  await relationships.add(aNewRelationship(await portal.accountId(family.ana), facts));
  const page = await browser.open({ width: 360, height: 740 });
  await signInByApi(page, portal.issuer, family.noah);
  const title = /Noah.*, someone looks after your record with you/;
  await page.goto(`${portal.issuer}${new SmartApp(portal).authorizationPath}`);
  await page.getByRole('heading', { name: title }).waitFor();

  const other = await page.context().newPage();
  await other.goto(`${portal.issuer}/user/grants`);
  await other.getByRole('heading', { name: title }).waitFor();
  await other.getByRole('button', { name: 'Continue' }).click();
  await other.waitForURL((url) => url.pathname === '/user/grants');
  await page.bringToFront();
  await page.reload();
  await page.waitForURL((url) => url.pathname === '/user/consent');
});
