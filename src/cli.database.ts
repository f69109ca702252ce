import type { DatabaseCommand } from './cli.command-line.js';
import type { PostgresConnection } from './platform/database/connection.js';
import { known, migrate, migrationsDone, releaseNeeded, withClient } from './platform/database/migrate.js';
import { nodesByRelease } from './platform/database/notifications.js';
import { releaseBefore } from './platform/database/releases.js';
import { migrationsSince, RollbackRefused, rollBack } from './platform/database/roll-back.js';
import { productVersion } from './platform/process/product.js';
import { unusable } from './runtime.js';

/** Commands about the schema. They need neither a migrated database nor the portal's modules. */
export const databaseCommands: DatabaseCommand[] = [
  {
    usage: 'database status',
    summary:
      'Prints the migrations that are pending, the releases that run, and what a rollback would undo; exit code 1 if this release cannot serve the schema as it is.',
    runOnDatabase: status,
  },
  {
    usage: 'database migrate',
    summary: 'Runs the pending migrations, as the next start of the portal would.',
    async runOnDatabase(connection, say) {
      const done = await migrate(connection, { say }).catch((error: unknown) => {
        throw unusable(error);
      });
      return listed('The schema has all migrations of this release.', 'Done', done);
    },
  },
  {
    usage: 'database rollback',
    summary: 'Undoes the migrations that the release before does not know; refused where data would be lost.',
    async runOnDatabase(connection, say) {
      const release = releaseBefore();
      if (!release) throw new RollbackRefused('There is no release before this one.');
      const undone = await rollBack(connection, release, { say });
      return listed(`The schema is that of release ${release.version}.`, 'Undone', undone);
    },
  },
];

function listed(text: string, verb: string, names: string[]): string {
  return [text, ...names.map((name) => `  ${verb}: ${name}`)].join('\n');
}

async function status(connection: PostgresConnection) {
  const { done, needed, nodes } = await withClient(connection, async (client) => ({
    done: await migrationsDone(client),
    needed: await releaseNeeded(client),
    nodes: await nodesByRelease(client),
  }));
  const pending = known.filter((name) => !done.includes(name));
  const later = done.filter((name) => !known.includes(name));
  const before = releaseBefore();
  const undone = before ? migrationsSince(before, done) : [];
  const lines: [string, string[]][] = [
    ['Release', [productVersion]],
    [
      'Served by it',
      [needed === undefined ? (pending.length > 0 ? 'after its migrations' : 'yes') : `no, by ${needed} and later`],
    ],
    ['Done', [String(done.length)]],
    ['Pending', pending],
    ['Of later releases', later],
    ['Running nodes', nodes.map(({ version, nodes: number }) => `${number} of ${version}`)],
    [`Rollback${before ? ` to ${before.version}` : ''} undoes`, undone],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const text = lines.flatMap(([name, values]) =>
    (values.length > 0 ? values : ['none']).map((value, index) => `${(index > 0 ? '' : name).padEnd(width)}  ${value}`),
  );
  return { text: text.join('\n'), exitCode: needed === undefined && pending.length === 0 ? 0 : 1 };
}
