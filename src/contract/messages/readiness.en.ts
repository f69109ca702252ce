/** English of the readiness report: for each check its subject, reason (`-why`), finding, and what to do (`-do`). */
export const readinessTexts = {
  'readiness-ready': 'Ready to go live.',
  'readiness-not-ready': 'Not ready to go live: solve what blocks, and check again.',

  'readiness-people': 'People and sign-in',
  'readiness-fhir': 'FHIR server',
  'readiness-mail': 'Mail',
  'readiness-clients': 'Clients',
  'readiness-network': 'Network and keys',
  'readiness-database': 'Database',
  'readiness-audit': 'Audit record',

  'readiness-late': 'This could not be checked: there was no answer within {{duration}}.',
  'readiness-failed': 'This could not be checked: an error occurred, which is in the log.',
  'readiness-no-tables': 'This is stored in tables that do not exist yet.',
  'readiness-no-tables-do': 'Start the portal, which makes them, and check again.',
  'readiness-check-again': 'Check again. If it stays like this, read the log of this node.',

  'readiness-admin-second-factor': 'Second factor of administrators',
  'readiness-admin-second-factor-why':
    'An administrator can give any app access to health records. A password alone can be guessed or stolen.',
  'readiness-admin-second-factor-missing': '{{names}} can sign in with a password alone.',
  'readiness-admin-second-factor-do': 'Each of them turns on two-factor authentication in the account settings.',
  'readiness-admin-second-factor-pass': 'All administrators sign in with a second factor.',
  'readiness-admin-second-factor-none': 'No administrator with a password exists yet.',
  'readiness-open-account': 'Account settings',

  'readiness-admin-sign-in': 'Sign-in that administrators need',
  'readiness-admin-sign-in-why':
    'Administrators who have turned their second factor off, and new ones, work with a password alone.',
  'readiness-admin-sign-in-password': 'A password alone opens the pages of administrators.',
  'readiness-admin-sign-in-do': 'Set it to two-factor or passkey.',
  'readiness-admin-sign-in-two-factor': 'Administrators need two factors.',
  'readiness-admin-sign-in-passkey': 'Administrators need a passkey.',

  'readiness-identity-providers': 'Sign-in at other providers',
  'readiness-identity-providers-why':
    'Users of another provider cannot sign in while it does not answer, or answers otherwise than it is configured here.',
  'readiness-identity-providers-none': 'No other provider is configured.',
  'readiness-identity-providers-pass': 'No provider has failed since its latest sign-in.',
  'readiness-identity-providers-failed': 'The latest sign-in at {{name}} failed {{duration}} ago: {{why}}.',
  'readiness-identity-providers-do':
    'Compare the provider with its configuration, and sign in there once more: a sign-in that succeeds removes this.',

  'readiness-second-admin': 'Second administrator',
  'readiness-second-admin-why':
    'If the only administrator is away or loses the second factor, clients and users cannot be changed.',
  'readiness-second-admin-none': 'No administrator can sign in.',
  'readiness-second-admin-one': '{{names}} is the only administrator who can sign in.',
  'readiness-second-admin-do': 'Invite an administrator with the command.',
  'readiness-second-admin-pass_one': '{{count}} administrator can sign in.',
  'readiness-second-admin-pass_other': '{{count}} administrators can sign in.',

  'readiness-password-rule': 'Passwords',
  'readiness-password-rule-why': 'Short passwords are found by guessing, also from stolen hashes.',
  'readiness-password-rule-short_one': 'A password may have only {{length}} character.',
  'readiness-password-rule-short_other': 'A password may have only {{length}} characters.',
  'readiness-password-rule-do': 'Require 12 characters or more.',
  'readiness-password-rule-pass_one': 'At least {{length}} character, common passwords are refused.',
  'readiness-password-rule-pass_other': 'At least {{length}} characters, common passwords are refused.',
  'readiness-password-rule-unused': 'Users sign in at other providers, not with a password.',

  'readiness-sign-in-limits': 'Sign-in attempts',
  'readiness-sign-in-limits-why':
    'Without limits, passwords can be guessed and the database can be filled from one address.',
  'readiness-sign-in-limits-high': 'One address may begin {{starts}} sign-ins in a minute.',
  'readiness-sign-in-limits-do':
    'Choose a limit of 12,000 or less; 1,200 are enough for 5,000 users behind one address.',
  'readiness-sign-in-limits-pass':
    'Failures are limited for an account and an address; one address may begin {{starts}} sign-ins in a minute.',

  'readiness-fhir-unset': 'No FHIR server is configured.',
  'readiness-fhir-set': 'Configure the base URL of the FHIR server.',

  'readiness-fhir-capabilities': 'CapabilityStatement',
  'readiness-fhir-capabilities-why':
    'Gatehouse reads from it which resource types and operations exist. Without it no app gets data.',
  'readiness-fhir-capabilities-missing': '{{names}}: no usable CapabilityStatement ({{reason}}).',
  'readiness-fhir-capabilities-do':
    'Open /metadata of the FHIR server from this machine, and compare the address and the credentials with the configuration.',
  'readiness-fhir-capabilities-empty': '{{names}}: the CapabilityStatement names no resource types.',
  'readiness-fhir-capabilities-empty-do': 'Let the FHIR server list its resource types, or scopes cannot be checked.',
  'readiness-fhir-capabilities-pass': 'FHIR {{version}}, resource types: {{types}}.',

  'readiness-fhir-direct-access': 'Access past Gatehouse',
  'readiness-fhir-direct-access-why':
    'A system that reaches the FHIR server directly needs no token, and its access is in no record here.',
  'readiness-fhir-direct-access-apps':
    '{{names}} answers without a token, and the gateway is off: every app can read everything.',
  'readiness-fhir-direct-access-apps-do': 'Turn the gateway on, or let the FHIR server check the access tokens.',
  'readiness-fhir-direct-access-open': '{{names}} answers this machine without credentials.',
  'readiness-fhir-direct-access-open-do':
    'Give the FHIR server credentials that only Gatehouse has, or let its network accept connections of Gatehouse only.',
  'readiness-fhir-direct-access-local':
    '{{names}} answers on this machine without credentials. Whether other machines reach it cannot be seen from here.',
  'readiness-fhir-direct-access-local-do':
    'Let the FHIR server listen on the loopback address only, or give it credentials that only Gatehouse has.',
  'readiness-fhir-direct-access-unclear':
    '{{names}}: a request without credentials was not answered with data or with a refusal.',
  'readiness-fhir-direct-access-unclear-do':
    'Read a patient without credentials from another machine: it must be refused.',
  'readiness-fhir-direct-access-pass':
    'A request without credentials is refused. Other systems may have credentials of their own.',

  'readiness-fhir-transport': 'Connection to the FHIR server',
  'readiness-fhir-transport-why':
    'Health records travel over it, and without TLS the network can read and change them.',
  'readiness-fhir-transport-plain': '{{names}} is reached over the network without TLS.',
  'readiness-fhir-transport-do': 'Use an https address.',
  'readiness-fhir-transport-pass': 'The connection uses TLS, or stays on this machine.',

  'readiness-fhir-clock': 'Clock of the FHIR server',
  'readiness-fhir-clock-why':
    'Times of audit events can be compared, and signed tokens are accepted, only if the clocks agree.',
  'readiness-fhir-clock-differs': '{{names}} differs from this machine by {{duration}}.',
  'readiness-fhir-clock-do': 'Synchronize the clocks of both machines (NTP).',
  'readiness-fhir-clock-untold': '{{names}} sends no Date header.',
  'readiness-fhir-clock-untold-do': 'Compare the clocks of both machines yourself.',
  'readiness-fhir-clock-pass': 'The clocks agree within {{duration}}.',

  'readiness-fhir-names': 'Names of the FHIR server',
  'readiness-fhir-names-why':
    'A server that writes another base URL into its answers has its further pages left out, and shows that name to apps.',
  'readiness-fhir-names-other': '{{names}} writes another base URL into its answers: {{found}}.',
  'readiness-fhir-names-do': 'List this base URL as a further name of the server.',
  'readiness-fhir-names-unread': '{{names}}: no answer names the server.',
  'readiness-fhir-names-unread-do':
    'Compare the base URL with the links in an answer of the server, with credentials that may search.',
  'readiness-fhir-names-pass': 'The answers name the server by its base URL, or by a further name that is configured.',

  'readiness-representation-off': 'No account acts for others here: representation is not configured.',
  'readiness-representation-labels': 'What is kept private from representatives',
  'readiness-representation-labels-why':
    'A kind that a level keeps private is shown where the resources of the FHIR server do not tell that they are of it.',
  'readiness-representation-labels-none': 'No level keeps private what only a label, a category or a code tells.',
  'readiness-representation-labels-unrecognised_one':
    'The one resource of a sample is not recognised as: {{kinds}}. Representatives may see such data.',
  'readiness-representation-labels-unrecognised_other':
    'In a sample of {{count}} resources none is recognised as: {{kinds}}. Representatives may see such data.',
  'readiness-representation-labels-do':
    'Let the FHIR server label such data, name codes, or name the permitted kinds without the types that may have them.',
  'readiness-representation-labels-unread': 'No sample of the FHIR server could be read.',
  'readiness-representation-labels-unread-do': 'Check the credentials of the portal for searches.',
  'readiness-representation-labels-pass_one': 'The one resource of a sample is of each kind that is kept private.',
  'readiness-representation-labels-pass_other':
    'In a sample of {{count}} resources each kind that is kept private was found.',

  'readiness-representation-nodes': 'Rules of acting for others',
  'readiness-representation-nodes-why':
    'Nodes with different rules decide differently about the same patient. Meanwhile no relationship is decided.',
  'readiness-representation-nodes-differ': 'Connected nodes have different rules: proposals wait.',
  'readiness-representation-nodes-do': 'Restart the nodes that still have the earlier configuration.',
  'readiness-representation-nodes-pass': 'All connected nodes have the same rules.',

  'readiness-representation-time-zone': 'Days of acting for others',
  'readiness-representation-time-zone-why': 'Periods and ages change at midnight in the time zone of the hospital.',
  'readiness-representation-time-zone-unset': 'No time zone is configured: days begin at midnight of UTC.',
  'readiness-representation-time-zone-do': 'Name the time zone of the hospital.',
  'readiness-representation-time-zone-pass': 'Days begin at midnight in {{zone}}.',

  'readiness-representation-restored': 'Acting for others after a restore',
  'readiness-representation-restored-why':
    'A restored database does not know which relationships have ended and which pairs were blocked after its backup.',
  'readiness-representation-restored-pass': 'No restored relationships wait to be compared.',
  'readiness-representation-restored-unseen':
    'A backup was restored, or npx gatehouse end-issued was called, {{duration}} ago: later ends and blocks may be missing.',
  'readiness-representation-restored-do':
    'Do again what the earlier database names, before users come back; then say by the command that it is done.',

  'readiness-late-requests': 'Requests of users',
  'readiness-late-requests-why': 'Users who ask to act for a patient are told that they get an answer in three days.',
  'readiness-late-requests-pass': 'No request waits longer than its users were told.',
  'readiness-late-requests-late_one': '{{count}} request of a user waits longer than the user was told.',
  'readiness-late-requests-late_other': '{{count}} requests of users wait longer than the users were told.',
  'readiness-late-requests-do': 'Answer them, or ask for what is missing.',
  'readiness-late-requests-page': 'Requests',

  'readiness-represented-patients': 'Records of represented patients',
  'readiness-represented-patients-why':
    'A relationship is suspended when the record of its patient is deleted, and ends with the RelatedPerson that made it. A fault of the FHIR server must not do this to many.',
  'readiness-represented-patients-pass':
    'The FHIR server has the patients for whom accounts act, and the RelatedPersons that make relationships, as far as it was read.',
  'readiness-represented-patients-gone_one':
    'The FHIR server does not have the patient or the RelatedPerson of {{count}} relationship. The relationship is refused, and neither suspended nor ended.',
  'readiness-represented-patients-gone_other':
    'The FHIR server does not have the patients or the RelatedPersons of {{count}} relationships. They are refused, and neither suspended nor ended, because there are so many.',
  'readiness-represented-patients-do':
    'Check the address, the credentials and the data of the FHIR server. What was deleted on purpose: end these relationships.',

  'readiness-brands': 'Published organizations',
  'readiness-brands-why':
    'Users find their hospital in an app by these, and the app connects to the addresses in them.',
  'readiness-brands-none': 'No organizations are published (brands.organizations).',
  'readiness-brands-endpoint':
    '{{base}} is published as the address of the FHIR base, and apps elsewhere do not reach it.',
  'readiness-brands-no-server': '{{base}} is published as a FHIR base, and no FHIR server is configured for it.',
  'readiness-brands-endpoint-do': 'Publish a base that apps reach, and that has a FHIR server.',
  'readiness-brands-unreachable':
    '{{names}}: website, portal or logo has an address that users elsewhere do not reach.',
  'readiness-brands-unreachable-do': 'Use the addresses of the organization that are public.',
  'readiness-brands-logo': '{{names}}: the logo is not the picture that its type says.',
  'readiness-brands-logo-do': 'Use a PNG or an SVG, or its https address.',
  'readiness-brands-address': '{{names}}: the address has no state of two letters, or a postal code of another form.',
  'readiness-brands-address-do': 'Write the state as MA and the postal code as 02111 or 02111-1234.',
  'readiness-brands-base': '{{base}}: no organization is published for this FHIR base.',
  'readiness-brands-base-do': 'Add the organization whose data this base has, with its tenant.',
  'readiness-brands-future': 'The time of the latest change is in the future: apps that compare it miss changes.',
  'readiness-brands-future-do': 'Set the time at which the organizations were changed last.',
  'readiness-brands-pass_one': 'Apps can list {{count}} organization.',
  'readiness-brands-pass_other': 'Apps can list {{count}} organizations.',

  'readiness-mail-server': 'Mail server',
  'readiness-mail-server-why': 'Invitations, links for new passwords and warnings are sent by mail.',
  'readiness-mail-server-none': 'No mail server is configured; all mail is queued.',
  'readiness-mail-server-do': 'Configure the mail server.',
  'readiness-mail-server-plain': 'Mail goes to {{host}} without TLS, and its links give access to accounts.',
  'readiness-mail-server-plain-do': 'Use starttls or tls.',
  'readiness-mail-server-pass': 'Mail goes to {{host}}.',

  'readiness-mail-queue': 'Waiting mail',
  'readiness-mail-queue-why': 'A mail that waits for seven days is dropped.',
  'readiness-mail-queue-waiting': 'Waiting mails: {{count}}, the oldest for {{duration}}.',
  'readiness-mail-queue-do': 'The log has the answers of the mail server ("a job failed").',
  'readiness-mail-queue-pass': 'No mail waits for more than ten minutes.',

  'readiness-mail-test': 'Test mail',
  'readiness-mail-test-why': 'Mail servers accept mail that then never arrives, for example as suspected spam.',
  'readiness-mail-test-none': 'No test mail is recorded.',
  'readiness-mail-test-none-do': 'Send one to your own address.',
  'readiness-mail-test-waiting': 'A test mail to {{to}} has waited for the mail server for {{duration}}.',
  'readiness-mail-test-unconfirmed': 'A test mail to {{to}}, asked for {{duration}} ago, was not confirmed.',
  'readiness-mail-test-do': 'Open the mail and follow its link.',
  'readiness-mail-test-old': 'A test mail last arrived {{duration}} ago.',
  'readiness-mail-test-pass': 'A test mail arrived {{duration}} ago.',

  'readiness-mail-sender': 'Sender address',
  'readiness-mail-sender-why': 'Mail servers distrust a sender whose domain is not that of the links in the mail.',
  'readiness-mail-sender-other': 'Mail comes from {{address}}, and the portal is at {{host}}.',
  'readiness-mail-sender-do': 'Use an address of the hospital’s domain.',
  'readiness-mail-sender-none': 'There is no sender address without a mail server.',
  'readiness-mail-sender-local': 'Mail comes from {{address}}. The portal has no domain yet to compare it with.',
  'readiness-mail-sender-local-do': 'Check again when the issuer is final.',
  'readiness-mail-sender-pass': 'Mail comes from {{address}}.',

  'readiness-client-secrets': 'Secrets and keys of clients',
  'readiness-client-secrets-why': 'A client whose last secret or key has expired gets no tokens.',
  'readiness-client-secrets-none-valid': '{{names}}: no valid secret or key.',
  'readiness-client-secrets-none-valid-do': 'Add a new secret or key, or disable the client.',
  'readiness-client-secrets-expired': '{{names}}: an expired secret or key next to a valid one.',
  'readiness-client-secrets-expired-do': 'Remove what has expired.',
  'readiness-client-secrets-pass': 'Every enabled client that needs a secret or key has a valid one.',
  'readiness-open-client': 'Open client',
  'readiness-open-clients': 'Show clients',

  'readiness-client-wildcards': 'Clients for all resource types',
  'readiness-client-wildcards-why': 'An app that is taken over can read whatever its client may read.',
  'readiness-client-wildcards-some': '{{names}} may get scopes for all resource types (*).',
  'readiness-client-wildcards-do': 'Choose the resource types that the app needs.',
  'readiness-client-wildcards-pass': 'Every enabled client is limited to some resource types.',

  'readiness-client-offline-access': 'Public clients with offline access',
  'readiness-client-offline-access-why':
    'A public client cannot prove itself, so a stolen refresh token is enough to read data while the user is away.',
  'readiness-client-offline-access-some': '{{names}} may get refresh tokens without a secret or key.',
  'readiness-client-offline-access-do': 'Turn offline access off, allow online access instead, or require DPoP.',
  'readiness-client-offline-access-pass': 'No public client may get refresh tokens that are not bound to a key.',

  'readiness-client-use': 'Unused clients',
  'readiness-client-use-why': 'The secret of a forgotten client is a key that no one watches.',
  'readiness-client-use-some': '{{names}}: no secret or key was used for 90 days or more.',
  'readiness-client-use-do': 'Disable clients that are no longer needed.',
  'readiness-client-use-unseen':
    'No enabled client has a secret or key, and the use of public clients is not recorded.',
  'readiness-client-use-unseen-do': 'Ask the makers of the apps whether they are still used.',
  'readiness-client-use-pass':
    'Every client with a secret or key was used in the last 90 days, or is younger. The use of public clients is not recorded.',

  'readiness-issuer': 'Address of the portal',
  'readiness-issuer-why': 'Passwords, codes and tokens travel to this address, and apps must trust it.',
  'readiness-issuer-local': '{{issuer}} can be reached from this machine only.',
  'readiness-issuer-plain': '{{issuer}} has no TLS.',
  'readiness-issuer-do': 'Set the https address at which browsers and apps reach the portal.',
  'readiness-issuer-pass': '{{issuer}} uses TLS.',

  'readiness-trusted-proxies': 'Reverse proxies',
  'readiness-trusted-proxies-why': 'Limits and audit events count by the address of the user, which a proxy reports.',
  'readiness-trusted-proxies-wide': '{{networks}} is trusted: anyone in it can claim any address.',
  'readiness-trusted-proxies-wide-do': 'Name the addresses of the proxies only.',
  'readiness-trusted-proxies-none':
    'The address has TLS, so a proxy is in front of the portal, but none is trusted: all users seem to have its address.',
  'readiness-trusted-proxies-none-do': 'Name the address of the proxy.',
  'readiness-trusted-proxies-unneeded': 'No proxy is configured, and none is needed.',
  'readiness-trusted-proxies-pass': 'Trusted: {{networks}}.',

  'readiness-master-key': 'Master key',
  'readiness-master-key-why':
    'The master key and the database together decrypt all secrets. A copy of the data folder must not have both.',
  'readiness-master-key-beside': 'The key is in the data folder, next to the database ({{file}}).',
  'readiness-master-key-do': 'Move the key into a secret store, and pass it by the configuration.',
  'readiness-master-key-pass': 'The key comes from the configuration, apart from the data.',

  'readiness-signing-keys': 'Signing keys',
  'readiness-signing-keys-why': 'The longer a key signs, the more a stolen copy is worth.',
  'readiness-signing-keys-none': 'There are no signing keys yet; the portal creates them at its first start.',
  'readiness-signing-keys-none-do': 'Start the portal, and check again.',
  'readiness-signing-keys-due': 'Keys overdue for replacement: {{count}}. A running portal replaces them by itself.',
  'readiness-signing-keys-due-do': 'Start the portal, or replace the keys with the command.',
  'readiness-signing-keys-seldom_one': 'Keys are replaced after {{days}} day only.',
  'readiness-signing-keys-seldom_other': 'Keys are replaced after {{days}} days only.',
  'readiness-signing-keys-seldom-do': 'Replace them at least once a year.',
  'readiness-signing-keys-pass': 'The next replacement is in {{duration}}.',

  'readiness-database-version': 'PostgreSQL version',
  'readiness-database-version-why': 'A version without security fixes puts all data at risk.',
  'readiness-database-version-ended': 'PostgreSQL {{version}} gets no security fixes any more.',
  'readiness-database-version-ended-do': 'Upgrade to PostgreSQL {{tested}}.',
  'readiness-database-version-other': 'PostgreSQL {{version}}; Gatehouse is tested with {{tested}}.',
  'readiness-database-version-other-do': 'Plan the upgrade to PostgreSQL {{tested}}, or test this version yourself.',
  'readiness-database-version-pass': 'PostgreSQL {{version}}.',

  'readiness-database-durability': 'Durability of the database',
  'readiness-database-durability-why':
    'After a power cut, revoked tokens would be valid again, and used codes could be used a second time.',
  'readiness-database-durability-off': 'Off: {{settings}}. A power cut can destroy the database.',
  'readiness-database-durability-late': 'synchronous_commit is off: a power cut loses the last changes.',
  'readiness-database-durability-do': 'Turn it on in the configuration of PostgreSQL.',
  'readiness-database-durability-pass': 'fsync, full_page_writes and synchronous_commit are on.',

  'readiness-database-transport': 'Connection to the database',
  'readiness-database-transport-why': 'Names, addresses and claims of users travel over it.',
  'readiness-database-transport-plain': 'The connection to {{address}} is not encrypted.',
  'readiness-database-transport-do': 'Use TLS: sslmode=verify-full in the URL of the database.',
  'readiness-database-transport-pass': 'The connection uses TLS.',
  'readiness-database-transport-local': 'The connection stays on this machine.',

  'readiness-database-connections': 'Database connections',
  'readiness-database-connections-why': 'When no connection is free, requests wait and then fail.',
  'readiness-database-connections-few':
    'This machine may open {{needed}} connections, the database accepts {{accepted}}.',
  'readiness-database-connections-tight':
    'This machine may open {{needed}} of {{accepted}} connections; another node and the commands need some, too.',
  'readiness-database-connections-do':
    'Raise max_connections of PostgreSQL, or lower the number of connections of a node.',
  'readiness-database-connections-pass': 'This machine may open {{needed}} of {{accepted}} connections.',

  'readiness-database-clock': 'Clock of the database',
  'readiness-database-clock-why': 'Lifetimes of sign-ins, codes and tokens are counted by both clocks.',
  'readiness-database-clock-differs': 'The clocks of this machine and the database differ by {{duration}}.',
  'readiness-database-clock-do': 'Synchronize the clocks of both machines (NTP).',
  'readiness-database-clock-pass': 'The clocks of this machine and the database agree.',

  'readiness-migrations': 'Migrations',
  'readiness-migrations-why': 'The tables of the database must be those of this version.',
  'readiness-migrations-none': 'There is no schema yet: the database is empty.',
  'readiness-migrations-none-do': 'Start the portal, which makes the tables, and check again.',
  'readiness-migrations-pending': 'Pending migrations of this version: {{count}}.',
  'readiness-migrations-pending-do': 'Take a backup and start the portal, which migrates the database.',
  'readiness-migrations-newer': 'Migrations of a later version in the database: {{count}}.',
  'readiness-migrations-newer-do': 'Run the same version on all nodes.',
  'readiness-migrations-pass': 'The database has all migrations of this version.',

  'readiness-backups': 'Backups',
  'readiness-backups-why': 'Accounts, consents, clients and the audit record exist in the database only.',
  'readiness-backups-unseen':
    'No backup is recorded, and PostgreSQL archives no write-ahead log. Gatehouse sees no other backups.',
  'readiness-backups-do':
    'Take backups by the command every day, or let a script that takes them by other means end with npx gatehouse backup done.',
  'readiness-backups-old': 'The last recorded backup is {{duration}} old.',
  'readiness-backups-failing': 'PostgreSQL fails to archive its write-ahead log.',
  'readiness-backups-failing-do': 'The log of PostgreSQL has the reason (archive_command).',
  'readiness-backups-archive': 'PostgreSQL archives its write-ahead log, last {{duration}} ago.',
  'readiness-backups-pass': 'A backup was recorded {{duration}} ago.',

  'readiness-audit-seals': 'Seals of the audit record',
  'readiness-audit-seals-why': 'A change of events before they are sealed cannot be detected.',
  'readiness-audit-seals-late': 'The oldest event without a seal is {{duration}} old.',
  'readiness-audit-seals-do': 'A running portal seals every minute. Its log says why it does not.',
  'readiness-audit-seals-pass': 'All events older than ten minutes are sealed.',

  'readiness-audit-verified': 'Verification of the audit record',
  'readiness-audit-verified-why': 'A seal proves something only if it is verified.',
  'readiness-audit-verified-broken': 'The last verification, {{duration}} ago, failed. Problems: {{problems}}.',
  'readiness-audit-verified-broken-do': 'Run the command, and compare what it names with your copies of the log.',
  'readiness-audit-verified-never': 'The seals were never verified.',
  'readiness-audit-verified-old': 'The seals were last verified {{duration}} ago.',
  'readiness-audit-verified-do': 'Verify them with the command, at least every 90 days.',
  'readiness-audit-verified-pass': 'The seals were verified {{duration}} ago.',

  'readiness-audit-archives': 'Archives of the audit record',
  'readiness-audit-archives-why':
    'The record grows by a row for each access, and stays in the database until its months are archived.',
  'readiness-audit-archives-due':
    'Months that are older than audit.keepMonths and still in the database: {{months}}. The first one is {{first}}.',
  'readiness-audit-archives-do': 'Move them to archives, one after the other, and keep the files in two places.',
  'readiness-audit-archives-kept': 'The record is kept in the database for ever (audit.keepMonths).',
  'readiness-audit-archives-pass': 'No month in the database is older than audit.keepMonths ({{keep}}).',
} as const;
