import { Injectable } from '@nestjs/common';
import { keptReasons, mostKeptNamed } from '../../contract/rules/users/user-import.js';
import type { ImportProgress, KeptUser } from '../../contract/users/user-import.js';
import { Database } from '../../platform/database/database.js';
import { type ImportLine, type ImportOutcome, type UndoOutcome, UserImports } from '../domain/user-import.js';
import { addressSpellings } from './address-spellings.js';

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
    await this.lock(id);
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
    await this.database.query(
      `INSERT INTO user_import_account (user_import, line, account_id)
       SELECT $1, line, account FROM jsonb_to_recordset($2::jsonb) AS one (line int, account uuid) WHERE account IS NOT NULL`,
      [id, JSON.stringify(outcomes)],
    );
  }

  override async stop(id: string, actor: string): Promise<number | undefined> {
    if (!(await this.lock(id, actor))) return undefined;
    const { rowCount } = await this.database.query(
      "UPDATE user_import_line SET outcome = 'stopped', form = NULL WHERE user_import = $1 AND outcome IS NULL",
      [id],
    );
    return rowCount ?? 0;
  }

  override async requestUndo(id: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE user_import SET undo_requested_at = now() WHERE id = $1 AND undo_requested_at IS NULL',
      [id],
    );
    return rowCount === 1;
  }

  override async nextToUndo(id: string, most: number): Promise<{ line: number; account: string }[]> {
    await this.lock(id);
    const { rows } = await this.database.query<{ line: number; account: string }>(
      `SELECT line, account_id AS account FROM user_import_account JOIN user_import_line USING (user_import, line)
        WHERE user_import = $1 AND outcome = 'created' ORDER BY line LIMIT $2`,
      [id, most],
    );
    return rows;
  }

  override async settleUndo(id: string, outcomes: readonly UndoOutcome[]): Promise<void> {
    await this.database.query(
      `UPDATE user_import_line AS line SET outcome = one.outcome
         FROM jsonb_to_recordset($2::jsonb) AS one (line int, outcome text)
        WHERE line.user_import = $1 AND line.line = one.line`,
      [id, JSON.stringify(outcomes)],
    );
  }

  override async progress(id: string, actor: string): Promise<ImportProgress | undefined> {
    const { rows } = await this.database.query<Omit<ImportProgress, 'kept'> & { [column: string]: unknown }>(
      `SELECT count(line)::int AS total,
              count(outcome)::int AS done,
              count(*) FILTER (WHERE outcome = ANY ($3))::int AS created,
              count(*) FILTER (WHERE outcome = 'known')::int AS known,
              count(*) FILTER (WHERE outcome = 'refused')::int AS refused,
              count(*) FILTER (WHERE outcome = 'stopped')::int AS stopped,
              count(account_id) FILTER (WHERE outcome = 'created')::int AS removable,
              count(*) FILTER (WHERE outcome = 'removed')::int AS removed,
              count(*) FILTER (WHERE outcome = ANY ($4))::int AS stayed,
              undo_requested_at IS NOT NULL AS "isUndone"
         FROM user_import LEFT JOIN user_import_line ON user_import = id
         LEFT JOIN user_import_account USING (user_import, line)
        WHERE id = $1 AND actor = $2 GROUP BY id`,
      [id, actor, ['created', 'removed', ...keptReasons], keptReasons],
    );
    const [progress] = rows;
    return progress && { ...progress, kept: progress.isUndone ? await this.keptUsers(id) : [] };
  }

  /** Users who stay after an undo. */
  private async keptUsers(id: string): Promise<KeptUser[]> {
    const { rows } = await this.database.query<KeptUser & { [column: string]: unknown }>(
      `SELECT account_id AS id, full_name AS "fullName", outcome AS reason
         FROM user_import_account JOIN user_import_line USING (user_import, line) JOIN account ON account.id = account_id
        WHERE user_import = $1 AND outcome = ANY ($2) ORDER BY line LIMIT $3`,
      [id, keptReasons, mostKeptNamed],
    );
    return rows;
  }

  /** False if there is no such import, of this administrator if one is named. */
  private async lock(id: string, actor?: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'SELECT FROM user_import WHERE id = $1 AND actor = coalesce($2, actor) FOR UPDATE',
      [id, actor],
    );
    return rowCount === 1;
  }

  override async knownAddresses(addresses: readonly string[]): Promise<Set<string>> {
    const pairs = addresses.flatMap((address) => addressSpellings(address).map((one) => [address, one]));
    const { rows } = await this.database.query<{ address: string }>(
      `SELECT DISTINCT address FROM unnest($1::text[], $2::text[]) AS known (address, spelling)
        WHERE EXISTS (SELECT FROM account WHERE lower(email) = lower(spelling))`,
      [pairs.map(([address]) => address), pairs.map(([, spelling]) => spelling)],
    );
    return new Set(rows.map(({ address }) => address));
  }
}
