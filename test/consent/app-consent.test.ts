import { AppConsent } from '../../src/consent/domain/app-consent.js';
import { permissionOf } from '../../src/contract/rules/scopes/taken-back.js';

const now = new Date('2026-03-01T10:00:00Z');
const given = {
  accountId: 'amelia',
  clientId: 'heart-companion',
  scopes: ['openid', 'patient/Observation.rs', 'patient/Condition.r'],
  declined: ['patient/Condition.rs', 'offline_access'],
  tenant: undefined,
  remembered: true,
  redirectHost: 'app.example:8443',
  disclaimers: 'v1',
  lifetimeSeconds: 60,
  now,
};
const question = {
  scopes: ['openid', 'patient/Observation.rs'],
  tenant: undefined,
  redirectHost: 'app.example:8443',
  disclaimers: 'v1',
};
const afterSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('a consent', () => {
  it('stores the decision, the host of the app and its end', () => {
    const { lifetimeSeconds: __, now: ___, ...stored } = given;
    expect(AppConsent.give(given)).toEqual({
      ...stored,
      representation: null,
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
    expect(consent.isSufficientFor(question, afterSeconds(1e9))).toBe(true);
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
    ['not for another host', { redirectHost: 'elsewhere.example' }, false],
    ['not for another port', { redirectHost: 'app.example' }, false],
    ['not under other disclaimers', { disclaimers: 'v2' }, false],
  ])('O-10 answers %s', (_, changed, isAnswered) => {
    expect(AppConsent.give(given).isSufficientFor({ ...question, ...changed }, now)).toBe(isAnswered);
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
    expect(consent.isSufficientFor({ ...question, tenant: 'north' }, now)).toBe(true);
    expect(consent.isSufficientFor(question, now)).toBe(false);
  });

  it('answers until before its expiry', () => {
    const consent = AppConsent.give(given);
    expect(consent.isSufficientFor(question, afterSeconds(59))).toBe(true);
    expect(consent.isSufficientFor(question, afterSeconds(60))).toBe(false);
  });

  it('answers for what it has, where an earlier version stored values without a meaning', () => {
    const consent = AppConsent.give({ ...given, scopes: ['patient/Observation.zz', 'openid'], declined: [] });
    expect(consent.isSufficientFor({ ...question, scopes: ['openid'] }, now)).toBe(true);
    expect(consent.isSufficientFor({ ...question, scopes: ['openid', 'profile'] }, now)).toBe(false);
  });

  it('that is not remembered answers nothing', () => {
    expect(AppConsent.give({ ...given, remembered: false }).isSufficientFor(question, now)).toBe(false);
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

describe('a consent from which the user has taken a permission back', () => {
  const permission = (text: string) => {
    const found = permissionOf(text);
    if (!found) throw new Error(`${text} is no permission`);
    return found;
  };
  const unfold = () => ['patient/Observation.rs', 'patient/Condition.rs'];
  const consent = AppConsent.give(given);
  const taken = consent.takeBack(permission('user/Observation.cruds'), unfold);

  it('has the rest of its scopes, and names what was lost as declined', () => {
    expect(taken).toEqual({
      ...consent,
      scopes: ['openid', 'patient/Condition.r'],
      declined: [...given.declined, 'patient/Observation.rs', 'user/Observation.cruds'],
      takenBack: ['user/Observation.cruds'],
      narrowed: true,
    });
    expect(taken).toBeInstanceOf(AppConsent);
    expect([consent.narrowed, consent.takenBack]).toEqual([false, []]);
  });

  it('names each of them once, of several in their order', () => {
    const twice = taken.takeBack(permission('user/Observation.cruds'), unfold);
    expect(twice).toEqual(taken);
    const both = taken.takeBack(permission('user/Condition.cruds'), unfold);
    expect(both.takenBack).toEqual(['user/Observation.cruds', 'user/Condition.cruds']);
    expect(both.scopes).toEqual(['openid']);
  });

  it('has the kinds of a wildcard that are left', () => {
    const wide = AppConsent.give({ ...given, scopes: ['patient/*.rs'] });
    expect(wide.takeBack(permission('user/Observation.cruds'), unfold)).toMatchObject({
      scopes: ['patient/Condition.rs'],
      declined: [...given.declined, 'patient/*.rs', 'user/Observation.cruds'],
    });
  });

  it.each([
    ['what is left', ['openid', 'patient/Condition.r'], true],
    ['what was declined in the decision', ['offline_access'], true],
    ['what was taken back', ['patient/Observation.r'], false],
    ['what was taken back, beside what is left', ['openid', 'patient/Observation.rs'], false],
    ['everything', ['patient/*.r'], false],
    ['a name that is no scope', ['unknown'], false],
  ])('answers a request for %s without a question: %s', (_, scopes, isAnswered) => {
    expect(taken.isSufficientFor({ ...question, scopes }, now)).toBe(isAnswered);
  });

  it('asks again for what was taken back, also if it was declined by name', () => {
    const declined = ['patient/Observation.r'];
    const named = AppConsent.give({ ...given, declined }).takeBack(permission('user/Observation.cruds'), unfold);
    expect(named.declined).toContain('patient/Observation.r');
    expect(named.isSufficientFor({ ...question, scopes: declined }, now)).toBe(false);
  });

  it('refuses it to an app that needs no consent, and refuses nothing else', () => {
    expect(taken.refuses(['openid', 'patient/Observation.r'])).toBe(true);
    expect(taken.refuses(['openid', 'patient/Condition.r'])).toBe(false);
    expect(consent.refuses(['offline_access'])).toBe(false);
    expect(AppConsent.give({ ...given, narrowed: true }).refuses(['offline_access'])).toBe(true);
  });

  it('may be one of an app that was granted its scopes unasked', () => {
    expect(AppConsent.withoutQuestion({ accountId: 'amelia', clientId: 'app', scopes: ['openid'], now })).toEqual({
      accountId: 'amelia',
      clientId: 'app',
      representation: null,
      scopes: ['openid'],
      declined: [],
      takenBack: [],
      narrowed: true,
      remembered: false,
      tenant: null,
      redirectHost: '',
      disclaimers: '',
      grantedAt: now,
      expiresAt: null,
    });
  });

  it('lasts as long as it is remembered, until its end', () => {
    expect([consent.isInForce(afterSeconds(59)), consent.isInForce(afterSeconds(60))]).toEqual([true, false]);
    expect(AppConsent.give({ ...given, lifetimeSeconds: undefined }).isInForce(afterSeconds(1e9))).toBe(true);
    expect(AppConsent.give({ ...given, remembered: false }).isInForce(now)).toBe(false);
  });
});
