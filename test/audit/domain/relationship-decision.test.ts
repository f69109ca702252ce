import { decisionOf, type FoundDecision } from '../../../src/audit/domain/relationship-decision.js';

const patient = 'account-of-patient';
const found = (members: Partial<FoundDecision>): FoundDecision => ({
  ...{ id: '1', at: new Date(), relationship: 'r', type: 'representation.ended', userId: 'account-of-admin' },
  ...{ decision: null, status: null, reason: null, by: null, level: null, ...members },
});
const decided = { type: 'representation.decided' } as const;
const changed = { type: 'representation.changed' } as const;

describe('A decision in the log of a patient', () => {
  it.each([
    ['an approval', { ...decided, decision: 'approve', status: 'active' }, 'approved', 'administrator'],
    [
      'an approval by a file',
      { ...decided, decision: 'approve', status: 'active', userId: null },
      'approved',
      'administrator',
    ],
    ['a refusal', { ...decided, decision: 'decline', status: 'declined' }, 'declined', 'administrator'],
    ['an acceptance', { ...decided, status: 'active', userId: 'account-of-helper' }, 'approved', 'representative'],
    ['a relationship of the server', { ...decided, by: 'server', userId: null }, 'approved', 'portal'],
    ['a level of administrators', { ...changed, decision: 'level' }, 'level', 'administrator'],
    ['a level of the patient', { ...changed, decision: 'level', by: 'patient', userId: patient }, 'level', 'patient'],
    ['a confirmation', { ...changed, decision: 'confirm' }, 'confirmed', 'administrator'],
    ['an agreement by letter', { ...changed, decision: 'agreement' }, 'agreement', 'administrator'],
    ['an end of administrators', { reason: 'administrator' }, 'ended', 'administrator'],
    ['a safeguarding end', { reason: 'safeguarding' }, 'ended', 'administrator'],
    ['an approval in error', { reason: 'in-error' }, 'ended', 'administrator'],
    ['the death of the helper', { reason: 'representative-died' }, 'ended', 'administrator'],
    ['the own end', { reason: 'patient', userId: patient }, 'ended', 'patient'],
    ['the own end, decided by administrators', { reason: 'patient' }, 'ended', 'administrator'],
    ['an end of the other side', { reason: 'representative', userId: 'account-of-helper' }, 'ended', 'representative'],
    ['the last day', { reason: 'period', userId: null }, 'ended', 'portal'],
    [
      'the last day, found by a request of the helper',
      { reason: 'period', userId: 'account-of-helper' },
      'ended',
      'portal',
    ],
    ['an age', { reason: 'age', userId: null }, 'ended', 'portal'],
    ['an account that is gone', { reason: 'representative-gone', userId: null }, 'ended', 'portal'],
    ['a year without an answer', { reason: 'unanswered', userId: null }, 'ended', 'portal'],
    ['the FHIR server', { reason: 'server', userId: null }, 'ended', 'portal'],
    ['a death after 30 days', { reason: 'deceased', userId: null }, 'ended', 'portal'],
    ['a death that administrators confirm', { reason: 'deceased' }, 'ended', 'administrator'],
  ] as const)('says by its role who made %s', (_, members, what, by) => {
    expect(decisionOf(found(members), patient)).toEqual({ what, by });
  });
});
