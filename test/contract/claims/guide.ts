/** Beginnings of sentences of `docs/guides/acting-for-others.md`, and the test of what each says. */
export interface GuideClaim {
  /** A file of tests, and a part of the title of one of them; or `reading` for advice and explanations. */
  by: readonly [file: string, title: string] | 'reading';
  sentences: readonly string[];
}

const representation = (file: string, title: string) => [`test/representation/${file}.test.ts`, title] as const;
const requests = (file: string, title: string) => [`test/requests/${file}.test.ts`, title] as const;
const acting = (title: string) => ['test/gateway/acting/acting-for-others.test.ts', title] as const;
const configuration = (title: string) => ['test/platform/config/representation.test.ts', title] as const;

export const guideClaims: readonly GuideClaim[] = [
  {
    by: 'reading',
    sentences: [
      'A mother uses an app with',
      'What your law permits at which age',
      'The tables below are places',
      'They do not replace legal advice.',
      'Upgrade **all nodes**.',
      'Keep the gateway on.',
      'Look at how your FHIR server labels',
      'A restored backup does not know of ends',
      'Where little is labelled',
      'A **level** says how far.',
      '| Way | Who decides |',
      'Name which resources belong to an account',
      'A parent is the personal representative',
      'So age alone does not justify',
      'The record names such a service',
      'Access of parents is reviewed',
      'Parents read the record of a child',
      'For a patient without an account a letter',
    ],
  },
  {
    by: representation('relationships', 'nothing is at its addresses for who could call them'),
    sentences: ['With the section `representation`', 'Without it nothing of this page exists'],
  },
  {
    by: ['test/faults/upgrades/representation.long.test.ts', 'keeps a node from starting with representation'],
    sentences: ['The first relationship keeps the releases'],
  },
  {
    by: ['test/faults/upgrades/representation.long.test.ts', 'refuses the tokens and the codes of relationships'],
    sentences: ['Such a release refuses the tokens', 'To switch representation off again'],
  },
  {
    by: configuration('accepts full access without ages where the gateway is off'),
    sentences: ['It alone reads levels and ages'],
  },
  { by: configuration('has the time zone of each tenant, or one for all'), sentences: ['Set `locale.timeZone`'] },
  {
    by: representation('represented-access', 'changes at midnight of the hospital'),
    sentences: ['Ages change at midnight there.'],
  },
  {
    by: configuration('which need a time zone and the gateway'),
    sentences: ['There is no default.', 'A **basis** says'],
  },
  { by: acting('sees by %s what the level permits'), sentences: ['A resource without a label counts as open.'] },
  { by: configuration('names from 13 on no medicine'), sentences: ['With an empty section the [shipped'] },
  {
    by: representation('relationships', 'has both sides, each with the word of its relation'),
    sentences: ['It has the words for both sides', 'Both sides end what the basis lets'],
  },
  {
    by: representation('domain/permitted-record', 'what all levels permit, and each exclusion of one of them'),
    sentences: ['`full` is everything but', 'Every other level is a list of kinds'],
  },
  { by: representation('domain/level-kinds', 'A kind of documents'), sentences: ['Documents, questionnaires and'] },
  { by: representation('domain/decision', 'is not possible below the table'), sentences: ['An **age table** belongs'] },
  {
    by: representation('domain/decision', 'has what its own level and that of the age step both permit'),
    sentences: ['What may be seen is what the relationship'],
  },
  {
    by: representation('calendar', 'that ends is stored without a request'),
    sentences: ['`not-possible` refuses', 'An age that ends it does so'],
  },
  {
    by: representation('domain/decision', 'is refused as soon as one of the possible ages is refused'),
    sentences: ['Where only a year or a month of birth'],
  },
  {
    by: ['test/invitations/helper-levels.test.ts', 'A patient changes what a representative may see'],
    sentences: ['A patient who is old enough for an account', 'Patients change on a card'],
  },
  {
    by: ['test/invitations/helper-levels.test.ts', 'to more only with a proof of the patient'],
    sentences: ['More needs a recent sign-in'],
  },
  {
    by: representation('domain/level-kinds', 'is withheld if one of it is private'),
    sentences: ['`text`, `note` and `display`', 'A resource that contains one'],
  },
  {
    by: ['test/invitations/invitations.test.ts', 'invites an adult, whose account then acts for them'],
    sentences: ['| A patient invites an adult'],
  },
  {
    by: ['test/invitations/invitations.test.ts', 'that came to nothing is listed with its cause'],
    sentences: ['An invitation that was declined'],
  },
  {
    by: ['test/invitations/invitations.test.ts', 'a patient hands the link over, which an account accepts'],
    sentences: ['Where no mail server is configured', 'It is accepted with an account'],
  },
  { by: requests('requests', 'asks for a child, is told to wait'), sentences: ['| A user asks by the form'] },
  {
    by: representation('relationships', 'need a second one for a level above the age table'),
    sentences: ['| Administrators propose on the sheet'],
  },
  {
    by: representation('administration/relationship-import', 'makes what the age table permits active'),
    sentences: ['| Administrators import a CSV file', 'A line above the age table'],
  },
  {
    by: ['test/as-code/relationships.test.ts', 'with-relationships'],
    sentences: ['| A file of `gatehouse apply'],
  },
  {
    by: representation('server/server-relationships', 'lets its account act for its patient'),
    sentences: ['| RelatedPerson resources of the FHIR', 'With `source: server` the', '`active` is true, `patient`'],
  },
  {
    by: representation('administration/relationship-import', 'takes the file of the export'),
    sentences: ['The file of an import has the columns'],
  },
  {
    by: representation('administration/relationship-import', 'says in a dry run what becomes of each line'),
    sentences: ['With `"dryRun": true`'],
  },
  {
    by: representation('server/server-relationships', 'belongs to one account'),
    sentences: ['`PUT /api/admin/representation/account'],
  },
  {
    by: representation('server/server-relationships', 'ends what it gave within five minutes'),
    sentences: ['They are read again after five minutes'],
  },
  {
    by: representation('server/server-relationships', 'never revives what was ended here'),
    sentences: ['An own relationship of the pair wins'],
  },
  {
    by: ['test/launch-context/acting-scenarios.long.test.ts', 'do not act with their own accounts'],
    sentences: ['Staff who act for a relative'],
  },
  {
    by: representation('relationships', 'invite who only acts for others'),
    sentences: ['An account that only acts for others'],
  },
  {
    by: representation('account-relationships', 'makes a patient of an account that only acted'),
    sentences: ['Once its user becomes a patient'],
  },
  {
    by: representation('account-relationships', 'are shown as they are configured'),
    sentences: ['The page *Age rules*'],
  },
  {
    by: ['test/readiness/domain/representation-rules.test.ts', 'The rules about acting for others'],
    sentences: ['The readiness report blocks while a level'],
  },
  {
    by: representation('acting-flow', 'is asked of who acts for others: the own record first'),
    sentences: ['An app that asks for a patient asks'],
  },
  {
    by: ['test/demo/family-journey.long.test.ts', 'A child who is missing is asked for during the request'],
    sentences: ['*Someone is missing?* there leads'],
  },
  {
    by: representation('acting-flow', 'names the patient, and by the rule of the level what is kept private'),
    sentences: ['The consent page names the patient'],
  },
  {
    by: representation('acting-access', 'has a card for each patient, and is taken back for one'),
    sentences: ['*Manage Apps* has a card for each'],
  },
  {
    by: representation('acting-access', 'is not granted on a page that was open when the level fell'),
    sentences: ['What may be seen is decided again'],
  },
  {
    by: representation('acting-log', 'says why the user could, and why the app could'),
    sentences: ['Patients with an account see in'],
  },
  {
    by: representation('acting-log', 'once when a user connects an app'),
    sentences: ['They get a mail, without a name'],
  },
  {
    by: representation('acting-log', 'has the user’s own accesses to the record of the patient'),
    sentences: ['Representatives see their own accesses'],
  },
  { by: requests('evidence', 'says what the form asks for'), sentences: ['Users of a basis with `askedBy: form`'] },
  {
    by: requests('requests', 'gets the same answer above the limit of guesses'),
    sentences: ['Whatever they enter, the answer', 'After five requests in a day'],
  },
  {
    by: requests('decisions', 'has the number of those that wait'),
    sentences: ['Administrators find them on the page'],
  },
  {
    by: requests('decisions', 'sees what the record says, item by item'),
    sentences: ['**What the record says** is', 'Where no record fits, or several'],
  },
  {
    by: requests('decisions', 'does not approve alone what differs in one thing'),
    sentences: ['Where the record number and one other', '**A second administrator** approves'],
  },
  {
    by: requests('requests', 'is encrypted at rest, opened as an attachment in a sandbox'),
    sentences: ['**Files** are encrypted', 'Each opening is an audit event.'],
  },
  {
    by: requests('decisions', 'approves after each file was opened and seen'),
    sentences: ['Each administrator who approves opens'],
  },
  {
    by: requests('requests', 'is removed 90 days after it was sent'),
    sentences: ['Files are removed seven days', 'Backups lose them'],
  },
  {
    by: requests('decisions', 'decides nothing in their own case'),
    sentences: ['Service tokens list requests', 'An administrator decides no request'],
  },
  {
    by: requests('decisions', 'corrects an approval in error'),
    sentences: ['**Approved in error** ends', 'The patient gets a mail; without'],
  },
  {
    by: requests('questions', 'asks administrators once, in the same transaction'),
    sentences: ["The patient's end of a power of attorney or court"],
  },
  {
    by: requests('changes', 'is approved above the table by two'),
    sentences: ['**A change** is asked for', 'An approval gives the level', 'Representatives ask for a change'],
  },
  { by: representation('upkeep/retention', 'A request'), sentences: ['Requests that were declined or taken'] },
  {
    by: representation('relationships', 'suspends a power of attorney that the patient ends'),
    sentences: ["The patient's end of a power of attorney or a court"],
  },
  {
    by: representation('calendar', 'ends after its last day, is told before'),
    sentences: ["The period's last day counts", 'In the 30 days before its end'],
  },
  {
    by: representation('calendar', 'ends after 30 days, unless it is taken back'),
    sentences: ['A death in the record refuses', 'After 30 days it has ended.'],
  },
  {
    by: representation('gone-patients', 'is refused at once, and suspended by a second read'),
    sentences: ['A record that the FHIR server does not have'],
  },
  {
    by: representation('gone-patients', 'confirm many suspended relationships at once'),
    sentences: ['*Requests*, *Suspended* lists'],
  },
  { by: representation('gone-patients', 'suspend nothing, refuse all'), sentences: ['If too many are gone at once'] },
  {
    by: representation('gone-patients', 'move a relationship to the record that replaces'),
    sentences: ['A merged record (`link`'],
  },
  {
    by: representation('ends/leaving', 'whose relationship ended so has no token any more'),
    sentences: ["The representative's account is deleted"],
  },
  {
    by: representation('calendar', 'is asked for yearly: the patient says'),
    sentences: ['Without an end, the patient is asked'],
  },
  {
    by: requests('asker-accounts', 'proves the address, chooses a password, and asks for a child'),
    sentences: ['Who has no account begins on', 'A mail leads on, whose link'],
  },
  {
    by: requests('asker-accounts', 'gets the same answer with an address that has an account'),
    sentences: ['Nothing is stored before, and no answer'],
  },
  {
    by: requests('asker-accounts', 'users without an account cannot ask'),
    sentences: ['`representation.accountsByRequest: false`'],
  },
  {
    by: representation('ends/ended-relationships', 'names the apps that ended, at once and later'),
    sentences: ['Who ends a relationship gets a confirmation', 'It stands under *Ended*'],
  },
  {
    by: ['test/audit/domain/relationship-decision.test.ts', 'A decision in the log of a patient'],
    sentences: ['Patients find each decision about'],
  },
  {
    by: representation('ends/safeguarding', 'leaves the user no card, receipt, mail, log or entry'),
    sentences: ["**Safeguarding**: an administrator's"],
  },
  {
    by: representation('represented-access', 'ends on each node within two seconds'),
    sentences: ['An end takes the access of all apps'],
  },
  {
    by: representation('represented-access', 'changes by a birth date at most five minutes later'),
    sentences: ['Changes of the FHIR record act'],
  },
  {
    by: representation('represented-access', 'continues for 24 hours of an outage'),
    sentences: ['While the FHIR server fails'],
  },
  {
    by: representation('calendar', 'is told 30 days before and on its day'),
    sentences: ['Both sides get a mail 30 days before'],
  },
  {
    by: representation('levels/coming-steps', 'is told to the representative alone: kinds by the rule'),
    sentences: ['Before one that takes something'],
  },
  {
    by: representation('domain/coming-steps', 'is told, and one that changes nothing is not'),
    sentences: ['Of an age that changes nothing'],
  },
  {
    by: representation('levels/coming-steps', 'ends the grant of the app that needs what is lost'),
    sentences: ['An app to which the day leaves none'],
  },
  {
    by: representation('relationships', 'passes over an age that takes nothing away'),
    sentences: ['Where a level is chosen or offered'],
  },
  {
    by: representation('calendar', 'is given from 30 days before its step on'),
    sentences: ['From 30 days before an age step'],
  },
  {
    by: representation('levels/coming-birthdays', 'The next birthday has both days of a birth date'),
    sentences: ['A step may have two days:'],
  },
  {
    by: representation('levels/coming-birthdays', 'What an age takes away is private on the first day'),
    sentences: ['What the step takes away'],
  },
  {
    by: representation('upkeep/family-news', 'is told at the first sign-in who acts'),
    sentences: ['Patients with an account are told on a page'],
  },
  {
    by: configuration('gives by sample %i of the guide what its text says'),
    sentences: ['Each step of the table waits'],
  },
];
