import type { LaunchContextRequest } from '../../../src/contract/launch-context.js';

import { type NewRelationship, Relationships } from '../../../src/representation/domain/relationships.js';
import { setProcessAhead, withMovableClock } from '../../support/database/movable-clock.js';
import { actingIn, jwtApp } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';

/**
 * What the words of the rules say of 45 patients on four moments around midnight of 3 May 2027 in Amsterdam, asked over
 * HTTP: from both clocks, that of the process and that of the database.
 */
const moments = [
  '2027-05-02T21:50:00Z',
  '2027-05-02T22:00:00Z',
  '2027-05-03T22:00:00Z',
  '2027-06-01T10:00:00Z',
] as const;

/** Permitted levels without blanks, `-` for none; on each of the moments. */
type Seen = readonly [string, string, string, string];

interface Scenario {
  basis?: string;
  relation?: string;
  level?: string;
  /** Members of the relationship. */
  more?: Partial<NewRelationship>;
  patient?: object;
  /** Made by the FHIR server: the code of its RelatedPerson, and further members of it. */
  server?: { code: string; more?: object };
  seen: Seen;
}

const all = (text: string): Seen => [text, text, text, text];
const parent = { basis: 'parental-responsibility', relation: 'parent' };
const voluntary = { basis: 'voluntary', relation: 'helper' };
const attorney = { basis: 'power-of-attorney', relation: 'attorney' };
const court = { basis: 'court-appointed', relation: 'guardian' };
const carer = { basis: 'carer', relation: 'carer' };
const born = (birthDate: string | undefined) => ({ patient: { birthDate } });
const agreed = (...agreedSteps: number[]) => ({ more: { agreedSteps } });

const scenarios: Record<string, Scenario> = {
  // Parents, by age.
  'parent-small': { ...parent, ...born('2022-01-01'), seen: all('full') },
  'parent-13-today': { ...parent, ...born('2014-05-03'), seen: ['full', 'full+basics', 'full+basics', 'full+basics'] },
  'parent-13-tomorrow': { ...parent, ...born('2014-05-04'), seen: ['full', 'full', 'full+basics', 'full+basics'] },
  'parent-13-before': { ...parent, ...born('2014-05-02'), seen: all('full+basics') },
  'parent-16-today': { ...parent, ...born('2011-05-03'), seen: ['full+basics', '-', '-', '-'] },
  'parent-16-agreed': { ...parent, ...born('2011-05-03'), ...agreed(16), seen: all('full+basics') },
  'parent-18-today': { ...parent, ...born('2009-05-03'), ...agreed(16), seen: ['full+basics', '-', '-', '-'] },
  'parent-18-before': { ...parent, ...born('2009-05-02'), ...agreed(16), seen: all('-') },
  'parent-newborn': { ...parent, ...born('2027-05-02'), seen: all('full') },
  'parent-unborn': { ...parent, ...born('2027-05-03'), seen: ['-', 'full', 'full', 'full'] },
  'parent-far-future': { ...parent, ...born('2030-01-01'), seen: all('-') },
  // Parts of a date.
  'parent-year-13': { ...parent, ...born('2014'), seen: all('full+basics') },
  'parent-year-14': { ...parent, ...born('2013'), seen: all('full+basics') },
  'parent-year-18': { ...parent, ...born('2009'), ...agreed(16), seen: all('-') },
  'parent-month-13': { ...parent, ...born('2014-05'), seen: all('full+basics') },
  'parent-next-month': { ...parent, ...born('2014-06'), seen: ['full', 'full', 'full', 'full+basics'] },
  'parent-month-18': {
    ...parent,
    ...born('2009-06'),
    ...agreed(16),
    seen: ['full+basics', 'full+basics', 'full+basics', '-'],
  },
  // No date, and none that is one.
  'parent-none': { ...parent, ...born(undefined), seen: all('-') },
  'parent-none-decided': { ...parent, ...born(undefined), more: { withoutBirthDate: true }, seen: all('full') },
  'parent-decided-dated': {
    ...parent,
    ...born('2014-05-03'),
    more: { withoutBirthDate: true },
    seen: ['full', 'full+basics', 'full+basics', 'full+basics'],
  },
  'parent-no-date': { ...parent, ...born('3 May 2014'), more: { withoutBirthDate: true }, seen: all('-') },
  'parent-31-april': { ...parent, ...born('2014-04-31'), seen: all('-') },
  // Levels.
  'parent-basics': { ...parent, level: 'basics', ...born('2022-01-01'), seen: all('basics+full') },
  'parent-daily-teen': {
    ...parent,
    level: 'daily',
    ...born('2014-05-03'),
    seen: ['daily+full', 'daily+basics', 'daily+basics', 'daily+basics'],
  },
  // Approved above the table: for its step alone, and never past an end.
  'above-13': { ...parent, ...born('2012-01-01'), more: { aboveTable: { step: 13, until: null } }, seen: all('full') },
  'above-13-until': {
    ...parent,
    ...born('2012-01-01'),
    more: { aboveTable: { step: 13, until: '2027-05-02' } },
    seen: ['full', 'full+basics', 'full+basics', 'full+basics'],
  },
  'above-13-at-16': {
    ...parent,
    ...born('2011-05-03'),
    more: { aboveTable: { step: 13, until: null }, agreedSteps: [16] },
    seen: ['full', 'full+basics', 'full+basics', 'full+basics'],
  },
  'above-18': {
    ...parent,
    ...born('2009-05-03'),
    more: { aboveTable: { step: 18, until: null }, agreedSteps: [16] },
    seen: ['full+basics', '-', '-', '-'],
  },
  'above-coming': {
    ...parent,
    ...born('2014-05-03'),
    more: { aboveTable: { step: 13, until: null, level: 'daily' } },
    seen: ['full', 'full+daily', 'full+daily', 'full+daily'],
  },
  // Periods: the last day counts.
  'period-last': { ...parent, ...born('2022-01-01'), more: { end: '2027-05-02' }, seen: ['full', '-', '-', '-'] },
  'period-today': { ...parent, ...born('2022-01-01'), more: { end: '2027-05-03' }, seen: ['full', 'full', '-', '-'] },
  'period-begins': {
    ...parent,
    ...born('2022-01-01'),
    more: { start: '2027-05-03' },
    seen: ['-', 'full', 'full', 'full'],
  },
  // Other bases.
  'voluntary-16': { ...voluntary, ...born('2011-05-03'), seen: ['-', 'full', 'full', 'full'] },
  'voluntary-old': { ...voluntary, ...born('1940'), seen: all('full') },
  'attorney-18': { ...attorney, ...born('2009-05-03'), seen: ['-', 'full', 'full', 'full'] },
  'attorney-month': { ...attorney, ...born('2009-05'), seen: ['-', '-', '-', 'full'] },
  'court-13': { ...court, ...born('2014-05-03'), seen: ['full', 'full+basics', 'full+basics', 'full+basics'] },
  'court-18': { ...court, ...born('2009-05-03'), seen: ['full+basics', 'full', 'full', 'full'] },
  'carer-adult': { ...carer, ...born('1980-05-03'), seen: all('full+daily') },
  // Death.
  dead: { ...parent, patient: { birthDate: '2022-01-01', deceasedDateTime: '2027-05-01' }, seen: all('-') },
  'not-dead': { ...parent, patient: { birthDate: '2022-01-01', deceasedBoolean: false }, seen: all('full') },
  // Made by the FHIR server.
  'server-13': {
    server: { code: 'MTH' },
    ...born('2014-05-03'),
    seen: ['full', 'full+basics', 'full+basics', 'full+basics'],
  },
  'server-18': { server: { code: 'MTH' }, ...born('2009-05-03'), seen: all('-') },
  'server-period': {
    server: { code: 'MTH', more: { period: { end: '2027-05-02' } } },
    ...born('2022-01-01'),
    seen: ['full', '-', '-', '-'],
  },
  'server-helper': { server: { code: 'HLP' }, ...born('2011-05'), seen: ['-', '-', '-', 'basics'] },
};

let portal: FamilyPortal;
const { begin, question, admin } = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({
    reachDatabase: withMovableClock,
    config: {
      clients: [jwtApp],
      representation: {
        source: 'server',
        relationshipCodes: [
          { code: 'http://role|MTH', basis: 'parental-responsibility', level: 'full', relation: 'mother' },
          { code: 'http://role|HLP', basis: 'voluntary', level: 'basics', relation: 'helper' },
        ],
      },
    },
  });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const ana = await portal.accountId(family.ana);
  const decidedAt = new Date('2024-01-01T00:00:00Z');
  for (const [patient, { basis = '', relation = '', level = 'full', more, server, patient: record }] of Object.entries(
    scenarios,
  )) {
    portal.has(patient, record);
    if (server) {
      portal.records.set(`of-${patient}`, {
        ...{ resourceType: 'RelatedPerson', id: `of-${patient}`, active: true },
        patient: { reference: `Patient/${patient}` },
        relationship: [{ coding: [{ system: 'http://role', code: server.code }] }],
        ...server.more,
      });
    } else {
      await relationships.add(aNewRelationship(ana, { decidedAt, basis, relation, level, ...more, patient }));
    }
  }
  const references = Object.keys(scenarios).flatMap((id) => (scenarios[id]?.server ? [`RelatedPerson/of-${id}`] : []));
  const named = await (await admin()).send(`/api/admin/representation/account/${ana}/references`, {
    method: 'PUT',
    body: { references },
  });
  expect(named.status).toBeLessThan(300);
});

afterAll(async () => {
  setProcessAhead(0);
  await portal.close();
});

async function moveTo(moment: string): Promise<void> {
  setProcessAhead(0);
  const ahead = Date.parse(moment) - Date.now();
  await portal.query('UPDATE clock.ahead SET by = make_interval(secs => $1)', [ahead / 1000]);
  setProcessAhead(ahead);
}

/** Whom Ana may act for, with the levels that all have to permit. */
async function seenNow(): Promise<Record<string, string>> {
  const asked = (await question(await begin(family.ana))) as LaunchContextRequest;
  const rows = asked.resourceData.flatMap(({ data }) => data);
  return Object.fromEntries(
    rows.flatMap(({ id, forWhom }) =>
      forWhom?.relation == null ? [] : [[id.replace('Patient/', ''), forWhom.levels.map((one) => one.id).join('+')]],
    ),
  );
}

it.each(moments.map((moment, index) => [moment, index] as const))(
  'At %s each patient is seen as far as the rules say',
  async (moment, index) => {
    await moveTo(moment);
    const seen = await seenNow();
    const expected = Object.entries(scenarios).map(([id, { seen: one }]) => [id, one[index]]);
    expect(Object.keys(scenarios).map((id) => [id, seen[id] ?? '-'])).toEqual(expected);
  },
);

it('Two approvals above the table, with a birthday between them, are first approvals of two steps', async () => {
  portal.has('between', { birthDate: '2011-05-03' });
  await moveTo(moments[0]);
  const decide = async (person: (typeof family)['admin'], id: string) =>
    (await portal.as(person)).post(`/api/admin/representation/${id}/decision`, {
      ...{ decision: 'approve', note: 'Seen', level: 'full', exceedsTable: true },
    });
  const proposal = { email: family.ana.email, patient: 'between', basis: 'parental-responsibility', level: 'full' };
  const { id } = (await (await portal.as(family.admin)).post('/api/admin/representation', proposal)).json<{
    id: string;
  }>();
  const first = (await decide(family.admin, id)).json();
  expect(first).toMatchObject({ status: 'proposed', awaitsSecond: true, aboveTable: { step: 13 } });
  await moveTo(moments[1]);
  const second = (await decide(family.secondAdmin, id)).json();
  expect(second).toMatchObject({ status: 'proposed', awaitsSecond: true, aboveTable: { step: 16 } });
  const last = (await decide(family.admin, id)).json();
  expect(last).toMatchObject({ status: 'active', aboveTable: { step: 16, until: null } });
});
