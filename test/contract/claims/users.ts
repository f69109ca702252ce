import type { Checked } from './checked.js';

/** Sentences of the pages of users that claim something, and what each is tied to. */
export const userClaims: readonly Checked[] = [
  {
    by: 'reading',
    what: 'an instruction, or the name of a choice',
    sentences: [
      'All data',
      'Everything {{client}} has seen',
      'Everything {{client}} has seen of {{patient}}',
      'You sign in with this passkey only, as your account has no password. Choose a password or add another passkey before you remove it.',
      'Your account has none yet. Make one, then use it.',
      'I have none of these',
      'It was not me: end it',
      'Only changing it; it can still be seen',
      'Are you still there?',
      'You need an account here. If you have none, ask the hospital for one.',
      'Accept with the account that you sign in to this portal with. If you have none, ask the hospital for one.',
      'You have not been active for a while. For your security you are signed out in:',
    ],
  },
  {
    by: 'src/audit',
    what: 'the audit events of accesses: their outcome, kind of launch and token',
    sentences: [
      'An app no longer registered',
      'While you were not there',
      'Refused, nothing shown',
      'Nothing shown',
      'An administrator of {{organization}} tried the app with a test record. The app itself got nothing.',
      '{{what}} (while you were not there)',
    ],
  },
  {
    by: 'src/audit',
    what: 'the number of recorded accesses',
    sentences: ['No access is recorded yet', 'Nothing in this period'],
  },
  {
    by: 'src/session',
    what: 'the transaction that ends the other sessions',
    sentences: [
      'You stay signed in here and are signed out everywhere else.',
      '"Remember me" has no effect for administrators.',
      'You are signed out everywhere else.',
      'Choose a new password. You will be signed out everywhere else.',
    ],
  },
  {
    by: 'specification',
    what: 'its text or its button',
    sentences: [
      'Sign out everywhere else',
      'It seems a server error occurred. Luckily your data security is all good.',
      'The selected user no longer exists. Please refresh the page to view the latest user list.',
      'The selected client no longer exists. Please refresh the page to view the latest client list.',
      'The selected tag no longer exists. Please refresh the page to view the latest tag list.',
      'The selected disclaimer no longer exists. Please refresh the page to view the latest disclaimer list.',
      'The selected app no longer exists. Please refresh the page to view the latest app list.',
      'The system is still initializing and retrieving required configuration from the FHIR server. Please try again in a few minutes.',
      'Your account setup has not been completed yet. Please try again later.',
    ],
  },
  {
    by: 'client/src/shared',
    what: 'the answer 401 to the call',
    sentences: [
      'You were signed out, so this was not saved. You are signed in again: please save once more.',
      'You were signed out, so this was not done. You are signed in again: please try once more.',
    ],
  },
  {
    by: 'src/launch-trial',
    what: 'the redirect URI of a trial is a page of the portal',
    sentences: [],
  },
  {
    by: 'client/src/features/consent',
    what: 'the scopes of the decision before',
    sentences: ['Nothing is new since then.'],
  },
  {
    by: 'client/src/features/consent',
    what: 'the scopes and lifetimes of the request',
    sentences: [
      'Off: only the kinds ticked below, nothing that comes later',
      'For {{duration}}, also when you are not there. It ends sooner when you take it back, or when the app is not used for {{unused}}.',
      'Also when you are not there, until you take it back or the app is not used for {{unused}}.',
    ],
  },
  {
    by: 'client/src/shared',
    what: 'the draft, which is kept until the record is saved',
    sentences: [
      'What you have entered is not saved yet.',
      'What you entered is back. It is not saved yet.',
      'Nothing of yours is lost. Where both of you changed a field, yours replaces theirs unless you choose theirs.',
    ],
  },
  {
    by: 'src/grants',
    what: 'a pause changes no grant',
    sentences: ['{{client}} is paused. Nothing that it may do is lost.'],
  },
  {
    by: 'client/src/features/launch-context',
    what: 'the answer of the FHIR server',
    sentences: [
      'There is nothing to choose from.',
      'There is nothing to choose from for the patient {{patient}}.',
      'You chose no patient, so there is nothing to choose from here.',
      'Nothing was found. Check the spelling, or write a date as in 1980‑12‑31.',
    ],
  },
  {
    by: 'client/src/shared/list/paging',
    what: 'the words of the search in each name of the list',
    sentences: ['Nothing was found. Check the spelling of the name.'],
  },
  {
    by: 'src/invitations',
    what: 'the state of the invitation',
    sentences: [
      'A wrong code was entered too often, so the link does not work any more.',
      '{{name}} did not answer in time.',
    ],
  },
  {
    by: 'client/src/features/passkeys',
    what: 'the outcome of the ceremony; no passkey was posted',
    sentences: [
      'That did not work. Use your password, or try again.',
      'No passkey was used.',
      'No passkey was added to your account. Please try again.',
      'No passkey was added to your account.',
      'That did not work. Please try again.',
    ],
  },
  {
    by: 'src/session',
    what: 'the refusal of the sign-in',
    sentences: [
      'The sign-in with your provider did not work. Please try again. If it happens again, contact your administrator.',
      'You have no account here, or may not use it this way. Please contact your administrator.',
    ],
  },
  {
    by: 'src/own-data',
    what: 'what the deletion does, and its conditions',
    sentences: [
      'You signed in a while ago. The file has everything kept about you, so please confirm that it is you.',
      'Apps lose their access, and you can no longer sign in. Your health record is not deleted.',
      'Ends at once',
      'You are signed out on all devices.',
      'Your codes no longer work here.',
      'Signing in with {{provider}} no longer leads to this account.',
      'Please sign in with {{provider}} again, to confirm that it is you. Nothing is deleted yet.',
      'The provider you sign in with is no longer set up here. Please ask an administrator to delete your account.',
      'Do you no longer have your passkey? Close this, and remove the passkey in your account settings first.',
    ],
  },
  {
    by: 'src/passkeys',
    what: 'the transaction that removes it',
    sentences: [
      'It can no longer be used to sign in, and you are signed out on all other devices. Also delete it in the settings of the device.',
      'Do you no longer have it? Sign out and ask for a link to choose a new password. With a recovery code, or after a waiting time, you can then make another passkey. The operator of this portal can help, too.',
      'After this you sign in with a passkey only, and you are signed out on all other devices. You can choose a password again here.',
    ],
  },
  {
    by: 'src/users',
    what: 'the row of account_recovery',
    sentences: [
      'A link to choose a new password will be sent to your e-mail address. When: {{at}}. If you did not ask for it, end it.',
      'This recovery has ended. There is nothing to do.',
    ],
  },
  {
    by: 'client/src/features/passkeys',
    what: 'WebAuthn, and the configuration',
    sentences: [
      'Your fingerprint and face never leave your device',
      '{{organization}} asks all users to sign in with their fingerprint, face or screen lock instead of a password. This is called a passkey.',
      'If this device has none of these, use your phone or a security key.',
    ],
  },
  {
    by: 'src/oidc-store',
    what: 'what the transaction ended, and how long a token still works elsewhere',
    sentences: [
      'It is signed out everywhere and cannot see your record any more.',
      'Access ends immediately, even if the app is open now. Nothing else changes.',
      'The app gets no new access to it. Its present access may last until {{until}}. Nothing else changes.',
      '{{client}} can no longer see your record',
      '{{client}} no longer has your access',
      'By an administrator, for all users',
      'Ended at once',
      'The app was not signed in',
      'Every request of the app is refused',
    ],
  },
  {
    by: 'src/two-factor',
    what: 'the factors of the account',
    sentences: [
      'Your account has no passkey yet. Add one in your account settings, then come back to this page.',
      'Your organization signs you in, and its accounts have no passkeys here. Ask the people who gave you this app for an account with a passkey.',
    ],
  },
  {
    by: 'src/representation',
    what: 'what a patient is told on a page: ended relationships, and those that are active without being told of now',
    sentences: [
      'No one acts for you any more.',
      'You are still helped by {{names}}.',
      'Still acts for you',
      'May see everything but what is kept private',
    ],
  },
  {
    by: 'src/representation',
    what: 'the decision on the day of the coming step, which refuses for the age',
    sentences: ['{{name}} may turn {{age}} from {{date}} on: from then on you see nothing'],
  },
  {
    by: 'src/representation',
    what: 'the relationships of the user',
    sentences: ['You have no helper here.'],
  },
  {
    by: 'src/two-factor',
    what: 'the factors of the account',
    sentences: [
      'After that, signing in still takes a code of the authenticator app or a recovery code. Without them, contact the help desk.',
    ],
  },
  {
    by: 'src/consent',
    what: 'ConsentOffers: the decision is stored only for the context and the levels that the page showed',
    sentences: [
      'What you may see has changed. Nothing was allowed. Please look at the request again.',
      'Nothing was allowed. You can go back to the app, or choose another person.',
    ],
  },
  {
    by: 'src/representation',
    what: 'RelationshipEnds, and the level of the relationship',
    sentences: [
      'It ends as well when you no longer act for {{name}}.',
      '{{client}} asks for nothing you may see.',
      'May {{name}} still see your record? If you do not answer within 30 days, this ends.',
      'Yes, this is still right',
    ],
  },
  {
    by: 'src/oidc',
    what: 'endOfRequest: which cookies the browser sent',
    sentences: [
      'This browser has no cookie of it. Cookies of this site were removed or blocked, or it was begun in another browser.',
    ],
  },
  {
    by: 'src/requests',
    what: 'the state of the request, and the transaction that takes it back',
    sentences: ['The answer was no', 'We stop checking, and delete your files at once.'],
  },
  {
    by: 'src/representation',
    what: 'the level of the relationship, by which each request is decided and which a grant does not exceed',
    sentences: [
      'From now on, {{name}} may see more. Apps get nothing more until {{name}} is asked again.',
      'Less counts at once, in all apps as well.',
    ],
  },
  {
    by: 'src/requests',
    what: 'the state of the request, which changes nothing before its approval',
    sentences: [
      'The hospital answers within 3 days. Until then nothing changes.',
      'Nothing changes until then. We write to you as soon as we know.',
      'It stays as it was. You can ask again, or talk to the front desk.',
    ],
  },
  {
    by: 'src/session',
    what: 'the configured providers, which lack the one of the sign-in',
    sentences: ['Your provider is not configured any more, so you cannot confirm that it is you.'],
  },
  {
    by: 'src/grants',
    what: 'the end of the grant for one patient, in one transaction with its receipt',
    sentences: [
      'It cannot see the record of {{patient}} any more. Its access to other records stays.',
      '{{client}} can no longer see the record of {{patient}}',
      '{{client}} can no longer see the record',
    ],
  },
  {
    by: 'src/representation',
    what: 'the age table on the day, and the ends of relationships and of their grants',
    sentences: [
      '{{app}} can see nothing of your record any more, at once. {{name}} can still act for you, and can ask again.',
      'Nothing is about to change',
      '{{name}} turns {{age}} on {{date}}: from then on you see nothing',
      'From {{age}} on, children at {{organization}} get more privacy. You need to do nothing.',
      'From {{age}} on, the record belongs to {{name}} alone. You need to do nothing.',
      'You need to do nothing. Apps get nothing more until you are asked again.',
      'At once, this ends the access of {{apps}}.',
    ],
  },
  {
    by: 'src/representation',
    what: 'the state of the relationship, whose end takes the access of its apps in the same transaction',
    sentences: [
      'Does not act for you any more',
      'You do not act for {{name}} any more',
      '{{name}} does not act for you any more',
      'You and your apps get nothing of the record of {{name}}. Their next request is refused.',
      '{{name}} and their apps get nothing of your record. Their next request is refused.',
    ],
  },
  {
    by: 'src/representation',
    what: 'the level as it is configured, of which no kind is shown',
    sentences: ['Nothing of the record', 'May see nothing but who you are'],
  },
  {
    by: 'src/audit',
    what: "the user's own accesses to the record of this patient, without a filter",
    sentences: ['You have not opened this record yet'],
  },
  {
    by: 'src/requests',
    what: 'the draft on the device, which has no files',
    sentences: ['Please add your files again. What you wrote is still here, but no device keeps files.'],
  },
  {
    by: 'src/requests',
    what: 'AskerAccounts: the answer is the same whatever is entered, and the mail is stored before it',
    sentences: [
      'You have no account yet? Enter your name and email. We send you a link to begin.',
      'We have sent a mail to the address that you entered. The link in it works for {{count}} hours.',
    ],
  },
  {
    by: 'src/grants',
    what: 'the grant of the app, which has no scope, and the decisions about its disclaimers',
    sentences: ['This app has no access. You only agreed to its disclaimers.'],
  },
];
