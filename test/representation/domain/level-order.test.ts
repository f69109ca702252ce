import fc from 'fast-check';
import { isAbove, type LevelRule } from '../../../src/representation/application/permitted-record.js';
import { runs } from '../../support/runs.js';

const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const rule = (
  kinds: LevelRule['kinds'],
  without: Partial<LevelRule['without']> = {},
  change: LevelRule['change'] = [],
) => ({
  id: 'x',
  label: 'X',
  kinds,
  without: { ...nothing, ...without },
  change,
});
const codes = (...list: string[]) => ({ codes: [{ element: 'MedicationRequest/medication', codes: list }] });

describe('A level is above another one', () => {
  test.each<[string, LevelRule, LevelRule, boolean]>([
    ['never if it is the same', rule(['Goal']), rule(['Goal']), false],
    ['if it is full and the other is not', rule('full'), rule(['Goal']), true],
    ['never if the other is full', rule(['Goal']), rule('full'), false],
    ['if it has a kind more', rule(['Goal', 'Flag']), rule(['Goal']), true],
    ['not if it has a kind less', rule(['Goal']), rule(['Goal', 'Flag']), false],
    ['if it has all of a type', rule(['Observation']), rule(['Observation?category=a']), true],
    ['not for a category of the type', rule(['Observation?category=a']), rule(['Observation']), false],
    ['if it has a category more', rule(['Observation?category=a,b']), rule(['Observation?category=a']), true],
    ['not for one of several categories', rule(['Observation?category=a']), rule(['Observation?category=b,a']), false],
    ['not for a category of one system', rule(['Observation?category=s|a']), rule(['Observation?category=a']), false],
    [
      'if it has the category of each system',
      rule(['Observation?category=a']),
      rule(['Observation?category=s|a']),
      true,
    ],
    ['if it has a label more', rule(['?_security=MH,SEX']), rule(['?_security=MH']), true],
    ['not for one of several labels', rule(['?_security=MH']), rule(['?_security=MH,SEX']), false],
    ['if it has contact details', rule(['contact-details']), rule([]), true],
    ['if it has attachments', rule(['Goal', 'Goal.extension']), rule(['Goal']), true],
    ['if the other excludes a type', rule('full'), rule('full', { types: ['Flag'] }), true],
    ['not if it does not name that type', rule(['Goal']), rule('full', { types: ['Flag'] }), false],
    ['not if it excludes that type, too', rule('full', { types: ['Flag'] }), rule('full', { types: ['Flag'] }), false],
    ['if the other excludes a label', rule(['Goal']), rule(['Goal'], { securityLabels: ['MH'] }), true],
    [
      'not if it excludes the label of each system',
      rule('full', { securityLabels: ['MH'] }),
      rule('full', { securityLabels: ['s|MH'] }),
      false,
    ],
    [
      'if it excludes the label of one system',
      rule('full', { securityLabels: ['s|MH'] }),
      rule('full', { securityLabels: ['MH'] }),
      true,
    ],
    ['if the other excludes a category', rule(['Observation']), rule('full', { categories: ['Observation/a'] }), true],
    [
      'not if it does not name that category',
      rule(['Observation?category=b']),
      rule('full', { categories: ['Observation/a'] }),
      false,
    ],
    ['if the other excludes a code', rule('full'), rule('full', codes('s|pill')), true],
    ['not if it excludes that code, too', rule('full', codes('pill')), rule('full', codes('s|pill')), false],
    [
      'if it excludes the code of another element',
      rule('full', { codes: [{ element: 'MedicationRequest/reasonCode', codes: ['s|pill'] }] }),
      rule('full', codes('s|pill')),
      true,
    ],
    ['not if it does not name the type of the code', rule(['Goal']), rule('full', codes('pill')), false],
    ['if it lets change more', rule(['Goal'], {}, ['Goal']), rule(['Goal']), true],
    ['if it lets change all', rule('full', {}, 'full'), rule('full', {}, ['Goal']), true],
    ['not if it lets change less', rule(['Goal']), rule(['Goal'], {}, ['Goal']), false],
  ])('%s', (_when, one, other, expected) => {
    expect(isAbove(one, other)).toBe(expected);
  });

  it('never above itself, nor above what is wider in each way', () => {
    const kinds = fc.subarray(['Goal', 'Flag', 'Observation?category=a', '?_security=MH', 'contact-details']);
    const labels = fc.subarray(['MH', 'SEX', 's|PSY']);
    fc.assert(
      fc.property(kinds, kinds, labels, labels, (some, more, few, others) => {
        const one = rule(some, { securityLabels: [...few, ...others] });
        expect(isAbove(one, one)).toBe(false);
        expect(isAbove(one, rule([...some, ...more], { securityLabels: few }))).toBe(false);
      }),
      runs(50, 1000),
    );
  });
});
