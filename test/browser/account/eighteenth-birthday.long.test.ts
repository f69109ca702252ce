import { dayIn } from '../../../src/representation/domain/ages.js';
import { startOf } from '../../../src/representation/domain/coming-steps.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { setProcessAhead, withMovableClock } from '../../support/database/movable-clock.js';
import { Agent } from '../../support/http/agent.js';
import { actingIn, jwtApp } from '../../support/representation/acting.js';
import { birthdayAfter, bornFor } from '../../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { until } from '../../support/until.js';
import type { Person } from '../../support/users/people.js';

const browser = useBrowser();
const zone = 'Europe/Amsterdam';
const diary = { ...jwtApp, clientId: 'own-app', clientName: 'Heart Diary' };
const box = { ...jwtApp, clientName: 'Record Box' };
const martha: Person = { ...family.noah, email: 'martha@example.org', fullName: 'Martha Duarte' };
let portal: FamilyPortal;
const { tokensFor } = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({
    reachDatabase: withMovableClock,
    config: { clients: [diary, box], users: [family.admin, family.ana, martha] },
  });
});

afterEach(() => browser.closePages());

afterAll(async () => {
  setProcessAhead(0);
  await portal.close();
});

async function moveTo(at: number): Promise<void> {
  setProcessAhead(0);
  const ahead = at - Date.now();
  await portal.query('UPDATE clock.ahead SET by = make_interval(secs => $1)', [ahead / 1000]);
  setProcessAhead(ahead);
}

/** A page of the user, in a browser whose clock is that of the portal. */
async function pageFor(person: Person, path: string) {
  const page = await browser.open({ width: 360, height: 740 });
  await page.clock.setFixedTime(new Date());
  await signInByApi(page, portal.issuer, person);
  await page.goto(portal.issuer + path);
  return page;
}

test('The 18th birthday: the day before it, the day itself, and the day after', async () => {
  const day = birthdayAfter(dayIn(new Date(), zone), 2);
  const midnight = startOf(day, zone).getTime();
  const birthDate = bornFor(18, day);
  portal.has('2', { birthDate, name: [{ given: ['Martha'], family: 'Duarte' }] });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const members = { patient: '2', patientName: 'Martha Duarte', agreedSteps: [16], decidedAt: new Date('2020-01-01') };
  await relationships.add(aNewRelationship(await portal.accountId(family.ana), members));

  // The day before: the notice, and what the young person is told at the first sign-in.
  await moveTo(midnight - 8 * 3_600_000);
  const { tokens } = await tokensFor('2', { client: box });
  const read = async () => {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return new Agent(portal.issuer).get('/fhir/Immunization?patient=2', { headers });
  };
  expect((await read()).status).toBe(200);
  const before = await pageFor(family.ana, '/user/family');
  await before.getByRole('link', { name: 'See what changes' }).click();
  await before.getByRole('heading', { name: /Martha Duarte.* turns 18 on .* from then on you see nothing/ }).waitFor();
  await expectStateFits(before);
  const young = await pageFor(martha, '/user/grants');
  await young.getByRole('heading', { name: /Martha.*, someone looks after your record with you/ }).waitFor();
  await young.getByText('Ana Duarte (your mother)').waitFor();
  await expectStateFits(young);
  await young.getByRole('button', { name: 'Continue' }).click();
  await young.waitForURL((url) => url.pathname === '/user/grants');
  const own = { client: diary, scope: 'openid launch/patient patient/Condition.rs offline_access' };
  await new SmartApp(portal, own, await portal.as(martha)).tokens(martha);
  await browser.closePages();

  // Midnight of the hospital: the app is refused, the card has ended, the new adult is told.
  await moveTo(midnight + 1_000);
  const refused = await read();
  expect([401, 403]).toContain(refused.status);
  await until(
    async () => (await portal.query("SELECT FROM receipt WHERE facts ->> 'by' = 'representation'")).length > 0,
  );
  const after = await pageFor(family.ana, '/user/family');
  await after.getByText('Ended', { exact: true }).first().click();
  await after.getByRole('heading', { name: 'Martha', exact: true }).waitFor();
  expect(await after.getByText('Martha Duarte').count()).toBe(0);
  await expectStateFits(after);
  const adult = await pageFor(martha, '/user/account-settings');
  await adult.getByRole('heading', { name: /Martha.*, your record is now yours alone/ }).waitFor();
  for (const text of [/You turned 18 on/, 'Ana (your mother)', 'Record Box', 'Heart Diary', 'Invite a helper']) {
    await adult.getByText(text).first().waitFor();
  }
  await expectStateFits(adult);
  await adult.getByRole('button', { name: 'Continue' }).click();
  await adult.waitForURL((url) => url.pathname === '/user/account-settings');
  await browser.closePages();

  // The day after: nothing is told again.
  await moveTo(midnight + 26 * 3_600_000);
  expect([401, 403]).toContain((await read()).status);
  const later = await pageFor(martha, '/user/grants');
  await later.getByRole('heading', { name: 'Manage Apps' }).waitFor();
  expect(new URL(later.url()).pathname).toBe('/user/grants');
});
