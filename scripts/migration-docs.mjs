/**
 * `node scripts/migration-docs.mjs`: examines the migrations that the release before does not have, and writes
 * docs/migrations.md from what they do. `--check` writes nothing and fails when the document says something else. Both
 * fail when nodes of the release before could not serve during or after a migration.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed, exitWith, root } from './prepare.mjs';
import './typescript.mjs';
import { examineMigrations } from './migrations/examine.mjs';
import { fillAsReleaseBefore, release, withLaterMigrations } from './migrations/release-before.mjs';

const { startEmbeddedPostgres } = await import('../src/platform/database/embedded-postgres.ts');

const file = 'docs/migrations.md';
const lockNames = {
  ShareLock: 'changes (SHARE)',
  ShareRowExclusiveLock: 'changes (SHARE ROW EXCLUSIVE)',
  ExclusiveLock: 'changes (EXCLUSIVE)',
  AccessExclusiveLock: 'reads and changes (ACCESS EXCLUSIVE)',
};

try {
  const examined = await examineAll();
  const wrong = examined.flatMap(({ name, findings }) => findings.map((finding) => `${name} ${finding}`));
  if (wrong.length > 0)
    throw new CommandFailed(
      `Release ${release.version} could not serve with these migrations (decision 0078):\n${wrong.join('\n')}`,
    );
  const text = documentOf(examined);
  if (!process.argv.includes('--check')) await writeFile(join(root, file), text);
  else if ((await readFile(join(root, file), 'utf8').catch(() => '')) !== text)
    throw new CommandFailed(`${file} is out of date. Run \`node scripts/migration-docs.mjs\`.`);
} catch (error) {
  exitWith(error);
}

async function examineAll() {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-migrations-'));
  const log = { info: () => undefined, error: (message) => process.stderr.write(`${message}\n`) };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, log, durability: 'test' });
    try {
      await fillAsReleaseBefore(postgres.connection);
      return await withLaterMigrations(postgres.connection, (source, migrations) =>
        examineMigrations(source, migrations, release),
      );
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function documentOf(examined) {
  const heading = `# Migrations since ${release.version}

<!-- Written by scripts/migration-docs.mjs from what the migrations do; change them and run the script again. -->
`;
  if (examined.length === 0) return `${heading}\nThere are none.\n`;
  const rows = examined.flatMap(({ name, locks }) =>
    locks.length === 0
      ? [`| ${name} | none | | | |`]
      : locks.map(
          ({ table, mode, read, written }) => `| ${name} | \`${table}\` | ${lockNames[mode]} | ${read} | ${written} |`,
        ),
  );
  return `${heading}
The locks that each migration holds on tables of release ${release.version} until it has ended, as far as other sessions wait for them, and which
rows of the table it reads and writes meanwhile: with *none*, the lock lasts for milliseconds, however many rows the table has. No session
waits for a new table. A migration that cannot have its locks within three seconds lets other sessions pass and tries again.

| Migration | Table | What waits | Rows read | Rows written |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
