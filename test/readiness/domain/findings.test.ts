import { groups, subjects } from '../../../src/readiness/domain/checks.js';
import { namesOf, printable, roughly } from '../../../src/readiness/domain/finding.js';
import { day, hour, named } from '../../support/readiness/rule-rows.js';

describe('The texts of findings', () => {
  it.each([
    [0.4, 1],
    [59.9, 59],
    [60, 60],
    [3599, 59 * 60],
    [hour, hour],
    [2 * day - 1, 47 * hour],
    [2 * day, 2 * day],
    [2.5 * day, 2 * day],
    [3.5 * day, 3 * day],
  ])('have %d seconds in one unit', (seconds, expected) => {
    expect(roughly(seconds)).toBe(expected);
  });

  it('show names of others harmlessly, and the number of further ones', () => {
    expect(printable(' Heart\u0000\u202e\n Diary\u2028 ')).toBe('Heart Diary');
    expect(printable('é'.repeat(60))).toBe('é'.repeat(60));
    expect(printable('😀'.repeat(61))).toBe(`${'😀'.repeat(60)}…`);
    expect(namesOf(named('A\n', 'B'))).toBe('A, B');
    expect(namesOf({ count: 12, first: named('A').first })).toBe('A (+11)');
  });
});

describe('Every check', () => {
  it.each(Object.entries(subjects))('%s has its own texts and a group', (code, { group, title, why }) => {
    expect([title.code, why.code]).toEqual([`readiness-${code}`, `readiness-${code}-why`]);
    expect(groups[group].code).toBe(`readiness-${group}`);
  });
});
