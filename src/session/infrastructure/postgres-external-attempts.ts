import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type AttemptKey, attemptSeconds, type ExternalAttempt, ExternalAttempts } from '../domain/external-attempt.js';

@Injectable()
export class PostgresExternalAttempts extends ExternalAttempts {
  constructor(private readonly database: Database) {
    super();
  }

  /** Some of the expired ones go at the same occasion. */
  override async add(key: AttemptKey, attempt: ExternalAttempt): Promise<void> {
    await this.database.query(
      `DELETE FROM external_sign_in WHERE state_hash IN (
         SELECT state_hash FROM external_sign_in WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
    await this.database.query(
      `INSERT INTO external_sign_in
         (state_hash, browser_hash, scheme, return_url, reauthenticate, begun_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => ${attemptSeconds}))`,
      [key.stateHash, key.browserHash, key.scheme, attempt.returnUrl, attempt.reauthenticate, attempt.begunAt],
    );
  }

  override async take({ stateHash, browserHash, scheme }: AttemptKey): Promise<ExternalAttempt | undefined> {
    const { rows } = await this.database.query<ExternalAttempt & { [column: string]: unknown }>(
      `DELETE FROM external_sign_in
        WHERE state_hash = $1 AND browser_hash = $2 AND scheme = $3 AND expires_at > now()
        RETURNING scheme, return_url AS "returnUrl", reauthenticate, begun_at AS "begunAt"`,
      [stateHash, browserHash, scheme],
    );
    return rows[0];
  }
}
