import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { expectPage, signInByApi } from '../../support/browser/pages.js';
import { actingIn, jwtApp, opaqueApp } from '../../support/representation/acting.js';
import {
  type FamilyPortal,
  family,
  makeRepresentative,
  startFamilyPortal,
} from '../../support/representation/family-portal.js';
import { itInLongRun } from '../../support/runs.js';
import { eventually } from '../../support/until.js';

const browser = useBrowser();
const rosa = {
  ...family.ana,
  email: 'rosa@example.org',
  fullName: 'Rosa Lind',
  claims: [{ name: 'fhirUser', value: 'Patient/9' }],
};
let portal: FamilyPortal;
const { acts, tokensFor } = actingIn(() => portal);

/** Ana acts for Noah, who is Patient/2, and an app has read with it. */
beforeAll(async () => {
  const users = [...Object.values(family), rosa];
  portal = await startFamilyPortal({ config: { users, clients: [jwtApp, opaqueApp] } });
  await acts('2', { basis: 'voluntary', relation: 'helper' });
  const { tokens } = await tokensFor('2');
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  expect((await fetch(`${portal.fhirBase}/Patient/2`, { headers })).status).toBe(200);
  await eventually(async () => {
    expect(await portal.query("SELECT FROM audit_event WHERE type = 'record.accessed'")).toHaveLength(1);
  });
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

test('A patient sees which app a helper uses, what an end takes, and ends the app from the log', async () => {
  const page = await browser.open({ width: 360, height: 740 });
  await signInByApi(page, portal.issuer, family.noah);
  await page.goto(`${portal.issuer}/user/family`);
  await page.getByText(`with ${jwtApp.clientName}`).waitFor();
  await expectStateFits(page);
  await page.getByRole('button', { name: 'End the help' }).click();
  await page.getByText(`At once, this ends the access of ${jwtApp.clientName}.`).waitFor();
  await expectStateFits(page);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('link', { name: 'What Ana Duarte looked at' }).click();
  await page.getByRole('button', { name: /Ana Duarte/, expanded: false }).click();
  await page.getByRole('link', { name: 'Apps Ana Duarte allowed for you' }).waitFor();
  const end = page.getByRole('button', { name: `End ${jwtApp.clientName}'s access` });
  await end.click();
  await page.getByRole('dialog').waitFor();
  await expectStateFits(page);
  await page.getByRole('button', { name: 'End access' }).click();
  await end.waitFor({ state: 'detached' });
  expect(
    await portal.query("SELECT FROM oidc_record WHERE model = 'Grant' AND payload -> 'representation' IS NOT NULL"),
  ).toEqual([]);
});

itInLongRun('A user without an own record has no log of it, and comes to the patients', async () => {
  await makeRepresentative(portal, rosa);
  const page = await browser.open();
  await signInByApi(page, portal.issuer, rosa);
  await page.goto(`${portal.issuer}/user/access-log`);
  await expectPage(page, '/user/family', 'Family and carers');
});
