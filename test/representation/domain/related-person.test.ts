import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';
import {
  countingOn,
  isAbout,
  relatedPersonsOf,
  relationshipIn,
} from '../../../src/representation/domain/related-person.js';

const names = new ServerNames('http://fhir.internal/r4', ['https://fhir.example'], 'https://login.example/fhir');
const codes = [
  { code: 'http://role|MTH', basis: 'parental-responsibility', level: 'full', relation: 'mother' },
  { code: 'CGV', basis: 'carer', level: 'daily' },
];
const mother = {
  resourceType: 'RelatedPerson',
  ...{ id: 'ana-of-leo', active: true },
  patient: { reference: 'Patient/leo' },
  relationship: [{ coding: [{ system: 'http://role', code: 'MTH' }] }],
};
const known = {
  ...{ patient: 'leo', relatedPerson: 'RelatedPerson/ana-of-leo' },
  ...{ basis: 'parental-responsibility', level: 'full', relation: 'mother', start: null, end: null },
};
const coded = (...coding: object[]) => ({ ...mother, relationship: [{ coding }] });
const during = (period: unknown) => ({ ...mother, period });

describe('A RelatedPerson', () => {
  it.each<[string, unknown, object | undefined]>([
    ['is a relationship', mother, known],
    ['is one by a code of any system', coded({ system: 'x', code: 'CGV' }), { basis: 'carer', relation: undefined }],
    ['is one by its second code', coded({ code: 'X' }, { system: 'http://role', code: 'MTH' }), known],
    ['is none by the code of another system', coded({ system: 'x', code: 'MTH' }), undefined],
    ['is none without a relationship', { ...mother, relationship: undefined }, undefined],
    ['is none that is inactive', { ...mother, active: false }, undefined],
    ['is none that does not say whether it is active', { ...mother, active: undefined }, undefined],
    ['is none of another server', { ...mother, patient: { reference: 'http://other/Patient/leo' } }, undefined],
    ['is none of what is no patient', { ...mother, patient: { reference: 'Group/leo' } }, undefined],
    ...[
      ...['http://fhir.internal/r4/Patient/leo', 'https://fhir.example/Patient/leo', 'Patient/leo/_history/1'],
      ...[
        'https://login.example/fhir/Patient/leo',
        'http://FHIR.internal:80/r4/Patient/leo/_history/2',
        'Patient/leo/',
      ],
    ].map((reference): [string, object, object] => [
      `is one of ${reference}, which is on its server`,
      { ...mother, patient: { reference } },
      known,
    ]),
    ...[
      ...[
        'http://fhir.internal/r5/Patient/leo',
        'http://fhir.internal/Patient/leo',
        'https://fhir.example:8443/Patient/leo',
      ],
      ...[
        'https://fhir.example.evil/Patient/leo',
        'http://fhir.internal/r4/tenant/Patient/leo',
        'urn:uuid:Patient/leo',
      ],
      ...['Patient/leo/_history', 'Patient/leo/Observation/1', 'Patient/leo/_history/1/2', '/Patient/leo', '#leo', ''],
    ].map((reference): [string, object, undefined] => [
      `is none of ${reference}`,
      { ...mother, patient: { reference } },
      undefined,
    ]),
    [
      'is none of a patient whom it names by an identifier alone',
      { ...mother, patient: { type: 'Patient', identifier: { system: 'urn:mrn', value: 'leo' }, display: 'Leo' } },
      undefined,
    ],
    [
      'is none with an id that is too long',
      { ...mother, patient: { reference: `Patient/${'x'.repeat(65)}` } },
      undefined,
    ],
    ['is none with a reference that is no text', { ...mother, patient: { reference: ['Patient/leo'] } }, undefined],
    [
      'is one by the first code that is configured',
      coded({ system: 'http://role', code: 'MTH' }, { code: 'CGV' }),
      known,
    ],
    ['is none with a begin after other text', during({ start: 'on 2026-01-05' }), undefined],
    ['is none with an end before other text', during({ end: '2026-01-05 or so' }), undefined],
    ['is none without a patient', { ...mother, patient: undefined }, undefined],
    ['is none of another type', { ...mother, resourceType: 'Person' }, undefined],
    ['is none that is missing', undefined, undefined],
    [
      'has the days of its period',
      during({ start: '2026-01-05', end: '2027-02-03T10:00:00Z' }),
      { start: '2026-01-05', end: '2027-02-03' },
    ],
    ['begins on the first possible day', during({ start: '2026-03' }), { start: '2026-03-01', end: null }],
    ['begins with its year', during({ start: '2026' }), { start: '2026-01-01', end: null }],
    ['ends on the last day of a month', during({ end: '2028-02' }), { start: null, end: '2028-02-29' }],
    ['ends with its year', during({ end: '2026' }), { start: null, end: '2026-12-31' }],
    ['is none with a period that cannot be read', during({ end: 'soon' }), undefined],
    ['is none with a begin that cannot be read', during({ start: 'long ago' }), undefined],
  ])('%s', (_, resource, expected) => {
    const found = relationshipIn(resource, codes, names);
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });
});

describe('Of several RelatedPersons', () => {
  const one = (name: string, start: string | null, end: string | null, patient = 'leo') => ({
    ...{ patient, relatedPerson: `RelatedPerson/${name}`, basis: 'b', level: 'l', relation: undefined, start, end },
  });
  const over = one('over', null, '2026-05-09');
  const lastDay = one('last-day', '2026-01-01', '2026-05-10');
  const firstDay = one('first-day', '2026-05-10', null);
  const later = one('later', '2026-05-11', null);
  const ofMia = one('of-mia', null, null, 'mia');

  it.each([
    ['none that is over', [over], []],
    ['one on its last day', [lastDay], ['last-day']],
    ['one that begins later', [later], ['later']],
    ['the one that has begun', [later, over, firstDay], ['first-day']],
    ['the first of two that have begun', [lastDay, firstDay], ['last-day']],
    ['the first of two that begin later', [later, { ...later, relatedPerson: 'RelatedPerson/x' }], ['later']],
    ['one for each patient', [ofMia, over, lastDay, later], ['last-day', 'of-mia']],
    ['none of none', [], []],
  ])('%s counts', (_which, found, expected) => {
    const names = countingOn('2026-05-10', found).map(({ relatedPerson }) => relatedPerson.split('/')[1]);
    expect(names.sort()).toEqual(expected);
  });
});

describe('A Person', () => {
  const person = { resourceType: 'Person', link: [{ target: { reference: 'RelatedPerson/a' } }] };
  it.each<[string, unknown, string[]]>([
    ['names its RelatedPersons', person, ['RelatedPerson/a']],
    ['names no others', { ...person, link: [{ target: { reference: 'Patient/a' } }, { target: {} }] }, []],
    ['names none when inactive', { ...person, active: false }, []],
    ['names none without links', { resourceType: 'Person' }, []],
    ['is none of another type', { ...person, resourceType: 'Patient' }, []],
    ['names none of another server', { ...person, link: [{ target: { reference: 'x/RelatedPerson/a' } }] }, []],
    ...[
      ...[
        'RelatedPerson/a/_history/1',
        'http://fhir.internal/r4/RelatedPerson/a',
        'https://fhir.example/RelatedPerson/a',
      ],
    ].map((reference): [string, object, string[]] => [
      `names ${reference}`,
      { ...person, link: [{ target: { reference } }] },
      ['RelatedPerson/a'],
    ]),
    [
      'names none with a long id',
      { ...person, link: [{ target: { reference: `RelatedPerson/${'x'.repeat(65)}` } }] },
      [],
    ],
  ])('%s', (_, resource, expected) => {
    expect(relatedPersonsOf(resource, names)).toEqual(expected);
  });
});

test.each<[string, unknown, boolean]>([
  ['A RelatedPerson of the patient', mother, true],
  ['A RelatedPerson of another patient', { ...mother, patient: { reference: 'Patient/mia' } }, false],
  [
    'A RelatedPerson of the patient by address',
    { ...mother, patient: { reference: 'https://fhir.example/Patient/leo' } },
    true,
  ],
  [
    'A RelatedPerson of one elsewhere',
    { ...mother, patient: { reference: 'https://other.example/Patient/leo' } },
    false,
  ],
  ['An inactive RelatedPerson', { ...mother, active: false }, false],
  ['A RelatedPerson that does not say whether it is active', { ...mother, active: undefined }, true],
  ['A Person', { resourceType: 'Person' }, true],
  ['An inactive Person', { resourceType: 'Person', active: false }, false],
  ['A resource of another type', { ...mother, resourceType: 'Patient' }, false],
])('%s may be that of a representative', (_what, resource, expected) => {
  expect(isAbout(resource, 'leo', names)).toBe(expected);
});
