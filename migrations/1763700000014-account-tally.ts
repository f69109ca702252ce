import type { MigrationInterface, QueryRunner } from 'typeorm';

const sortColumns = ['user_type', 'email_confirmed', 'is_external'];

/**
 * Number of accounts of each kind, maintained by triggers: the list of users shows its total, and counting for each
 * page takes longer with each account.
 */
export class AccountTally1763700000014 implements MigrationInterface {
  name = 'AccountTally1763700000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_tally (
        user_type text NOT NULL,
        is_external boolean NOT NULL,
        people bigint NOT NULL,
        PRIMARY KEY (user_type, is_external)
      )`);
    // The order is fixed, so that transactions that touch two kinds cannot deadlock.
    await runner.query(`
      CREATE FUNCTION tally_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO account_tally AS tally
            SELECT user_type, is_external, count(*) FROM after_it GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (user_type, is_external) DO UPDATE SET people = tally.people + excluded.people;
        ELSIF TG_OP = 'DELETE' THEN
          INSERT INTO account_tally AS tally
            SELECT user_type, is_external, -count(*) FROM before_it GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (user_type, is_external) DO UPDATE SET people = tally.people + excluded.people;
        ELSE
          INSERT INTO account_tally AS tally
            SELECT user_type, is_external, sum(people) FROM (
              SELECT user_type, is_external, 1 AS people FROM after_it
              UNION ALL SELECT user_type, is_external, -1 FROM before_it) AS moved
            GROUP BY 1, 2 HAVING sum(people) <> 0 ORDER BY 1, 2
            ON CONFLICT (user_type, is_external) DO UPDATE SET people = tally.people + excluded.people;
        END IF;
        RETURN NULL;
      END $$`);
    const trigger = (event: string, tables: string) =>
      runner.query(`
        CREATE TRIGGER tally_${event.toLowerCase()} AFTER ${event} ON account REFERENCING ${tables}
          FOR EACH STATEMENT EXECUTE FUNCTION tally_accounts()`);
    await runner.query('LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE');
    await trigger('INSERT', 'NEW TABLE AS after_it');
    await trigger('DELETE', 'OLD TABLE AS before_it');
    await trigger('UPDATE', 'OLD TABLE AS before_it NEW TABLE AS after_it');
    await runner.query('INSERT INTO account_tally SELECT user_type, is_external, count(*) FROM account GROUP BY 1, 2');
    // For the filters and the other sort orders of the list, which otherwise find few accounts by reading all.
    await runner.query('CREATE INDEX account_kind ON account (user_type, is_external)');
    await runner.query('DROP INDEX account_user_type');
    for (const column of sortColumns) {
      await runner.query(
        `CREATE INDEX account_sorted_by_${column} ON account (${column}, id) WHERE user_type <> 'Admin'`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of sortColumns) await runner.query(`DROP INDEX account_sorted_by_${column}`);
    await runner.query('CREATE INDEX account_user_type ON account (user_type)');
    await runner.query('DROP INDEX account_kind');
    for (const event of ['insert', 'delete', 'update']) await runner.query(`DROP TRIGGER tally_${event} ON account`);
    await runner.query('DROP FUNCTION tally_accounts()');
    await runner.query('DROP TABLE account_tally');
  }
}
