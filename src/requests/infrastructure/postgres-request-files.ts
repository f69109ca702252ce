import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type FileRetention, type RequestFile, RequestFiles } from '../domain/request-file.js';

const selected = `id, account_id AS "accountId", request_id AS "requestId", label, name, media_type AS "mediaType", bytes,
  content IS NOT NULL AS "isKept"`;

@Injectable()
export class PostgresRequestFiles extends RequestFiles {
  constructor(private readonly database: Database) {
    super();
  }

  async unsentLike({ accountId, name, label, bytes }: Pick<RequestFile, 'accountId' | 'name' | 'label' | 'bytes'>) {
    await this.lock(accountId);
    const { rows } = await this.database.query<RequestFile & { content: Buffer }>(
      `SELECT ${selected}, content FROM request_file
        WHERE account_id = $1 AND request_id IS NULL AND name = $2 AND label = $3 AND bytes = $4 AND content IS NOT NULL`,
      [accountId, name, label, bytes],
    );
    return rows.map(({ content, ...file }) => ({ file, content }));
  }

  async add(file: Omit<RequestFile, 'isKept'>, content: Buffer, most: number): Promise<RequestFile | undefined> {
    const { id, accountId, requestId, label, name, mediaType, bytes } = file;
    await this.lock(accountId);
    const { rows } = await this.database.query<RequestFile>(
      `INSERT INTO request_file (id, account_id, request_id, label, name, media_type, bytes, content)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8
        WHERE (SELECT count(*) FROM request_file WHERE account_id = $2 AND request_id IS NULL) < $9
       RETURNING ${selected}`,
      [id, accountId, requestId, label, name, mediaType, bytes, content, most],
    );
    return rows[0];
  }

  async ofRequests(requestIds: readonly string[]): Promise<RequestFile[]> {
    const { rows } = await this.database.query<RequestFile>(
      `SELECT ${selected} FROM request_file WHERE request_id = ANY ($1) ORDER BY added_at, id`,
      [requestIds],
    );
    return rows;
  }

  async attach(accountId: string, ids: readonly string[], requestId: string): Promise<number> {
    const { rowCount } = await this.database.query(
      `UPDATE request_file SET request_id = $3, added_at = now()
        WHERE account_id = $1 AND id = ANY ($2) AND request_id IS NULL`,
      [accountId, ids, requestId],
    );
    return rowCount ?? 0;
  }

  async removeUnsent(accountId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'DELETE FROM request_file WHERE account_id = $1 AND id::text = $2 AND request_id IS NULL',
      [accountId, id.toLowerCase()],
    );
    return rowCount === 1;
  }

  async contentOf(id: string): Promise<Buffer | undefined> {
    const { rows } = await this.database.query<{ content: Buffer | null }>(
      'SELECT content FROM request_file WHERE id = $1',
      [id],
    );
    return rows[0]?.content ?? undefined;
  }

  async noteOpening(id: string, administrator: string): Promise<void> {
    await this.database.query(
      'INSERT INTO request_file_opening (file_id, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [id, administrator],
    );
  }

  async openedBy(requestId: string, administrator: string): Promise<Set<string>> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT file_id AS id FROM request_file_opening JOIN request_file ON id = file_id
        WHERE request_id = $1 AND request_file_opening.account_id::text = $2`,
      [requestId, administrator],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async removeContent(requestId: string): Promise<number> {
    const { rowCount } = await this.database.query(
      'UPDATE request_file SET content = NULL WHERE request_id = $1 AND content IS NOT NULL',
      [requestId],
    );
    return rowCount ?? 0;
  }

  async removeUnsentOld({ unsentHours }: FileRetention, most: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM request_file WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM request_file WHERE request_id IS NULL AND added_at < now() - make_interval(hours => $1)
          LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [unsentHours, most],
    );
    return rowCount ?? 0;
  }

  async removeOld({ decidedDays, mostDays }: FileRetention, most: number) {
    const { rows } = await this.database.query<{ requestId: string; files: number }>(
      `WITH removed AS (
         UPDATE request_file SET content = NULL WHERE id = ANY (ARRAY(
           SELECT request_file.id FROM request_file JOIN request ON request.id = request_id
            WHERE request_file.content IS NOT NULL
              AND (request_file.added_at < now() - make_interval(days => $2)
                OR (request.status NOT IN ('waiting', 'more-needed')
                  AND request.decided_at < now() - make_interval(days => $1)))
            LIMIT $3 FOR UPDATE OF request_file SKIP LOCKED))
         RETURNING request_id)
       SELECT request_id AS "requestId", count(*)::int AS files FROM removed GROUP BY 1`,
      [decidedDays, mostDays, most],
    );
    return rows;
  }

  /** Of uploads of a user at the same time none may exceed the number, or store a file twice. */
  private async lock(accountId: string): Promise<void> {
    await this.database.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }
}
