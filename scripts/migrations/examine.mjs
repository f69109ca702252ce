/**
 * Finds the effects of a migration on nodes of the release before, which serve while it runs and after it: it is run on
 * a database with rows, and its statements, its locks and the catalog before and after are examined. squawk examines
 * the statements.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** Rules of squawk that are not about other sessions, or that the way in which migrations are run satisfies. */
const otherRules = [
  // Migrations are run with a time-out for locks, and again.
  'require-lock-timeout',
  // A migration of a large table takes as long as it takes.
  'require-statement-timeout',
  // Each migration is a transaction; one that is not is tested by killing it.
  'prefer-robust-stmts',
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
  'prefer-text-field',
  'prefer-timestamptz',
  // A transaction says this better than single statements: see `removed`.
  'ban-drop-column',
  'ban-drop-table',
  'renaming-column',
  'renaming-table',
];
/** Locks that make statements of other sessions wait, weakest first. */
const modes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

/**
 * Runs migrations one after the other; returns for each one its locks, by table, with the rows that it read and wrote
 * in that table, and what is wrong with it. `release` is the one before.
 */
export async function examineMigrations(source, migrations, release) {
  const examined = [];
  for (const migration of migrations) examined.push(await examine(source, migration, release));
  await addSquawk(examined);
  return examined.map(({ name, locks, findings }) => ({ name, locks, findings }));
}

async function examine(source, migration, release) {
  const { name, transaction } = migration;
  const isTransaction = transaction !== false;
  const runner = source.createQueryRunner();
  const statements = [];
  const recording = new Proxy(runner, {
    get(target, key) {
      if (key !== 'query') return typeof target[key] === 'function' ? target[key].bind(target) : target[key];
      return (sql, ...rest) => {
        statements.push(sql);
        return target.query(sql, ...rest);
      };
    },
  });
  try {
    const before = await catalog(runner);
    // PostgreSQL keeps counts for up to a second: those of the migration before would count as this one's.
    await runner.query('SELECT pg_stat_force_next_flush()');
    if (isTransaction) await runner.startTransaction();
    await migration.up(recording);
    const locks = isTransaction ? await locksOf(runner, before) : [];
    const contraction = await contractionOf(runner, name, release);
    if (isTransaction) await runner.commitTransaction();
    const findings = changed(before, await catalog(runner), contraction).concat(
      locks
        .filter(isLong)
        .map(
          ({ table, mode, read, written }) =>
            `holds ${mode} on ${table} while it reads ${read} and writes ${written} of its rows: all other sessions wait until it has ended`,
        ),
    );
    return { name, isTransaction, statements, locks, findings };
  } finally {
    await runner.release();
  }
}

const isLong = ({ mode, read, written }) => mode === modes.at(-1) && (read !== 'none' || written !== 'none');

/** Objects that nodes of the release before can use or run into, with what must stay the same about each. */
async function catalog(runner) {
  const rows = await runner.query(`
    WITH relation AS (
      SELECT oid, relname, relkind, relfilenode FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND NOT relispartition AND relname <> 'migrations')
    SELECT CASE relkind WHEN 'v' THEN 'view' ELSE 'table' END AS kind, relname AS name,
           CASE WHEN relkind = 'r' THEN relfilenode::text ELSE '' END AS detail
      FROM relation WHERE relkind IN ('r', 'p', 'v')
    UNION ALL
    SELECT 'column', relname || '.' || attname, format_type(atttypid, atttypmod) FROM relation
      JOIN pg_attribute ON attrelid = relation.oid
     WHERE relkind IN ('r', 'p', 'v') AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT 'function', proname, pg_get_function_identity_arguments(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'unique index', relation.relname, parent.relname FROM pg_index JOIN relation ON relation.oid = indexrelid
      JOIN pg_class AS parent ON parent.oid = indrelid WHERE indisunique
    UNION ALL
    SELECT 'constraint', conname, relation.relname FROM pg_constraint JOIN relation ON relation.oid = conrelid
     WHERE contype IN ('c', 'f', 'x')`);
  return new Map(rows.map(({ kind, name, detail }) => [`${kind} ${name}`, { kind, name, detail }]));
}

function changed(before, after, contraction) {
  const findings = [];
  for (const [key, { kind, name, detail }] of before) {
    const table = name.split('.')[0];
    const found = after.get(key);
    if (kind === 'unique index' || kind === 'constraint') continue;
    if (!found) {
      // The columns of a table go with it.
      if (kind === 'column' && !after.has(`table ${table}`) && !after.has(`view ${table}`)) continue;
      if (contraction === undefined)
        findings.push(
          `removes or renames the ${key}, which the release before may use: a later release can remove it, with a row in the table contraction`,
        );
    } else if (kind === 'table' && found.detail !== detail)
      findings.push(`writes the whole ${key} again, and nothing can be read meanwhile`);
    else if (kind === 'column' && found.detail !== detail)
      findings.push(`changes the type of the ${key} from ${detail} to ${found.detail}`);
  }
  for (const [key, { kind, detail }] of after) {
    if (before.has(key) || !['unique index', 'constraint'].includes(kind) || !before.has(`table ${detail}`)) continue;
    if (contraction === undefined)
      findings.push(`adds the ${key} to the table ${detail}, which can refuse what the release before writes`);
  }
  return findings.concat(contraction?.findings ?? []);
}

/** The row that a migration added to `contraction`; it must name the release before or an earlier one. */
async function contractionOf(runner, name, release) {
  const [row] = await runner.query('SELECT release, needs FROM contraction WHERE migration = $1', [name]);
  if (!row) return undefined;
  const isServed = row.release === release.version && release.migrations.includes(row.needs);
  return {
    findings: isServed
      ? []
      : [`can be served from release ${row.release} on, and nodes of ${release.version} still run`],
  };
}

/** The strongest lock on each table that was there before, if others have to wait for it. */
async function locksOf(runner, before) {
  const rows = await runner.query(
    `SELECT table_name AS "table", mode, read, written FROM (
       SELECT coalesce(parent.relname, relation.relname) AS table_name, array_agg(DISTINCT mode) AS mode,
              sum(seq_tup_read) AS read, sum(n_tup_ins + n_tup_upd + n_tup_del) AS written
         FROM pg_locks JOIN pg_class AS relation ON relation.oid = relation
         LEFT JOIN pg_inherits ON inhrelid = relation.oid LEFT JOIN pg_class AS parent ON parent.oid = inhparent
         JOIN pg_stat_xact_user_tables ON relid = relation.oid
        WHERE pid = pg_backend_pid() AND locktype = 'relation' AND granted AND mode = ANY ($1)
        GROUP BY 1) AS locked ORDER BY 1`,
    [modes],
  );
  return rows
    .filter(({ table }) => before.has(`table ${table}`))
    .map(({ table, mode, read, written }) => ({
      table,
      mode: modes.filter((one) => mode.includes(one)).at(-1),
      read: Number(read) > 0 ? 'all' : 'none',
      written: Number(written) > 0 ? 'all' : 'none',
    }));
}

async function addSquawk(examined) {
  if (examined.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-migrations-'));
  try {
    for (const isTransaction of [true, false]) {
      const files = examined.filter((one) => one.isTransaction === isTransaction);
      for (const { name, statements } of files)
        await writeFile(join(folder, `${name}.sql`), `${statements.join(';\n')};\n`);
      if (files.length === 0) continue;
      const found = await squawk([
        ...(isTransaction ? ['--assume-in-transaction'] : []),
        ...files.map(({ name }) => join(folder, `${name}.sql`)),
      ]);
      for (const { file, rule_name: rule, message, help } of found) {
        const { findings } = files.find(({ name }) => file.endsWith(`${name}.sql`));
        findings.push(`${rule}: ${message}${help ? ` ${help}` : ''}`);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function squawk(parameters) {
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/squawk-cli/js/bin/squawk'),
      ...['--reporter', 'json', '--pg-version', '15', '--exclude', otherRules.join(',')],
      ...parameters,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done));
  try {
    return JSON.parse(said.out || '[]');
  } catch {
    throw new Error(`squawk ended with ${code}: ${said.err}${said.out}`);
  }
}
