import type { Checked } from './checked.js';

/** Sentences of messages of the server and of mails that claim something, and what each is tied to. */
export const messageClaims: readonly Checked[] = [
  {
    by: 'reading',
    what: 'an instruction, or the name of a choice',
    sentences: [
      'If it was not you, choose a new password at once and tell {{organization}}:',
      'If you asked for this, sign in and set up your authenticator app again. If you did not, choose a new password at once and tell {{organization}}:',
      'If it was not you, a long password that you use nowhere else is the best protection. You can choose a new one here:',
      'If it was not you, keep the account, choose a new password and tell {{organization}}. If you want your account to be deleted, do nothing.',
      'If it was not you, tell {{organization}}:',
      'Disable clients that are no longer needed.',
      'Ask the makers of the apps whether they are still used.',
      'The header has no column {{columns}}. The first line must name the columns.',
    ],
  },
  {
    by: 'src/contract',
    what: 'the conditions, type and actions of the scope, by the functions of the gateway',
    sentences: [
      'Note: This scope is not granted: only conditions on category are enforced, not on {{parameter}}.',
      'Note: This scope is not granted: a value of category has to be a code, system|code, or a list of these.',
      'Note: This scope is not granted: {{type}} has no such category.',
      'Note: This scope is not granted: {{type}} is not part of a patient record.',
      'Note: This scope is not granted: for one patient, {{actions}} on {{type}} is not possible.',
      'Note: This scope is not granted: the operation ${{operation}} cannot be limited to one patient.',
      'Note: This scope is not granted: the FHIR server has no {{type}}.',
      'Note: This scope is not granted: the FHIR server has no operation ${{operation}} here.',
    ],
  },
  {
    by: 'src/representation',
    what: 'the state of the relationship, the account of the address, the record and the relations of the basis',
    sentences: [
      'You do not act for the patient any more',
      'The access of {{app}} at {{organization}} ended, because you do not act for the patient any more.',
      'No account has this address: please enter the name for a new one.',
      'The record has no birth date that can be used.',
      'The basis has no such relation.',
    ],
  },
  {
    by: 'src/requests',
    what: 'AskerAccounts: an account is made once the link is used, and the link itself holds what was entered',
    sentences: ['If you have not asked for it, ignore this mail: nothing was stored.'],
  },
  {
    by: 'src/audit',
    what: 'the recorded verification of the seals',
    sentences: ['The seals were never verified.'],
  },
  {
    by: 'src/users',
    what: 'the row of account_recovery',
    sentences: [
      'If you did not ask for this, end it with this link:',
      'A complete sign-in ends the recovery, too. If you did not ask for it, another person knows your password: please choose a new one. If it was you, do nothing.',
      'A sign-in ends the recovery, too. If you did not ask for it, another person may read your mail: please change the password of your mailbox. If it was you, do nothing.',
    ],
  },
  {
    by: 'src/readiness',
    what: 'the findings of all checks',
    sentences: ['This could not be checked: there was no answer within {{duration}}.'],
  },
  {
    by: 'src/oidc-store',
    what: 'what the transaction ended, and how long a token still works elsewhere',
    sentences: [
      'An administrator of {{organization}} ended the access of {{app}} for all users.',
      'That was while you were not there',
      '{{app}} gets no new access. A server that checks access without asking {{organization}} may still accept it until {{until}}.',
    ],
  },
  {
    by: 'src/users',
    what: 'a request stores a link only',
    sentences: ['If it was not you, do nothing: this request alone changes nothing.'],
  },
  {
    by: 'src/session',
    what: 'the mail is added by the transaction',
    sentences: [
      'The password of your account at {{organization}} was changed. When: {{when}}. You were signed out on all other devices.',
    ],
  },
  {
    by: 'src/two-factor',
    what: 'the mail is added by the transaction',
    sentences: [
      'Two-factor authentication of your account at {{organization}} was turned on. When: {{when}}. You were signed out on all other devices.',
      'Two-factor authentication of your account at {{organization}} was turned off. When: {{when}}. You were signed out on all other devices.',
    ],
  },
  {
    by: 'src/two-factor',
    what: 'the mail is added by the transaction',
    sentences: [
      'Two-factor authentication of your account at {{organization}} was turned off by the recovery for which the waiting time has passed. When: {{when}}. You were signed out everywhere.',
      'An administrator of {{organization}} removed the second factor of your account. When: {{when}}. You were signed out everywhere. Your password was not changed.',
    ],
  },
  {
    by: 'src/passkeys',
    what: 'the mail is added by the transaction',
    sentences: [
      'A passkey of your account at {{organization}} was removed. Its name: {{passkey}}. When: {{when}}. You were signed out on all other devices.',
      'No recovery code is left. Turn two-factor authentication off and on again to get new ones.',
      'New recovery codes for your account at {{organization}} were made. When: {{when}}. Those that you had before no longer work.',
      'Your account at {{organization}} has no password any more',
    ],
  },
  {
    by: 'src/session',
    what: 'the number of refused attempts',
    sentences: [
      'There were many attempts to sign in to your account at {{organization}} with a wrong password or code. Each of these was refused. The last one: {{when}}.',
    ],
  },
  {
    by: 'src/users',
    what: 'the mail is added by the transaction',
    sentences: [
      'Your account at {{organization}} was deleted, and the access of apps by it was ended. When: {{when}}. Your health record is not deleted. The record of sign-ins and accesses is kept as the law requires.',
    ],
  },
  {
    by: 'src/session',
    what: 'the configuration, and the failures in readiness_note',
    sentences: ['No other provider is configured.', 'No provider has failed since its latest sign-in.'],
  },
  {
    by: 'src/readiness',
    what: 'requests of the check',
    sentences: [
      'No FHIR server is configured.',
      '{{names}} answers without a token, and the gateway is off: every app can read everything.',
      '{{names}}: a request without credentials was not answered with data or with a refusal.',
    ],
  },
  {
    by: 'src/readiness',
    what: 'the configured organizations and FHIR servers',
    sentences: [
      '{{base}} is published as a FHIR base, and no FHIR server is configured for it.',
      '{{names}}: the address has no state of two letters, or a postal code of another form.',
      '{{base}}: no organization is published for this FHIR base.',
    ],
  },
  {
    by: 'src/readiness',
    what: 'waiting jobs, the note of the last test mail, the configuration',
    sentences: [
      'Invitations, links for new passwords and warnings are sent by mail.',
      'No mail server is configured; all mail is queued.',
      'Mail servers accept mail that then never arrives, for example as suspected spam.',
      'No test mail is recorded.',
      'A test mail to {{to}}, asked for {{duration}} ago, was not confirmed.',
      'Mail comes from {{address}}. The portal has no domain yet to compare it with.',
    ],
  },
  {
    by: 'src/readiness',
    what: 'the secrets of the clients and their last use',
    sentences: [
      'The secret of a forgotten client is a key that no one watches.',
      'No enabled client has a secret or key, and the use of public clients is not recorded.',
      'Every client with a secret or key was used in the last 90 days, or is younger. The use of public clients is not recorded.',
    ],
  },
  {
    by: 'src/readiness',
    what: 'the configuration',
    sentences: [
      '{{issuer}} has no TLS.',
      'The address has TLS, so a proxy is in front of the portal, but none is trusted: all users seem to have its address.',
      'No proxy is configured, and none is needed.',
    ],
  },
  {
    by: 'src/readiness',
    what: 'the database, and the note of the last backup',
    sentences: [
      'A version without security fixes puts all data at risk.',
      'PostgreSQL {{version}} gets no security fixes any more.',
      'When no connection is free, requests wait and then fail.',
      'No backup is recorded, and PostgreSQL archives no write-ahead log. Gatehouse sees no other backups.',
      'Months that are older than audit.keepMonths and still in the database: {{months}}. The first one is {{first}}.',
    ],
  },
  {
    by: 'src/platform',
    what: 'no route has the address',
    sentences: ['There is nothing at this address.'],
  },
  {
    by: 'src/passkeys',
    what: 'the passkeys of the account',
    sentences: [
      'This passkey was not accepted. Please try again, or use your password.',
      'This passkey was not accepted, because another device may have a copy of it. Please sign in in another way, remove it and add a new one.',
      'This passkey no longer exists.',
      'Without this passkey you could not sign in any more. Please choose a password or add another passkey first.',
      'Without a password you could not sign in any more. Please add a passkey first.',
    ],
  },
  {
    by: 'src/users',
    what: 'the stored link',
    sentences: [
      'This link is not valid. Please use the latest one that was sent to you.',
      'This link is no longer valid. Please ask for a new one.',
      'This link is not valid any more. As long as your account exists, you can also keep it by signing in.',
      'No mail server is configured (email.smtp). With --print the link is shown here instead.',
      'The link of an invitation is sent by mail, which also proves the address.',
    ],
  },
  {
    by: 'src/own-data',
    what: 'the lifetime of the download',
    sentences: ['This download was not begun in time. Please go back and begin it again.'],
  },
  {
    by: 'src/session',
    what: 'the account',
    sentences: ['Your account has no password.'],
  },
  {
    by: 'src/clients',
    what: 'the row that was looked for',
    sentences: [
      'A selected tag no longer exists',
      'This secret no longer exists',
      'The selected app no longer exists.',
      'The selected disclaimer no longer exists.',
    ],
  },
  {
    by: 'src/bulk',
    what: 'the number of rows',
    sentences: ['At most {{maximum}} can be chosen at once. Please narrow the search or the filters.'],
  },
  {
    by: 'src/consent',
    what: 'the refusal comes before the decision is stored',
    sentences: [
      'The patient or the visit of this request was changed in another tab. Nothing was allowed. Please check the request again.',
    ],
  },
  {
    by: 'src/audit',
    what: 'the accounts',
    sentences: ['No user has this email address or FHIR record. A deleted user is found by the id.'],
  },
  {
    by: 'src/readiness',
    what: 'the account',
    sentences: ['Your account has no e-mail address that a test mail could be sent to.'],
  },
  {
    by: 'src/clients',
    what: 'the keys of the set that was read',
    sentences: ['This key set has no key for signatures'],
  },
  {
    by: 'src/readiness',
    what: 'RepresentationHealth: the rules that connected nodes hold in pg_locks, and the configured time zones',
    sentences: [
      'Nodes with different rules decide differently about the same patient. Meanwhile no relationship is decided.',
      'Restart the nodes that still have the earlier configuration.',
      'No time zone is configured: days begin at midnight of UTC.',
    ],
  },
];
