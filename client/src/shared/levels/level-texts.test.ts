import type { LevelKinds } from '../../../../src/contract/representation/levels.js';
import { levelInText, levelLine, levelName, namedKinds, namesOfLevel } from './level-texts.js';

const nothing = { types: [], categories: [], securityLabels: [], codedElements: [] };
const level = (kinds: string[] | null, without: Partial<LevelKinds['without']> = {}) => ({
  kinds,
  without: { ...nothing, ...without },
});

describe('The line about a level says', () => {
  it.each([
    ['everything', level(null), 'Everything'],
    ['what it leaves out', level(null, { types: ['Claim'] }), 'Everything but what is kept private'],
    ['its kinds', level(['Patient', 'AllergyIntolerance', 'Immunization']), 'Only: Allergies and Vaccinations'],
    [
      'three of three kinds',
      level(['Patient', 'AllergyIntolerance', 'Immunization', 'Observation?category=vital-signs']),
      'Only: Allergies, Vaccinations, and Vital signs',
    ],
    [
      'the number of further kinds',
      level(['AllergyIntolerance', 'Immunization', 'Goal', 'Condition']),
      'Only: Allergies and Vaccinations, and 2 more',
    ],
    ['that only the name is seen', level(['Patient']), 'Nothing of the record'],
  ])('%s', (_, one, text) => {
    expect(levelLine(one)).toBe(text);
  });
});

describe('The kinds of a level have names', () => {
  it('in each way in which they are configured, once', () => {
    const kinds = ['Goal', 'contact-details', 'DiagnosticReport.presentedForm', '?_security=PSY,MH', '?_security=a|XY'];
    expect(namesOfLevel(level(kinds)).shown).toEqual([
      'Goals',
      'Contact details',
      'Reports, attached files',
      'mental health',
      'what is labelled XY',
    ]);
  });

  it('also where they are private', () => {
    const without = {
      types: ['Claim'],
      categories: ['Observation/vital-signs'],
      securityLabels: ['ETH', 'http://example.org|SUD', 'NEW'],
      codedElements: ['MedicationRequest/medication'],
    };
    const { shown, hidden } = namesOfLevel(level(null, without));
    expect(shown).toBeNull();
    expect(hidden.slice(1)).toEqual(['Vital signs', 'substance use', 'what is labelled NEW', 'Medication by code']);
  });
});

describe('Single kinds', () => {
  it('of one name are chosen together', () => {
    const kinds = ['Goal', '?_security=MH', '?_security=PSY'].map((kind) => ({ kind, isSensitive: kind !== 'Goal' }));
    expect(namedKinds({ level: 'full', kinds })).toEqual([
      { name: 'Goals', value: 'Goal', isSensitive: false },
      { name: 'mental health', value: '?_security=MH ?_security=PSY', isSensitive: true },
    ]);
  });

  it('behind the id of a level are named in its place', () => {
    const levels = [{ id: 'full', label: 'Full' }];
    expect(['full', 'full Goal Claim', 'gone'].map((text) => levelName(levels, text))).toEqual([
      ...['Full', 'Chosen kinds: Goals and Bills', 'gone'],
    ]);
    expect(levelName([], 'gone ?_security=MH Goal')).toBe('Chosen kinds: Goals and mental health');
    expect([levelInText('Full', undefined), levelInText('Any', ['Goal', 'Claim'])]).toEqual([
      ...['Full', 'only Goals and Bills'],
    ]);
  });
});
