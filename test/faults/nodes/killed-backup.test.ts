import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { masterKey, opened, passphrase, useBackups } from '../../support/database/backups.js';
import { addressOf, type TestConnection } from '../../support/database/database.js';
import { callGatehouse, configured } from '../../support/portal/command-line.js';
import { spawnBuilt } from '../../support/portal/portal-process.js';
import { isLong } from '../../support/runs.js';

const rows = isLong ? 60_000 : 20_000;
const kills = isLong ? 30 : 2;

const place = useBackups();

async function counted(connection: TestConnection, table: string): Promise<number | undefined> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows: found } = await client.query(`SELECT to_regclass('${table}') AS name`);
    if (found[0].name === null) return undefined;
    return (await client.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count;
  } finally {
    await client.end();
  }
}

async function environment(connection: TestConnection): Promise<NodeJS.ProcessEnv> {
  const env = await configured(place.folder, {
    server: { issuer: 'http://localhost:1', port: 1 },
    database: { url: addressOf(connection) },
    keys: { masterKey: masterKey.toString('hex') },
  });
  return { ...env, GATEHOUSE_BACKUP_PASSPHRASE: passphrase };
}

/**
 * Runs a command that is killed after some time; returns its exit code, null if it was killed, and how long it took.
 */
async function killedAfter(ms: number, env: NodeJS.ProcessEnv, ...args: string[]) {
  const began = performance.now();
  const command = await spawnBuilt('cli.js', args, env);
  const ended = new Promise<number | null>((resolve) => command.once('close', resolve));
  await Promise.race([ended, sleep(ms, undefined, { ref: false })]);
  command.kill('SIGKILL');
  return { code: await ended, ms: performance.now() - began };
}

describe('kill -9', () => {
  let source: TestConnection;
  /** A backup by a command that nothing kills. */
  let whole: string;
  let taken: Awaited<ReturnType<typeof killedAfter>>;

  beforeAll(async () => {
    source = await place.database(false);
    const client = new pg.Client(source);
    await client.connect();
    await client.query(
      `INSERT INTO client_revocation SELECT md5(n::text), now() FROM generate_series(1, ${rows}) AS n`,
    );
    await client.query(`INSERT INTO revoked_token SELECT md5(n::text), now() FROM generate_series(1, ${rows}) AS n`);
    await client.end();
    whole = join(place.folder, 'whole.backup');
    taken = await killedAfter(120_000, await environment(source), 'backup', whole);
  });

  it('of a backup leaves no file of its name, or a whole one', async () => {
    const env = await environment(source);
    const { code, ms } = taken;
    expect(code).toBe(0);
    for (let number = 1; number <= kills; number += 1) {
      const name = `killed-${number}.backup`;
      await killedAfter((ms * (number + kills)) / (2 * kills + 1), env, 'backup', join(place.folder, name));
      if (!(await readdir(place.folder)).includes(name)) continue;
      expect((await opened(join(place.folder, name))).contents.tables.length).toBeGreaterThan(40);
    }
  });

  it('of a restore leaves a database without data or with all of it, and the command can be repeated', async () => {
    const timed = await place.database(true);
    const { code, ms } = await killedAfter(120_000, await environment(timed), 'restore', whole, '--end-issued');
    expect([code, await counted(timed, 'revoked_token')]).toEqual([0, rows]);
    for (let number = 1; number <= kills; number += 1) {
      const target = await place.database(true);
      const env = await environment(target);
      await killedAfter((ms * (number + kills)) / (2 * kills + 1), env, 'restore', whole, '--end-issued');
      const counts = [await counted(target, 'client_revocation'), await counted(target, 'revoked_token')];
      const isWhole = counts[0] === rows;
      expect(counts).toEqual(isWhole ? [rows, rows] : [counts[0] ?? undefined, counts[0] ?? undefined]);
      expect([undefined, 0, rows]).toContain(counts[0]);
      if (number !== kills - 1) continue;
      const again = await callGatehouse(env, 'restore', whole, '--end-issued');
      expect([again.code, await counted(target, 'revoked_token')]).toEqual([0, rows]);
    }
  });
});
