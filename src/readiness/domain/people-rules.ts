import { message } from '../../contract/messages/message.js';
import { command, type Finding, type Named, namesOf, pass, printable, roughly, setting } from './finding.js';

/** Administrators who sign in here: each has chosen a password or made a passkey. */
export interface Administrators {
  all: Named;
  withoutSecondFactor: Named;
}

const enoughCharacters = 12;
const mostStarts = 12_000;
const invitation = command('add-admin <email>');

export function secondFactor({ all, withoutSecondFactor }: Administrators): Finding {
  if (all.count === 0) {
    return {
      state: 'unknown',
      finding: message('readiness-admin-second-factor-none'),
      advice: message('readiness-second-admin-do'),
      remedy: invitation,
    };
  }
  if (withoutSecondFactor.count === 0) return pass(message('readiness-admin-second-factor-pass'));
  return {
    state: 'blocking',
    finding: message('readiness-admin-second-factor-missing', { names: namesOf(withoutSecondFactor) }),
    advice: message('readiness-admin-second-factor-do'),
    remedy: { kind: 'page', to: '/admin/account-settings', label: message('readiness-open-account') },
  };
}

export function adminSignIn(needed: 'password' | 'two-factor' | 'passkey'): Finding {
  if (needed === 'two-factor') return pass(message('readiness-admin-sign-in-two-factor'));
  if (needed === 'passkey') return pass(message('readiness-admin-sign-in-passkey'));
  return {
    state: 'improve',
    finding: message('readiness-admin-sign-in-password'),
    advice: message('readiness-admin-sign-in-do'),
    remedy: setting('account.adminsNeed'),
  };
}

export function secondAdmin({ all }: Administrators): Finding {
  if (all.count > 1) return pass(message('readiness-second-admin-pass', { count: all.count }));
  return {
    state: all.count === 0 ? 'blocking' : 'improve',
    finding:
      all.count === 0
        ? message('readiness-second-admin-none')
        : message('readiness-second-admin-one', { names: namesOf(all) }),
    advice: message('readiness-second-admin-do'),
    remedy: invitation,
  };
}

export function passwordRule({ localLogin, length }: { localLogin: boolean; length: number }): Finding {
  if (!localLogin) return pass(message('readiness-password-rule-unused'));
  if (length >= enoughCharacters) return pass(message('readiness-password-rule-pass', { length }));
  return {
    state: 'improve',
    finding: message('readiness-password-rule-short', { length }),
    advice: message('readiness-password-rule-do'),
    remedy: setting('account.password.requiredLength'),
  };
}

export function signInLimits(starts: number): Finding {
  if (starts <= mostStarts) return pass(message('readiness-sign-in-limits-pass', { starts }));
  return {
    state: 'improve',
    finding: message('readiness-sign-in-limits-high', { starts }),
    advice: message('readiness-sign-in-limits-do'),
    remedy: setting('limits.startsPerMinute'),
  };
}

/** A provider at which the latest sign-in failed by what the provider did. */
export interface FailedProvider {
  name: string;
  secondsAgo: number;
  why: string;
}

/** The first of the failures is the latest. */
export function identityProviders(configured: number, [latest, ...others]: readonly FailedProvider[]): Finding {
  if (configured === 0) return pass(message('readiness-identity-providers-none'));
  if (!latest) return pass(message('readiness-identity-providers-pass'));
  const name = `${printable(latest.name)}${others.length > 0 ? ` (+${others.length})` : ''}`;
  const { why, secondsAgo } = latest;
  return {
    state: 'improve',
    finding: message('readiness-identity-providers-failed', { name, duration: roughly(secondsAgo), why }),
    advice: message('readiness-identity-providers-do'),
    remedy: setting('identityProviders'),
  };
}
