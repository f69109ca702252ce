/**
 * `npm run test:postgres [-- <major version>...]`: the suites that are near the database, with each major version of
 * PostgreSQL that is supported next to the embedded one, which `npm test` uses. All suites with one version:
 * `GATEHOUSE_TEST_POSTGRES=15 npm test`.
 */

import { exitWith, run } from '../prepare.mjs';
import { majors } from './postgres-versions.mjs';

/** Suites that depend on plans, locks, functions, the catalog or the protocol. */
const suites = [
  'test/platform/database',
  'test/platform/audit',
  'test/platform/jobs',
  'test/faults/migrations',
  'test/faults/upgrades/roll-back',
  'test/faults/upgrades/newer-schema',
  'test/faults/races',
  'test/faults/database/(deadlocks|expired-rows|ended-statements|large-tables|pooler)',
  'test/architecture/migrations',
  'test/oidc-store',
  'test/audit',
  'test/activity',
  'test/clients/(client-list|clients)',
  'test/users/(user-list|user-management)',
];

try {
  const wanted = process.argv.slice(2);
  for (const major of wanted.length > 0 ? wanted : majors) {
    console.log(`PostgreSQL ${major}`);
    await run(process.execPath, ['scripts/test.mjs', ...suites], { env: { GATEHOUSE_TEST_POSTGRES: major } });
  }
} catch (error) {
  exitWith(error);
}
