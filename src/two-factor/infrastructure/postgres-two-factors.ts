import { Injectable } from '@nestjs/common';
import { EntitySchema } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { TwoFactor, TwoFactors } from '../domain/two-factor.js';

export const twoFactorSchema = new EntitySchema<TwoFactor>({
  name: 'TwoFactor',
  target: TwoFactor,
  tableName: 'two_factor',
  columns: {
    accountId: { name: 'account_id', type: 'uuid', primary: true },
    sealedKey: { name: 'sealed_key', type: 'bytea' },
    keyId: { name: 'key_id', type: 'text' },
    lastStep: { name: 'last_step', type: 'integer' },
    recoveryCodes: { name: 'recovery_codes', type: 'text', array: true },
    enabledAt: { name: 'enabled_at', type: 'timestamptz' },
  },
});

@Injectable()
export class PostgresTwoFactors extends TwoFactors {
  constructor(private readonly database: Database) {
    super();
  }

  async findByAccount(accountId: string): Promise<TwoFactor | undefined> {
    return (await this.table.findOneBy({ accountId })) ?? undefined;
  }

  async add({ accountId, sealedKey, keyId, lastStep, recoveryCodes, enabledAt }: TwoFactor): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `INSERT INTO two_factor (account_id, sealed_key, key_id, last_step, recovery_codes, enabled_at)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [accountId, sealedKey, keyId, lastStep, recoveryCodes, enabledAt],
    );
    if (rowCount !== 1) return false;
    await this.database.query('DELETE FROM recovery_code_set WHERE account_id = $1', [accountId]);
    return true;
  }

  async lock(accountId: string): Promise<void> {
    await this.database.query('SELECT FROM two_factor WHERE account_id = $1 FOR UPDATE', [accountId]);
  }

  async acceptStep(accountId: string, step: number): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE two_factor SET last_step = $2 WHERE account_id = $1 AND last_step < $2',
      [accountId, step],
    );
    return rowCount === 1;
  }

  async replaceRecoveryCodes(accountId: string, hashes: string[]): Promise<void> {
    const { rowCount } = await this.database.query('UPDATE two_factor SET recovery_codes = $2 WHERE account_id = $1', [
      accountId,
      hashes,
    ]);
    if (rowCount === 1) return;
    await this.database.query(
      `INSERT INTO recovery_code_set VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE SET codes = excluded.codes`,
      [accountId, hashes],
    );
  }

  async recoveryCodesLeft(accountId: string): Promise<number | undefined> {
    const { rows } = await this.database.query<{ left: number }>(
      `SELECT cardinality(recovery_codes) AS left FROM two_factor WHERE account_id = $1
       UNION ALL SELECT cardinality(codes) FROM recovery_code_set WHERE account_id = $1`,
      [accountId],
    );
    return rows[0]?.left;
  }

  async useRecoveryCode(accountId: string, hash: string): Promise<number | undefined> {
    const { rows } = await this.database.query<{ left: number }>(
      `WITH of_factor AS (
         UPDATE two_factor SET recovery_codes = array_remove(recovery_codes, $2)
          WHERE account_id = $1 AND $2 = ANY (recovery_codes)
          RETURNING cardinality(recovery_codes) AS left
       ), of_set AS (
         UPDATE recovery_code_set SET codes = array_remove(codes, $2)
          WHERE account_id = $1 AND $2 = ANY (codes)
          RETURNING cardinality(codes) AS left
       )
       SELECT * FROM of_factor UNION ALL SELECT * FROM of_set`,
      [accountId, hash],
    );
    return rows[0]?.left;
  }

  async remove(accountId: string): Promise<boolean> {
    await this.database.query('DELETE FROM recovery_code_set WHERE account_id = $1', [accountId]);
    return ((await this.table.delete({ accountId })).affected ?? 0) > 0;
  }

  private get table() {
    return this.database.manager.getRepository(twoFactorSchema);
  }
}
