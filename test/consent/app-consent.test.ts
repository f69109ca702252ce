import { AppConsent } from '../../src/consent/domain/app-consent.js';

const now = new Date('2026-03-01T10:00:00Z');
const given = {
  accountId: 'amelia',
  clientId: 'heart-companion',
  scopes: ['openid', 'patient/Observation.rs', 'patient/Condition.r'],
  declined: ['patient/Condition.rs', 'offline_access'],
  tenant: undefined,
  remembered: true,
  redirectUri: 'https://app.example:8443/callback',
  disclaimers: 'v1',
  lifetimeSeconds: 60,
  now,
};
const question = {
  scopes: ['openid', 'patient/Observation.rs'],
  tenant: undefined,
  redirectUri: 'https://app.example:8443/other?x=1',
  disclaimers: 'v1',
};
const afterSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('a consent', () => {
  it('stores the decision, the host of the app and its end', () => {
    const { redirectUri: _, lifetimeSeconds: __, now: ___, ...stored } = given;
    expect(AppConsent.give(given)).toEqual({
      ...stored,
      takenBack: [],
      narrowed: false,
      tenant: null,
      redirectHost: 'app.example:8443',
      grantedAt: now,
      expiresAt: afterSeconds(60),
    });
  });

  it('without a lifetime has no end', () => {
    const consent = AppConsent.give({ ...given, lifetimeSeconds: undefined });
    expect(consent.expiresAt).toBeNull();
    expect(consent.answers(question, afterSeconds(1e9))).toBe(true);
  });

  it.each([
    ['for the same request', {}, true],
    ['for a part of it', { scopes: ['openid'] }, true],
    ['for a part of one scope', { scopes: ['patient/Observation.s'] }, true],
    ['for what was declined', { scopes: ['openid', 'offline_access', 'patient/Condition.rs'] }, true],
    ['for nothing', { scopes: [] }, true],
    ['not for one scope more', { scopes: ['openid', 'profile'] }, false],
    ['not for more of one scope', { scopes: ['patient/Observation.crs'] }, false],
    ['not for another context', { scopes: ['user/Observation.rs'] }, false],
    ['not for another tenant', { tenant: 'north' }, false],
    ['not for another host', { redirectUri: 'https://elsewhere.example/callback' }, false],
    ['not for another port', { redirectUri: 'https://app.example/callback' }, false],
    ['not under other disclaimers', { disclaimers: 'v2' }, false],
  ])('O-10 answers %s', (_, changed, isAnswered) => {
    expect(AppConsent.give(given).answers({ ...question, ...changed }, now)).toBe(isAnswered);
  });

  it.each([
    ['what was granted', 'patient/Observation.r', false],
    ['what was granted, of identity', 'openid', false],
    ['what was declined', 'offline_access', false],
    ['what was declined in part', 'patient/Condition.s', false],
    ['changes of what was granted to be seen', 'patient/Observation.cud', true],
    ['another kind', 'patient/Goal.rs', true],
    ['the same of every patient', 'user/Observation.rs', true],
    ['more of the identity', 'profile', true],
    ['a name that is no scope', 'unknown', true],
  ])('tells what is new in a later request: %s', (_, scope, isNew) => {
    expect(AppConsent.give(given).newOf([scope])).toEqual(isNew ? [scope] : []);
  });

  it('answers for its own tenant, and not without one', () => {
    const consent = AppConsent.give({ ...given, tenant: 'north' });
    expect(consent.tenant).toBe('north');
    expect(consent.answers({ ...question, tenant: 'north' }, now)).toBe(true);
    expect(consent.answers(question, now)).toBe(false);
  });

  it('answers until before its expiry', () => {
    const consent = AppConsent.give(given);
    expect(consent.answers(question, afterSeconds(59))).toBe(true);
    expect(consent.answers(question, afterSeconds(60))).toBe(false);
  });

  it('that is not remembered answers nothing', () => {
    expect(AppConsent.give({ ...given, remembered: false }).answers(question, now)).toBe(false);
  });
});

describe('the scopes of a user’s decision', () => {
  const agreedOf = (...scopes: string[]) => AppConsent.give(given).agreedOf(scopes);

  it('are those of the request that the decision covers, in their order', () => {
    expect(agreedOf('patient/Observation.r', 'profile', 'openid')).toEqual(['patient/Observation.r', 'openid']);
  });

  it('are the granted part of a scope that was granted in part, once', () => {
    expect(agreedOf('patient/Condition.rs', 'patient/Condition.cr')).toEqual(['patient/Condition.r']);
    expect(agreedOf('patient/*.rs')).toEqual(['patient/Observation.rs', 'patient/Condition.r']);
  });

  it('are empty when no scope was granted', () => {
    expect(agreedOf('system/Observation.rs', 'offline_access', 'patient/Observation.xyz')).toEqual([]);
  });

  it('do not include values that only an earlier version stored', () => {
    const consent = AppConsent.give({ ...given, scopes: ['patient/Observation.zz', 'openid'] });
    expect(consent.agreedOf(['patient/*.rs', 'openid'])).toEqual(['openid']);
  });

  it('leave out what was declined, also where an earlier version stored values without a meaning', () => {
    const consent = AppConsent.give({
      ...given,
      scopes: ['patient/Goal.zz', 'openid'],
      declined: ['patient/Flag.zz', 'patient/Condition.rs'],
    });
    const requested = ['openid', 'patient/Goal.zz', 'patient/Flag.zz', 'patient/Condition.r', 'patient/Goal.rs'];
    expect(consent.leftOutOf(requested)).toEqual(['patient/Flag.zz', 'patient/Condition.r']);
  });
});
