import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { AccountForm, AskForAccountRequest, OpenedAccount } from '../../contract/requests/accounts.js';
import { accountLinkHours } from '../../contract/rules/asker.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { emailProblem } from '../../contract/rules/users/email.js';
import { Config } from '../../platform/config/config.js';
import { takesAskers } from '../../platform/config/representation.js';
import { Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { Mail } from '../../platform/mail/mail.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { UserInvitations } from '../../users/application/user-invitations.js';

const day = 24 * 3600;
/** Above any of these the answer is the same, and no mail is sent. */
const mails = {
  mailbox: { name: 'asker-of-mailbox', points: 3, seconds: day },
  device: { name: 'asker-of-device', points: 5, seconds: day },
  address: { name: 'asker-of-address', points: 20, seconds: day },
  all: { name: 'asker-in-all', points: 500, seconds: day },
} satisfies Record<string, Limit>;
const openings: Limit = { name: 'asker-link', points: 50, seconds: 3600 };

/** The content of a link, which is stored nowhere. */
interface Asker {
  fullName: string;
  email: string;
  tenant?: string;
  /** Milliseconds since 1970. */
  until: number;
}

/**
 * Accounts of users who want to ask to act for a patient, and have none. The address is proven first: until the link of
 * the mail is used, nothing is stored. The account can do nothing but ask.
 */
@Injectable()
export class AskerAccounts {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly invitations: UserInvitations,
    private readonly secrets: Secrets,
    private readonly mail: Mail,
    private readonly limits: Limits,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  form(): AccountForm {
    this.assertOpen();
    const { tenants } = this.config.fhir;
    return { tenants: tenants.map(({ id, name }) => ({ id, name })), isTenantRequired: this.isTenantRequired };
  }

  /**
   * Sends the link, or to an address that has an account the way to sign in. No answer tells which. Throws `invalid`
   * with the problem at its field.
   */
  async ask(browser: Browser, asked: AskForAccountRequest): Promise<void> {
    this.assertOpen();
    const { fullName } = asked;
    const email = asked.email.trim();
    const wrongAddress = emailProblem(email);
    if (wrongAddress) throw Problem.invalid([{ field: 'email', messages: [wrongAddress] }]);
    const tenant = this.tenantOf(asked);
    if (!(await this.countMail(email, browser))) return;
    const [known, id] = [await this.accounts.idOf(email), randomUUID()];
    // As it is stored: the letters that were typed may be those of another mailbox.
    const account = known === undefined ? undefined : await this.accounts.findById(known);
    await this.database.transaction(async () => {
      if (account) {
        await this.mail.post('asker-known', account.email ?? email, { link: `${this.config.server.issuer}/login` });
        return;
      }
      const asker: Asker = {
        ...{ fullName, email, until: Date.now() + accountLinkHours * 3_600_000 },
        ...(tenant !== undefined && { tenant }),
      };
      const token = this.secrets.seal('asker-accounts', JSON.stringify(asker), id).toString('base64url');
      const link = `${this.config.server.issuer}/ask?u=${id}&t=${token}`;
      await this.mail.post('asker', email, { link, validFor: { number: accountLinkHours, unit: 'hour' } });
    });
  }

  /**
   * Makes the account of a link. Throws `not-found` for a link that is too old or never was, `conflict` once there is
   * an account with its address.
   */
  async open(id: string, token: string, caller: string): Promise<OpenedAccount> {
    this.assertOpen();
    await this.limits.takePoint(openings, caller);
    const { fullName, email, tenant } = this.askerOf(id, token);
    return this.database.transaction(async () => {
      if ((await this.accounts.idOf(email)) !== undefined) {
        throw new Problem('conflict', message('asker-account-exists'));
      }
      const { link } = await this.invitations.addRepresentative({ fullName, email, tenant });
      return { activation: link.slice(this.config.server.issuer.length) };
    });
  }

  private assertOpen(): void {
    if (!takesAskers(this.config)) throw new Problem('not-found', message('address-unknown'));
  }

  private get isTenantRequired(): boolean {
    const { baseUrl, tenants } = this.config.fhir;
    return tenants.length > 0 && baseUrl === undefined;
  }

  /** The patients of one hospital: an account that only acts for others belongs to that of its patient. */
  private tenantOf({ tenant }: AskForAccountRequest): string | undefined {
    if (!tenant) {
      if (this.isTenantRequired) throw Problem.invalid([{ field: 'tenant', messages: [fieldRequired] }]);
      return undefined;
    }
    if (this.config.fhir.tenants.some(({ id }) => id === tenant)) return tenant;
    throw Problem.invalid([{ field: 'tenant', messages: [message('representation-tenant-unknown')] }]);
  }

  private askerOf(id: string, token: string): Asker {
    const asker = this.opened(id, token);
    if (!asker || asker.until < Date.now()) throw new Problem('not-found', message('asker-link-ended'));
    return asker;
  }

  private opened(id: string, token: string): Asker | undefined {
    try {
      return JSON.parse(this.secrets.open('asker-accounts', Buffer.from(token, 'base64url'), id)) as Asker;
    } catch {
      // Not a link of this portal.
      return undefined;
    }
  }

  /** True below the limits. A device without a mark counts by its address alone. */
  private async countMail(email: string, browser: Browser): Promise<boolean> {
    const device = browser.recall('binding');
    const counted: [Limit, string][] = [
      [mails.mailbox, sha256(email.toLowerCase())],
      [mails.address, browser.addressKey],
      [mails.all, ''],
      ...(device === undefined ? [] : ([[mails.device, device]] as [Limit, string][])),
    ];
    const taken = await Promise.all(
      counted.map(async ([limit, key]) => (await this.limits.count(limit, key)) <= limit.points),
    );
    return taken.every(Boolean);
  }
}
