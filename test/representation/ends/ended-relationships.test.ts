import type { EndedRelationship } from '../../../src/contract/representation/ended-relationship.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import type { Agent } from '../../support/http/agent.js';
import {
  actingIn,
  jwtApp,
  opaqueApp,
  relationshipsPath as path,
  withSecret,
} from '../../support/representation/acting.js';
import { thisYear } from '../../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** A patient of 12 with an account. */
const tim = {
  ...people.otherPatient,
  email: 'tim@example.org',
  fullName: 'Tim Reed',
  claims: [{ name: 'fhirUser', value: 'Patient/tim' }],
};
let portal: FamilyPortal;
let admin: Agent;
let ana: Agent;
let noah: Agent;
let account: string;

beforeAll(async () => {
  portal = await startFamilyPortal({
    config: { clients: [jwtApp, opaqueApp], users: [...Object.values(family), tim] },
  });
  portal.has('tim', { birthDate: `${thisYear() - 12}-01-01` });
  [admin, ana, noah] = await Promise.all([portal.as(family.admin), portal.as(family.ana), portal.as(family.noah)]);
  account = await portal.accountId(family.ana);
});

afterEach(() => portal.query('TRUNCATE representation_relationship, representation_block CASCADE'));

afterAll(() => portal.close());

const acting = actingIn(() => portal);
const ended = (agent: Agent, id: string) => agent.get(`/api/representation/${id}/ended`);
const helps = { basis: 'voluntary', relation: 'daughter' };

async function add(members: object): Promise<string> {
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const names = { patientName: 'Noah Reed', representativeName: 'Ana Duarte' };
  return (await relationships.add(aNewRelationship(account, { patient: '2', ...helps, ...names, ...members }))).id;
}

describe('The confirmation of an end', () => {
  it('names the apps that ended, at once and later, with a receipt for the representative alone', async () => {
    const id = await acting.acts('2', helps);
    await acting.tokensFor('2');
    await acting.tokensFor('2', withSecret);
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    const own = (await ended(ana, id)).json<EndedRelationship>();
    expect(own).toMatchObject({
      ...{ id, side: 'representative', state: 'ended', name: 'Noah', basis: 'Chosen by the patient', by: 'other' },
      apps: [
        { clientName: expect.any(String), signIns: 1, receipt: expect.any(String) },
        { clientName: expect.any(String), signIns: 1, receipt: expect.any(String) },
      ],
    });
    for (const { receipt } of own.apps) {
      await eventually(async () => expect((await ana.get(`/api/receipt/${receipt}`)).status).toBe(200));
      expect((await noah.get(`/api/receipt/${receipt}`)).status).toBe(404);
    }
    const patients = (await ended(noah, id)).json<EndedRelationship>();
    expect(patients).toEqual({
      ...own,
      ...{ side: 'patient', name: 'Ana', relation: 'daughter', by: 'self' },
      apps: own.apps.map((app) => ({ ...app, receipt: null })),
    });
    expect((await ended(ana, id)).json()).toEqual(own);
  });

  it.each([
    ['representative', undefined, 'self', 'other'],
    ['patient', undefined, 'other', 'self'],
    ['administrator', 'administrator', 'administrator', 'administrator'],
    ['representative-died', 'administrator', 'administrator', 'administrator'],
    ['period', 'portal', 'portal', 'portal'],
    ['age', 'portal', 'portal', 'portal'],
    ['server', 'server', 'portal', 'portal'],
  ] as const)('says who ended it, for the reason %s', async (reason, kind, forAna, forNoah) => {
    const endedBy = { kind: kind === 'administrator' || kind === undefined ? ('account' as const) : kind, id: null };
    const id = await add({ status: 'ended', reason, endedBy, endedAt: new Date() });
    expect((await ended(ana, id)).json()).toMatchObject({ by: forAna, name: 'Noah', apps: [] });
    expect((await ended(noah, id)).json()).toMatchObject({ by: forNoah, name: 'Ana', apps: [] });
  });

  it('of a power of attorney says that administrators decide, to the patient alone', async () => {
    const id = await add({ basis: 'power-of-attorney', relation: 'attorney' });
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    expect((await ended(noah, id)).json()).toMatchObject({ state: 'suspended', by: 'self', apps: [] });
    expect((await ended(ana, id)).status).toBe(404);
  });

  it.each([
    ['after a safeguarding end', 'safeguarding', 404, 200],
    ['after an approval in error', 'in-error', 404, 404],
  ])('is not there for the representative %s', async (_, reason, forAna, forNoah) => {
    const id = await add({});
    await admin.post(`${path}/${id}/end`, { reason, note: 'Reported' });
    expect((await ended(ana, id)).status).toBe(forAna);
    expect((await ended(noah, id)).status).toBe(forNoah);
    if (forNoah === 200) expect((await ended(noah, id)).json()).toMatchObject({ by: 'administrator' });
  });

  it('names no app to a patient who is too young', async () => {
    const id = await acting.acts('tim', { relation: 'mother' });
    await acting.tokensFor('tim');
    await ana.post(`/api/representation/${id}/end`, {});
    expect((await ended(ana, id)).json<EndedRelationship>().apps).toHaveLength(1);
    expect((await ended(await portal.as(tim), id)).json()).toMatchObject({ by: 'other', apps: [] });
  });

  it.each([
    ['one that has not ended', {}],
    ['one that waits', { status: 'proposed' }],
    ['one that was declined', { status: 'declined' }],
    ['one that ended more than a year ago', { status: 'ended', endedAt: new Date(Date.now() - 366 * 86_400_000) }],
    ['one of other users', { patient: 'leo', status: 'ended', endedAt: new Date() }],
  ])('is not there for %s', async (_, members) => {
    const id = await add(members);
    expect((await ended(noah, id)).status).toBe(404);
    if (!('patient' in members)) expect((await ended(ana, id)).status).toBe(404);
    expect((await ended(await portal.as(tim), id)).status).toBe(404);
  });
});
