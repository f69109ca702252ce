import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Prepared } from '../../platform/database/statement-group.js';

interface Kept {
  token: string;
  grantId: string;
  successor: string;
  /** Canonical form of the request's parameters. */
  request: string;
  answer: string;
}

/** The response of its predecessor issued the token that was just used. */
const keepAnswer = new Prepared(
  `WITH used AS (DELETE FROM refresh_answer WHERE successor_hash = $1)
   INSERT INTO refresh_answer (token_hash, grant_id, successor_hash, salt, sealed, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
);

/**
 * Keeps the response to a refresh for 30 seconds: a client that lost it and retries gets the same body. Without this
 * the retry would look like theft and end the grant. The response is sealed under a key that only the holder of the old
 * token can derive (HKDF of the token and a salt in the row), so the table alone gives access to nothing. It is deleted
 * with the first use of the token that it issued, and with any revocation.
 */
@Injectable()
export class RefreshAnswers {
  static readonly seconds = 30;

  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
  ) {}

  async keep({ token, grantId, successor, request, answer }: Kept): Promise<void> {
    const salt = randomBytes(16);
    const sealed = this.secrets.deriveFrom('replay', token, salt).seal(JSON.stringify({ request, answer }));
    const parameters = [sha256(token), grantId, sha256(successor), salt, sealed, RefreshAnswers.seconds];
    await this.database.write(keepAnswer, parameters);
  }

  /** The stored response for this token, if the parameters of the request are identical. */
  async find(token: string, request: string): Promise<string | undefined> {
    const { rows } = await this.database.query<{ salt: Buffer; sealed: Buffer }>(
      'SELECT salt, sealed FROM refresh_answer WHERE token_hash = $1 AND expires_at > now()',
      [sha256(token)],
    );
    const [row] = rows;
    if (!row) return undefined;
    const kept: Pick<Kept, 'request' | 'answer'> = JSON.parse(
      this.secrets.deriveFrom('replay', token, row.salt).open(row.sealed),
    );
    return kept.request === request ? kept.answer : undefined;
  }
}
