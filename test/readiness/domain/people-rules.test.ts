import {
  adminSignIn,
  identityProviders,
  passwordRule,
  secondAdmin,
  secondFactor,
  signInLimits,
} from '../../../src/readiness/domain/people-rules.js';
import { expectRows, named, none } from '../../support/readiness/rule-rows.js';

describe('The rules about people', () => {
  const ada = named('Ada');
  const two = named('Ada', 'Ben');
  const invite = 'second-admin-do | npx gatehouse add-admin <email>';
  expectRows([
    [
      'an administrator without a second factor blocks',
      secondFactor({ all: two, withoutSecondFactor: ada }),
      'blocking',
      'admin-second-factor-missing',
      { names: 'Ada' },
      'admin-second-factor-do | /admin/account-settings (open-account)',
    ],
    ['all have one', secondFactor({ all: two, withoutSecondFactor: none }), 'pass', 'admin-second-factor-pass'],
    [
      'there is none',
      secondFactor({ all: none, withoutSecondFactor: none }),
      'unknown',
      'admin-second-factor-none',
      undefined,
      invite,
    ],
    [
      'a password for administrators',
      adminSignIn('password'),
      ...(['improve', 'admin-sign-in-password', undefined] as const),
      'admin-sign-in-do | account.adminsNeed',
    ],
    ['two factors for administrators', adminSignIn('two-factor'), 'pass', 'admin-sign-in-two-factor'],
    ['a passkey for administrators', adminSignIn('passkey'), 'pass', 'admin-sign-in-passkey'],
    [
      'no administrator',
      secondAdmin({ all: none, withoutSecondFactor: none }),
      ...(['blocking', 'second-admin-none', undefined, 'second-admin-do | npx gatehouse add-admin <email>'] as const),
    ],
    [
      'one administrator',
      secondAdmin({ all: ada, withoutSecondFactor: none }),
      ...(['improve', 'second-admin-one', { names: 'Ada' }] as const),
      'second-admin-do | npx gatehouse add-admin <email>',
    ],
    ['two', secondAdmin({ all: two, withoutSecondFactor: none }), 'pass', 'second-admin-pass', { count: 2 }],
    ['12 characters', passwordRule({ localLogin: true, length: 12 }), 'pass', 'password-rule-pass', { length: 12 }],
    [
      '11 characters',
      passwordRule({ localLogin: true, length: 11 }),
      ...(['improve', 'password-rule-short', { length: 11 }] as const),
      'password-rule-do | account.password.requiredLength',
    ],
    ['no passwords', passwordRule({ localLogin: false, length: 8 }), 'pass', 'password-rule-unused'],
    ['no other provider', identityProviders(0, []), 'pass', 'identity-providers-none'],
    ['other providers without a failure', identityProviders(2, []), 'pass', 'identity-providers-pass'],
    [
      'a provider that failed',
      identityProviders(1, [{ name: 'Hospital ID', secondsAgo: 190, why: 'there was no answer in time' }]),
      'improve',
      'identity-providers-failed',
      { name: 'Hospital ID', duration: 180, why: 'there was no answer in time' },
      'identity-providers-do | identityProviders',
    ],
    [
      'several providers that failed, the latest first',
      identityProviders(3, [
        { name: 'Hospital ID', secondsAgo: 2, why: 'one' },
        { name: 'Clinic', secondsAgo: 90, why: 'two' },
      ]),
      'improve',
      'identity-providers-failed',
      { name: 'Hospital ID (+1)', duration: 2, why: 'one' },
      'identity-providers-do | identityProviders',
    ],
    ['12,000 starts', signInLimits(12_000), 'pass', 'sign-in-limits-pass', { starts: 12_000 }],
    [
      '12,001 starts',
      signInLimits(12_001),
      ...(['improve', 'sign-in-limits-high', { starts: 12_001 }] as const),
      'sign-in-limits-do | limits.startsPerMinute',
    ],
  ]);
});
