import { usersChanged } from '../../../src/users/domain/user.js';
import { type TestPortal, tellNodes } from '../portal/portal.js';

/** The accounts of a portal as they are after its start, for tests that share the portal and change the accounts. */
export class KeptUsers {
  private constructor(
    private readonly portal: TestPortal,
    private readonly columns: string,
  ) {}

  static async of(portal: TestPortal): Promise<KeptUsers> {
    const columns = await portal.query<{ name: string }>(
      `SELECT quote_ident(column_name) AS name FROM information_schema.columns
        WHERE table_name = 'account' AND table_schema = 'public' AND is_generated = 'NEVER'`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await portal.query('CREATE SCHEMA kept');
    await portal.query(`CREATE TABLE kept.account AS SELECT ${names} FROM account`);
    return new KeptUsers(portal, names);
  }

  /**
   * Ends all sessions, forgets what the users had (factors, passkeys, links, consents) and what was counted of them.
   */
  async restore(): Promise<void> {
    const tables = ['account', 'oidc_record', 'pending_sign_in', 'rate_limit'];
    for (const table of tables) await this.portal.query(`DELETE FROM ${table}`);
    await this.portal.query(`INSERT INTO account (${this.columns}) SELECT ${this.columns} FROM kept.account`);
    await tellNodes(this.portal, usersChanged);
  }
}
