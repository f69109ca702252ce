import { mock } from 'node:test';
import { OperatorNotes } from '../../src/readiness/application/operator-notes.js';
import { useReadinessPortal } from '../support/readiness/readiness-portal.js';

const readiness = useReadinessPortal();
const { change, note, publicIssuer, service, set } = readiness;

const connections = async (share: number) => {
  const [row] = await readiness.portal.query<{ accepted: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true), '0')::int AS accepted`,
  );
  set('database', { poolSize: Math.ceil((row?.accepted ?? 0) * share) - 2 });
};
const acting = () => set('representation', {});
/** The clock of this node is behind that of the database. */
const lateBy = (seconds: number) => {
  const now = Date.now;
  const clock = mock.method(Date, 'now', () => now() - seconds * 1000);
  return () => clock.mock.restore();
};

describe('A check of the readiness report', () => {
  readiness.expectChecks([
    ['issuer', 'pass', 'https://login.hospital.example uses TLS.', publicIssuer],
    ['issuer', 'improve', 'ISSUER can be reached from this machine only.', () => {}],
    ['issuer', 'blocking', 'http://login.example has no TLS.', () => set('server', { issuer: 'http://login.example' })],
    ['trusted-proxies', 'pass', 'No proxy is configured, and none is needed.', () => {}],
    [
      'trusted-proxies',
      'improve',
      'The address has TLS, so a proxy is in front of the portal, but none is trusted: all users seem to have its address.',
      publicIssuer,
    ],
    [
      'trusted-proxies',
      'blocking',
      '0.0.0.0/0 is trusted: anyone in it can claim any address.',
      () => set('server', { trustedProxies: ['10.0.0.5', '0.0.0.0/0'] }),
    ],
    [
      'master-key',
      'pass',
      'The key comes from the configuration, apart from the data.',
      () => set('keys', { masterKey: 'x' }),
    ],
    ['master-key', 'improve', 'The key is in the data folder, next to the database (DATA/master.key).', () => {}],
    ['master-key', 'blocking', 'The key is in the data folder, next to the database (DATA/master.key).', publicIssuer],
    ['signing-keys', 'pass', 'The next replacement is in 89 days.', () => {}],
    [
      'signing-keys',
      'improve',
      'Keys overdue for replacement: 2. A running portal replaces them by itself.',
      () =>
        change(
          "UPDATE signing_key SET signs_from = signs_from - interval '92 days'",
          "UPDATE signing_key SET signs_from = signs_from + interval '92 days'",
        ),
    ],
    [
      'signing-keys',
      'unknown',
      'There are no signing keys yet; the portal creates them at its first start.',
      () =>
        change(
          "UPDATE signing_key SET signs_from = signs_from + interval '1 day'",
          "UPDATE signing_key SET signs_from = signs_from - interval '1 day'",
        ),
    ],

    // The PostgreSQL of the tests gives up its durability; that of test/cli has it.
    [
      'database-durability',
      'blocking',
      'Off: fsync, full_page_writes. A power cut can destroy the database.',
      () => {},
    ],
    ['database-transport', 'pass', 'The connection stays on this machine.', () => {}],
    ['database-connections', 'pass', /^This machine may open \d+ of \d+ connections\.$/, () => connections(0.5)],
    [
      'database-connections',
      'improve',
      /^This machine may open \d+ of \d+ connections; another node/,
      () => connections(0.9),
    ],
    [
      'database-connections',
      'blocking',
      /^This machine may open \d+ connections, the database accepts \d+\.$/,
      () => connections(1.1),
    ],
    ['database-clock', 'pass', 'The clocks of this machine and the database agree.', () => {}],
    [
      'database-clock',
      'improve',
      'The clocks of this machine and the database differ by 30 seconds.',
      () => lateBy(30.5),
    ],
    [
      'database-clock',
      'blocking',
      'The clocks of this machine and the database differ by 2 minutes.',
      () => lateBy(121),
    ],
    ['migrations', 'pass', 'The database has all migrations of this version.', () => {}],
    [
      'migrations',
      'blocking',
      'Pending migrations of this version: 1.',
      () =>
        change(
          "UPDATE migrations SET name = 'Later' WHERE name = 'EarlyVacuum1763700000056'",
          "UPDATE migrations SET name = 'EarlyVacuum1763700000056' WHERE name = 'Later'",
        ),
    ],
    [
      'migrations',
      'improve',
      'Migrations of a later version in the database: 1.',
      () =>
        change(
          "INSERT INTO migrations (timestamp, name) VALUES (1, 'Later')",
          "DELETE FROM migrations WHERE name = 'Later'",
        ),
    ],
    [
      'backups',
      'unknown',
      'No backup is recorded, and PostgreSQL archives no write-ahead log. Gatehouse sees no other backups.',
      () => {},
    ],
    ['backups', 'improve', 'The last recorded backup is 8 days old.', () => note('backup', '8 days')],
    [
      'backups',
      'pass',
      /^A backup was recorded \d+ seconds? ago\.$/,
      async () => {
        await note('backup', '8 days');
        await service(OperatorNotes).backupWasTaken();
      },
    ],

    ['representation-restored', 'pass', /^No account acts for others here/, () => note('restored', '3 hours')],
    ['representation-restored', 'pass', 'No restored relationships wait to be compared.', acting],
    [
      'representation-restored',
      'blocking',
      /^A backup was restored, or npx gatehouse end-issued was called, 3 hours ago: /,
      () => {
        acting();
        return note('restored', '3 hours');
      },
    ],
    [
      'representation-restored',
      'pass',
      'No restored relationships wait to be compared.',
      async () => {
        acting();
        await note('restored', '3 hours');
        await service(OperatorNotes).restoreWasCompared();
      },
    ],

    ['audit-seals', 'pass', 'All events older than ten minutes are sealed.', () => {}],
    [
      'audit-seals',
      'improve',
      'The oldest event without a seal is 11 minutes old.',
      async () => {
        await readiness.portal.query('DELETE FROM audit_unsealed');
        await change(
          `WITH event AS (
           INSERT INTO audit_event (recorded_at, type, outcome) VALUES (now() - interval '11 minutes', 'login', 'success')
           RETURNING id)
         INSERT INTO audit_unsealed SELECT id FROM event`,
          'DELETE FROM audit_unsealed',
        );
      },
    ],
    ['audit-verified', 'improve', 'The seals were never verified.', () => {}],
    ['audit-verified', 'improve', 'The seals were last verified 91 days ago.', () => note('audit-verified', '91 days')],
    [
      'audit-verified',
      'pass',
      'The seals were verified 3 hours ago.',
      () => note('audit-verified', '3 hours', '{"problems":0}'),
    ],
    [
      'audit-verified',
      'blocking',
      /^The last verification, \d+ seconds? ago, failed\. Problems: 2\.$/,
      async () => {
        await note('audit-verified', '3 hours');
        await service(OperatorNotes).auditWasVerified(['one', 'two']);
      },
    ],
    ['audit-archives', 'pass', 'The record is kept in the database for ever (audit.keepMonths).', () => {}],
    [
      'audit-archives',
      'pass',
      'No month in the database is older than audit.keepMonths (3).',
      () => set('audit', { keepMonths: 3 }),
    ],
    [
      'audit-archives',
      'improve',
      /^Months that are older than audit.keepMonths and still in the database: 2\. The first one is \d{4}-\d\d\.$/,
      async () => {
        await readiness.portal.query(
          "INSERT INTO audit_event (recorded_at, type, outcome) VALUES (now() - interval '5 months', 'login', 'success')",
        );
        set('audit', { keepMonths: 3 });
      },
    ],
  ]);
});
