import type { ObstacleCode } from '../../contract/rules/users/sign-in-obstacles.js';
import type { SignInObstacle } from '../../contract/users/helpdesk.js';

/** The facts of an account that decide whether its user can sign in. */
export interface SignInFacts {
  isComplete: boolean;
  /** Time of the requested deletion. */
  deletionAt: Date | undefined;
  /** Undefined for an account that has a password or needs none. */
  invitation: { state: 'waits' | 'open' | 'expired'; until: Date | undefined } | undefined;
  /** False if the sign-in page does not offer the method of the account. */
  isMethodOpen: boolean;
  /** The refusals that wrong passwords, codes and passkeys cause, with their ends. */
  locks: {
    password: { until: Date; isEverywhere: boolean } | undefined;
    code: Date | undefined;
    /**
     * Of passkeys next to a password or a mailed link, and of confirmations; not of the sign-in with a passkey alone.
     */
    passkey: Date | undefined;
  };
  /** True if the account belongs to a configured FHIR base. */
  hasTenant: boolean;
  /** True if the account names a FHIR record of its type. */
  hasRecord: boolean;
  /** True while the FHIR server of the account has not been read. */
  areRecordsAway: boolean;
}

const invitationCodes = {
  waits: 'invitation-waits',
  open: 'not-activated',
  expired: 'invitation-expired',
} as const satisfies Record<string, ObstacleCode>;

/** Everything that stops the sign-in, in the order of `obstacleCodes`; empty if nothing is known that does. */
export function signInObstacles(facts: SignInFacts): SignInObstacle[] {
  const { deletionAt, invitation, locks } = facts;
  const rows: [applies: boolean, code: ObstacleCode, until?: Date | undefined][] = [
    [!facts.isComplete, 'incomplete'],
    [deletionAt !== undefined, 'deletion-waits', deletionAt],
    [invitation !== undefined, invitationCodes[invitation?.state ?? 'open'], invitation?.until],
    [!facts.isMethodOpen, 'method-closed'],
    [
      locks.password !== undefined,
      locks.password?.isEverywhere ? 'password-locked' : 'password-locked-somewhere',
      locks.password?.until,
    ],
    [locks.code !== undefined, 'second-factor-locked', locks.code],
    [locks.passkey !== undefined, 'passkey-locked', locks.passkey],
    [!facts.hasTenant, 'other-tenant'],
    // An account that is not complete has no record yet.
    [facts.isComplete && !facts.hasRecord, 'no-record'],
    [facts.areRecordsAway, 'records-unreachable'],
  ];
  return rows.filter(([applies]) => applies).map(([, code, until]) => ({ code, until: until?.toISOString() ?? null }));
}
