import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import {
  type GoneRelationships,
  type KnownPatient,
  KnownPatients,
  mostGonePerHour,
  type PatientFacts,
  type PatientKey,
} from '../domain/patient-facts.js';

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

  async keep({ tenant, patient }: PatientKey, { readAt, ...facts }: PatientFacts): Promise<Date | null> {
    // A node that read earlier must not replace what another one has read since.
    const { rows } = await this.database.query<{ since: Date | null; born: string | null }>(
      `WITH before AS (SELECT facts ->> 'birthDate' AS born FROM represented_patient WHERE tenant = $1 AND patient = $2)
       INSERT INTO represented_patient (tenant, patient, facts, read_at, gone_since, gone_read_at)
       VALUES ($1, $2, $3, $4, $5, $5)
       ON CONFLICT (tenant, patient) DO UPDATE
          SET facts = excluded.facts, read_at = excluded.read_at, gone_read_at = excluded.gone_read_at,
              gone_since = CASE WHEN excluded.gone_since IS NOT NULL
                                THEN coalesce(represented_patient.gone_since, excluded.gone_since) END
        WHERE represented_patient.read_at IS NULL OR represented_patient.read_at < excluded.read_at
       RETURNING gone_since AS since, (SELECT born FROM before) AS born`,
      [tenant ?? '', patient, JSON.stringify(facts), readAt, facts.isActive ? null : readAt],
    );
    if (rows[0] && rows[0].born !== (facts.birthDate ?? null)) await this.hasten({ tenant, patient });
    return rows[0]?.since ?? null;
  }

  async keepGone({ tenant, patient }: PatientKey, at: Date): Promise<Date> {
    const { rows } = await this.database.query<{ since: Date }>(
      `INSERT INTO represented_patient (tenant, patient, gone_since, gone_read_at) VALUES ($1, $2, $3, $3)
       ON CONFLICT (tenant, patient) DO UPDATE
          SET gone_since = coalesce(represented_patient.gone_since, excluded.gone_since), gone_read_at = $3
       RETURNING gone_since AS since`,
      [tenant ?? '', patient, at],
    );
    return rows[0]?.since ?? at;
  }

  async goneBefore(at: Date): Promise<GoneRelationships> {
    const { rows } = await this.database.query<GoneRelationships>(
      `SELECT (SELECT count(*) FROM represented_patient AS known
                 JOIN representation_relationship AS one USING (tenant, patient)
                WHERE known.gone_since IS NOT NULL AND known.gone_read_at > $1::timestamptz - interval '1 hour'
                  AND one.status IN ('active', 'suspended'))::int AS "inHour",
              (SELECT count(*) FROM (SELECT FROM representation_relationship
                WHERE status IN ('active', 'suspended') LIMIT $2) AS counted)::int AS "all"`,
      [at, mostGonePerHour * 100],
    );
    return rows[0] ?? { inHour: 0, all: 0 };
  }

  /** After another birth date, the relationships with the patient are looked at at once. */
  private async hasten({ tenant, patient }: PatientKey): Promise<void> {
    await this.database.query(
      `UPDATE representation_relationship SET due_at = NULL
        WHERE tenant = $1 AND patient = $2 AND status IN ('active', 'suspended')`,
      [tenant ?? '', patient],
    );
  }
}
