import type { AuditType } from '../../../../src/contract/audit/audit-types.js';
import { levelsOf } from './audit-levels.js';

const levels = [
  { id: 'full', label: 'Full' },
  { id: 'basics', label: 'Limited: the basics' },
];
const given = (detail: Record<string, unknown>, type: AuditType = 'representation.changed') =>
  levelsOf({ type, detail }, levels);

describe('The level of an audit entry', () => {
  it.each([
    ['its label', { level: 'basics' }, { level: 'Limited: the basics' }],
    [
      'the kinds that were chosen',
      { level: 'full Appointment Goal' },
      { level: 'Chosen kinds: Appointments and Goals' },
    ],
    [
      'the one before it as well',
      { level: 'full ?_security=MH Goal', from: 'full' },
      { level: 'Chosen kinds: Goals and mental health', from: 'Full' },
    ],
    ['nothing of one before that is the same', { level: 'full', from: 'full' }, { level: 'Full' }],
    ['the id of one that is not configured any more', { level: 'gone' }, { level: 'gone' }],
  ])('has %s', (_, detail, words) => {
    expect(given(detail)).toEqual(words);
  });

  it('is there for relationships and requests alone', () => {
    expect(given({ level: 'full' }, 'request.decided')).toEqual({ level: 'Full' });
    expect([given({ level: 'full' }, 'login'), given({ patient: 'leo' })]).toEqual([undefined, undefined]);
  });
});
