import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { Database } from '../../platform/database/database.js';
import type { Note } from '../domain/database-rules.js';
import type { TestMail } from '../domain/mail-rules.js';
import { type FirstStepsNote, type NoteName, ReadinessNotes, type Recipient } from '../domain/readiness-notes.js';

const testMail = 'test-mail';
const firstSteps = 'first-steps';
/** Followed by the scheme; written where the sign-ins fail. */
const provider = 'identity-provider ';

@Injectable()
export class PostgresReadinessNotes extends ReadinessNotes {
  constructor(private readonly database: Database) {
    super();
  }

  override async findByName(name: NoteName): Promise<Note | undefined> {
    const { rows } = await this.database.query<{ secondsAgo: number; problems: number | null }>(
      `SELECT extract(epoch FROM now() - noted_at)::float8 AS "secondsAgo", (detail ->> 'problems')::int AS problems
         FROM readiness_note WHERE name = $1`,
      [name],
    );
    return rows.map(({ secondsAgo, problems }) => ({ secondsAgo, ...(problems !== null && { problems }) }))[0];
  }

  override async write(name: NoteName, detail: object = {}): Promise<void> {
    await this.replace(name, null, detail);
  }

  override async recipient(accountId: string): Promise<Recipient | undefined> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(accountId, 'all')) return undefined;
    const { rows } = await this.database.query<Recipient & { [column: string]: unknown }>(
      'SELECT full_name AS "fullName", email FROM account WHERE id = $1',
      [accountId],
    );
    return rows[0];
  }

  override async providerFailures(schemes: readonly string[]) {
    const { rows } = await this.database.query<{ name: string; secondsAgo: number; why: string }>(
      `SELECT name, extract(epoch FROM now() - noted_at)::float8 AS "secondsAgo", coalesce(detail ->> 'why', '') AS why
         FROM readiness_note WHERE name = ANY ($1) ORDER BY noted_at DESC`,
      [schemes.map((scheme) => provider + scheme)],
    );
    return rows.map(({ name, ...failure }) => ({ scheme: name.slice(provider.length), ...failure }));
  }

  override async testMail(): Promise<TestMail | undefined> {
    const { rows } = await this.database.query<Omit<TestMail, 'confirmedSecondsAgo'> & { confirmed: number | null }>(
      `SELECT email AS to, extract(epoch FROM now() - noted_at)::float8 AS "sentSecondsAgo",
              EXISTS (SELECT FROM job WHERE kind = 'mail' AND key = detail ->> 'mailId') AS "isWaiting",
              extract(epoch FROM now() - (detail ->> 'confirmedAt')::timestamptz)::float8 AS confirmed
         FROM readiness_note JOIN account ON account.id = account_id
        WHERE name = $1 AND email IS NOT NULL`,
      [testMail],
    );
    return rows.map(({ confirmed, ...mail }) => ({ ...mail, confirmedSecondsAgo: confirmed ?? undefined }))[0];
  }

  override async writeTestMail({ accountId, ...detail }: { accountId: string; mailId: string; tokenHash: string }) {
    await this.replace(testMail, accountId, detail);
  }

  override async confirmTestMail(tokenHash: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `UPDATE readiness_note SET detail = jsonb_build_object('confirmedAt', now()) || detail
        WHERE name = $1 AND detail ->> 'tokenHash' = $2`,
      [testMail, tokenHash],
    );
    return rowCount === 1;
  }

  override async firstSteps(accountId: string): Promise<FirstStepsNote> {
    const { rows } = await this.database.query<FirstStepsNote & { [column: string]: unknown }>(
      `SELECT (SELECT CASE WHEN password_hash IS NOT NULL THEN EXISTS (SELECT FROM two_factor WHERE account_id = account.id) END
                 FROM account WHERE id = $1) AS "secondFactor",
              coalesce((SELECT (detail ->> 'isPutAway')::boolean FROM readiness_note WHERE name = $2), false) AS "isPutAway"`,
      [isUUID(accountId, 'all') ? accountId : null, firstSteps],
    );
    return rows[0] as FirstStepsNote;
  }

  override async putFirstStepsAway(isPutAway: boolean): Promise<void> {
    await this.replace(firstSteps, null, { isPutAway });
  }

  private async replace(name: string, accountId: string | null, detail: object): Promise<void> {
    await this.database.query(
      `INSERT INTO readiness_note (name, account_id, detail) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE
         SET noted_at = excluded.noted_at, account_id = excluded.account_id, detail = excluded.detail`,
      [name, accountId, JSON.stringify(detail)],
    );
  }
}
