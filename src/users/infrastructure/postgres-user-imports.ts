import { Injectable } from '@nestjs/common';
import type { ImportProgress } from '../../contract/users/user-import.js';
import { Database } from '../../platform/database/database.js';
import { type ImportLine, type ImportOutcome, UserImports } from '../domain/user-import.js';

@Injectable()
export class PostgresUserImports extends UserImports {
  constructor(private readonly database: Database) {
    super();
  }

  override async begin(id: string, actor: string, fileHash: string, lines: readonly ImportLine[]): Promise<boolean> {
    await this.database.query("DELETE FROM user_import WHERE created_at < now() - interval '1 day'");
    const { rowCount } = await this.database.query(
      'INSERT INTO user_import (id, actor, file_hash) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
      [id, actor, fileHash],
    );
    if (rowCount === 0) return false;
    await this.database.query(
      `INSERT INTO user_import_line (user_import, line, form)
       SELECT $1, line, form FROM jsonb_to_recordset($2::jsonb) AS one (line int, form jsonb)`,
      [id, JSON.stringify(lines)],
    );
    return true;
  }

  override async isSame(id: string, actor: string, fileHash: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'SELECT FROM user_import WHERE id = $1 AND actor = $2 AND file_hash = $3',
      [id, actor, fileHash],
    );
    return rowCount === 1;
  }

  override async nextForChange(id: string, most: number): Promise<ImportLine[]> {
    await this.database.query('SELECT FROM user_import WHERE id = $1 FOR UPDATE', [id]);
    const { rows } = await this.database.query<ImportLine & { [column: string]: unknown }>(
      'SELECT line, form FROM user_import_line WHERE user_import = $1 AND outcome IS NULL ORDER BY line LIMIT $2',
      [id, most],
    );
    return rows;
  }

  override async settle(id: string, outcomes: readonly ImportOutcome[]): Promise<void> {
    await this.database.query(
      `UPDATE user_import_line AS line SET outcome = one.outcome, form = NULL
         FROM jsonb_to_recordset($2::jsonb) AS one (line int, outcome text)
        WHERE line.user_import = $1 AND line.line = one.line AND line.outcome IS NULL`,
      [id, JSON.stringify(outcomes)],
    );
  }

  override async progress(id: string, actor: string): Promise<ImportProgress | undefined> {
    const { rows } = await this.database.query<ImportProgress & { [column: string]: unknown }>(
      `SELECT count(line)::int AS total,
              count(outcome)::int AS done,
              count(*) FILTER (WHERE outcome = 'created')::int AS created,
              count(*) FILTER (WHERE outcome = 'known')::int AS known,
              count(*) FILTER (WHERE outcome = 'refused')::int AS refused
         FROM user_import LEFT JOIN user_import_line ON user_import = id
        WHERE id = $1 AND actor = $2 GROUP BY id`,
      [id, actor],
    );
    return rows[0];
  }

  override async knownAddresses(addresses: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.database.query<{ address: string }>(
      `SELECT address FROM unnest($1::text[]) AS address
        WHERE EXISTS (SELECT FROM account WHERE lower(email) = lower(address))`,
      [addresses],
    );
    return new Set(rows.map(({ address }) => address));
  }
}
