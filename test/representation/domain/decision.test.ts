import type { AgeStep } from '../../../src/representation/domain/ages.js';
import { decide, refusalOf } from '../../../src/representation/domain/decision.js';
import {
  factsOf,
  goneMs,
  isFaultOfServer,
  type PatientFacts,
} from '../../../src/representation/domain/patient-facts.js';
import type { Relationship } from '../../../src/representation/domain/relationship.js';
import { aRelationship } from '../../support/representation/relationship.js';

const day = '2026-05-10';
const facts: PatientFacts = {
  birthDate: '2013-01-01',
  isDeceased: false,
  isActive: true,
  replacedBy: undefined,
  name: 'Leo Duarte',
  firstName: 'Leo',
  readAt: new Date(),
};
const ages: AgeStep[] = [
  { from: 0, level: 'full' },
  { from: 13, level: 'basics' },
  { from: 16, agreement: true },
  { from: 17, level: 'not-possible' },
  { from: 18, level: 'ends' },
];
const on = (patient: Partial<PatientFacts> = {}, relationship: Partial<Relationship> = {}, table = ages) =>
  decide(aRelationship(relationship), { day, ages: table, facts: { ...facts, ...patient }, survivesDeath: false });
const levels = (...ids: string[]) => ({ permitted: true, levels: ids });
const refused = (cause: string) => ({ permitted: false, cause });

describe('A relationship', () => {
  it.each([
    ['active', {}, undefined],
    ['proposed', { status: 'proposed' }, 'not-active'],
    ['declined', { status: 'declined' }, 'not-active'],
    ['ended', { status: 'ended', reason: 'patient' }, 'ended'],
    ['of an account that is gone', { accountId: null }, 'ended'],
    ['suspended because the record is deleted', { status: 'suspended', reason: 'deleted' }, 'suspended'],
    ['suspended because the patient ended it', { status: 'suspended', reason: 'patient-ended' }, 'suspended'],
    [
      'suspended because of a death that the record may take back',
      { status: 'suspended', reason: 'deceased' },
      undefined,
    ],
    ['suspended until an agreement that may be there', { status: 'suspended', reason: 'agreement' }, undefined],
    ['before its first day', { start: '2026-05-11' }, 'not-begun'],
    ['after a period of some days', { start: '2026-05-01', end: '2026-05-09' }, 'over'],
    ['on its first day', { start: day }, undefined],
    ['on its last day', { end: day }, undefined],
    ['after its last day', { end: '2026-05-09' }, 'over'],
  ] satisfies [string, Partial<Relationship>, string | undefined][])('that is %s is decided so', (_, state, cause) => {
    expect(refusalOf(aRelationship(state), day)).toBe(cause);
  });

  it('has what its own level and that of the age step both permit', () => {
    expect(on({}, { level: 'daily' })).toEqual(levels('daily', 'basics'));
    expect(on({ birthDate: '2020-01-01' }, { level: 'daily' })).toEqual(levels('daily', 'full'));
    expect(on({ birthDate: '2013' }, { level: 'daily' })).toEqual(levels('daily', 'full', 'basics'));
    expect(on({}, {}, [])).toEqual(levels('full'));
  });

  it('has its own level alone where the step names none, once the patient has agreed', () => {
    expect(on({ birthDate: '2010-01-01' })).toEqual(refused('agreement'));
    expect(on({ birthDate: '2010-01-01' }, { agreedSteps: [13] })).toEqual(refused('agreement'));
    expect(on({ birthDate: '2010-01-01' }, { agreedSteps: [16] })).toEqual(levels('full'));
  });

  it.each(['2008-05-10', '2008', '2009-01-01'])('ends at the age of the table: born %s', (birthDate) => {
    expect(on({ birthDate })).toEqual(refused('age'));
  });

  it('is not possible below the table', () => {
    expect(on({}, {}, [{ from: 16 }])).toEqual(refused('too-young'));
  });

  it('needs a birth date or the decision of administrators, which counts until there is one', () => {
    expect(on({ birthDate: undefined })).toEqual(refused('birth-date-missing'));
    expect(on({ birthDate: undefined }, { withoutBirthDate: true })).toEqual(levels('full'));
    for (const birthDate of ['2027-01-01', 'spring']) {
      expect(on({ birthDate }, { withoutBirthDate: true })).toEqual(refused('birth-date-missing'));
    }
    expect(on({}, { withoutBirthDate: true })).toEqual(levels('full', 'basics'));
  });

  it('is refused as soon as one of the possible ages is refused', () => {
    const table: AgeStep[] = [{ from: 0 }, { from: 16, agreement: true }, { from: 18, level: 'ends' }];
    expect(on({ birthDate: '2010' }, {}, table)).toEqual(refused('agreement'));
    expect(on({ birthDate: '2008' }, { agreedSteps: [16] }, table)).toEqual(refused('age'));
    expect(on({ birthDate: '2009' }, { agreedSteps: [16] }, table)).toEqual(levels('full'));
  });

  it('may exceed the level of one step, until the next or its own last day, and never past an end', () => {
    const above = (step: number, until: string | null = null) => ({ aboveTable: { step, until } });
    expect(on({}, above(13))).toEqual(levels('full'));
    expect(on({}, above(13, day))).toEqual(levels('full'));
    expect(on({}, above(13, '2026-05-09'))).toEqual(levels('full', 'basics'));
    expect(on({ birthDate: '2010-01-01' }, above(13))).toEqual(refused('agreement'));
    expect(on({ birthDate: '2008-01-01' }, above(18))).toEqual(refused('age'));
  });

  it('has another level in the place of that of the step, where one was approved for it', () => {
    const above = { aboveTable: { step: 13, until: day, level: 'daily' } };
    expect(on({}, above)).toEqual(levels('full', 'daily'));
    expect(on({}, { aboveTable: { step: 16, until: null, level: 'daily' } })).toEqual(levels('full', 'basics'));
    expect(on({}, { aboveTable: { ...above.aboveTable, until: '2026-05-09' } })).toEqual(levels('full', 'basics'));
  });

  it.each([
    ['deceased', { isDeceased: true }],
    ['record-inactive', { isActive: false }],
    ['record-replaced', { replacedBy: 'other' }],
  ] satisfies [string, Partial<PatientFacts>][])('is refused as %s', (cause, patient) => {
    expect(on(patient)).toEqual(refused(cause));
  });

  it('may continue after the death where its basis says so', () => {
    const decision = decide(aRelationship(), {
      day,
      ages: [],
      facts: { ...facts, isDeceased: true },
      survivesDeath: true,
    });
    expect(decision).toEqual(levels('full'));
  });
});

describe('Records that are gone', () => {
  it.each([
    [3, 10, false],
    [4, 10, true],
    [4, 499, false],
    [5, 499, true],
    [5, 500, false],
    [20, 100_000, false],
    [21, 100_000, true],
  ])('%d in an hour of %d relationships are a fault of the server: %s', (inHour, all, expected) => {
    expect(isFaultOfServer({ inHour, all })).toBe(expected);
  });

  it('count when they are gone for five minutes', () => expect(goneMs).toBe(300_000));
});

describe('The record of a patient', () => {
  const read = (more: object) =>
    factsOf({ resourceType: 'Patient', id: 'leo', ...more }, { tenant: undefined, patient: 'leo' }, new Date(0));

  it.each([
    [{ birthDate: '2020-01-01' }, { birthDate: '2020-01-01' }],
    [{ birthDate: 2020 }, { birthDate: undefined }],
    [{ deceasedBoolean: true }, { isDeceased: true }],
    [{ deceasedBoolean: false }, { isDeceased: false }],
    [{ deceasedDateTime: '2026' }, { isDeceased: true }],
    [{ active: false }, { isActive: false }],
    [{ link: [{ type: 'replaced-by', other: { reference: 'Patient/new' } }] }, { replacedBy: 'new' }],
    [{ link: [{ type: 'replaces', other: { reference: 'Patient/old' } }] }, { replacedBy: undefined }],
    [{ link: [{ type: 'replaced-by' }] }, { replacedBy: '' }],
    [{ link: [null] }, { replacedBy: undefined }],
    [
      {
        name: [
          { use: 'official', text: 'Leonor Duarte' },
          { use: 'usual', text: ' Leo Duarte ' },
        ],
      },
      { name: 'Leo Duarte', firstName: 'Leo' },
    ],
    [{ name: [{ given: ['Leo'], family: 7 }] }, { name: 'Leo', firstName: 'Leo' }],
    [
      {
        link: [
          { type: 'replaced-by', other: { reference: 'https://x.example/r4/Patient/new' } },
          { type: 'replaced-by', other: { reference: 'Patient/newer' } },
        ],
      },
      { replacedBy: 'new' },
    ],
    [{ name: [{ given: ['Leo', 'M'], family: 'Duarte' }] }, { name: 'Leo M Duarte', firstName: 'Leo' }],
    [
      { name: [{ text: 'Old Name' }, { use: 'official', text: 'Leo Duarte' }] },
      { name: 'Leo Duarte', firstName: 'Leo' },
    ],
    [{ name: [] }, { name: 'leo', firstName: 'leo' }],
  ])('says %j', (more, expected) => {
    expect(read(more)).toMatchObject(expected);
  });

  it('is none of another patient or type', () => {
    expect(read({ id: 'mia' })).toBeUndefined();
    expect(read({ resourceType: 'OperationOutcome' })).toBeUndefined();
    expect(factsOf(null, { tenant: undefined, patient: 'leo' }, new Date())).toBeUndefined();
  });
});
