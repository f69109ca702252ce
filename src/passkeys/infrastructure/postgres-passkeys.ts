import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { EntitySchema } from 'typeorm';
import { passkeyOffers } from '../../contract/rules/users/passkeys.js';
import { Database } from '../../platform/database/database.js';
import { type Passkey, Passkeys, type PasskeyUse } from '../domain/passkey.js';

export const passkeySchema = new EntitySchema<Passkey>({
  name: 'Passkey',
  tableName: 'passkey',
  columns: {
    id: { type: 'uuid', primary: true },
    accountId: { name: 'account_id', type: 'uuid' },
    credentialId: { name: 'credential_id', type: 'text' },
    publicKey: { name: 'public_key', type: 'bytea' },
    counter: { type: 'bigint', transformer: { to: (counter: number) => counter, from: Number } },
    transports: { type: 'text', array: true },
    backupEligible: { name: 'backup_eligible', type: 'boolean' },
    backedUp: { name: 'backed_up', type: 'boolean' },
    kind: { type: 'text' },
    name: { type: 'text' },
    createdAt: { name: 'created_at', type: 'timestamptz' },
    lastUsedAt: { name: 'last_used_at', type: 'timestamptz', nullable: true },
    clonedAt: { name: 'cloned_at', type: 'timestamptz', nullable: true },
  },
});

@Injectable()
export class PostgresPasskeys extends Passkeys {
  constructor(private readonly database: Database) {
    super();
  }

  ofAccount(accountId: string): Promise<Passkey[]> {
    return this.table.find({ where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  has(accountId: string): Promise<boolean> {
    return this.table.existsBy({ accountId });
  }

  async findByCredential(credentialId: string): Promise<Passkey | undefined> {
    return (await this.table.findOneBy({ credentialId })) ?? undefined;
  }

  async add(passkey: Passkey): Promise<boolean> {
    const { raw } = await this.table.createQueryBuilder().insert().values(passkey).orIgnore().returning('id').execute();
    return raw.length > 0;
  }

  async rename(accountId: string, id: string, name: string): Promise<boolean> {
    return isUUID(id, 'all') && ((await this.table.update({ accountId, id }, { name })).affected ?? 0) > 0;
  }

  async remove(accountId: string, id: string): Promise<string | undefined> {
    if (!isUUID(id, 'all')) return undefined;
    const { rows } = await this.database.query<{ name: string }>(
      'DELETE FROM passkey WHERE account_id = $1 AND id = $2 RETURNING name',
      [accountId, id],
    );
    return rows[0]?.name;
  }

  async removeAll(accountId: string): Promise<number> {
    return (await this.table.delete({ accountId })).affected ?? 0;
  }

  /** Locks the account first, as all that changes its passkeys does. */
  async use({ id, accountId }: Passkey, { counter, backedUp }: PasskeyUse): Promise<boolean> {
    await this.database.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
    const { rowCount } = await this.database.query(
      `UPDATE passkey SET counter = $2, backed_up = $3, last_used_at = now()
        WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`,
      [id, counter, backedUp],
    );
    return (rowCount ?? 0) > 0;
  }

  async wasUsedMeanwhile(id: string): Promise<boolean | undefined> {
    const { rows } = await this.database.query<{ meanwhile: boolean }>(
      `SELECT coalesce(last_used_at > now() - make_interval(secs => $2), false) AS meanwhile FROM passkey WHERE id = $1`,
      [id, await this.database.lag()],
    );
    return rows[0]?.meanwhile;
  }

  async markCloned(id: string): Promise<boolean> {
    const { rowCount } = await this.database.queryOutsideTransaction(
      'UPDATE passkey SET cloned_at = now() WHERE id = $1 AND cloned_at IS NULL',
      [id],
    );
    return (rowCount ?? 0) > 0;
  }

  /** Some of the expired ones go at the same occasion. */
  async useChallenge(challengeHash: string, expiresAt: Date): Promise<boolean> {
    await this.database.query(
      `DELETE FROM passkey_challenge WHERE challenge_hash IN (
         SELECT challenge_hash FROM passkey_challenge WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
    const { rowCount } = await this.database.query(
      'INSERT INTO passkey_challenge VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [challengeHash, expiresAt],
    );
    return (rowCount ?? 0) > 0;
  }

  async mayOffer(accountId: string): Promise<boolean> {
    const { rows } = await this.database.query(
      `SELECT FROM account WHERE id = $1
         AND NOT EXISTS (SELECT FROM passkey WHERE account_id = $1)
         AND NOT EXISTS (SELECT FROM passkey_offer
           WHERE account_id = $1 AND (times >= $2 OR last_at > now() - make_interval(days => $3)))`,
      [accountId, passkeyOffers.most, passkeyOffers.pauseDays],
    );
    return rows.length > 0;
  }

  /** Two tabs that put off the same offer count once. */
  async putOffOffer(accountId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO passkey_offer SELECT id, 1, now() FROM account WHERE id = $1
       ON CONFLICT (account_id) DO UPDATE SET times = passkey_offer.times + 1, last_at = now()
         WHERE passkey_offer.last_at <= now() - make_interval(days => $2)`,
      [accountId, passkeyOffers.pauseDays],
    );
  }

  private get table() {
    return this.database.manager.getRepository(passkeySchema);
  }
}
