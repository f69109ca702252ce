import { type Cause, inUtc } from './cause.js';

const ended = { stage: 'end', severity: 'ended', title: 'The access of the app ended' } as const;
const startAgain = { text: 'The user can start the app again.' } as const;
const online = 'Without offline_access the access of your app ends with the user’s session.';

/**
 * The ends of the access that a launch gave. Each is recorded with its time when it happens, apart from the launch
 * (`ended_access`), so that it is known for as long as the launch.
 */
export const endCauses = {
  'ended-by-person': {
    ...ended,
    decidedBy: 'The user took the access back',
    developer: 'The user took the access of your app back. Start a new launch if the user wants to use it again.',
    change: startAgain,
  },
  'ended-by-administrator': {
    ...ended,
    decidedBy: 'An administrator took the access of this person back',
    developer: 'An administrator took the access of your app back for this person.',
    change: startAgain,
  },
  'ended-by-app': {
    ...ended,
    text: 'The app revoked one of its tokens (RFC 7009).',
    decidedBy: 'The app revoked its own token',
    developer: 'Your app revoked one of its tokens (RFC 7009), which ends all of its access from that launch.',
    change: { text: 'Have the app revoke its tokens only when it does not need them any more.' },
  },
  'ended-by-reuse': {
    ...ended,
    text: 'A code or refresh token was used a second time, as a copied one would be (RFC 9700 §4.14).',
    decidedBy: 'A code or refresh token was used a second time',
    developer:
      'A code or refresh token of that launch was used a second time, which ends all of its access. Store the newest refresh token.',
    change: { text: 'Have the app use each code and refresh token once, and store the newest refresh token.' },
  },
  'ended-by-sign-out': {
    ...ended,
    decidedBy: 'The user signed out',
    developer: `The user signed out. ${online}`,
    change: { text: 'Have the app request offline_access if it needs access after the user has signed out.' },
  },
  'ended-by-other-sign-in': {
    ...ended,
    decidedBy: 'Another person signed in in the same browser',
    developer: `The session of the user ended in the browser. ${online}`,
    change: startAgain,
  },
  'ended-with-other-sessions': {
    ...ended,
    decidedBy: 'The user ended the session from another browser',
    developer: `The user ended the session. ${online}`,
    change: startAgain,
  },
  'ended-with-session-by-administrator': {
    ...ended,
    decidedBy: 'An administrator ended the session',
    developer: `An administrator ended the session of the user. ${online}`,
    change: startAgain,
  },
  'ended-with-session-expiry': {
    ...ended,
    decidedBy: 'The session of the user expired',
    developer: `The session of the user expired. ${online}`,
    change: { text: 'Have the app request offline_access if it needs access beyond the session.' },
  },
  'ended-by-password-change': {
    ...ended,
    text: 'The user changed the password, which ends sessions and what lasts no longer than they do.',
    decidedBy: 'The user changed the password',
    developer: `The user changed the password. ${online}`,
    change: startAgain,
  },
  'ended-by-password-reset': {
    ...ended,
    text: 'The user set a new password by a link, which ends all sessions and all access of apps.',
    decidedBy: 'The user set a new password by a link',
    developer: 'The user set a new password by a link, which ends the access of all apps.',
    change: startAgain,
  },
  'ended-by-sign-in-methods': {
    ...ended,
    text: 'The second factor or a passkey of the account was changed, which ends sessions.',
    decidedBy: 'The sign-in of the account was changed',
    developer: `The sign-in of the account was changed. ${online}`,
    change: startAgain,
  },
  'ended-with-account': {
    ...ended,
    text: 'The account was deleted, or its deletion was requested.',
    decidedBy: 'The account was deleted',
    developer: 'The account of the user was deleted.',
  },
  'ended-with-representation': {
    ...ended,
    text: 'The user does not act for this patient any more.',
    decidedBy: 'The user does not act for the patient any more',
    developer: 'The user does not act for this patient any more, which ends the access of your app to the record.',
    change: {
      text: 'If the user shall act for the patient again, add the patient at the user. The user then starts the app again.',
      page: 'user',
    },
  },
  'ended-with-level': {
    ...ended,
    text: 'The user acts for the patient at a lower level now, which leaves the app nothing, or not what it needs.',
    decidedBy: 'The level of the user for the patient leaves the app too little',
    developer: 'What the user may open of this patient is less now, and leaves your app nothing, or not what it needs.',
    change: {
      text: 'See the level at the user, and the age rules that lower it. The user then starts the app again.',
      page: 'user',
    },
  },
  'ended-with-client-disabled': {
    ...ended,
    decidedBy: 'An administrator disabled the client',
    developer:
      'Your client was disabled by an administrator, which ended its access. Start a new launch when it is enabled.',
    change: {
      text: 'Enable the client if it is still disabled. The user then starts the app again.',
      field: 'enabled',
    },
  },
  'ended-with-client': {
    ...ended,
    decidedBy: 'An administrator deleted the client',
    developer: 'Your client was deleted by an administrator. Please ask for a new registration.',
  },
  'ended-with-client-id': {
    ...ended,
    text: 'An administrator gave the client another client id.',
    decidedBy: 'The client got another client id',
    developer: 'Your client got another client id, which ended its access. Start a new launch with the new one.',
    change: startAgain,
  },
  'ended-by-restore': {
    ...ended,
    text: 'An operator restored a backup or ended everything that was issued.',
    decidedBy: 'An operator ended everything that was issued',
    developer: 'An operator of this portal ended everything that was issued. Start a new launch.',
    change: startAgain,
  },
  // Neither is a deed that anyone has to be told of: the launch stays what it was.
  'ended-by-expiry': {
    ...ended,
    severity: 'step',
    title: 'The access of the app expired',
    decidedBy: 'The access expired',
    developer: 'The access of your app expired. Start a new launch.',
  },
  'ended-with-trial': { ...ended, severity: 'step', title: 'The trial ended, and its token with it' },
} as const satisfies Record<string, Cause>;

export type EndCode = keyof typeof endCauses;

/** The end of an access: what ended it, and when. */
export interface AccessEnd {
  by: EndCode;
  at: Date;
}

/** The statement of a refusal about the end before it. */
export function describeEnd({ by, at }: AccessEnd) {
  const { text, decidedBy = 'The access had ended', developer = '', change }: Cause = endCauses[by];
  return {
    at: inUtc(at),
    reason: decidedBy,
    ended: text ?? `${decidedBy}.`,
    told: developer,
    remedy: change?.text ?? 'The access cannot be given back by a setting of this portal.',
    field: change?.field ?? '',
    page: change?.page ?? '',
  };
}
