import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Relationships of accounts that act for patients. The rows of a deleted account stay without it: they are part of the
 * record of what was permitted. `tenant` is empty for the FHIR base of no tenant, so that indexes hold it as a value.
 */
export class Representation1763700000121 implements MigrationInterface {
  name = 'Representation1763700000121';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE representation_relationship (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid REFERENCES account (id) ON DELETE SET NULL,
        tenant text NOT NULL,
        patient text NOT NULL,
        basis text NOT NULL,
        level text NOT NULL,
        relation text NOT NULL,
        starts_on date,
        ends_on date,
        status text NOT NULL,
        reason text,
        note text,
        without_birth_date boolean NOT NULL DEFAULT false,
        above_table jsonb,
        agreed_steps integer[] NOT NULL DEFAULT '{}',
        first_decider uuid,
        proposed_by jsonb NOT NULL,
        proposed_at timestamptz NOT NULL DEFAULT now(),
        decided_by jsonb,
        decided_at timestamptz,
        ended_by jsonb,
        ended_at timestamptz,
        representative_name text NOT NULL,
        patient_name text NOT NULL,
        related_person text,
        changed_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX representation_live_pair ON representation_relationship (account_id, tenant, patient)
        WHERE status IN ('active', 'suspended')`);
    await runner.query(`
      CREATE UNIQUE INDEX representation_open_pair ON representation_relationship (account_id, tenant, patient)
        WHERE status IN ('proposed', 'more-needed')`);
    await runner.query(`
      CREATE INDEX representation_account ON representation_relationship (account_id, tenant, patient, changed_at)`);
    await runner.query('CREATE INDEX representation_patient ON representation_relationship (tenant, patient)');
    await runner.query(`
      CREATE INDEX representation_listed ON representation_relationship (status, proposed_at DESC, id)`);
    await runner.query(`
      CREATE TABLE represented_patient (
        tenant text NOT NULL,
        patient text NOT NULL,
        facts jsonb,
        read_at timestamptz,
        gone_since timestamptz,
        PRIMARY KEY (tenant, patient)
      )`);
    await runner.query(`
      CREATE TABLE representation_block (
        tenant text NOT NULL,
        patient text NOT NULL,
        kind text NOT NULL,
        value_hash text NOT NULL,
        relationship_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        lift_asked_by uuid,
        PRIMARY KEY (tenant, patient, kind, value_hash)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE representation_block');
    await runner.query('DROP TABLE represented_patient');
    await runner.query('DROP TABLE representation_relationship');
  }
}
