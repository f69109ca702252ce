import {
  fieldInvalid,
  isHidden,
  liveStatuses,
  openStatuses,
  pairTaken,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../../../src/representation/domain/relationship.js';
import { pairKey, renewalOf } from '../../../src/representation/domain/relationships.js';

describe('A relationship', () => {
  it.each<[Relationship['status'], Relationship['reason'], boolean]>([
    ['ended', 'safeguarding', true],
    ['ended', 'in-error', true],
    ['ended', 'patient', false],
    ['suspended', 'deceased', false],
    ['active', null, false],
  ])('that is %s (%s) is hidden from the representative: %s', (status, reason, expected) => {
    expect(isHidden({ status, reason })).toBe(expected);
  });

  it('stands in the way of a second one of the pair while it is live, and waits while it is open', () => {
    expect([liveStatuses, openStatuses]).toEqual([
      ['active', 'suspended'],
      ['proposed', 'more-needed'],
    ]);
  });

  it('is of a pair in a tenant', () => {
    expect(pairKey('ana', { tenant: 'clinic', patient: 'leo' })).toBe('ana clinic leo');
    expect(pairKey('ana', { tenant: undefined, patient: 'leo' })).toBe('ana  leo');
  });

  it.each<[Relationship['status'], Relationship['reason'], object]>([
    ['active', null, {}],
    ['suspended', 'unanswered', { status: 'active', reason: null }],
    ['suspended', 'merged', {}],
    ['ended', 'unanswered', {}],
  ])('that is %s (%s) is renewed', (status, reason, expected) => {
    const at = new Date(0);
    expect(renewalOf({ status, reason }, at)).toEqual({ renewedAt: at, ...expected });
  });
});

describe('A problem of a relationship', () => {
  it.each([
    [pairTaken(), 'conflict', 'representation-pair-taken'],
    [relationshipChanged(), 'conflict', 'representation-changed'],
    [relationshipGone(), 'not-found', 'representation-gone'],
  ])('has its kind and its text', (problem, kind, code) => {
    expect([problem.kind, problem.userMessage.code]).toEqual([kind, code]);
  });

  it('of a form is at its field', () => {
    expect(fieldInvalid('level', 'representation-level-unknown').options.items).toEqual([
      { field: 'level', messages: [expect.objectContaining({ code: 'representation-level-unknown' })] },
    ]);
  });
});
