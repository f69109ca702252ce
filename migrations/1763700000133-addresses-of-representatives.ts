import type { MigrationInterface, QueryRunner } from 'typeorm';

const triggers = {
  keep_changed_address: 'AFTER UPDATE OF email ON account FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email)',
  keep_removed_address: 'BEFORE DELETE ON account FOR EACH ROW',
};

/**
 * Addresses that accounts had which act or acted for a patient: SHA-256 of the address in small letters. Triggers keep
 * an address when it is changed, and when its account is removed, after which nothing else knows it.
 */
export class AddressesOfRepresentatives1763700000133 implements MigrationInterface {
  name = 'AddressesOfRepresentatives1763700000133';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE representative_address (
        tenant text NOT NULL,
        patient text NOT NULL,
        address_hash bytea NOT NULL,
        kept_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant, patient, address_hash)
      )`);
    await runner.query(`
      CREATE FUNCTION keep_representative_address() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO representative_address (tenant, patient, address_hash)
          SELECT DISTINCT tenant, patient, sha256(convert_to(lower(trim(OLD.email)), 'UTF8'))
            FROM representation_relationship
           WHERE account_id = OLD.id AND OLD.email IS NOT NULL AND status IN ('active', 'suspended', 'ended')
          ON CONFLICT DO NOTHING;
        RETURN OLD;
      END $$`);
    for (const [name, event] of Object.entries(triggers)) {
      await runner.query(`CREATE TRIGGER ${name} ${event} EXECUTE FUNCTION keep_representative_address()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(triggers)) await runner.query(`DROP TRIGGER ${name} ON account`);
    await runner.query('DROP FUNCTION keep_representative_address()');
    await runner.query('DROP TABLE representative_address');
  }
}
