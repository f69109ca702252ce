import type { Checked } from './checked.js';

/** Sentences of the pages of administrators that claim something, and what each is tied to. */
export const administratorClaims: readonly Checked[] = [
  {
    by: 'reading',
    what: 'an instruction, or the name of a choice',
    sentences: [
      'Only what did not succeed',
      'No test patient is configured for this FHIR server (fhir.testPatients). Without one, scopes for a patient are cut and no data is read.',
      'Not imported: {{columns}}.',
    ],
  },
  {
    by: 'specification',
    what: 'its text or its button',
    sentences: [
      'Configuration data from the FHIR server is still loading. Please wait before starting to edit clients.',
      'Sign out everywhere',
    ],
  },
  {
    by: 'client/src/features/dashboard',
    what: 'the answer of each check, or its failure',
    sentences: ['Not live: the list could not be loaded again', 'No problem was found'],
  },
  {
    by: 'src/activity',
    what: 'the row of the launch',
    sentences: [
      'No launch has the reference {{reference}}. Launches are kept for a limited time.',
      'Tokens not issued',
      'The launch has not ended. What happens next appears here.',
      'The app got its tokens. The notes at the steps say what it did not get.',
      'The launch is not recorded (yet), so the reasons are not known here.',
    ],
  },
  {
    by: 'client/src/features/activity',
    what: 'the outcome of the launch',
    sentences: ['No setting has to be changed for that.', 'The user did not continue'],
  },
  {
    by: 'src/activity',
    what: 'the number of recorded launches',
    sentences: [
      'Today {{refused}} of {{total}} did not succeed',
      'No refused launch is recorded today',
      'No launch is recorded in the last 30 days.',
    ],
  },
  {
    by: 'src/bulk',
    what: 'the rows of bulk_change_item',
    sentences: [
      '{{what}}: stopped after {{number}} of {{total}}. The rest was not done.',
      '{{what}}: stopped after {{number}} of {{total}}, because this account may not do it any more.',
      '{{what}}: {{number}} of {{total}} changed. Not changed: {{failed}}.',
      '{{failed}} of {{total}} not changed',
      'Not changed',
      'Its settings do not satisfy the rules any more. Open it to see which.',
      'Undone for {{number}} of {{total}}; not undone: {{names}}.',
      'Undone for {{number}} of {{total}}; not undone: {{names}} and {{more}} more.',
    ],
  },
  {
    by: 'src/contract',
    what: 'the type of the audit event',
    sentences: [
      'Sent a token that another request had used by then (nothing ended)',
      'Ended all sessions, tokens, grants and links',
      'Chose what was not offered',
    ],
  },
  {
    by: 'src/audit',
    what: 'the refusal of the filter',
    sentences: ['This search was not made'],
  },
  {
    by: 'src/audit',
    what: 'the recorded verification of the seals',
    sentences: ['Unchanged since it was written', 'The verification was interrupted. Another node begins again soon.'],
  },
  {
    by: 'client/src/features/dashboard',
    what: 'the sheet has no action that stores',
    sentences: [
      'Nothing is changed here: the configuration file of the server has these settings.',
      'Nothing to configure yet.',
    ],
  },
  {
    by: 'client/src/shared',
    what: 'the selection',
    sentences: ['Nothing is selected'],
  },
  {
    by: 'client/src/shared',
    what: 'the end of the answer',
    sentences: ['The export was broken off. Try again.'],
  },
  {
    by: 'src/clients',
    what: 'what the question asks for',
    sentences: [
      'They are refused at once. For ten seconds this can be undone; after that, all access of their users ends, and enabling them does not bring it back.',
      'They are refused at once. For ten seconds this can be undone; after that, all access of their users ends, and their settings are gone.',
      'The client is refused at once. You can undo this for 10 seconds; after that, all access of its users ends, and enabling the client does not bring it back.',
    ],
  },
  {
    by: 'src/tags',
    what: 'the number of clients with the tag; other columns are not in the statement',
    sentences: [
      'A ticked tag is added to all, an empty one is taken off, and one with a dash stays as it is.',
      'No client has this tag.',
      'No client has it.',
      'It is taken off {{count}} client, which stays as it is otherwise.',
      'It is taken off {{count}} clients, which stay as they are otherwise.',
    ],
  },
  {
    by: 'src/contract',
    what: 'the meaning of a setting',
    sentences: [
      'A service that exports the data of many patients at once.',
      'The data of one patient, all data that the user may see, or all data.',
      'A resource server may ask about the tokens it was sent.',
      'Protects the code on its way back to the app. Apps without a secret always use it.',
      'With a passkey required, people who have none cannot use the app until they have added one to their account.',
    ],
  },
  {
    by: 'client/src/features/clients',
    what: 'the compared settings of both types',
    sentences: ['Nothing that stays visible changes.', 'Nothing is hidden.'],
  },
  {
    by: 'client/src/features/clients',
    what: 'the choices that fit',
    sentences: ['Nothing found.'],
  },
  {
    by: 'client/src/features/clients',
    what: 'the form is saved by its button only',
    sentences: ['Please choose a valid type and review what it changes. Nothing is stored until you save.'],
  },
  {
    by: 'src/clients',
    what: 'the last use of a secret or key, which each token request stores',
    sentences: [
      'Never used',
      'Secret never used',
      '{{name}} was never used.',
      'The app has not used {{name}} yet. If you end the old secret now, it can no longer sign in.',
    ],
  },
  {
    by: 'src/helpdesk',
    what: 'the account, its links and its locks',
    sentences: [
      'Nothing is known that stops their sign-in.',
      'No FHIR record is known for this user. Choose the user type and the record.',
      'The link cannot be used any more.',
      'The invitation has not been accepted yet',
      'The provider at which the user signs in is not in the configuration of the portal any more.',
      'Every attempt is refused until {{until}}.',
      'Every code is refused until {{until}}.',
      'As a second factor, with a mailed link or in the account settings, passkeys are refused until {{until}}. Signing in with a passkey alone still works.',
    ],
  },
  {
    by: 'src/helpdesk',
    what: 'the configuration, which has no mail server',
    sentences: ['No mail server is configured, so the portal cannot send the invitation.'],
  },
  {
    by: 'src/portal',
    what: 'the configuration, which has no mail server',
    sentences: [
      'No mail server is configured. Next, you copy the link with which the user chooses a password, and hand it over.',
      'No mail server is configured, so you have to tell {{name}}.',
      'No mail server is configured: each user has “Copy link” for the invitation, which you hand over.',
      'For a new account. No mail server is configured: you copy the link of the invitation there.',
    ],
  },
  {
    by: 'src/platform',
    what: 'the mail that still waits as a job',
    sentences: ['No mail server has taken the mail yet. It is sent by itself once one does.'],
  },
  {
    by: 'src/helpdesk',
    what: 'the sessions of the account',
    sentences: ['No browser is signed in.', 'The user was signed out everywhere.'],
  },
  {
    by: 'client/src/features/users',
    what: 'the account; the transaction of the reset',
    sentences: [
      'Passkeys are removed. {{name}} has no password, and chooses one with the link of “Forgot Password?” to sign in.',
      '{{name}} is signed out everywhere.',
      '{{name}} has no email address, so there is no mail about it.',
    ],
  },
  {
    by: 'src/two-factor',
    what: 'the configured providers',
    sentences: [
      'The provider at which you signed in is not configured any more, so you cannot confirm that it is you.',
    ],
  },
  {
    by: 'src/launch-trial',
    what: 'the recorded result of the trial; its tokens are revoked first',
    sentences: [
      'Runs the settings of {{client}} without the app: the request, the consent page, the token and one request for data. Everything issued ends with the trial.',
      'This client has no type. Set its type to try a launch.',
      'This trial was interrupted, and has no result. What was issued ends by itself within minutes.',
      'This trial was not continued within 15 minutes, and has ended.',
      'No scope was cut or changed.',
      'No scope was granted.',
      'No token was issued.',
      'The access token is not a JWT: its value is withheld, and says nothing by itself.',
      'Nothing was read, because there was no token.',
      'Nothing was read: no test patient was chosen, and data of other patients is not used.',
      'Nothing was read: the scopes permit no request about the test patient.',
      'Nothing was read: the gateway is turned off, and apps call the FHIR server themselves.',
      'Nothing was read: this client manages the portal and gets no health data.',
    ],
  },
  {
    by: 'client/src/features/palette',
    what: 'the answer of the search',
    sentences: ['Nothing was found.', 'The search did not work. Pages and actions are found all the same.'],
  },
  {
    by: 'src/readiness',
    what: 'the findings of all checks',
    sentences: ['Nothing blocks going live', 'Every check passes.'],
  },
  {
    by: 'src/clients',
    what: 'a row of secret_rotation',
    sentences: [
      'Rotation under way',
      'The old secret no longer works then.',
      'The new secret was shown once, when it was made. If it was not stored, cancel and begin again.',
      'The old secret no longer works.',
      'The new secret {{name}} is removed. An app that uses it can no longer sign in with it.',
      'The rotation of {{count}} secret is under way',
      'The rotation of {{count}} secrets is under way',
      'The rotation of more than {{count}} secrets is under way',
    ],
  },
  {
    by: 'src/users',
    what: 'a check stores nothing; the lines of user_import_line',
    sentences: [
      'Nothing is changed by the check.',
      '{{number}} line was not imported. Import the same file again to continue.',
      '{{number}} lines were not imported. Import the same file again to continue.',
    ],
  },
  {
    by: 'src/platform/config',
    what: 'the configured address of the FHIR server',
    sentences: ['No address is configured yet.'],
  },
  {
    by: 'src/representation',
    what: 'the levels of the configuration, with what they keep private',
    sentences: ['Everything but what is kept private'],
  },
  {
    by: 'src/users',
    what: 'the type RelatedPerson, whose accounts have no fhirUser claim of their own',
    sentences: ['An account that acts for others has no record of its own'],
  },
  {
    by: 'src/representation',
    what: 'the reason of representation_relationship, as it was stored with the end or the suspension',
    sentences: [
      'The patient has not agreed.',
      'The yearly question was not answered.',
      'the yearly question was not answered',
    ],
  },
  {
    by: 'src/representation',
    what: 'RelationshipEnds and Blocks, in the transaction of the end (`test/representation/relationships.test.ts`)',
    sentences: [
      'This pair is blocked. Nothing that is proposed for it can be approved.',
      'It ends at once, and so does the access of the apps that are based on it.',
      'It ends at once, without a mail to the representative. Nothing in the account of the representative shows that it existed. The pair is blocked until two administrators lift the block.',
      'It ends at once. Nothing of the patient stays in the account of the representative.',
      'It ends at once. No mail is sent to the account of the representative.',
    ],
  },
  {
    by: 'src/users',
    what: 'UserChanges.store, which ends the access of an account whose record changes',
    sentences: [
      'The account becomes that of a patient. For whom it acts stays as it is. Its apps have to be connected again.',
    ],
  },
  {
    by: 'src/activity',
    what: 'the notes page-sent and page-shown of the launch',
    sentences: ['Sent to {{page}}, which no browser has shown yet, as far as is recorded'],
  },
  {
    by: 'src/requests',
    what: 'RequestQueue and RequestDecisions: the request, its files, and the comparison with the record',
    sentences: [
      'This request does not exist any more.',
      'Compared, and never filled in',
      'Nothing was compared: there were too many requests. Decline it, or let it wait.',
      'No files were sent.',
      'The record has no birth date that can be used. Approve all the same',
      'This request was changed meanwhile. What you entered is still here. Look at the request again, then decide.',
    ],
  },
  {
    by: 'src/representation',
    what: 'RelationshipEnds, which ends or suspends in the transaction of the decision',
    sentences: [
      'The patient has ended this. Nothing is seen until you decide.',
      '{{name}} and the apps of {{name}} lose access at once.',
      'Access ends at once. {{name}} keeps nothing of the patient. The patient gets a mail, if there is an account. If not, you have to tell the patient.',
      'Access ends at once. {{name}} keeps nothing of the patient. You have to tell the patient.',
    ],
  },
  { by: 'reading', what: 'a question', sentences: ['This has no last day. Is it still right?'] },
  {
    by: 'src/requests',
    what: 'the request for a change, which changes nothing before its approval',
    sentences: [
      'An approval gives the level that you choose. If you decline, it stays as it is.',
      'For the age step from {{age}} on, which begins on {{date}}. Until then nothing changes.',
    ],
  },
  {
    by: 'src/representation',
    what: 'the list of relationships that are suspended, as the server reads it',
    sentences: [
      'The FHIR server did not have the records of these patients, or has merged them. Nothing is seen until you confirm.',
      'Nothing is suspended',
    ],
  },
];
