import { expectStateFits, useBrowser } from '../../support/browser/browser.js';
import { expectText, signInByApi } from '../../support/browser/pages.js';
import { actingIn, jwtApp, opaqueApp } from '../../support/representation/acting.js';
import { ask, decide, type RequestPortal, recordOf, startRequestPortal } from '../../support/representation/asked.js';
import { family } from '../../support/representation/family-portal.js';
import { eventually } from '../../support/until.js';

const browser = useBrowser();
let portal: RequestPortal;
const { tokensFor } = actingIn(() => portal);

beforeAll(async () => {
  portal = await startRequestPortal({ config: { clients: [jwtApp, opaqueApp] } });
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

test('An approval in error ends from the queue, which lists what was seen, and leaves no card', async () => {
  const number = portal.aChild();
  const { id } = await ask(portal.agents.ana, number);
  await decide(portal.agents.admin, id);
  const { tokens } = await tokensFor(recordOf(number));
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  expect((await fetch(`${portal.fhirBase}/Patient/${recordOf(number)}`, { headers })).status).toBe(200);
  await eventually(async () => {
    expect(await portal.query("SELECT FROM audit_event WHERE type = 'record.accessed'")).toHaveLength(1);
  });

  const desk = await browser.open();
  await signInByApi(desk, portal.issuer, family.admin);
  await desk.goto(`${portal.issuer}/admin/requests?show=closed&request=${id}`);
  await desk.getByRole('button', { name: 'Approved in error' }).click();
  await desk.getByRole('dialog').getByLabel('Reason').fill('Another child of this name');
  await expectStateFits(desk);
  await desk.getByRole('button', { name: 'End it, and tell the patient' }).click();
  await desk.getByRole('heading', { name: 'What was looked at' }).waitFor();
  await desk.getByText(`with ${jwtApp.clientName}: Personal details (1)`).waitFor();
  await expectStateFits(desk);

  const phone = await browser.open({ width: 360, height: 740 });
  await signInByApi(phone, portal.issuer, family.ana);
  await phone.goto(`${portal.issuer}/user/family`);
  await expectText(phone, 'Family and carers');
  await phone.getByRole('button', { name: 'Ask to look after someone' }).waitFor();
  expect(await phone.getByText('Leo').count()).toBe(0);
});
