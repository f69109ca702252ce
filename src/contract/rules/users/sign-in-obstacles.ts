/** The reasons why a user cannot sign in, or why no app can use their sign-in; worst first. */
export const obstacleCodes = [
  'incomplete',
  'deletion-waits',
  'invitation-expired',
  'invitation-waits',
  'not-activated',
  'method-closed',
  'password-locked',
  'password-locked-somewhere',
  'second-factor-locked',
  'passkey-locked',
  'other-tenant',
  'no-record',
  'records-unreachable',
] as const;
export type ObstacleCode = (typeof obstacleCodes)[number];

/** These stop apps; the user can sign in to the portal. */
export const stopsAppsOnly: readonly ObstacleCode[] = ['other-tenant', 'no-record', 'records-unreachable'];

/** These stop a user who has not accepted the invitation. */
export const stopsInvited: readonly ObstacleCode[] = ['invitation-expired', 'invitation-waits', 'not-activated'];
