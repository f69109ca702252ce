/** The FHIR server deletes a patient's record: from the first refused request to the answer of administrators. */
import type { SuspendedRecords } from '../../src/contract/representation/confirmations.js';
import type { OwnRelationships } from '../../src/contract/representation.js';
import type { SmartApp, Tokens } from '../support/apps/smart-app.js';
import { setProcessAhead, withMovableClock } from '../support/database/movable-clock.js';
import { Agent } from '../support/http/agent.js';
import {
  actingIn,
  jwtApp,
  opaqueApp,
  relationshipsPath as path,
  withSecret,
} from '../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { until } from '../support/until.js';

const minute = 60_000;
let portal: FamilyPortal;
let minutes = 0;
let relationship = '';
let held: { app: SmartApp; tokens: Tokens };
const { acts, tokensFor, introspect } = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({
    nodes: 2,
    reachDatabase: withMovableClock,
    config: { clients: [jwtApp, opaqueApp] },
  });
  portal.has('leo', { name: [{ given: ['Leo'], family: 'Duarte' }] });
  relationship = await acts('leo');
  held = await tokensFor('leo', withSecret);
});

afterAll(async () => {
  setProcessAhead(0);
  await portal.close();
});

/** What was read of a record counts for five minutes. */
async function passMinutes(passed: number): Promise<void> {
  minutes += passed;
  setProcessAhead(minutes * minute);
  await portal.query('UPDATE clock.ahead SET by = make_interval(mins => $1)', [minutes]);
}
const read = async (node = 0) => {
  const headers = { authorization: `Bearer ${held.tokens.access_token}` };
  const agent = new Agent(portal.issuer, portal.ports[node]);
  return (await agent.get('/fhir/Immunization?patient=leo', { headers })).status;
};
const refresh = () => held.app.refresh(held.tokens.refresh_token ?? '');
const stored = async () => (await portal.query<object>('SELECT status, reason FROM representation_relationship'))[0];
const card = async () =>
  (await (await portal.as(family.ana)).get('/api/representation')).json<OwnRelationships>().lookedAfter[0];
const asAdministrator = async (address: string, form: object) =>
  (await (await portal.as(family.admin)).post(`${path}/${address}`, form)).status;

it('A request is refused once the record is gone, a second look suspends, and a confirmation lets the same app continue', async () => {
  expect(await read()).toBe(200);
  portal.records.delete('leo');
  await passMinutes(6);
  for (const node of [0, 1]) expect([401, 403]).toContain(await read(node));
  expect(await stored()).toEqual({ status: 'active', reason: null });

  await passMinutes(6);
  expect((await refresh()).json()).toMatchObject({ error: 'invalid_grant' });
  await until(async () => ((await stored()) as { status: string }).status === 'suspended');
  expect(await stored()).toEqual({ status: 'suspended', reason: 'deleted' });
  expect(await introspect(held.tokens.access_token)).toEqual({ active: false });
  expect((await refresh()).json()).toMatchObject({ error: 'invalid_grant' });
  expect(await card()).toMatchObject({ id: relationship, status: 'suspended' });

  // The record is back: an administrator says that it is the same patient.
  portal.has('leo', { name: [{ given: ['Leo'], family: 'Duarte' }] });
  await passMinutes(6);
  expect([401, 403]).toContain(await read());
  const waiting = await (await portal.as(family.admin)).get(`${path}/confirmations`);
  expect(waiting.json<SuspendedRecords>()).toMatchObject({ records: [{ id: relationship, isThere: true }] });
  expect(await asAdministrator(`${relationship}/confirmation`, { note: 'Restored', reason: 'deleted' })).toBe(200);
  const refreshed = await refresh();
  expect(refreshed.status).toBe(200);
  held = { app: held.app, tokens: refreshed.json<Tokens>() };
  for (const node of [0, 1]) expect(await read(node)).toBe(200);
});

it('An end while it is suspended takes the access of the app, and the card has what was stored', async () => {
  portal.records.delete('leo');
  for (const passed of [6, 6]) {
    await passMinutes(passed);
    expect((await refresh()).status).toBe(400);
  }
  await until(async () => ((await stored()) as { status: string }).status === 'suspended');
  expect(await asAdministrator(`${relationship}/end`, { reason: 'administrator', note: 'Deleted on purpose' })).toBe(
    200,
  );
  expect(await card()).toMatchObject({ id: relationship, status: 'ended', name: 'Leo', patient: null });
  expect((await refresh()).status).toBe(400);
  expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Grant'")).toEqual([]);
  portal.has('leo', { name: [{ given: ['Leon'], family: 'Lind' }] });
  await passMinutes(6);
  expect(await card()).toMatchObject({ status: 'ended', name: 'Leo' });
  for (const node of [0, 1]) expect([401, 403]).toContain(await read(node));
});
