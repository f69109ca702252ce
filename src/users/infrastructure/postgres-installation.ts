import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Installation } from '../domain/installation.js';

interface Row {
  id: string;
  had_admin: boolean;
}

@Injectable()
export class PostgresInstallation extends Installation {
  /** Never becomes untrue again, so it may be kept without asking. */
  private sawAdmin = false;

  constructor(private readonly database: Database) {
    super();
  }

  override async id(): Promise<string> {
    return (await this.read()).id;
  }

  override async hadAdmin(): Promise<boolean> {
    this.sawAdmin ||= (await this.read()).had_admin;
    return this.sawAdmin;
  }

  override async claimFirstAdmin(now: Date): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE installation SET first_admin_created_at = $1 WHERE first_admin_created_at IS NULL',
      [now],
    );
    return rowCount === 1;
  }

  private async read(): Promise<Row> {
    const { rows } = await this.database.query<Row>(
      'SELECT id, first_admin_created_at IS NOT NULL AS had_admin FROM installation',
    );
    const [row] = rows;
    if (!row) throw new Error('the row of the table "installation" is missing');
    return row;
  }
}
