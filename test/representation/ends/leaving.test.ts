import type { OwnRelationship, OwnRelationships } from '../../../src/contract/representation.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import type { Agent } from '../../support/http/agent.js';
import { type MailSink, startMailSink } from '../../support/mail-sink.js';
import { actingIn, jwtApp, opaqueApp, relationshipsPath as path } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { eventually, until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** Users who act for Noah, and leave in one way each. */
const leaving = ['locked', 'deleted', 'died', 'told'].map((name) => ({
  ...people.patient,
  email: `${name}@example.org`,
  fullName: `Rosa ${name}`,
  claims: [{ name: 'fhirUser', value: `Patient/${name}` }],
}));

let portal: FamilyPortal;
let sink: MailSink;
let noah: Agent;
let admin: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({
    nodes: 2,
    config: {
      email: sink.config,
      users: [...Object.values(family), ...leaving],
      clients: [jwtApp, opaqueApp],
      account: { deletionDays: 7 },
    },
  });
  [noah, admin] = await Promise.all([portal.as(family.noah, 1), portal.as(family.admin)]);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

const userOf = (name: string) => leaving.find(({ email }) => email.startsWith(name)) ?? family.ana;
const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
const sweep = () =>
  Promise.all(portal.apps.map((app) => app.get(RelationshipSweeps, { strict: false }).sweep(new Date())));
const helperOf = async (id: string): Promise<OwnRelationship | undefined> =>
  (await noah.get('/api/representation')).json<OwnRelationships>().helpers.find((one) => one.id === id);
const mailsTo = (address: string) => sink.received.filter(({ to }) => to.includes(address)).length;

async function helps(name: string): Promise<{ id: string; account: string; person: (typeof leaving)[number] }> {
  const person = userOf(name) as (typeof leaving)[number];
  const account = await portal.accountId(person);
  const helper = { patient: '2', basis: 'voluntary', relation: 'helper', level: 'full' };
  const { id } = await relationships().add(
    aNewRelationship(account, { ...helper, representativeName: person.fullName }),
  );
  return { id, account, person };
}

/** The ways in which a representative leaves, and the reason that is stored. */
const waysToLeave = [
  {
    way: 'whose user has requested the deletion of the account',
    name: 'locked',
    reason: 'representative-gone',
    async leave({ person }: Awaited<ReturnType<typeof helps>>) {
      const agent = await portal.as(person);
      expect((await agent.post('/api/user/deletion', { currentPassword: person.password })).status).toBe(200);
    },
  },
  {
    way: 'whose account an administrator has deleted',
    name: 'deleted',
    reason: 'representative-gone',
    async leave({ account }: Awaited<ReturnType<typeof helps>>) {
      expect((await admin.send(`/api/admin/user/${account}`, { method: 'DELETE' })).status).toBe(204);
      await sweep();
    },
  },
  {
    way: 'who has died',
    name: 'died',
    reason: 'representative-died',
    async leave({ id }: Awaited<ReturnType<typeof helps>>) {
      const form = { reason: 'representative-died', note: 'Told by the family' };
      expect((await admin.post(`${path}/${id}/end`, form)).status).toBe(200);
    },
  },
];

describe('A representative', () => {
  it.each(waysToLeave)(
    '$way acts for no patient any more, and the patient sees it',
    async ({ name, reason, leave }) => {
      const helping = await helps(name);
      const { id, person } = helping;
      const received = mailsTo(person.email);
      await leave(helping);
      await eventually(async () =>
        expect(await relationships().findById(id)).toMatchObject({ status: 'ended', reason }),
      );
      expect(await helperOf(id)).toMatchObject({ status: 'ended', reason, name: 'Rosa', canEnd: false });
      // A dead user's account gets no mail; the others get those about their account alone.
      if (name === 'died') expect(mailsTo(person.email)).toBe(received);
      const list = (await admin.get(`${path}?patient=2&status=active`)).json<{ relationships: { id: string }[] }>();
      expect(list.relationships.map((one) => one.id)).not.toContain(id);
    },
  );

  it('whose relationship ended so has no token any more', async () => {
    const acting = actingIn(() => portal);
    portal.has('leo');
    await acting.acts('leo');
    const { app, tokens } = await acting.tokensFor('leo');
    const id = await acting.idOf('leo');
    await admin.post(`${path}/${id}/end`, { reason: 'representative-died', note: 'Told by the family' });
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(400);
    await until(async () => (await acting.introspect(tokens.access_token)).active === false);
  });
});

describe('The account of a patient', () => {
  it('that is deleted ends its invitations; who acts for the record acts on', async () => {
    const { id } = await helps('told');
    const answer = await noah.post('/api/representation/invitations', {
      ...{ fullName: 'Tomás', email: 'tomas@example.org', level: 'basics', currentPassword: family.noah.password },
    });
    expect(answer.status).toBe(201);
    const account = await portal.accountId(family.noah);
    expect((await admin.send(`/api/admin/user/${account}`, { method: 'DELETE' })).status).toBe(204);
    await sweep();
    expect(await portal.query('SELECT FROM representation_invitation')).toEqual([]);
    expect(await relationships().findById(id)).toMatchObject({ status: 'active' });
  });
});
