import type { FamilyNews } from '../../../src/contract/representation/news.js';
import type { OwnRelationships } from '../../../src/contract/representation.js';
import type { CurrentUser } from '../../../src/contract/session.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import { addDays } from '../../../src/representation/domain/coming-steps.js';
import { type NewRelationship, Relationships } from '../../../src/representation/domain/relationships.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import type { Agent } from '../../support/http/agent.js';
import { actingIn, jwtApp } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { until } from '../../support/until.js';
import { login } from '../../support/users/authenticator.js';
import type { Person } from '../../support/users/people.js';

/** Patients with an account, for whom Ana acts: what a node has read of a record counts for five minutes. */
const ids = ['thirteen', 'twelve', 'old', 'adult', 'waiting', 'silent', 'own', 'limited'];
const young = ids.map((id): Person & { id: string } => ({
  ...{ ...family.noah, id, email: `${id}@example.org`, fullName: 'Noah Reed' },
  claims: [{ name: 'fhirUser', value: `Patient/${id}` }],
}));
const [thirteen, twelve, old, adult, waiting, silent, own, limited] = young as [
  ...[Young, Young, Young, Young],
  ...[Young, Young, Young, Young],
];
type Young = Person & { id: string };
let portal: FamilyPortal;
let ana: string;
const path = '/api/representation/news';
const today = dayIn(new Date(), 'Europe/Amsterdam');
const diary = { ...jwtApp, clientId: 'own-app', clientName: 'Heart Diary' };
const hers = { ...jwtApp, clientName: 'Record Box' };
const { tokensFor } = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({
    config: {
      users: [...Object.values(family), ...young.map(({ id: _, ...person }) => person)],
      clients: [diary, hers],
    },
  });
  ana = await portal.accountId(family.ana);
});

afterAll(() => portal.close());

/** The day of birth of who turns so old after these days. */
const born = (age: number, days = 0) => {
  const day = addDays(today, days);
  return `${Number(day.slice(0, 4)) - age}${day.slice(4)}`;
};
const isBorn = ({ id }: Young, birthDate: string) =>
  portal.has(id, { birthDate, name: [{ given: ['Noah'], family: 'Reed' }] });
const acts = async (patient: Young, members: Partial<NewRelationship> = {}) => {
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const decidedAt = new Date(`${addDays(today, -400)}T12:00:00Z`);
  const { id } = await relationships.add(
    aNewRelationship(ana, { patient: patient.id, patientName: 'Noah Reed', decidedAt, ...members }),
  );
  return id;
};
/** A node reads a record again after five minutes. */
const sweepAfter = (ms: number) =>
  portal.apps[0]?.get(RelationshipSweeps, { strict: false }).sweep(new Date(Date.now() + ms)) as Promise<void>;
const newsOf = async (agent: Agent) => (await agent.get(path)).json<FamilyNews>();
const hasNews = async (agent: Agent) => (await agent.get('/api/session')).json<CurrentUser>().hasNews;
const seen = (agent: Agent, body: object) => agent.post(path, body);

describe('A patient of 13', () => {
  it('is told at the first sign-in who acts, since when and what is seen, until the page was read', async () => {
    isBorn(thirteen, born(13));
    const id = await acts(thirteen);
    const noah = await portal.as(thirteen);
    expect(await hasNews(noah)).toBe(true);
    expect(await newsOf(noah)).toEqual({
      firstName: 'Noah',
      acts: [
        {
          ...{ id, name: 'Ana Duarte', relation: 'mother', since: addDays(today, -400) },
          kinds: expect.arrayContaining(['AllergyIntolerance', 'Immunization']),
        },
      ],
      ended: [],
      reached: null,
      continues: { representatives: [], apps: [] },
      canInvite: false,
    });
    expect((await seen(noah, { relationships: [] })).status).toBe(204);
    expect(await hasNews(noah)).toBe(true);
    expect((await seen(noah, { relationships: [id] })).status).toBe(204);
    expect(await hasNews(noah)).toBeUndefined();
    expect(await hasNews(await portal.as(thirteen))).toBeUndefined();
    expect(await newsOf(noah)).toMatchObject({ firstName: '', acts: [], ended: [] });
  });

  it('is told of chosen kinds as far as the age leaves them, and of none of a level that is not configured', async () => {
    isBorn(limited, born(13));
    await acts(limited, { level: 'full AllergyIntolerance Appointment' });
    await acts(limited, { level: 'gone Appointment', accountId: await portal.accountId(family.noah) });
    const { acts: told } = await newsOf(await portal.as(limited));
    const kinds = told.map((one) => one.kinds?.filter((kind) => kind !== 'Patient'));
    expect(kinds.toSorted((one, other) => (other?.length ?? 0) - (one?.length ?? 0))).toEqual([
      ['AllergyIntolerance'],
      [],
    ]);
  });

  it('is not told a day before, and neither is an adult of a helper', async () => {
    isBorn(twelve, born(13, 1));
    const id = await acts(twelve);
    const noah = await portal.as(twelve);
    expect(await hasNews(noah)).toBeUndefined();
    expect((await seen(noah, { relationships: [id] })).status).toBe(204);
    expect(await portal.query('SELECT FROM representation_notice WHERE relationship_id = $1', [id])).toEqual([]);
    isBorn(old, '1948-01-01');
    await acts(old, { basis: 'voluntary', relation: 'helper' });
    expect(await hasNews(await portal.as(old))).toBeUndefined();
  });
});

describe('A patient who has turned 18', () => {
  it('is told who and which apps have ended, and what continues, before and after a node has stored the end', async () => {
    isBorn(adult, born(18, 1));
    await acts(adult, { agreedSteps: [16] });
    await tokensFor(adult.id, { client: hers });
    const noah = await portal.as(adult);
    await seen(noah, { relationships: (await newsOf(noah)).acts.map(({ id }) => id) });
    await new SmartApp(portal, { client: diary, scope: 'openid launch/patient patient/Condition.rs' }, noah).tokens(
      adult,
    );
    expect(await hasNews(noah)).toBeUndefined();

    // Another node has read a birth date that makes today the day.
    isBorn(adult, born(18));
    await portal.query('UPDATE represented_patient SET facts = facts || $2::jsonb WHERE patient = $1', [
      adult.id,
      JSON.stringify({ birthDate: born(18) }),
    ]);
    const before = await newsOf(noah);
    expect(before).toMatchObject({
      ...{ firstName: 'Noah', acts: [], canInvite: true },
      ended: [{ name: 'Ana', relation: 'mother', wasFull: false, apps: ['Record Box'] }],
      reached: { age: 18, on: today, isExact: true },
      continues: { representatives: [], apps: ['Heart Diary'] },
    });
    await sweepAfter(6 * 60_000);
    await until(async () => (await portal.query('SELECT FROM receipt')).length > 0);
    expect(await newsOf(noah)).toEqual(before);
    expect((await seen(noah, { relationships: before.ended.map(({ id }) => id) })).status).toBe(204);
    expect(await hasNews(noah)).toBeUndefined();
  });
});

describe('The request of an app', () => {
  const scope = 'openid launch/patient patient/Condition.rs';

  it('waits for the page, is answered after it, and does not wait again', async () => {
    isBorn(waiting, born(14));
    const id = await acts(waiting);
    const app = new SmartApp(portal, { client: diary, scope });
    await app.signIn(waiting, await app.begin());
    const asked = new URL((await app.authorize()).location ?? '', portal.issuer);
    expect(asked.pathname).toBe('/user/family-news');
    const returnUrl = asked.searchParams.get('returnUrl') ?? '';
    const place = await app.browser.get(`/api/authorization?${new URLSearchParams({ returnUrl })}`);
    expect(place.json()).toMatchObject({ step: 1, clientName: 'Heart Diary' });
    const other = new SmartApp(portal, { client: diary, scope });
    await login(other.browser, family.ana);
    expect((await seen(other.browser, { relationships: [id], returnUrl })).status).toBe(400);
    expect((await seen(app.browser, { relationships: [id], returnUrl })).status).toBe(204);
    expect(new URL(await app.follow(returnUrl)).pathname).not.toBe('/user/family-news');
    expect((await seen(app.browser, { relationships: [id], returnUrl })).status).toBe(400);
  });

  it('that may show no page does not wait', async () => {
    isBorn(silent, born(14));
    await acts(silent);
    const app = new SmartApp(portal, { client: diary, scope, parameters: { prompt: 'none' } });
    await login(app.browser, silent);
    expect((await app.authorize()).location).not.toContain('interaction_required');
  });
});

it('The news of a patient are for patients with an account alone', async () => {
  isBorn(own, born(14));
  const id = await acts(own);
  const admin = await portal.as(family.admin);
  expect([(await admin.get(path)).status, (await seen(admin, { relationships: [id] })).status]).toEqual([403, 403]);
  const mother = await portal.as(family.ana);
  expect(await newsOf(mother)).toMatchObject({ acts: [], ended: [] });
  expect((await seen(mother, { relationships: [id] })).status).toBe(204);
  expect(await hasNews(await portal.as(own))).toBe(true);
  expect((await seen(mother, { relationships: ['x'] })).status).toBe(400);
});

it('A level above the age rule is shown to the patient from this age on, and to the representative at any age', async () => {
  const accountId = await portal.accountId(family.noah);
  const ruleOf = async (agent: Agent, side: 'helpers' | 'lookedAfter', id: string) => {
    const list = (await agent.get('/api/representation')).json<OwnRelationships>();
    return list[side].find((one) => one.id === id)?.aboveRule;
  };
  const given = { until: null };
  for (const [person, step, shown] of [
    [twelve, 0, null],
    [thirteen, 13, given],
  ] as const) {
    isBorn(person, born(13, person === twelve ? 1 : 0));
    const id = await acts(person, { accountId, aboveTable: { step, until: null } });
    expect(await ruleOf(await portal.as(person), 'helpers', id)).toEqual(shown);
    expect(await ruleOf(await portal.as(family.noah), 'lookedAfter', id)).toEqual(given);
  }
});
