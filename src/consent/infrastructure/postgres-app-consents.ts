import { Injectable } from '@nestjs/common';
import { EntitySchema } from 'typeorm';
import { message } from '../../contract/messages/message.js';
import { Database, sqlState } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { AppConsent, AppConsents, type RemovedConsent } from '../domain/app-consent.js';

/** Also holds for a decision that does not exist yet. */
const lockKey = "hashtextextended('consent ' || $1::text || ' ' || $2::text, 0)";
const foreignKeyViolation = '23503';

const columns = {
  accountId: { name: 'account_id', type: 'uuid', primary: true },
  clientId: { name: 'client_id', type: 'text', primary: true },
  scopes: { type: 'text', array: true },
  declined: { type: 'text', array: true },
  takenBack: { name: 'taken_back', type: 'text', array: true },
  narrowed: { type: 'boolean' },
  remembered: { type: 'boolean' },
  tenant: { type: 'text', nullable: true },
  redirectHost: { name: 'redirect_host', type: 'text' },
  disclaimers: { type: 'text' },
  grantedAt: { name: 'granted_at', type: 'timestamptz' },
  expiresAt: { name: 'expires_at', type: 'timestamptz', nullable: true },
} as const;

export const appConsentSchema = new EntitySchema<AppConsent>({
  name: 'AppConsent',
  target: AppConsent,
  tableName: 'app_consent',
  columns,
});

/** A table of its own: the release before stores the decisions about the user by account and app alone. */
export const representedConsentSchema = new EntitySchema<AppConsent>({
  name: 'RepresentedConsent',
  tableName: 'represented_consent',
  columns: { ...columns, representation: { name: 'relationship_id', type: 'uuid', primary: true } },
});

@Injectable()
export class PostgresAppConsents extends AppConsents {
  constructor(private readonly database: Database) {
    super();
  }

  async findByApp(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined> {
    if (representation === undefined) return (await this.table.findOneBy({ accountId, clientId })) ?? undefined;
    const found = await this.ofOthers.findOneBy({ accountId, clientId, representation });
    return found ? AppConsent.stored(found) : undefined;
  }

  async findForGrant(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined> {
    await this.database.write(`SELECT pg_advisory_xact_lock_shared(${lockKey})`, [accountId, clientId]);
    return this.findByApp(accountId, clientId, representation);
  }

  async findForChange(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined> {
    await this.database.write(`SELECT pg_advisory_xact_lock(${lockKey})`, [accountId, clientId]);
    return this.findByApp(accountId, clientId, representation);
  }

  async keep(consent: AppConsent): Promise<void> {
    try {
      const { representation, ...own } = consent;
      // Absent in decisions that the table of the user's own has.
      if ((representation ?? null) === null) await this.table.upsert(own, ['accountId', 'clientId']);
      else await this.ofOthers.upsert({ ...own, representation }, ['accountId', 'clientId', 'representation']);
    } catch (error) {
      // The account was deleted while its user decided (security E-11).
      if (sqlState(error) === foreignKeyViolation) throw new Problem('unauthenticated', message('sign-in-needed'));
      throw error;
    }
  }

  async ofAccount(accountId: string): Promise<AppConsent[]> {
    const [own, others] = [
      await this.table.find({ where: { accountId }, order: { grantedAt: 'DESC' } }),
      await this.ofOthers.find({ where: { accountId }, order: { grantedAt: 'DESC' } }),
    ];
    return [...own, ...others.map((one) => AppConsent.stored(one))];
  }

  async remove(accountId: string, clientId: string, representation?: string): Promise<RemovedConsent | undefined> {
    const [table, condition, more] =
      representation === undefined
        ? ['app_consent', '', []]
        : ['represented_consent', 'AND relationship_id = $3', [representation]];
    const { rows } = await this.database.query<RemovedConsent & { [column: string]: unknown }>(
      `DELETE FROM ${table} WHERE account_id = $1 AND client_id = $2 ${condition}
       RETURNING granted_at AS "grantedAt", remembered AND coalesce(expires_at > now(), true) AS applied`,
      [accountId, clientId, ...more],
    );
    return rows[0];
  }

  async removeRepresented(accountId: string, clientId: string): Promise<void> {
    await this.ofOthers.delete({ accountId, clientId });
  }

  private get ofOthers() {
    return this.database.manager.getRepository(representedConsentSchema);
  }

  private get table() {
    return this.database.manager.getRepository(appConsentSchema);
  }
}
