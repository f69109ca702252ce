import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { Receipt } from '../../contract/own-record/receipts.js';
import { SignedStatements } from '../../oidc/application/signed-statements.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { Problem } from '../../platform/errors.js';
import { MailTemplates } from '../../platform/mail/mail-templates.js';
import { OwnRelationshipList } from '../../representation/application/own-relationships.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { receiptMail } from './receipt-issue.js';

/** A user's receipts for access that was taken back. No other user can open them. */
@Injectable()
export class Receipts {
  constructor(
    private readonly receipts: AccessReceipts,
    private readonly accounts: UserDirectory,
    private readonly templates: MailTemplates,
    private readonly statements: SignedStatements,
    private readonly relationships: OwnRelationshipList,
  ) {}

  async get(accountId: string, id: string): Promise<Receipt> {
    const receipt = await this.receipts.findOfAccount(accountId, id);
    if (!receipt) throw new Problem('not-found', message('receipt-gone'));
    const { representation } = receipt;
    if (representation === undefined) return receipt;
    const patient = (await this.relationships.patientsOf(accountId)).get(representation)?.name;
    return { ...receipt, ...(patient !== undefined && { patient }) };
  }

  /** The text of the mail, in the language of the request. */
  async text(accountId: string, id: string): Promise<string> {
    const receipt = await this.get(accountId, id);
    const name = (await this.accounts.findById(accountId))?.fullName ?? '';
    const { subject, text } = await this.templates.render('receipt', { ...receiptMail(receipt), name });
    return `${subject}\n\n${text}\n`;
  }

  /**
   * A JWT of a type of its own (RFC 8725 §3.11) for the user to show to others, who verify it with the published keys.
   * Its facts are one claim, so that it has none that a token needs.
   */
  async jwt(accountId: string, id: string): Promise<string> {
    const { id: jti, ...receipt } = await this.get(accountId, id);
    return this.statements.sign('receipt+jwt', { sub: accountId, aud: accountId, jti, receipt });
  }
}
