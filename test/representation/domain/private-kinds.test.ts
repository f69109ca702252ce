import type { LevelRule } from '../../../src/representation/domain/level.js';
import { privateKindsOf, unrecognisedIn } from '../../../src/representation/domain/private-kinds.js';

const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const level = (without: Partial<LevelRule['without']>, kinds: LevelRule['kinds'] = 'full'): LevelRule => ({
  ...{ id: 'one', label: 'One', kinds, change: [] },
  without: { ...nothing, ...without },
});
const namesOf = (...levels: LevelRule[]) => privateKindsOf(levels).map(({ name }) => name);
const medication = { element: 'MedicationRequest/medication', codes: ['http://rx|pill', 'depot'] };

describe('Kinds that only the content of a resource tells', () => {
  it.each<[string, LevelRule, string[]]>([
    ['a level without exclusions', level({}), []],
    ['a type, which tells itself', level({ types: ['Condition'] }), []],
    ['labels', level({ securityLabels: ['MH', 'HIV'] }), ['meta.security']],
    ['a category', level({ categories: ['Observation/social-history'] }), ['Observation/social-history']],
    ['codes', level({ codes: [medication] }), ['MedicationRequest/medication']],
    ['a category of a type that is not shown', level({ categories: ['Observation/exam'] }, ['Patient']), []],
    [
      'a category next to the one that is shown',
      level({ categories: ['Observation/exam'] }, ['Observation?category=vital-signs']),
      [],
    ],
    ['codes of a type that is not shown', level({ codes: [medication] }, ['Immunization']), []],
  ])('are those of %s', (_, rule, names) => {
    expect(namesOf(rule)).toEqual(names);
  });

  it('are each named once for several levels', () => {
    expect(namesOf(level({ securityLabels: ['MH'] }), level({ securityLabels: ['HIV'] }))).toEqual(['meta.security']);
    expect(namesOf(level({ codes: [medication] }), level({ codes: [medication] }))).toHaveLength(1);
  });

  const kinds = privateKindsOf([
    level({ securityLabels: ['MH'], categories: ['Observation/social-history'], codes: [medication] }),
  ]);
  const all = ['Observation/social-history', 'MedicationRequest/medication', 'meta.security'];
  const social = { resourceType: 'Observation', category: [{ coding: [{ code: 'social-history' }] }] };
  const labelled = { resourceType: 'Condition', meta: { security: [{ code: 'MH' }] } };
  const coded = (coding: object) => ({
    resourceType: 'MedicationRequest',
    medicationCodeableConcept: { coding: [coding] },
  });
  it.each<[string, object[], string[]]>([
    ['nothing', [], all],
    ['a resource without labels', [{ resourceType: 'Condition' }], all],
    ['another label', [{ ...labelled, meta: { security: [{ code: 'R' }] } }], all],
    ['the category of another type', [{ ...social, resourceType: 'Condition' }], all],
    ['the code of another system', [coded({ system: 'http://other', code: 'pill' })], all],
    ['a code of any system', [coded({ system: 'http://other', code: 'depot' })], [all[0] ?? '', all[2] ?? '']],
    ['one of each', [social, labelled, coded({ system: 'http://rx', code: 'pill' })], []],
  ])('are not recognised in %s where that does not tell them', (_, resources, names) => {
    expect(unrecognisedIn(kinds, resources)).toEqual(names);
  });
});
