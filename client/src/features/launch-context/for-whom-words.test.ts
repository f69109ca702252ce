import type { ForWhom } from '../../../../src/contract/launch-context.js';
import { isFull, linesOf } from './for-whom-words.js';

const child: ForWhom = {
  name: 'Leo Duarte',
  relation: 'child',
  birthDate: '2022-03-09',
  levels: [{ id: 'full', label: 'Full' }],
  kinds: null,
  end: null,
  next: null,
  selectable: true,
};
const now = new Date(2026, 10, 29);

describe('The lines about a patient for whom the user acts', () => {
  it.each([
    ['no end', {}, ['Your child, 4 years']],
    [
      'an age',
      { next: { on: '2035-03-09', ends: false, needsAgreement: false } },
      ['Your child, 4 years', 'Less from March 9, 2035'],
    ],
    [
      'a last age',
      { next: { on: '2040-03-09', ends: true, needsAgreement: false } },
      ['Your child, 4 years', 'Ends on March 9, 2040'],
    ],
    [
      'an age from which the patient is asked',
      { next: { on: '2038-03-09', ends: false, needsAgreement: true } },
      ['Your child, 4 years', 'From March 9, 2038, only if they agree'],
    ],
    ['a last day', { end: '2027-06-01' }, ['Your child, 4 years', 'Until and on June 1, 2027']],
    [
      'a last day before an age',
      { end: '2027-06-01', next: { on: '2035-03-09', ends: false, needsAgreement: false } },
      ['Your child, 4 years', 'Until and on June 1, 2027'],
    ],
    [
      'an age before the last day',
      { end: '2037-06-01', next: { on: '2035-03-09', ends: false, needsAgreement: false } },
      ['Your child, 4 years', 'Less from March 9, 2035'],
    ],
    [
      'some kinds',
      { kinds: ['Patient', 'Immunization', 'AllergyIntolerance', 'Goal'] },
      ['Your child, 4 years', 'Only: Vaccinations, Allergies, and Goals'],
    ],
    [
      'many kinds',
      { kinds: ['Immunization', 'AllergyIntolerance', 'Goal', 'Condition'] },
      ['Your child, 4 years', 'Only: Vaccinations and Allergies, and 2 more'],
    ],
    [
      'categories and labels of kinds',
      { kinds: ['Observation?category=vital-signs', '?_security=MH'] },
      ['Your child, 4 years', 'Only: Vital signs and mental health'],
    ],
    ['the own record', { relation: null, birthDate: '1990-01-01' }, ['Your own record']],
  ] satisfies [string, Partial<ForWhom>, string[]][])('say %s', (_, members, lines) => {
    expect(linesOf({ ...child, ...members }, now)).toEqual(lines);
  });

  it('call a level full only if nothing but what is private is left out', () => {
    expect([isFull(child), isFull({ ...child, kinds: [] }), isFull({ ...child, relation: null })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
