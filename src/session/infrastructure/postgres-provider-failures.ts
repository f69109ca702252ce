import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { ProviderFailures } from '../domain/provider-failures.js';

/** The name of the row in `readiness_note`, which the readiness report knows. */
const nameOf = (scheme: string) => `identity-provider ${scheme}`;

@Injectable()
export class PostgresProviderFailures extends ProviderFailures {
  constructor(private readonly database: Database) {
    super();
  }

  override async note(scheme: string, why: string): Promise<void> {
    await this.database.query(
      `INSERT INTO readiness_note (name, detail) VALUES ($1, jsonb_build_object('why', $2::text))
       ON CONFLICT (name) DO UPDATE SET noted_at = excluded.noted_at, detail = excluded.detail`,
      [nameOf(scheme), why],
    );
  }

  override async forget(scheme: string): Promise<void> {
    await this.database.query('DELETE FROM readiness_note WHERE name = $1', [nameOf(scheme)]);
  }
}
