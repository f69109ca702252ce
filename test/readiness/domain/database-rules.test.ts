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
} from '../../../src/readiness/domain/database-rules.js';
import { day, expectRows, type RuleRow } from '../../support/readiness/rule-rows.js';

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
  const done = 'backups-do | npx gatehouse backup <file>';
  const verify = 'audit-verified-do | npx gatehouse audit verify';
  const archiving = { lastSecondsAgo: 300, isFailing: false };
  expectRows([
    ['the tested version', databaseVersion(settings, now), 'pass', 'database-version-pass', { version: '18.4' }],
    ...([190_000, 170_006] as const).map(
      (versionNumber): RuleRow => [
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
      (needed): RuleRow => [
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
    [
      'no schema yet',
      migrations({ pending: 40, unknown: 0, isEmpty: true }),
      ...(['blocking', 'migrations-none', undefined, 'migrations-none-do'] as const),
    ],
    ['all migrations', migrations({ pending: 0, unknown: 0, isEmpty: false }), 'pass', 'migrations-pass'],
    [
      'pending migrations',
      migrations({ pending: 1, unknown: 1, isEmpty: false }),
      ...(['blocking', 'migrations-pending', { count: 1 }, 'migrations-pending-do'] as const),
    ],
    [
      'migrations of a later version',
      migrations({ pending: 0, unknown: 1, isEmpty: false }),
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
