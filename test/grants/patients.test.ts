import type { GrantList } from '../../src/contract/own-record/grants.js';
import type { Receipt } from '../../src/contract/own-record/receipts.js';
import { SmartApp } from '../support/apps/smart-app.js';
import type { Agent } from '../support/http/agent.js';
import { actingIn, jwtApp, opaqueApp, relationshipsPath, withSecret } from '../support/representation/acting.js';
import {
  type FamilyPortal,
  family,
  makeRepresentative,
  startFamilyPortal,
} from '../support/representation/family-portal.js';
import { itInLongRun } from '../support/runs.js';
import { eventually } from '../support/until.js';
import { type Person, people } from '../support/users/people.js';

const inTenants = (person: Person, email: string, ...tenants: string[]): Person => ({
  ...person,
  email,
  claims: [...person.claims, ...tenants.map((value) => ({ name: 'tenant', value }))],
});
const rosa: Person = { ...people.patient, email: 'rosa@example.org', fullName: 'Rosa Lind' };
/** A patient of two hospitals, who acts for others there. */
const eva = inTenants({ ...people.patient, fullName: 'Eva Duarte' }, 'eva@example.org', 'north', 'south');

let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  const users = [...Object.values(family), people.practitioner, rosa, eva];
  portal = await startFamilyPortal({ tenants: ['north', 'south'], config: { clients: [jwtApp, opaqueApp], users } });
  await makeRepresentative(portal, rosa);
  admin = await ana.admin();
  for (const patient of ['leo', 'mia']) for (const acting of [ana, only]) await acting.acts(patient);
});

afterAll(() => portal.close());

const ana = actingIn(() => portal);
const only = actingIn(() => portal, rosa);
const manyHospitals = actingIn(() => portal, eva);
const scope = 'openid launch/patient patient/Observation.rs patient/Immunization.rs offline_access';

const cardsOf = async (agent: Agent, query = '') =>
  (await agent.get(`/api/grant${query}`))
    .json<GrantList>()
    .clientsPermissions.filter(({ created }) => created !== null);
const subjectsOf = async (agent: Agent, query = '') =>
  (await cardsOf(agent, query)).map(({ patient }) => patient?.reference ?? 'own').sort();
const receiptAt = async (agent: Agent, location = '') => (await agent.get(location)).json<Receipt>();

/** The calls about one app, and what each of them leaves of its access. */
const calls = [
  ['DELETE /api/grant', 'DELETE', '/api/grant', ''],
  ['DELETE /api/grant/permission', 'DELETE', '/api/grant/permission', '&scope=user/Observation.cruds'],
  ['PUT /api/grant/pause', 'PUT', '/api/grant/pause', ''],
] as const;

describe.each(calls)('%s', (_, method, path, more) => {
  /** The other calls name their access by the same parts. */
  const itOfEnd = path === '/api/grant' ? it : itInLongRun;
  const call = (agent: Agent, query = '') =>
    agent.send(`${path}?clientId=${jwtApp.clientId}${more}${query}`, { method });
  const outcome = async (answer: ReturnType<typeof call>) => {
    const { status, text } = await answer;
    return [status, status < 300 ? '' : text];
  };

  afterEach(async () => {
    await portal.query("DELETE FROM oidc_record WHERE model <> 'Session'");
    for (const table of ['app_consent', 'represented_consent', 'app_pause', 'represented_pause', 'receipt']) {
      await portal.query(`DELETE FROM ${table}`);
    }
  });

  itOfEnd.each([
    ['a patient who acts for no other', family.noah, 'openid launch/patient patient/Observation.rs offline_access'],
    ['a practitioner', people.practitioner, 'openid user/Observation.rs offline_access'],
  ])('without a patient means all of the app for %s', async (_name, person, asked) => {
    await new SmartApp(portal, { scope: asked }).tokens(person);
    const agent = await portal.as(person);
    expect(await outcome(call(agent))).toEqual([204, '']);
    expect(await outcome(call(agent, '&patient=Patient/leo'))).toEqual([404, expect.any(String)]);
  });

  it('without a patient means the own record of a user who acts for others, and then names the others', async () => {
    for (const patient of ['1', 'leo', 'mia']) await ana.tokensFor(patient, { scope });
    const agent = await portal.as(family.ana);
    expect(await outcome(call(agent))).toEqual([204, '']);
    await agent.send(`/api/grant?clientId=${jwtApp.clientId}&patient=Patient/1`, { method: 'DELETE' });
    expect(await outcome(call(agent))).toEqual([
      409,
      expect.stringContaining('Leo Duarte (Patient/leo), Mia Duarte (Patient/mia)'),
    ]);
    expect(await subjectsOf(agent)).toEqual(['Patient/leo', 'Patient/mia']);
  });

  it('names the others to a user who has no own record, also where decisions are remembered alone', async () => {
    await only.tokensFor('leo', { scope }, true);
    const agent = await portal.as(rosa);
    const refused = [409, expect.stringContaining('Leo Duarte (Patient/leo)')];
    expect(await outcome(call(agent))).toEqual(refused);
    await portal.query("DELETE FROM oidc_record WHERE model <> 'Session'");
    expect(await outcome(call(agent))).toEqual(refused);
    expect(await outcome(call(agent, '&patient=Patient/mia'))).toEqual([404, expect.any(String)]);
    expect(await outcome(call(agent, '&patient=Patient/leo'))).toEqual([204, '']);
  });

  itOfEnd('takes the own record by its reference', async () => {
    await ana.tokensFor('1', { scope });
    await ana.tokensFor('leo', { scope });
    const agent = await portal.as(family.ana);
    expect(await subjectsOf(agent, '?patient=Patient/1')).toEqual(['own']);
    expect(await outcome(call(agent, '&patient=Patient/1'))).toEqual([204, '']);
    expect(await subjectsOf(agent)).toContain('Patient/leo');
  });

  itOfEnd('finds nothing for a user without access, and changes nothing of other users', async () => {
    await only.tokensFor('leo', { scope });
    const agent = await portal.as(family.ana);
    expect(await outcome(call(agent))).toEqual([404, expect.any(String)]);
    expect(await outcome(call(agent, '&patient=Patient/leo'))).toEqual([404, expect.any(String)]);
    expect(await subjectsOf(await portal.as(rosa))).toEqual(['Patient/leo']);
  });

  itOfEnd('asks for the tenant where patients of two have the same id', async () => {
    const patient = `twin-${method}-${path.length}`.toLowerCase();
    portal.has(patient);
    for (const tenant of ['north', 'south']) await manyHospitals.acts(patient, { tenant });
    for (const tenant of ['north', 'south']) {
      await manyHospitals.tokensFor(patient, { scope, parameters: { aud: `${portal.fhirBase}/${tenant}` } });
    }
    const agent = await portal.as(eva);
    const tenantsOf = async (query = '') => (await cardsOf(agent, query)).map((card) => card.patient?.tenant).sort();
    expect(await tenantsOf(`?patient=Patient/${patient}`)).toEqual(['north', 'south']);
    expect(await tenantsOf(`?patient=Patient/${patient}&tenant=north`)).toEqual(['north']);
    expect(await outcome(call(agent, `&patient=Patient/${patient}`))).toEqual([400, expect.stringContaining('tenant')]);
    expect(await outcome(call(agent, `&patient=Patient/${patient}&tenant=north`))).toEqual([204, '']);
    expect(await tenantsOf()).toContain('south');
    expect(await outcome(call(agent))).toEqual([409, expect.stringContaining(`(Patient/${patient}, south)`)]);
  });
});

describe('The end of an app’s access for one patient', () => {
  const takeBack = (agent: Agent, query = '') =>
    agent.send(`/api/grant?clientId=${jwtApp.clientId}${query}`, { method: 'DELETE' });

  it('P-04 ends a request at its consent page, as that for the own record does', async () => {
    for (const patient of ['1', 'leo']) {
      await ana.tokensFor(patient, { scope });
      const open = await ana.beginFor(patient, { scope });
      const offered = await open.app.offeredScopes(open.returnUrl);
      const agent = await portal.as(family.ana);
      expect((await takeBack(agent, `&patient=Patient/${patient}`)).status).toBe(204);
      expect((await open.app.consent(open.returnUrl, offered)).status).toBe(400);
    }
  });

  it('has a receipt that names the patient, which a repeated call gets again, and no call for another', async () => {
    await ana.tokensFor('leo', { scope });
    const agent = await portal.as(family.ana);
    const first = await takeBack(agent, '&patient=Patient/leo');
    expect(await receiptAt(agent, first.location)).toMatchObject({ by: 'person', patient: 'Leo Duarte' });
    expect((await takeBack(agent, '&patient=Patient/leo')).location).toBe(first.location);
    const other = await takeBack(agent, '&patient=Patient/mia');
    expect([other.status, other.location]).toEqual([404, undefined]);
  });

  it.each([
    ['the first name alone after an end', 'administrator', 'Tom'],
    ['no name after a safeguarding end', 'safeguarding', undefined],
    ['no name after an approval in error', 'in-error', undefined],
  ] as const)('has a receipt with %s', async (_, reason, name) => {
    const patient = `tom-${reason}`;
    portal.has(patient, { name: [{ text: 'Tom Duarte' }] });
    const id = await ana.acts(patient);
    await ana.tokensFor(patient, { scope });
    const agent = await portal.as(family.ana);
    const { location } = await takeBack(agent, `&patient=Patient/${patient}`);
    const ended = await admin.post(`${relationshipsPath}/${id}/end`, { reason, note: 'Over' });
    expect([ended.status, ended.text]).toEqual([200, expect.any(String)]);
    expect((await receiptAt(agent, location)).patient).toBe(name);
  });

  it('by an administrator is that for all patients, and the app asks again for each of them', async () => {
    for (const patient of ['1', 'leo']) await ana.tokensFor(patient, { ...withSecret, scope }, true);
    const account = await portal.accountId(family.ana);
    const { status } = await admin.send(`/api/admin/user/${account}/app?clientId=${opaqueApp.clientId}`, {
      method: 'DELETE',
    });
    expect(status).toBe(204);
    for (const patient of ['1', 'leo']) {
      expect((await ana.tokensFor(patient, { ...withSecret, scope })).asked).toBe(true);
    }
  });
});

describe('The card of an app', () => {
  it('has the last read of its patient', async () => {
    for (const patient of ['1', 'leo', 'mia']) {
      const { tokens } = await ana.tokensFor(patient, { scope: 'openid launch/patient patient/Patient.rs' });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      if (patient !== 'mia') await fetch(`${portal.fhirBase}/Patient/${patient}`, { headers });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const agent = await portal.as(family.ana);
    const lastReads = async () =>
      Object.fromEntries(
        (await cardsOf(agent))
          .filter(({ clientId }) => clientId === jwtApp.clientId)
          .map(({ patient, lastRead }) => [patient?.reference ?? 'own', lastRead]),
      );
    await eventually(async () =>
      expect(await lastReads()).toMatchObject({ own: expect.any(String), 'Patient/leo': expect.any(String) }),
    );
    const found = await lastReads();
    expect(found['Patient/mia']).toBeNull();
    expect(found.own).not.toBe(found['Patient/leo']);
  });
});
