/** English of the mails. The templates (`src/platform/mail/templates`) name them by `translate`, and fill them in. */
export const mailTexts = {
  'mail-greeting': 'Hello {{name}},',
  'mail-reason': 'You receive this mail because of your account at {{organization}}.',
  'mail-copy-address': 'If the button does not work, copy this address into your browser:',
  'mail-if-not-you': 'If it was not you, choose a new password at once and tell {{organization}}:',

  'mail-activation-subject': 'Activate your account at {{organization}}',
  'mail-activation-title': 'Activate your account',
  'mail-activation-text':
    'An account was created for you at {{organization}}. Choose a password to activate it. The link works once and for {{validFor}}:',
  'mail-activation-button': 'Activate account',

  'mail-password-reset-subject': 'Choose a new password for {{organization}}',
  'mail-password-reset-title': 'Choose a new password',
  'mail-password-reset-text':
    'A new password was requested for your account at {{organization}}. The link works once and for {{validFor}}:',
  'mail-password-reset-if-not-you': 'If it was not you, do nothing: this request alone changes nothing.',

  'mail-password-changed-subject': 'Your password for {{organization}} was changed',
  'mail-password-changed-title': 'Your password was changed',
  'mail-password-changed-text':
    'The password of your account at {{organization}} was changed. When: {{when}}. You were signed out on all other devices.',

  'mail-two-factor-on-subject': 'Two-factor authentication for {{organization}} was turned on',
  'mail-two-factor-on-title': 'Two-factor authentication was turned on',
  'mail-two-factor-on-text':
    'Two-factor authentication of your account at {{organization}} was turned on. When: {{when}}. You were signed out on all other devices.',
  'mail-two-factor-off-subject': 'Two-factor authentication for {{organization}} was turned off',
  'mail-two-factor-off-title': 'Two-factor authentication was turned off',
  'mail-two-factor-off-text':
    'Two-factor authentication of your account at {{organization}} was turned off. When: {{when}}. You were signed out on all other devices.',

  'mail-two-factor-reset-subject': 'Two-factor authentication for {{organization}} was reset',
  'mail-two-factor-reset-title': 'Two-factor authentication was reset',
  'mail-two-factor-reset-text':
    'An administrator of {{organization}} removed the second factor of your account. When: {{when}}. You were signed out everywhere. Your password was not changed.',
  'mail-two-factor-recovered-text':
    'Two-factor authentication of your account at {{organization}} was turned off by the recovery for which the waiting time has passed. When: {{when}}. You were signed out everywhere.',
  'mail-two-factor-reset-advice':
    'If you asked for this, sign in and set up your authenticator app again. If you did not, choose a new password at once and tell {{organization}}:',

  'mail-passkey-added-subject': 'A passkey was added to your account at {{organization}}',
  'mail-passkey-added-title': 'A passkey was added',
  'mail-passkey-added-text':
    'A passkey was added to your account at {{organization}}. Its name: {{passkey}}. When: {{when}}. It can be used to sign in without a password.',
  'mail-passkey-removed-subject': 'A passkey of your account at {{organization}} was removed',
  'mail-passkey-removed-title': 'A passkey was removed',
  'mail-passkey-removed-text':
    'A passkey of your account at {{organization}} was removed. Its name: {{passkey}}. When: {{when}}. You were signed out on all other devices.',
  'mail-recovery-codes-made-subject': 'New recovery codes for your account at {{organization}}',
  'mail-recovery-codes-made-title': 'New recovery codes',
  'mail-recovery-codes-made-text':
    'New recovery codes for your account at {{organization}} were made. When: {{when}}. Those that you had before no longer work.',
  'mail-password-removed-subject': 'Your account at {{organization}} has no password any more',
  'mail-password-removed-title': 'Your password was removed',
  'mail-password-removed-text':
    'The password of your account at {{organization}} was removed. When: {{when}}. You sign in with your passkeys now. You can choose a password again in the account settings.',
  'mail-passkey-cloned-subject': 'A passkey of your account at {{organization}} may have been copied',
  'mail-passkey-cloned-title': 'A passkey may have been copied',
  'mail-passkey-cloned-text':
    'A sign-in to your account at {{organization}} was refused, because someone may have copied the passkey “{{passkey}}”. When: {{when}}. Remove this passkey in the account settings and add a new one.',

  'mail-recovery-code-used-subject': 'A recovery code was used at {{organization}}',
  'mail-recovery-code-used-title': 'A recovery code was used',
  'mail-recovery-code-used-text': 'A recovery code of your account at {{organization}} was used. When: {{when}}.',
  'mail-recovery-codes-left_zero':
    'No recovery code is left. Turn two-factor authentication off and on again to get new ones.',
  'mail-recovery-codes-left_one': '{{count}} recovery code is left.',
  'mail-recovery-codes-left_other': '{{count}} recovery codes are left.',

  'mail-many-failures-subject': 'Someone is trying to sign in to your account at {{organization}}',
  'mail-many-failures-title': 'Someone is trying to sign in to your account',
  'mail-many-failures-text':
    'There were many attempts to sign in to your account at {{organization}} with a wrong password or code. Each of these was refused. The last one: {{when}}.',
  'mail-many-failures-advice':
    'If it was not you, a long password that you use nowhere else is the best protection. You can choose a new one here:',

  'mail-app-access-ended-subject': 'An access of {{app}} to your data at {{organization}} has ended',
  'mail-app-access-ended-title': 'An access of {{app}} to your data has ended',
  'mail-app-access-ended-text':
    '{{app}} may have lost control of an access to your data at {{organization}}, so this access has ended. When: {{when}}.',
  'mail-app-access-ended-advice':
    'If you use {{app}}, open it and sign in again. If you do not know it, you need not do anything. What other apps may do is shown here:',

  'mail-receipt-subject': 'Confirmation: an access of {{app}} to your data at {{organization}} has ended',
  'mail-asker-subject': 'Ask to look after a patient of {{organization}}',
  'mail-asker-title': 'Ask to look after a patient',
  'mail-asker-text':
    'Choose a password, and then ask {{organization}} in Family and carers. Until the hospital has said yes, your account sees no record. The link works for {{validFor}}.',
  'mail-asker-button': 'Choose a password',
  'mail-asker-known-subject': 'Ask to look after a patient of {{organization}}',
  'mail-asker-known-title': 'You have an account already',
  'mail-asker-known-text':
    'Sign in with the account that you have at {{organization}}, and ask in Family and carers. If you have forgotten the password, you can choose another one there.',
  'mail-asker-known-button': 'Sign in',
  'mail-asker-reason': 'You receive this mail because this address was entered on the page of {{organization}}.',
  'mail-asker-if-unknown': 'If you have not asked for it, ignore this mail: nothing was stored.',
  'mail-invitation-subject': 'Someone asks for your help at {{organization}}',
  'mail-invitation-title': 'Someone asks for your help',
  'mail-invitation-text':
    'A patient of {{organization}} asks you to act for them. The link works for {{validFor}}, with the code that they tell you. The code is in no mail.',
  'mail-invitation-button': 'See the invitation',
  'mail-invitation-reason': 'You receive this mail because a patient of {{organization}} entered your address.',
  'mail-invitation-if-unknown': 'If you do not know about it, ignore this mail: the link needs the code.',
  'mail-invitation-ended-subject': 'An invitation of {{organization}} has ended',
  'mail-invitation-ended-title': 'The invitation has ended',
  'mail-invitation-ended-text':
    'The invitation that you received from {{organization}} has ended, because a wrong code was entered too often. The patient can invite you again.',

  'mail-request-answered-subject': 'There is an answer to your request at {{organization}}',
  'mail-request-answered-title': 'There is an answer to your request',
  'mail-request-answered-text':
    '{{organization}} has answered your request, or needs something more. Sign in and open Family and carers to read it.',
  'mail-record-seen-in-error-subject': 'Your record at {{organization}} was open to the wrong user',
  'mail-record-seen-in-error-title': 'Your record was open to the wrong user',
  'mail-record-seen-in-error-text':
    '{{organization}} let a user act for you by mistake. This has ended. Sign in to see what was looked at, and when. You can also ask the hospital.',
  'mail-family-changed-subject': 'Something changed in Family and carers at {{organization}}',
  'mail-family-changed-title': 'Something changed in Family and carers',
  'mail-family-changed-text':
    'Something changed in Family and carers at {{organization}}. When: {{when}}. Sign in to see what:',

  'mail-family-changes-subject': 'Something will change in Family and carers at {{organization}}',
  'mail-family-changes-title': 'Something will change in Family and carers',
  'mail-family-changes-text':
    'Something in Family and carers at {{organization}} will change within 30 days, or needs your answer. Sign in to see what:',

  'mail-receipt-title': 'An access of {{app}} to your data has ended',
  'mail-receipt-by-person': 'You took back the access of {{app}} to your data at {{organization}}.',
  'mail-receipt-by-administrator': 'An administrator of {{organization}} took back the access of {{app}} to your data.',
  'mail-receipt-by-representation':
    'The access of {{app}} at {{organization}} ended, because you do not act for the patient any more.',
  'mail-receipt-by-everyone': 'An administrator of {{organization}} ended the access of {{app}} for all users.',
  'mail-receipt-ended-at': 'Taken back: {{ended}}',
  'mail-receipt-since': 'Access since: {{since}}',
  'mail-receipt-sign-ins': 'Sessions that ended: {{signIns}}',
  'mail-receipt-offline': 'Access while you are away: ended',
  'mail-receipt-agreements': 'Remembered permissions that ended: {{agreements}}',
  'mail-receipt-refresh-tokens': 'Keys to stay connected that ended: {{refreshTokens}}',
  'mail-receipt-access-tokens': 'Keys to your data that ended: {{accessTokens}}',
  'mail-receipt-all-access-tokens': 'Keys to your data that ended: all of them',
  'mail-receipt-last-access': 'Last access: {{lastAccess}}',
  'mail-receipt-no-access': 'Last access: none was recorded',
  'mail-receipt-last-read': 'Read last: {{readKinds}} ({{readAt}})',
  'mail-receipt-last-read-unknown': 'Read last: {{readAt}}',
  'mail-receipt-unattended': 'That was while you were not there',
  'mail-receipt-number': 'Confirmation number: {{number}}',
  'mail-receipt-refused': 'Every further call of {{app}} with this access is refused.',
  'mail-receipt-until':
    '{{app}} gets no new access. A server that checks access without asking {{organization}} may still accept it until {{until}}.',
  'mail-receipt-company-keeps':
    '{{company}} keeps what {{app}} has already received. You can ask {{company}} to delete it.',
  'mail-receipt-app-keeps':
    'The maker of {{app}} keeps what the app has already received. You can ask the maker to delete it.',
  'mail-account-recovery-subject': 'Recovery of your account at {{organization}} was requested',
  'mail-account-recovery-title': 'Recovery of your account was requested',
  'mail-account-recovery-text':
    'A new password for your account at {{organization}} was requested without a passkey or a recovery code of the account. A link to choose a password will be sent to this address. When: {{when}}.',
  'mail-account-recovery-sign-in-text':
    'The password of your account at {{organization}} was entered, and recovery was requested because the authenticator app and all recovery codes are lost. A link to choose a new password will be sent to this address. When: {{when}}.',
  'mail-account-recovery-turns-off': 'Two-factor authentication of the account, if it is on, ends with this link.',
  'mail-account-recovery-end': 'If you did not ask for this, end it with this link:',
  'mail-account-recovery-button': 'End the recovery',
  'mail-account-recovery-if-not-you':
    'A sign-in ends the recovery, too. If you did not ask for it, another person may read your mail: please change the password of your mailbox. If it was you, do nothing.',
  'mail-account-recovery-sign-in-if-not-you':
    'A complete sign-in ends the recovery, too. If you did not ask for it, another person knows your password: please choose a new one. If it was you, do nothing.',
  'mail-account-deletion-subject': 'Your account at {{organization}} will be deleted',
  'mail-account-deletion-title': 'Your account will be deleted',
  'mail-account-deletion-text':
    'The deletion of your account at {{organization}} was requested. The account is locked. Deletion: {{when}}. Until then you can keep the account with this link:',
  'mail-account-deletion-button': 'Keep my account',
  'mail-account-deletion-if-not-you':
    'If it was not you, keep the account, choose a new password and tell {{organization}}. If you want your account to be deleted, do nothing.',

  'mail-account-deleted-subject': 'Your account at {{organization}} was deleted',
  'mail-account-deleted-title': 'Your account was deleted',
  'mail-account-deleted-text':
    'Your account at {{organization}} was deleted, and the access of apps by it was ended. When: {{when}}. Your health record is not deleted. The record of sign-ins and accesses is kept as the law requires.',
  'mail-account-deleted-advice': 'If it was not you, tell {{organization}}:',

  'mail-test-mail-subject': 'Test mail of {{organization}}',
  'mail-test-mail-title': 'This mail has arrived',
  'mail-test-mail-text':
    'You asked the portal of {{organization}} for a test mail. Follow the link to confirm that it has arrived:',
  'mail-test-mail-button': 'Confirm',
} as const;
