import { Injectable } from '@nestjs/common';
import { EntitySchema, type ValueTransformer } from 'typeorm';
import { message } from '../../contract/messages/message.js';
import { Database, sqlState } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Agreement, Agreements } from '../domain/agreement.js';

const foreignKeyViolation = '23503';

/** A key has no nulls. */
const emptyForNone: ValueTransformer = {
  to: (value: string | null) => value ?? '',
  from: (value: string) => (value === '' ? null : value),
};

export const agreementSchema = new EntitySchema<Agreement>({
  name: 'Agreement',
  target: Agreement,
  tableName: 'disclaimer_agreement',
  columns: {
    accountId: { name: 'account_id', type: 'uuid', primary: true },
    tenantId: { name: 'tenant_id', type: 'text', primary: true, transformer: emptyForNone },
    clientId: { name: 'client_id', type: 'text', primary: true, transformer: emptyForNone },
    disclaimerId: { name: 'disclaimer_id', type: 'text', primary: true },
    textHash: { name: 'text_hash', type: 'text' },
    agreedAt: { name: 'agreed_at', type: 'timestamptz' },
    signIn: { name: 'sign_in', type: 'text' },
  },
});

@Injectable()
export class PostgresAgreements extends Agreements {
  constructor(private readonly database: Database) {
    super();
  }

  ofAccount(accountId: string): Promise<Agreement[]> {
    return this.table.findBy({ accountId });
  }

  async keep(agreements: Agreement[]): Promise<void> {
    try {
      await this.table.upsert(
        agreements.map((agreement) => ({ ...agreement })),
        ['accountId', 'tenantId', 'clientId', 'disclaimerId'],
      );
    } catch (error) {
      // The account was deleted while its user read (security E-11).
      if (sqlState(error) === foreignKeyViolation) throw new Problem('unauthenticated', message('sign-in-needed'));
      throw error;
    }
  }

  async remove({ accountId, tenantId, clientId, disclaimerId }: Agreement): Promise<boolean> {
    const { affected } = await this.table.delete({
      accountId,
      // A null would leave the condition out.
      tenantId: tenantId ?? '',
      clientId: clientId ?? '',
      disclaimerId,
    });
    return (affected ?? 0) > 0;
  }

  private get table() {
    return this.database.manager.getRepository(agreementSchema);
  }
}
