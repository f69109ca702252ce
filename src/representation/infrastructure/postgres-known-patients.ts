import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type KnownPatient, KnownPatients, type PatientFacts, type PatientKey } from '../domain/patient-facts.js';

type Stored = Omit<PatientFacts, 'readAt'>;

@Injectable()
export class PostgresKnownPatients extends KnownPatients {
  constructor(private readonly database: Database) {
    super();
  }

  async find({ tenant, patient }: PatientKey): Promise<KnownPatient | undefined> {
    const { rows } = await this.database.query<{ facts: Stored | null; readAt: Date | null; goneSince: Date | null }>(
      `SELECT facts, read_at AS "readAt", gone_since AS "goneSince" FROM represented_patient
        WHERE tenant = $1 AND patient = $2`,
      [tenant ?? '', patient],
    );
    const [row] = rows;
    if (!row) return undefined;
    const { facts, readAt, goneSince } = row;
    return {
      facts: facts && readAt ? ({ ...facts, readAt } as PatientFacts) : undefined,
      goneSince: goneSince ?? undefined,
    };
  }

  async keep({ tenant, patient }: PatientKey, { readAt, ...facts }: PatientFacts): Promise<void> {
    // A node that read earlier must not replace what another one has read since.
    await this.database.query(
      `INSERT INTO represented_patient (tenant, patient, facts, read_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant, patient) DO UPDATE
          SET facts = excluded.facts, read_at = excluded.read_at, gone_since = NULL
        WHERE represented_patient.read_at IS NULL OR represented_patient.read_at < excluded.read_at`,
      [tenant ?? '', patient, JSON.stringify(facts), readAt],
    );
  }

  async keepGone({ tenant, patient }: PatientKey, at: Date): Promise<Date> {
    const { rows } = await this.database.query<{ since: Date }>(
      `INSERT INTO represented_patient (tenant, patient, gone_since) VALUES ($1, $2, $3)
       ON CONFLICT (tenant, patient) DO UPDATE
          SET gone_since = coalesce(represented_patient.gone_since, excluded.gone_since)
       RETURNING gone_since AS since`,
      [tenant ?? '', patient, at],
    );
    return rows[0]?.since ?? at;
  }
}
