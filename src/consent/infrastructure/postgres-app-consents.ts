import { Injectable } from '@nestjs/common';
import { EntitySchema } from 'typeorm';
import { message } from '../../contract/messages/message.js';
import { Database, sqlState } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { AppConsent, AppConsents, type RemovedConsent } from '../domain/app-consent.js';

/** Also holds for a decision that does not exist yet. */
const lockKey = "hashtextextended('consent ' || $1::text || ' ' || $2::text, 0)";
const foreignKeyViolation = '23503';

export const appConsentSchema = new EntitySchema<AppConsent>({
  name: 'AppConsent',
  target: AppConsent,
  tableName: 'app_consent',
  columns: {
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
  },
});

@Injectable()
export class PostgresAppConsents extends AppConsents {
  constructor(private readonly database: Database) {
    super();
  }

  async findByApp(accountId: string, clientId: string): Promise<AppConsent | undefined> {
    return (await this.table.findOneBy({ accountId, clientId })) ?? undefined;
  }

  async findForGrant(accountId: string, clientId: string): Promise<AppConsent | undefined> {
    await this.database.write(`SELECT pg_advisory_xact_lock_shared(${lockKey})`, [accountId, clientId]);
    return this.findByApp(accountId, clientId);
  }

  async findForChange(accountId: string, clientId: string): Promise<AppConsent | undefined> {
    await this.database.write(`SELECT pg_advisory_xact_lock(${lockKey})`, [accountId, clientId]);
    return this.findByApp(accountId, clientId);
  }

  async keep(consent: AppConsent): Promise<void> {
    try {
      await this.table.upsert({ ...consent }, ['accountId', 'clientId']);
    } catch (error) {
      // The account was deleted while its user decided (security E-11).
      if (sqlState(error) === foreignKeyViolation) throw new Problem('unauthenticated', message('sign-in-needed'));
      throw error;
    }
  }

  ofAccount(accountId: string): Promise<AppConsent[]> {
    return this.table.find({ where: { accountId }, order: { grantedAt: 'DESC' } });
  }

  async remove(accountId: string, clientId: string): Promise<RemovedConsent | undefined> {
    const { rows } = await this.database.query<RemovedConsent & { [column: string]: unknown }>(
      `DELETE FROM app_consent WHERE account_id = $1 AND client_id = $2
       RETURNING granted_at AS "grantedAt", remembered AND coalesce(expires_at > now(), true) AS applied`,
      [accountId, clientId],
    );
    return rows[0];
  }

  private get table() {
    return this.database.manager.getRepository(appConsentSchema);
  }
}
