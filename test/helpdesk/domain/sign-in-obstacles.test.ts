import { obstacleCodes, stopsAppsOnly, stopsInvited } from '../../../src/contract/rules/users/sign-in-obstacles.js';
import { type SignInFacts, signInObstacles } from '../../../src/helpdesk/domain/sign-in-obstacles.js';

const later = new Date('2026-03-01T10:32:00Z');
const end = later.toISOString();
const free: SignInFacts = {
  isComplete: true,
  deletionAt: undefined,
  invitation: undefined,
  isMethodOpen: true,
  locks: { password: undefined, code: undefined, passkey: undefined },
  hasTenant: true,
  hasRecord: true,
  areRecordsAway: false,
};

describe('The obstacles to a sign-in', () => {
  it('are none for a complete account without locks', () => {
    expect(signInObstacles(free)).toEqual([]);
  });

  const cases = [
    ['incomplete', { isComplete: false }, null],
    ['incomplete', { isComplete: false, hasRecord: false }, null],
    ['deletion-waits', { deletionAt: later }, end],
    ['invitation-expired', { invitation: { state: 'expired', until: later } }, end],
    ['invitation-expired', { invitation: { state: 'expired', until: undefined } }, null],
    ['invitation-waits', { invitation: { state: 'waits', until: later } }, end],
    ['not-activated', { invitation: { state: 'open', until: later } }, end],
    ['method-closed', { isMethodOpen: false }, null],
    ['password-locked', { locks: { ...free.locks, password: { until: later, isEverywhere: true } } }, end],
    ['password-locked-somewhere', { locks: { ...free.locks, password: { until: later, isEverywhere: false } } }, end],
    ['second-factor-locked', { locks: { ...free.locks, code: later } }, end],
    ['passkey-locked', { locks: { ...free.locks, passkey: later } }, end],
    ['other-tenant', { hasTenant: false }, null],
    ['no-record', { hasRecord: false }, null],
    ['records-unreachable', { areRecordsAway: true }, null],
  ] as const;

  it.each(cases)('are %s for %j', (code, facts, until) => {
    expect(signInObstacles({ ...free, ...facts })).toEqual([{ code, until }]);
  });

  it('have no code but these', () => {
    expect(obstacleCodes).toEqual([...new Set(cases.map(([code]) => code))]);
  });

  it('are all listed, in the order of the codes', () => {
    const codes = signInObstacles({
      isComplete: false,
      deletionAt: later,
      invitation: { state: 'open', until: later },
      isMethodOpen: false,
      locks: { password: { until: later, isEverywhere: true }, code: later, passkey: later },
      hasTenant: false,
      hasRecord: true,
      areRecordsAway: true,
    }).map(({ code }) => code);
    expect(codes).toHaveLength(9);
    expect(codes).toEqual(obstacleCodes.filter((code) => codes.includes(code)));
  });

  it('that concern apps only are those about tenant and record', () => {
    expect(stopsAppsOnly).toEqual(['other-tenant', 'no-record', 'records-unreachable']);
    expect(stopsInvited).toEqual(['invitation-expired', 'invitation-waits', 'not-activated']);
  });
});
