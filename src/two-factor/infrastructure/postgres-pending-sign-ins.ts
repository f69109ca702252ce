import { Injectable } from '@nestjs/common';
import { EntitySchema, MoreThan } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { PendingSignIn, PendingSignIns, pendingTries } from '../domain/pending-sign-in.js';

export const pendingSignInSchema = new EntitySchema<PendingSignIn>({
  name: 'PendingSignIn',
  target: PendingSignIn,
  tableName: 'pending_sign_in',
  columns: {
    idHash: { name: 'id_hash', type: 'text', primary: true },
    accountId: { name: 'account_id', type: 'uuid' },
    securityStamp: { name: 'security_stamp', type: 'text' },
    remembered: { type: 'boolean' },
    tries: { type: 'integer' },
    expiresAt: { name: 'expires_at', type: 'timestamptz' },
  },
});

type Stored = { [column in keyof PendingSignIn]: PendingSignIn[column] };

@Injectable()
export class PostgresPendingSignIns extends PendingSignIns {
  constructor(private readonly database: Database) {
    super();
  }

  /** Some of the expired ones go at the same occasion; those that another transaction is at, it takes along. */
  async add(pending: PendingSignIn): Promise<void> {
    await this.database.query(
      `DELETE FROM pending_sign_in WHERE id_hash IN (
         SELECT id_hash FROM pending_sign_in WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
    await this.table.insert(pending);
  }

  async findByIdHash(idHash: string): Promise<PendingSignIn | undefined> {
    return (await this.table.findOneBy({ idHash, expiresAt: MoreThan(new Date()) })) ?? undefined;
  }

  async takeTry(idHash: string): Promise<PendingSignIn | undefined> {
    const { rows } = await this.database.queryOutsideTransaction<Stored>(
      `UPDATE pending_sign_in SET tries = tries + 1
        WHERE id_hash = $1 AND tries < $2 AND expires_at > now()
        RETURNING id_hash AS "idHash", account_id AS "accountId", security_stamp AS "securityStamp", remembered, tries,
          expires_at AS "expiresAt"`,
      [idHash, pendingTries],
    );
    const [row] = rows;
    // Built as TypeORM builds entities: no constructor, the prototype only.
    return row && Object.assign(Object.create(PendingSignIn.prototype), row);
  }

  async finish(idHash: string): Promise<boolean> {
    return ((await this.table.delete({ idHash })).affected ?? 0) > 0;
  }

  async removeOfAccount(accountId: string): Promise<void> {
    await this.table.delete({ accountId });
  }

  private get table() {
    return this.database.manager.getRepository(pendingSignInSchema);
  }
}
