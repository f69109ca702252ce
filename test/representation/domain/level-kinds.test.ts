import { type LevelRule, PermittedRecord } from '../../../src/representation/application/permitted-record.js';
import { allOf } from '../../../src/representation/domain/level.js';

const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const self = { patient: 'leo', person: undefined, local: (reference: string) => reference };
const rule = (kinds: LevelRule['kinds'], without: Partial<LevelRule['without']> = {}): LevelRule => ({
  ...{ id: 'x', label: 'X', kinds, change: [], without: { ...nothing, ...without } },
});
const record = (levels: LevelRule[]) => new PermittedRecord({ levels, basis: 'voluntary' }, self);

describe('A kind of documents', () => {
  it.each([
    ...['Binary', 'Bundle', 'ClinicalImpression', 'Communication', 'CommunicationRequest', 'Composition'],
    ...['DocumentManifest', 'DocumentReference', 'List', 'Media', 'QuestionnaireResponse'],
  ])('%s is opened by its name, with its content, and by no label', (type) => {
    const meta = { security: [{ code: 'MH' }] };
    const document = { resourceType: type, id: 'x', meta, later: [{ contentType: 'text/plain' }] };
    expect(record([rule(['?_security=MH'])]).permits(document)).toBe(false);
    expect(record([rule([type])]).permits(document)).toBe(true);
  });
});

describe('A category that a search asks for', () => {
  const kinds = ['Observation?category=laboratory,urn:a|b|diary', 'Observation?category=urn:x|survey'];
  it.each([
    ['laboratory', true],
    ['urn:x|laboratory', true],
    ['survey', true],
    ['urn:x|survey', true],
    ['urn:y|survey', false],
    ['|survey', false],
    ['urn:a|b|diary', true],
    ['urn:a|diary', false],
    ['imaging', false],
  ])('%s may be open: %s', (category, expected) => {
    expect(record([rule(kinds)]).permitsCategory('Observation', category)).toBe(expected);
  });

  it('is closed where it is private, whatever its system is', () => {
    const level = rule('full', { categories: ['Observation/survey'] });
    for (const one of ['survey', 'urn:x|survey', 'urn:a|b|survey']) {
      expect(record([level]).permitsCategory('Observation', one)).toBe(false);
      expect(record([level]).permitsCategory('Condition', one)).toBe(true);
    }
  });
});

describe('Of a Patient', () => {
  it('a limited level shows what identifies, with what belongs to it', () => {
    const meta = { versionId: '1', lastUpdated: '2026', profile: ['x'], security: [{ code: 'R' }] };
    const own = {
      resourceType: 'Patient',
      id: 'leo',
      _name: [{}],
      _gender: {},
      _birthDate: {},
      identifier: [{ value: '7' }],
    };
    const shown = record([rule(['Goal'])]).shown({ ...own, meta, maritalStatus: {} });
    expect(shown).toEqual({ ...own, meta: { ...meta, tag: [expect.objectContaining({ code: 'SUBSETTED' })] } });
  });
});

describe('What several rules keep private', () => {
  it('is what one of them keeps private, once', () => {
    const one = { types: ['Flag'], categories: ['A/b'], securityLabels: ['MH'], codes: [] };
    const codes = [{ element: 'A/b', codes: ['c'] }];
    const other = { types: ['Flag', 'Goal'], categories: ['C/d'], securityLabels: ['SEX'], codes };
    expect(allOf([one, other])).toEqual({
      ...{ types: ['Flag', 'Goal'], categories: ['A/b', 'C/d'], securityLabels: ['MH', 'SEX'], codes },
    });
  });
});

describe('Several levels', () => {
  const observation = { resourceType: 'Observation', id: 'o' };
  const levels = [rule('full'), rule(['Goal'])];

  it('permit together what each of them permits', () => {
    const both = record(levels);
    expect(['Goal', 'Observation'].map((type) => both.permitsType(type))).toEqual([true, false]);
    expect(both.permits(observation)).toBe(false);
  });

  it('change together what each of them lets change', () => {
    const changing = (change: LevelRule['change']): LevelRule => ({ ...rule('full'), change });
    const both = record([changing('full'), changing(['Goal'])]);
    expect(['Goal', 'Observation'].map((type) => both.permitsChangeOf(type))).toEqual([true, false]);
    expect([both.permitsChange(observation), both.permitsChange({ resourceType: 'Goal' })]).toEqual([false, true]);
  });
});

describe('What a resource contains', () => {
  const inner = (levels: number, contained: object): object =>
    levels === 0 ? contained : { resourceType: 'Bundle', entry: [{ resource: inner(levels - 1, contained) }] };
  const goal = { resourceType: 'Goal', id: 'g' };

  it('is open as a whole, three levels deep', () => {
    const level = record([rule('full')]);
    expect([3, 4].map((levels) => level.permits(inner(levels, goal)))).toEqual([true, false]);
    expect(record([rule('full', { types: ['Goal'] })]).permits(inner(1, goal))).toBe(false);
    expect(level.permits({ resourceType: 'Bundle', entry: [{}] })).toBe(true);
  });

  it('has entries in a Bundle alone', () => {
    const list = { resourceType: 'List', entry: [{ resource: goal }] };
    expect(record([rule('full', { types: ['Goal'] })]).permits(list)).toBe(true);
  });

  it('is withheld if one of it is private', () => {
    const contained = [goal, { resourceType: 'Flag', id: 'f' }];
    expect(record([rule('full', { types: ['Goal'] })]).permits({ resourceType: 'Observation', contained })).toBe(false);
  });
});

test('The record number is the identifier that has its code among others', () => {
  const number = { value: '7', type: { coding: [{ code: 'x' }, { code: 'MR' }] } };
  const shown = record([rule(['Goal'])]).shown({
    ...{ resourceType: 'Patient', id: 'leo' },
    identifier: [{ value: 'untyped' }, number, { value: 'secret', type: { coding: [{ code: 'SS' }] } }],
  });
  expect(shown).toMatchObject({ identifier: [number] });
});
