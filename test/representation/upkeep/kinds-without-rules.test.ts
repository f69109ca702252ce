/** The rules change while a relationship has chosen kinds: nothing opens that they do not have, and nothing is lost. */
import { randomBytes } from 'node:crypto';
import type { OwnRelationships } from '../../../src/contract/representation.js';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { createDatabase } from '../../support/database/database.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { actingIn, jwtApp, relationshipsPath } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let ports: number[];
let portal: FamilyPortal;
let relationship = '';
let tokens: Tokens;
const masterKey = randomBytes(32);
const { acts, tokensFor } = actingIn(() => portal);
const level = 'full Condition Immunization';

async function start(config: object = {}): Promise<void> {
  const kept = { connection: database.connection, drop: async () => undefined };
  portal = await startFamilyPortal({
    ...{ ports, filled: { database: kept, masterKey }, config: { clients: [jwtApp], ...config } },
  });
  for (const type of ['Condition', 'Immunization']) {
    portal.records.set(type, { resourceType: type, id: type, patient: of, subject: of });
  }
}
const of = { reference: 'Patient/2' };

async function restart(config: object): Promise<void> {
  await portal.close();
  await start(config);
}

beforeAll(async () => {
  [database, ports] = [await createDatabase(), await freePorts(1)];
  await start();
  relationship = await acts('2', { basis: 'power-of-attorney', level });
  ({ tokens } = await tokensFor('2'));
});

afterAll(async () => {
  await portal.close();
  await database.drop();
});

const statuses = async () => {
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const read = async (type: string) =>
    (await new Agent(portal.issuer).get(`/fhir/${type}/${type}`, { headers })).status;
  return Promise.all(['Condition', 'Immunization'].map(read));
};
const decision = async () =>
  portal.apps[0]
    ?.get(RepresentedAccess, { strict: false })
    .forRequest({ account: await portal.accountId(family.ana), tenant: undefined, patient: '2', at: new Date() });
const card = async (person = family.noah) => {
  const { helpers, lookedAfter } = (
    await (await portal.as(person)).get('/api/representation')
  ).json<OwnRelationships>();
  return [...helpers, ...lookedAfter].find(({ id }) => id === relationship);
};
const attorney = (more: object = {}) => ({
  ...{ label: 'Power of attorney', relations: [{ id: 'attorney', representative: 'attorney', patient: 'donor' }] },
  ...{ askedBy: ['invitation', 'administrator'] as const, endedBy: ['representative', 'patient'] as const, ...more },
});
const rules = (levels: object) => ({ representation: { levels, bases: { 'power-of-attorney': attorney() } } });
const full = { label: 'Full', kinds: 'full' };

it('Both kinds are read, and nothing else is told of the level', async () => {
  expect(await statuses()).toEqual([200, 200]);
  expect((await card())?.level).toMatchObject({ id: level, isChosen: true, kinds: ['Immunization', 'Condition'] });
});

describe('A kind that the level has no more', () => {
  beforeAll(() => restart(rules({ full: { ...full, without: { types: ['Condition'] } } })));

  it('permits nothing, and the other kind stays visible', async () => {
    expect(await statuses()).toEqual([403, 200]);
    expect((await card())?.level).toMatchObject({ isChosen: true, kinds: ['Immunization'] });
    const { single } = (await card()) ?? {};
    expect(single?.kinds.map(({ kind }) => kind)).not.toContain('Condition');
  });

  it('cannot be given again', async () => {
    const admin = await portal.as(family.admin);
    const answer = await admin.post(relationshipsPath, {
      ...{ email: family.ana.email, patient: 'leo', basis: 'power-of-attorney', level: 'full Condition' },
    });
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'level' }] }]);
  });
});

describe.each<[string, object]>([
  ['A level that is not configured any more', rules({ whole: full })],
  ['A portal without the gateway', { ...rules({ full }), gateway: { enabled: false } }],
])('%s', (_, config) => {
  beforeAll(() => restart(config));

  it('opens nothing of the chosen kinds, and no page shows their text', async () => {
    expect(await decision()).toEqual({ permitted: false, cause: 'not-configured' });
    for (const person of [family.noah, family.ana]) {
      expect(await card(person)).toMatchObject({ status: 'active', level: { isChosen: true, kinds: [] } });
      expect((await card(person))?.level.label).not.toContain('Condition');
    }
  });

  it('leaves what was chosen for administrators to read', async () => {
    const admin = await portal.as(family.admin);
    expect((await admin.get(`${relationshipsPath}/${relationship}`)).json()).toMatchObject({ level, status: 'active' });
  });
});

it('Without the gateway no kinds are offered or taken', async () => {
  const noah = await portal.as(family.noah);
  const admin = await portal.as(family.admin);
  expect(await card()).toMatchObject({ single: null });
  const { bases } = (await noah.get('/api/representation/invitations')).json<{ bases: { single: unknown }[] }>();
  expect(bases.map(({ single }) => single)).toEqual([null]);
  const invited = await noah.post('/api/representation/invitations', {
    ...{ fullName: 'Rosa', email: 'rosa@example.org', level: 'full', kinds: ['Condition'] },
    currentPassword: family.noah.password,
  });
  const changed = await noah.send(`/api/representation/${relationship}/level`, {
    ...{ method: 'PUT', body: { seen: level, level: 'full', kinds: ['Condition'] } },
  });
  const proposed = await admin.post(relationshipsPath, {
    ...{ email: family.ana.email, patient: 'leo', basis: 'power-of-attorney', level: 'full Condition' },
  });
  for (const answer of [invited, changed, proposed]) {
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Single kinds need the gateway')]);
  }
});

it('With the rules as they were, the kinds count again', async () => {
  await restart({});
  expect(await statuses()).toEqual([200, 200]);
  expect((await card())?.level).toMatchObject({ id: level, kinds: ['Immunization', 'Condition'] });
});
