import type { RepresentedAppList } from '../../src/contract/own-record/represented-apps.js';
import type { Agent } from '../support/http/agent.js';
import { actingIn, jwtApp, opaqueApp, withSecret } from '../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';

/** Ana acts for Noah, who is Patient/2 and has an account; Leo has none. */
const kid = {
  ...family.ana,
  email: 'kid@example.org',
  fullName: 'Kim Ward',
  claims: [{ name: 'fhirUser', value: 'Patient/kid' }],
};
let portal: FamilyPortal;
let noah: Agent;
let ana: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal({
    nodes: 2,
    config: { clients: [jwtApp, opaqueApp], users: [...Object.values(family), kid] },
  });
  portal.has('kid', { birthDate: '2018-01-01' });
  [noah, ana] = await Promise.all([portal.as(family.noah, 1), portal.as(family.ana)]);
});

afterAll(() => portal.close());

const { acts, tokensFor, introspect } = actingIn(() => portal);
const path = '/api/grant/represented';
const listed = async (by: Agent) => (await by.get(path)).json<RepresentedAppList>().apps;
const end = (by: Agent, relationship: string, clientId = opaqueApp.clientId) =>
  by.send(`${path}?${new URLSearchParams({ relationship, clientId })}`, { method: 'DELETE' });

describe('A patient', () => {
  it('sees the apps that a representative let in, and ends one: its token is refused from then on', async () => {
    const relationship = await acts('2', { basis: 'voluntary', relation: 'helper' });
    const { tokens } = await tokensFor('2', withSecret);
    expect(await listed(noah)).toEqual([
      expect.objectContaining({
        ...{ relationship, fullName: 'Ana Duarte', clientId: opaqueApp.clientId, clientName: opaqueApp.clientName },
        personId: await portal.accountId(family.ana),
      }),
    ]);
    expect(await listed(ana)).toEqual([]);
    expect((await introspect(tokens.access_token)).active).toBe(true);
    expect((await end(ana, relationship)).status).toBe(404);
    expect((await end(noah, relationship, 'unknown')).status).toBe(404);
    expect((await end(noah, relationship)).status).toBe(204);
    expect((await introspect(tokens.access_token)).active).toBe(false);
    expect(await listed(noah)).toEqual([]);
    expect((await end(noah, relationship)).status).toBe(404);
    // The relationship continues, and the app has to be allowed again.
    expect((await tokensFor('2', withSecret)).asked).toBe(true);
  });

  it('sees and ends nothing of other patients', async () => {
    const relationship = await acts('leo');
    await tokensFor('leo', withSecret);
    expect((await listed(noah)).filter((one) => one.relationship === relationship)).toEqual([]);
    expect((await end(noah, relationship)).status).toBe(404);
  });

  it('who is too young to be told sees and ends none', async () => {
    const relationship = await acts('kid');
    await tokensFor('kid', withSecret);
    const child = await portal.as(kid);
    expect(await listed(child)).toEqual([]);
    expect((await end(child, relationship)).status).toBe(404);
  });
});
