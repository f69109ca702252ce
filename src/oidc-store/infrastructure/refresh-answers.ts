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

/** The response of its predecessor issued the token that was just used: only the time of that use is kept of it. */
const keepAnswer = new Prepared(
  `WITH used AS (UPDATE refresh_answer SET used_at = clock_timestamp(), sealed = '', salt = '',
                         expires_at = now() - interval '1 minute' WHERE successor_hash = $1 AND used_at IS NULL)
   INSERT INTO refresh_answer (token_hash, grant_id, successor_hash, salt, sealed, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
);

/**
 * A request that was complete `$2` seconds before `now()` is late if the answer could have been repeated then, and
 * cannot be now.
 */
const findAnswer = `SELECT salt, sealed, used_at IS NULL AND expires_at > now() AS "isOpen",
         now() - make_interval(secs => $2) < coalesce(used_at, expires_at) AS "isLate"
    FROM refresh_answer WHERE token_hash = $1`;

interface Row {
  salt: Buffer;
  sealed: Buffer;
  isOpen: boolean;
  isLate: boolean;
}

interface KnownAnswer {
  /** The stored response, if it may still be repeated and the parameters of the request are identical. */
  answer?: string;
  /** True if the request was complete before the new token was used, or before the time for repetitions was over. */
  isLate: boolean;
}

/**
 * Keeps the response to a refresh for 30 seconds: a client that lost it and retries gets the same body. Without this
 * the retry would look like theft and end the grant. The response is sealed under a key that only the holder of the old
 * token can derive (HKDF of the token and a salt in the row), so the table alone gives access to nothing. It is removed
 * with the first use of the token that it issued, the time of which stays for two minutes, and with any revocation.
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

  /** The answer to another request with a token that was used before. */
  async findByToken(token: string, request: string): Promise<KnownAnswer> {
    const parameters = [sha256(token), await this.database.lag()];
    const [row] = (await this.database.query<Row>(findAnswer, parameters)).rows;
    if (!row?.isOpen) return { isLate: row?.isLate === true };
    const kept: Pick<Kept, 'request' | 'answer'> = JSON.parse(
      this.secrets.deriveFrom('replay', token, row.salt).open(row.sealed),
    );
    return { isLate: false, ...(kept.request === request && { answer: kept.answer }) };
  }
}
