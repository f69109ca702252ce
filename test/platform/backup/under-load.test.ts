import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { backUp, restore, useBackups } from '../../support/database/backups.js';
import type { TestConnection } from '../../support/database/database.js';

const place = useBackups();

/** Each transaction changes two tables in the same way, of which a backup reads one much earlier than the other. */
async function write(connection: TestConnection, name: string, isOver: () => boolean): Promise<number> {
  const client = new pg.Client(connection);
  await client.connect();
  let count = 0;
  for (; !isOver(); count += 1) {
    await client.query('BEGIN');
    await client.query('INSERT INTO client_revocation VALUES ($1, now())', [`${name}-${count}`]);
    await client.query('INSERT INTO revoked_token VALUES ($1, now())', [`${name}-${count}`]);
    await client.query("INSERT INTO audit_event (type, outcome, subject) VALUES ('login', 'success', $1)", [name]);
    if (count > 50) await client.query('DELETE FROM revoked_token WHERE id_hash = $1', [`${name}-${count - 50}`]);
    if (count > 50) await client.query('DELETE FROM client_revocation WHERE client_id = $1', [`${name}-${count - 50}`]);
    await client.query('COMMIT');
  }
  await client.end();
  return count;
}

describe('Backups while nodes write', () => {
  it('have each transaction as a whole or not at all, also two backups at once and with new partitions', async () => {
    const source = await place.database(false);
    let isOver = false;
    const writers = ['a', 'b', 'c'].map((name) => write(source, name, () => isOver));
    const partitions = async () => {
      const client = new pg.Client(source);
      await client.connect();
      for (let month = 4; !isOver; month += 1) {
        await client.query('SELECT make_audit_partition(now() + make_interval(months => $1))', [month]);
        await sleep(100);
      }
      await client.end();
    };
    const files = ['one', 'two'].map((name) => join(place.folder, `${name}.backup`));
    const made = partitions();
    await Promise.all(files.map((file) => backUp(source, file))).finally(() => {
      isOver = true;
    });
    await made;
    const written = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
    expect(written).toBeGreaterThan(100);
    for (const file of files) {
      const target = await place.database(true);
      await restore(target, file, { endsIssued: false });
      const client = new pg.Client(target);
      await client.connect();
      const { rows } = await client.query<{ events: number; unequal: number; next: boolean }>(
        `SELECT (SELECT count(*)::int FROM audit_event WHERE type = 'login') AS events,
                (SELECT count(*)::int FROM client_revocation FULL JOIN revoked_token ON client_id = id_hash
                  WHERE client_id IS NULL OR id_hash IS NULL) AS unequal,
                (SELECT last_value FROM audit_event_id_seq) >= (SELECT max(id) FROM audit_event) AS next`,
      );
      await client.end();
      expect(rows[0]).toEqual({ events: expect.any(Number), unequal: 0, next: true });
      expect(rows[0]?.events).toBeGreaterThan(0);
      expect(rows[0]?.events).toBeLessThanOrEqual(written);
    }
  });
});
