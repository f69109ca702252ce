import type { Message } from '../../src/contract/messages/message.js';
import type { ReadinessState } from '../../src/contract/readiness.js';
import { groups, subjects } from '../../src/readiness/domain/checks.js';
import {
  type ClientFacts,
  clientOfflineAccess,
  clientSecrets,
  clientUse,
  clientWildcards,
} from '../../src/readiness/domain/client-rules.js';
import {
  auditArchives,
  auditSeals,
  auditVerified,
  backups,
  type DatabaseSettings,
  databaseClock,
  databaseConnections,
  databaseDurability,
  databaseTransport,
  databaseVersion,
  migrations,
} from '../../src/readiness/domain/database-rules.js';
import {
  fhirCapabilities,
  fhirClock,
  fhirDirectAccess,
  fhirTransport,
  type ServerSight,
} from '../../src/readiness/domain/fhir-rules.js';
import { type Finding, harmless, type Named, namesOf, roughly } from '../../src/readiness/domain/finding.js';
import { mailQueue, mailSender, mailServer, mailTest, type TestMail } from '../../src/readiness/domain/mail-rules.js';
import { issuer, masterKey, signingKeys, trustedProxies } from '../../src/readiness/domain/network-rules.js';
import { passwordRule, secondAdmin, secondFactor, signInLimits } from '../../src/readiness/domain/people-rules.js';

const hour = 3600;
const day = 24 * hour;
const named = (...names: string[]): Named => ({
  count: names.length,
  first: names.map((name) => ({ id: `id-${name}`, name })),
});
const none = named();

/** What is expected of a finding: its state, its message, and what to do (message and step) unless it passes. */
type Row = [name: string, found: Finding, state: ReadinessState, code: string, params?: object, next?: string];

/** A finding in one line per part; the codes without their common beginning. */
function partsOf({ state, finding, advice, remedy }: Finding): unknown[] {
  const step =
    remedy &&
    { page: 'to', setting: 'key', command: 'command', 'test-mail': 'kind' }[remedy.kind].replace(/.*/, (member) =>
      String(remedy[member as keyof typeof remedy]),
    );
  const label = remedy?.kind === 'page' ? ` (${short(remedy.label)})` : '';
  const next = [advice && short(advice), step && `${step}${label}`].filter(Boolean).join(' | ');
  return [state, short(finding), finding.params, next || undefined];
}

const short = ({ code }: Message) => code.replace('readiness-', '');

/** Jest takes a parameter that a row does not have for a callback. */
const expectRows = (rows: Row[]) =>
  it.each(rows.map(([name, ...row]) => ({ name, row })))('$name', ({ row: [found, state, code, params, next] }) => {
    expect(partsOf(found)).toEqual([state, code, params, next]);
  });

describe('The rules about people', () => {
  const ada = named('Ada');
  const two = named('Ada', 'Ben');
  const invite = 'second-admin-do | npx gatehouse add-admin <email>';
  expectRows([
    [
      'an administrator without a second factor blocks',
      secondFactor({ all: two, withoutSecondFactor: ada }),
      'blocking',
      'admin-second-factor-missing',
      { names: 'Ada' },
      'admin-second-factor-do | /admin/account-settings (open-account)',
    ],
    ['all have one', secondFactor({ all: two, withoutSecondFactor: none }), 'pass', 'admin-second-factor-pass'],
    [
      'there is none',
      secondFactor({ all: none, withoutSecondFactor: none }),
      'unknown',
      'admin-second-factor-none',
      undefined,
      invite,
    ],
    [
      'no administrator',
      secondAdmin({ all: none, withoutSecondFactor: none }),
      ...(['blocking', 'second-admin-none', undefined, 'second-admin-do | npx gatehouse add-admin <email>'] as const),
    ],
    [
      'one administrator',
      secondAdmin({ all: ada, withoutSecondFactor: none }),
      ...(['improve', 'second-admin-one', { names: 'Ada' }] as const),
      'second-admin-do | npx gatehouse add-admin <email>',
    ],
    ['two', secondAdmin({ all: two, withoutSecondFactor: none }), 'pass', 'second-admin-pass', { count: 2 }],
    ['12 characters', passwordRule({ localLogin: true, length: 12 }), 'pass', 'password-rule-pass', { length: 12 }],
    [
      '11 characters',
      passwordRule({ localLogin: true, length: 11 }),
      ...(['improve', 'password-rule-short', { length: 11 }] as const),
      'password-rule-do | account.password.requiredLength',
    ],
    ['no passwords', passwordRule({ localLogin: false, length: 8 }), 'pass', 'password-rule-unused'],
    ['12,000 starts', signInLimits(12_000), 'pass', 'sign-in-limits-pass', { starts: 12_000 }],
    [
      '12,001 starts',
      signInLimits(12_001),
      ...(['improve', 'sign-in-limits-high', { starts: 12_001 }] as const),
      'sign-in-limits-do | limits.startsPerMinute',
    ],
  ]);
});

describe('The rules about FHIR servers', () => {
  const good: ServerSight = {
    baseUrl: 'https://fhir.example/r4',
    isLocal: false,
    capabilities: { version: '4.0.1', types: 140 },
    clockOffset: 0,
    statusWithoutCredentials: 401,
  };
  const other: ServerSight = {
    ...good,
    baseUrl: 'https://other.example',
    capabilities: { version: '5.0.0', types: 3 },
  };
  const local = { ...good, baseUrl: 'http://localhost:8080', isLocal: true };
  const answering = (sight: ServerSight, status: number | undefined) => ({
    ...sight,
    statusWithoutCredentials: status,
  });
  const open = (sight: ServerSight) => answering(sight, 200);
  const names = good.baseUrl;
  const unset = 'fhir-set | fhir.baseUrl';
  expectRows([
    ['no server has no capabilities', fhirCapabilities([]), 'blocking', 'fhir-unset', undefined, unset],
    ['no server has no access', fhirDirectAccess([], true), 'unknown', 'fhir-unset', undefined, unset],
    ['no server has no connection', fhirTransport([]), 'unknown', 'fhir-unset', undefined, unset],
    ['no server has no clock', fhirClock([]), 'unknown', 'fhir-unset', undefined, unset],
    [
      'both have capabilities',
      fhirCapabilities([good, other]),
      ...(['pass', 'fhir-capabilities-pass', { version: '4.0.1, 5.0.0', types: 3 }] as const),
    ],
    [
      'both have the same version',
      fhirCapabilities([good, good]),
      ...(['pass', 'fhir-capabilities-pass', { version: '4.0.1', types: 140 }] as const),
    ],
    [
      'one has none',
      fhirCapabilities([good, { ...other, capabilities: 'HTTP 401\n' }]),
      ...(['blocking', 'fhir-capabilities-missing', { names: other.baseUrl, reason: 'HTTP 401' }] as const),
      'fhir-capabilities-do | fhir.baseUrl',
    ],
    [
      'one has no types',
      fhirCapabilities([good, { ...other, capabilities: { version: '5.0.0', types: 0 } }]),
      ...(['improve', 'fhir-capabilities-empty', { names: other.baseUrl }, 'fhir-capabilities-empty-do'] as const),
    ],
    ['both refuse', fhirDirectAccess([good, answering(other, 403)], false), 'pass', 'fhir-direct-access-pass'],
    [
      'one answers while the gateway is off',
      fhirDirectAccess([open(good), other, open(local)], false),
      ...(['blocking', 'fhir-direct-access-apps', { names: `${names}, ${local.baseUrl}` }] as const),
      'fhir-direct-access-apps-do | gateway.enabled',
    ],
    [
      'one answers over the network',
      fhirDirectAccess([answering(good, 299), other, open(local)], true),
      ...(['improve', 'fhir-direct-access-open', { names }, 'fhir-direct-access-open-do | fhir.credentials'] as const),
    ],
    [
      'one answers on this machine',
      fhirDirectAccess([open(local), good], true),
      ...(['unknown', 'fhir-direct-access-local', { names: local.baseUrl }] as const),
      'fhir-direct-access-local-do | fhir.credentials',
    ],
    ...[undefined, 199, 300, 404].map(
      (status): Row => [
        `one says neither (${status})`,
        fhirDirectAccess([answering(good, status), other], true),
        ...(['unknown', 'fhir-direct-access-unclear', { names }, 'fhir-direct-access-unclear-do'] as const),
      ],
    ),
    ['TLS and this machine', fhirTransport([good, local]), 'pass', 'fhir-transport-pass'],
    [
      'no TLS',
      fhirTransport([good, { ...good, baseUrl: 'http://fhir.example' }]),
      ...(['improve', 'fhir-transport-plain', { names: 'http://fhir.example' }] as const),
      'fhir-transport-do | fhir.baseUrl',
    ],
    ['agreeing clocks', fhirClock([{ ...good, clockOffset: -60 }]), 'pass', 'fhir-clock-pass', { duration: 60 }],
    [
      'clocks that differ',
      fhirClock([{ ...good, clockOffset: -61 }, { ...other, clockOffset: 200 }, local]),
      ...(['improve', 'fhir-clock-differs', { names: `${names}, ${other.baseUrl}`, duration: 180 }] as const),
      'fhir-clock-do',
    ],
    [
      'a clock that is not told',
      fhirClock([{ ...good, clockOffset: undefined }, other]),
      ...(['unknown', 'fhir-clock-untold', { names }, 'fhir-clock-untold-do'] as const),
    ],
  ]);
});

describe('The rules about mail', () => {
  const server = { host: 'mail.example', isLocal: false, usesTls: true };
  const sent: TestMail = {
    to: 'ada@example.org',
    sentSecondsAgo: 130,
    isWaiting: false,
    confirmedSecondsAgo: undefined,
  };
  const unset = ['mail-server-none', undefined, 'mail-server-do | email.smtp'] as const;
  const late = 'mail-queue-do | email.smtp';
  const other = { address: 'portal@mail.example', host: 'hospital.example' };
  expectRows([
    ['no server', mailServer(undefined, false), 'blocking', ...unset],
    ['no server in a trial', mailServer(undefined, true), 'improve', ...unset],
    ['a server with TLS', mailServer(server, false), 'pass', 'mail-server-pass', { host: 'mail.example' }],
    [
      'a server on this machine',
      mailServer({ ...server, isLocal: true, usesTls: false }, false),
      ...(['pass', 'mail-server-pass', { host: 'mail.example' }] as const),
    ],
    [
      'a server without TLS',
      mailServer({ ...server, usesTls: false }, false),
      ...(['improve', 'mail-server-plain', { host: 'mail.example' }] as const),
      'mail-server-plain-do | email.smtp.security',
    ],
    ['no waiting mail', mailQueue({ count: 0, oldestSeconds: 0 }), 'pass', 'mail-queue-pass'],
    ['mail that waits for ten minutes', mailQueue({ count: 2, oldestSeconds: 600 }), 'pass', 'mail-queue-pass'],
    [
      'mail that waits for longer',
      mailQueue({ count: 1, oldestSeconds: 601 }),
      ...(['improve', 'mail-queue-waiting', { count: 1, duration: 600 }, late] as const),
    ],
    [
      'mail that waits for an hour',
      mailQueue({ count: 1, oldestSeconds: hour }),
      ...(['improve', 'mail-queue-waiting', { count: 1, duration: hour }, late] as const),
    ],
    [
      'mail that waits for more than an hour',
      mailQueue({ count: 3, oldestSeconds: hour + 1 }),
      ...(['blocking', 'mail-queue-waiting', { count: 3, duration: hour }, late] as const),
    ],
    ['a test mail needs a server', mailTest(undefined, false), 'unknown', ...unset],
    [
      'no test mail',
      mailTest(undefined, true),
      ...(['improve', 'mail-test-none', undefined, 'mail-test-none-do | test-mail'] as const),
    ],
    [
      'a test mail that waits',
      mailTest({ ...sent, isWaiting: true }, true),
      ...(['improve', 'mail-test-waiting', { to: sent.to, duration: 120 }, 'mail-queue-do | test-mail'] as const),
    ],
    [
      'a test mail that was not confirmed',
      mailTest(sent, true),
      ...(['improve', 'mail-test-unconfirmed', { to: sent.to, duration: 120 }, 'mail-test-do | test-mail'] as const),
    ],
    [
      'a test mail that was confirmed',
      mailTest({ ...sent, confirmedSecondsAgo: 90 * day }, true),
      ...(['pass', 'mail-test-pass', { duration: 90 * day }, 'test-mail'] as const),
    ],
    [
      'a test mail that was confirmed long ago',
      mailTest({ ...sent, confirmedSecondsAgo: 90 * day + 1 }, true),
      ...(['improve', 'mail-test-old', { duration: 90 * day }, 'mail-test-none-do | test-mail'] as const),
    ],
    ['no sender', mailSender(undefined, 'hospital.example', false), 'unknown', 'mail-sender-none', undefined, unset[2]],
    [
      'a sender in a trial',
      mailSender('portal@hospital.example', 'localhost', true),
      ...(['unknown', 'mail-sender-local', { address: 'portal@hospital.example' }] as const),
      'mail-sender-local-do | email.from',
    ],
    ...(
      [
        ['portal@hospital.example', 'login.hospital.example'],
        ['portal@Login.Hospital.Example', 'login.hospital.example'],
        ['portal@mail.login.hospital.example', 'login.hospital.example'],
        ['portal@mail.hospital.example', 'login.hospital.EXAMPLE'],
        ['portal@hospital.example', 'hospital.example'],
      ] as const
    ).map(
      ([address, host]): Row => [
        `${address} for ${host}`,
        mailSender(address, host, false),
        ...(['pass', 'mail-sender-pass', { address }] as const),
      ],
    ),
    [
      'a sender of another domain with the same ending',
      mailSender(other.address, other.host, false),
      ...(['improve', 'mail-sender-other', other, 'mail-sender-do | email.from'] as const),
    ],
    [
      'a sender whose domain only ends alike',
      mailSender('portal@hospital.example', 'the-hospital.example', false),
      ...(['improve', 'mail-sender-other'] as const),
      { address: 'portal@hospital.example', host: 'the-hospital.example' },
      'mail-sender-do | email.from',
    ],
  ]);
});

describe('The rules about clients', () => {
  const facts: ClientFacts = {
    ...{ withoutValidSecret: none, withExpiredSecret: none, forAllTypes: none, publicWithOfflineAccess: none },
    ...{ provingThemselves: 1, unused: none },
  };
  const app = named('App');
  const list = '/admin/client-management';
  const names = 'App';
  expectRows([
    ['valid secrets', clientSecrets(facts), 'pass', 'client-secrets-pass'],
    [
      'no valid secret',
      clientSecrets({ ...facts, withoutValidSecret: app, withExpiredSecret: named('Other') }),
      ...(['blocking', 'client-secrets-none-valid', { names }] as const),
      `client-secrets-none-valid-do | ${list}?client=id-App (open-client)`,
    ],
    [
      'two clients without a valid secret',
      clientSecrets({ ...facts, withoutValidSecret: named('App', 'Other') }),
      ...(['blocking', 'client-secrets-none-valid', { names: 'App, Other' }] as const),
      `client-secrets-none-valid-do | ${list} (open-clients)`,
    ],
    [
      'an expired secret',
      clientSecrets({ ...facts, withExpiredSecret: app }),
      ...(['improve', 'client-secrets-expired', { names }] as const),
      `client-secrets-expired-do | ${list}?client=id-App (open-client)`,
    ],
    [
      'expired secrets of several clients',
      clientSecrets({ ...facts, withExpiredSecret: { count: 5, first: app.first } }),
      ...(['improve', 'client-secrets-expired', { names: 'App (+4)' }] as const),
      `client-secrets-expired-do | ${list}?secretStates=expired (open-clients)`,
    ],
    ['limited types', clientWildcards(facts), 'pass', 'client-wildcards-pass'],
    [
      'all types',
      clientWildcards({ ...facts, forAllTypes: app }),
      ...(['improve', 'client-wildcards-some', { names }] as const),
      `client-wildcards-do | ${list}?client=id-App (open-client)`,
    ],
    ['no offline access', clientOfflineAccess(facts), 'pass', 'client-offline-access-pass'],
    [
      'offline access',
      clientOfflineAccess({ ...facts, publicWithOfflineAccess: app }),
      ...(['improve', 'client-offline-access-some', { names }] as const),
      `client-offline-access-do | ${list}?client=id-App (open-client)`,
    ],
    ['used clients', clientUse(facts), 'pass', 'client-use-pass'],
    [
      'unused clients',
      clientUse({ ...facts, unused: app }),
      ...(['improve', 'client-use-some', { names }] as const),
      `client-use-do | ${list}?client=id-App (open-client)`,
    ],
    [
      'public clients only',
      clientUse({ ...facts, provingThemselves: 0 }),
      ...(['unknown', 'client-use-unseen', undefined, 'client-use-unseen-do'] as const),
    ],
  ]);
});

describe('The rules about network and keys', () => {
  const secure = { issuer: 'https://login.example', isTrial: false };
  const trial = { issuer: 'http://localhost:3000', isTrial: true };
  const plain = { issuer: 'http://login.example', isTrial: false };
  const proxies = 'server.trustedProxies';
  const keys = { signing: 2, overdue: 0, secondsToNext: 5 * day };
  const file = '/data/master.key';
  expectRows([
    ['TLS', issuer(secure), 'pass', 'issuer-pass', { issuer: secure.issuer }],
    ['a trial', issuer(trial), 'improve', 'issuer-local', { issuer: trial.issuer }, 'issuer-do | server.issuer'],
    ['no TLS', issuer(plain), 'blocking', 'issuer-plain', { issuer: plain.issuer }, 'issuer-do | server.issuer'],
    [
      'named proxies',
      trustedProxies(['10.0.0.5', '10.0.0.0/8', 'fd00::/16', '::1'], secure),
      ...(['pass', 'trusted-proxies-pass', { networks: '10.0.0.5, 10.0.0.0/8, fd00::/16, ::1' }] as const),
    ],
    ...['0.0.0.0/0', '10.0.0.0/7', '::/0', 'fd00::/15'].map(
      (network): Row => [
        `${network} is trusted`,
        trustedProxies(['10.0.0.5', network], secure),
        ...(['blocking', 'trusted-proxies-wide', { networks: network }] as const),
        `trusted-proxies-wide-do | ${proxies}`,
      ],
    ),
    [
      'no proxy in front of TLS',
      trustedProxies([], secure),
      ...(['improve', 'trusted-proxies-none', undefined, `trusted-proxies-none-do | ${proxies}`] as const),
    ],
    ['no proxy without TLS', trustedProxies([], trial), 'pass', 'trusted-proxies-unneeded'],
    ['a configured key', masterKey(undefined, secure), 'pass', 'master-key-pass'],
    [
      'a key beside the data',
      masterKey(file, secure),
      ...(['blocking', 'master-key-beside', { file }, 'master-key-do | keys.masterKey'] as const),
    ],
    [
      'a key beside the data of a trial',
      masterKey(file, trial),
      ...(['improve', 'master-key-beside', { file }, 'master-key-do | keys.masterKey'] as const),
    ],
    ['keys in time', signingKeys(keys, 366), 'pass', 'signing-keys-pass', { duration: 5 * day }],
    [
      'keys that are replaced sooner than they were meant to be',
      signingKeys({ ...keys, secondsToNext: 90 * day }, 30),
      ...(['pass', 'signing-keys-pass', { duration: 30 * day }] as const),
    ],
    [
      'overdue keys',
      signingKeys({ ...keys, overdue: 1 }, 90),
      ...(['improve', 'signing-keys-due', { count: 1 }, 'signing-keys-due-do | npx gatehouse keys rotate'] as const),
    ],
    [
      'keys that sign for more than a year',
      signingKeys(keys, 367),
      ...(['improve', 'signing-keys-seldom', { days: 367 }, 'signing-keys-seldom-do | keys.rotationDays'] as const),
    ],
    [
      'no keys',
      signingKeys({ ...keys, signing: 0 }, 90),
      ...(['unknown', 'signing-keys-none', undefined, 'signing-keys-none-do'] as const),
    ],
  ]);
});

describe('The rules about the database', () => {
  const settings: DatabaseSettings = {
    ...{ versionNumber: 180_004, version: '18.4', fsync: true, fullPageWrites: true, synchronousCommit: true },
    ...{ usesTls: false, address: null, isLocal: true, acceptedConnections: 100, archiving: null },
  };
  const remote = { ...settings, isLocal: false, address: '10.1.2.3' };
  const now = new Date('2026-11-23');
  const url = 'database.url';
  const durability = 'database-durability-do';
  const few = 'database-connections-do | database.poolSize';
  const done = 'backups-do | npx gatehouse backup done';
  const verify = 'audit-verified-do | npx gatehouse audit verify';
  const archiving = { lastSecondsAgo: 300, isFailing: false };
  expectRows([
    ['the tested version', databaseVersion(settings, now), 'pass', 'database-version-pass', { version: '18.4' }],
    ...([190_000, 170_006] as const).map(
      (versionNumber): Row => [
        `version ${versionNumber}`,
        databaseVersion({ ...settings, versionNumber, version: 'x' }, now),
        ...(['improve', 'database-version-other', { version: 'x', tested: 18 }] as const),
        `database-version-other-do | ${url}`,
      ],
    ),
    [
      'a version without fixes',
      databaseVersion({ ...settings, versionNumber: 140_020, version: '14.20' }, new Date('2026-11-12')),
      ...(['blocking', 'database-version-ended', { version: '14.20' }] as const),
      `database-version-ended-do | ${url}`,
    ],
    [
      'a version on the day before its fixes end',
      databaseVersion({ ...settings, versionNumber: 149_999, version: '14.20' }, new Date('2026-11-11T23:59:59Z')),
      ...(['improve', 'database-version-other', { version: '14.20', tested: 18 }] as const),
      `database-version-other-do | ${url}`,
    ],
    ['durable', databaseDurability(settings), 'pass', 'database-durability-pass'],
    [
      'fsync off',
      databaseDurability({ ...settings, fsync: false, synchronousCommit: false }),
      ...(['blocking', 'database-durability-off', { settings: 'fsync' }, durability] as const),
    ],
    [
      'both off',
      databaseDurability({ ...settings, fsync: false, fullPageWrites: false }),
      ...(['blocking', 'database-durability-off', { settings: 'fsync, full_page_writes' }, durability] as const),
    ],
    [
      'late commits',
      databaseDurability({ ...settings, synchronousCommit: false }),
      ...(['improve', 'database-durability-late', undefined, durability] as const),
    ],
    ['on this machine', databaseTransport(settings), 'pass', 'database-transport-local'],
    ['with TLS', databaseTransport({ ...remote, usesTls: true }), 'pass', 'database-transport-pass'],
    [
      'without TLS',
      databaseTransport(remote),
      ...(['improve', 'database-transport-plain', { address: '10.1.2.3' }] as const),
      `database-transport-do | ${url}`,
    ],
    [
      'without TLS and address',
      databaseTransport({ ...remote, address: null }),
      ...(['improve', 'database-transport-plain', { address: '' }, `database-transport-do | ${url}`] as const),
    ],
    [
      '80 of 100 connections',
      databaseConnections(settings, 80),
      ...(['pass', 'database-connections-pass', { needed: 80, accepted: 100 }] as const),
    ],
    ...([81, 100] as const).map(
      (needed): Row => [
        `${needed} of 100 connections`,
        databaseConnections(settings, needed),
        ...(['improve', 'database-connections-tight', { needed, accepted: 100 }, few] as const),
      ],
    ),
    [
      '101 of 100 connections',
      databaseConnections(settings, 101),
      ...(['blocking', 'database-connections-few', { needed: 101, accepted: 100 }, few] as const),
    ],
    ['clocks within 5 seconds', databaseClock(-5), 'pass', 'database-clock-pass'],
    [
      'clocks a minute apart',
      databaseClock(60),
      ...(['improve', 'database-clock-differs', { duration: 60 }, 'database-clock-do'] as const),
    ],
    [
      'clocks 6 seconds apart',
      databaseClock(-5.5),
      ...(['improve', 'database-clock-differs', { duration: 5 }, 'database-clock-do'] as const),
    ],
    [
      'clocks more than a minute apart',
      databaseClock(61),
      ...(['blocking', 'database-clock-differs', { duration: 60 }, 'database-clock-do'] as const),
    ],
    ['all migrations', migrations({ pending: 0, unknown: 0 }), 'pass', 'migrations-pass'],
    [
      'pending migrations',
      migrations({ pending: 1, unknown: 1 }),
      ...(['blocking', 'migrations-pending', { count: 1 }, 'migrations-pending-do'] as const),
    ],
    [
      'migrations of a later version',
      migrations({ pending: 0, unknown: 1 }),
      ...(['improve', 'migrations-newer', { count: 1 }, 'migrations-newer-do'] as const),
    ],
    ['no sight of backups', backups(undefined, settings), ...(['unknown', 'backups-unseen', undefined, done] as const)],
    [
      'a recent backup',
      backups({ secondsAgo: 7 * day }, { ...settings, archiving }),
      ...(['pass', 'backups-pass', { duration: 7 * day }] as const),
    ],
    [
      'an old backup',
      backups({ secondsAgo: 8 * day }, settings),
      ...(['improve', 'backups-old', { duration: 8 * day }, done] as const),
    ],
    [
      'a backup that is a second too old',
      backups({ secondsAgo: 7 * day + 1 }, settings),
      ...(['improve', 'backups-old', { duration: 7 * day }, done] as const),
    ],
    [
      'an archive beside an old backup',
      backups({ secondsAgo: 8 * day }, { ...settings, archiving }),
      ...(['pass', 'backups-archive', { duration: 300 }] as const),
    ],
    [
      'an archive that has nothing yet',
      backups(undefined, { ...settings, archiving: { ...archiving, lastSecondsAgo: null } }),
      ...(['unknown', 'backups-unseen', undefined, done] as const),
    ],
    [
      'an archive that fails',
      backups({ secondsAgo: 5 }, { ...settings, archiving: { ...archiving, isFailing: true } }),
      ...(['improve', 'backups-failing', undefined, 'backups-failing-do'] as const),
    ],
    ['sealed events', auditSeals(600), 'pass', 'audit-seals-pass'],
    [
      'events without a seal',
      auditSeals(601),
      ...(['improve', 'audit-seals-late', { duration: 600 }, 'audit-seals-do'] as const),
    ],
    ['a record that is kept for ever', auditArchives(undefined, undefined), 'pass', 'audit-archives-kept'],
    ['a record without old months', auditArchives(undefined, 12), 'pass', 'audit-archives-pass', { keep: 12 }],
    [
      'a record with old months',
      auditArchives({ first: '2025-03', months: 2 }, 12),
      ...(['improve', 'audit-archives-due', { months: 2, first: '2025-03' }] as const),
      'audit-archives-do | npx gatehouse audit archive 2025-03 audit-2025-03.ndjson.gz',
    ],
    ['no verification', auditVerified(undefined), 'improve', 'audit-verified-never', undefined, verify],
    [
      'a recent verification',
      auditVerified({ secondsAgo: 90 * day, problems: 0 }),
      ...(['pass', 'audit-verified-pass', { duration: 90 * day }] as const),
    ],
    [
      'an old verification',
      auditVerified({ secondsAgo: 90 * day + 1 }),
      ...(['improve', 'audit-verified-old', { duration: 90 * day }, verify] as const),
    ],
    [
      'a verification with problems',
      auditVerified({ secondsAgo: 100 * day, problems: 2 }),
      ...(['blocking', 'audit-verified-broken', { duration: 100 * day, problems: 2 }] as const),
      'audit-verified-broken-do | npx gatehouse audit verify',
    ],
  ]);
});

describe('The texts of findings', () => {
  it.each([
    [0.4, 1],
    [59.9, 59],
    [60, 60],
    [3599, 59 * 60],
    [hour, hour],
    [2 * day - 1, 47 * hour],
    [2 * day, 2 * day],
    [3.5 * day, 3 * day],
  ])('have %d seconds in one unit', (seconds, expected) => {
    expect(roughly(seconds)).toBe(expected);
  });

  it('show names of others harmlessly, and the number of further ones', () => {
    expect(harmless(' Heart\u0000\u202e\n Diary\u2028 ')).toBe('Heart Diary');
    expect(harmless('é'.repeat(60))).toBe('é'.repeat(60));
    expect(harmless('😀'.repeat(61))).toBe(`${'😀'.repeat(60)}…`);
    expect(namesOf(named('A\n', 'B'))).toBe('A, B');
    expect(namesOf({ count: 12, first: named('A').first })).toBe('A (+11)');
  });
});

describe('Every check', () => {
  it.each(Object.entries(subjects))('%s has its own texts and a group', (code, { group, title, why }) => {
    expect([title.code, why.code]).toEqual([`readiness-${code}`, `readiness-${code}-why`]);
    expect(groups[group].code).toBe(`readiness-${group}`);
  });
});
