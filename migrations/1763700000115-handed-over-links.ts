import type { MigrationInterface, QueryRunner } from 'typeorm';

const columns = ['email', 'email_confirmed', 'full_name', 'claims', 'profile'];

/** Links of invitations that administrators hand over, and accounts whose address no mail has proven since. */
export class HandedOverLinks1763700000115 implements MigrationInterface {
  name = 'HandedOverLinks1763700000115';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_link ADD COLUMN handed_over boolean NOT NULL DEFAULT false');
    await runner.query('ALTER TABLE account ADD COLUMN email_unproven boolean NOT NULL DEFAULT false');
    await runner.query(noteTold([...columns, 'email_unproven']));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(noteTold(columns));
    await runner.query('ALTER TABLE account DROP COLUMN email_unproven');
    await runner.query('ALTER TABLE account_link DROP COLUMN handed_over');
  }
}

/** Keeps the time at which one of these, of which apps are told, was changed; spelled as by the earlier migration. */
function noteTold(told: string[]): string {
  const row = (name: string) => told.map((column) => `${name}.${column}`).join(', ');
  return `
      CREATE OR REPLACE FUNCTION note_told() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (${row('NEW')})
           IS DISTINCT FROM (${row('OLD')}) THEN
          NEW.told_at := now();
        END IF;
        RETURN NEW;
      END $$`;
}
