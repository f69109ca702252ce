import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { equalInConstantTime, Secrets } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { OwnDataFile } from './own-data-file.js';
import { type Owner, OwnerConfirmation } from './owner-confirmation.js';

const downloads: Limit = { name: 'own-data', points: 10, seconds: 3600 };
const ticketMs = 60_000;

/**
 * Downloads of the own data. A browser that saves a file to disk can send nothing but an address, so the user confirms
 * first and gets an address with a ticket, good for a minute and in this session alone.
 */
@Injectable()
export class Downloads {
  constructor(
    private readonly confirmation: OwnerConfirmation,
    private readonly file: OwnDataFile,
    private readonly limits: Limits,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
  ) {}

  /** Returns the ticket. */
  async permit(browser: Browser, currentPassword: string | null | undefined): Promise<string> {
    const owner = await this.confirmation.ownerOf(browser);
    await this.confirmation.assertRecent(owner, currentPassword, 'data.exported');
    await this.limits.takePoint(downloads, owner.account.id);
    return this.ticket(owner, Date.now() + ticketMs);
  }

  /** The file in pieces; the download is recorded before the first one. */
  async open(browser: Browser, ticket: string): Promise<AsyncIterable<string>> {
    const owner = await this.confirmation.ownerOf(browser);
    const until = Number.parseInt(ticket, 36);
    if (!(until > Date.now()) || !equalInConstantTime(ticket, this.ticket(owner, until))) {
      throw new Problem('invalid', message('download-ended'));
    }
    const { id } = owner.account;
    await this.audit.record({ type: 'data.exported', outcome: 'success', subject: id });
    return this.file.write(id, owner.session.uid);
  }

  private ticket({ account, session }: Owner, until: number): string {
    const time = until.toString(36);
    return `${time}.${this.secrets.hmac('own-data', `${account.id} ${session.uid} ${time}`)}`;
  }
}
