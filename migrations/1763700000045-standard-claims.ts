import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Claims of another provider about a user beyond name and address, by the names of OpenID Connect Core §5.1, and the
 * time of the last change of any claim that clients receive; null for an account that has not changed since this
 * migration.
 */
export class StandardClaims1763700000045 implements MigrationInterface {
  name = 'StandardClaims1763700000045';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE account ADD COLUMN profile jsonb NOT NULL DEFAULT '{}', ADD COLUMN told_at timestamptz`,
    );
    await runner.query(`
      CREATE FUNCTION note_told() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (NEW.email, NEW.email_confirmed, NEW.full_name, NEW.claims, NEW.profile)
           IS DISTINCT FROM (OLD.email, OLD.email_confirmed, OLD.full_name, OLD.claims, OLD.profile) THEN
          NEW.told_at := now();
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER note_told BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION note_told()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER note_told ON account');
    await runner.query('DROP FUNCTION note_told()');
    await runner.query('ALTER TABLE account DROP COLUMN profile, DROP COLUMN told_at');
  }
}
