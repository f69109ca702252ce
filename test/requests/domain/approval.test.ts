import { randomLetters } from '../../../src/platform/crypto/secrets.js';
import { isSameApproval, referenceLength, referenceOf } from '../../../src/requests/domain/request.js';

const terms = {
  ...{ patient: 'leo', basis: 'parental-responsibility', level: 'full', relation: 'mother', end: '2035-03-08' },
  ...{ exceedsTable: true, step: 13, withoutBirthDate: false, despiteDifference: false },
};

describe('Two approvals', () => {
  it('are the same for the same terms', () => {
    expect(isSameApproval(terms, { ...terms })).toBe(true);
  });

  it.each([
    ['patient', 'mia'],
    ['basis', 'carer'],
    ['level', 'basics'],
    ['relation', 'father'],
    ['end', null],
    ['exceedsTable', false],
    ['step', 16],
    ['withoutBirthDate', true],
    ['despiteDifference', true],
  ])('differ by %s', (name, value) => {
    expect(isSameApproval(terms, { ...terms, [name]: value })).toBe(false);
  });
});

test('A reference has letters that are not taken for one another', () => {
  const references = Array.from({ length: 50 }, () => referenceOf(randomLetters(referenceLength)));
  expect(references.filter((one) => !/^P-[B-DF-HJ-NP-TV-XZ2-9]{4}-[B-DF-HJ-NP-TV-XZ2-9]{2}$/.test(one))).toEqual([]);
  expect(new Set(references).size).toBe(50);
});
