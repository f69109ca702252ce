import type { ComingStep } from '../../../src/contract/representation/coming-step.js';
import type { OwnRelationships } from '../../../src/contract/representation.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import { type NewRelationship, Relationships } from '../../../src/representation/domain/relationships.js';
import type { Agent } from '../../support/http/agent.js';
import { birthdayAfter, bornFor, thisYear } from '../../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

let portal: FamilyPortal;
let ana: Agent;
let anaId: string;
let count = 0;
const year = thisYear();
const leapYear = [0, 1, 2, 3].map((more) => year - 12 + more).find((one) => one % 4 === 0) as number;

beforeAll(async () => {
  portal = await startFamilyPortal();
  [ana, anaId] = [await portal.as(family.ana), await portal.accountId(family.ana)];
});

afterAll(() => portal.close());

async function comingFor(birthDate: string, more: Partial<NewRelationship> = {}): Promise<ComingStep> {
  count += 1;
  portal.has(`child-${count}`, { birthDate });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const { id } = await relationships.add(aNewRelationship(anaId, { patient: `child-${count}`, ...more }));
  return (await ana.get(`/api/representation/${id}/coming-step`)).json<ComingStep>();
}

it.each([
  ['a day', `${year - 12}-12-31`, 'day', `${year + 1}-12-31`, `${year + 1}-12-31`],
  ['a month', `${year - 11}-04`, 'month', `${year + 2}-04-01`, `${year + 2}-04-30`],
  ['a year', `${year - 11}`, 'year', `${year + 2}-01-01`, `${year + 2}-12-31`],
  ['29 February', `${leapYear}-02-29`, '29 February', `${leapYear + 13}-02-28`, `${leapYear + 13}-03-01`],
])('The next birthday has both days of a birth date that is %s', async (_, birthDate, bornOn, on, surelyOn) => {
  expect(await comingFor(birthDate)).toMatchObject({ age: 13, birthDate, bornOn, on, surelyOn });
});

it('What an age takes away is private on the first day, and what it gives is seen on the last', async () => {
  const gives = await comingFor(`${year - 17}`, { basis: 'court-appointed', relation: 'guardian' });
  const encounter = { kind: 'Encounter', now: false, later: false, surely: true };
  expect(gives).toMatchObject({ age: 18, takes: false, bornOn: 'year', kinds: expect.arrayContaining([encounter]) });
  const takes = await comingFor(`${year - 12}`);
  expect(takes.takes).toBe(true);
  const visits = { kind: 'Encounter', now: true, later: false, surely: false };
  expect(takes.kinds).toContainEqual(visits);
});

it('An age that changes nothing of what is seen is passed over', async () => {
  expect(await comingFor(`${year - 12}-12-31`, { level: 'basics' })).toMatchObject({ age: 16, needsAgreement: true });
});

it.each([
  ['takes something', 13, 20, { basis: 'parental-responsibility' }, true],
  ['gives something', 18, 20, { basis: 'court-appointed', relation: 'guardian' }, true],
  ['changes nothing', 13, 20, { basis: 'parental-responsibility', level: 'basics' }, false],
  ['takes something, in 40 days', 13, 40, { basis: 'parental-responsibility' }, false],
])(
  'The representative’s card names the day of an age that %s in the 30 days before it',
  async (_, age, days, more, isNamed) => {
    const day = birthdayAfter(dayIn(new Date(), 'Europe/Amsterdam'), days);
    await comingFor(bornFor(age, day), more);
    const { lookedAfter } = (await ana.get('/api/representation')).json<OwnRelationships>();
    const card = lookedAfter.find(({ patient }) => patient === `child-${count}`);
    expect(card?.changesOn).toBe(isNamed ? day : null);
  },
);
