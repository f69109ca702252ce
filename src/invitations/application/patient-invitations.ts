import { randomInt, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type InvitationList,
  type InvitationView,
  type InvitationWithCode,
  type InviteRequest,
  invitationDays,
  invitationTries,
} from '../../contract/invitations.js';
import { message } from '../../contract/messages/message.js';
import { emailProblem } from '../../contract/rules/users/email.js';
import { OwnerConfirmation } from '../../own-data/application/owner-confirmation.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { randomId, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { Mail } from '../../platform/mail/mail.js';
import type { Browser } from '../../platform/request/browser.js';
import { InvitedRelationships } from '../../representation/application/invited-relationships.js';
import { type Invitation, Invitations, invitationEnded } from '../domain/invitation.js';
import { handedToken } from './handed-links.js';

const invitationsOfPatient: Limit = { name: 'invitation-of-patient', points: 10, seconds: 24 * 3600 };

/**
 * Patients invite adults to act for them: by a link in a mail, and a code that they say themselves. Where no mail
 * server is configured, they hand the link over, too.
 */
@Injectable()
export class PatientInvitations {
  constructor(
    private readonly invitations: Invitations,
    private readonly invited: InvitedRelationships,
    private readonly confirmation: OwnerConfirmation,
    private readonly secrets: Secrets,
    private readonly mail: Mail,
    private readonly limits: Limits,
    private readonly config: Config,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async list(inviterId: string): Promise<InvitationList> {
    const open = await this.invitations.openOfInviter(inviterId);
    const ended = await this.invitations.endedOfInviter(inviterId);
    return {
      invitations: open.map((one) => this.viewOf(one)),
      ended: ended.map(({ id, fullName, createdAt, why, ...terms }) => ({
        ...{ id, fullName, why, invitedAt: createdAt.toISOString() },
        relation: this.invited.labelsOf(terms).relation,
      })),
      bases: await this.invited.choices(inviterId),
    };
  }

  /**
   * Stores the invitation and sends its link. Throws `invalid` with the problem at its field, and `conflict` where the
   * invited user acts already, or is invited.
   */
  async invite(browser: Browser, asked: InviteRequest): Promise<InvitationWithCode> {
    const owner = await this.confirmation.ownerOf(browser);
    const { account } = owner;
    const email = asked.email.trim();
    const wrongAddress = emailProblem(email);
    if (wrongAddress) throw Problem.invalid([{ field: 'email', messages: [wrongAddress] }]);
    if (email.toLowerCase() === account.email?.toLowerCase()) {
      throw Problem.invalid([{ field: 'email', messages: [message('invitation-oneself')] }]);
    }
    const offer = await this.invited.offerOf(account, asked, email);
    const open = await this.invitations.openOfInviter(account.id);
    if (open.some((one) => one.email.toLowerCase() === email.toLowerCase())) {
      throw new Problem('conflict', message('invitation-waits'));
    }
    await this.confirmation.assertRecent(owner, asked.currentPassword, 'representation.invited');
    await this.limits.takePoint(invitationsOfPatient, account.id);
    const [id, token, code] = [randomUUID(), randomId(), newCode()];
    return this.database.transaction(async () => {
      const link = `${this.config.server.issuer}/invitation?u=${id}&t=${token}`;
      const validFor = { number: invitationDays, unit: 'day' } as const;
      const mailId = await this.mail.post('invitation', email, { link, validFor });
      const facts = { fullName: asked.fullName.trim(), email, inviterId: account.id, ...offer };
      const added = await this.invitations.add(
        { ...facts, id, tokenHash: sha256(token), mailId, code: this.secrets.seal('invitations', code, id) },
        invitationDays,
      );
      if (!added) throw new Problem('conflict', message('invitation-waits'));
      const { basis, level, patient, tenant } = added;
      const detail = { patient, tenant, basis, level };
      await this.audit.record({ type: 'representation.invited', outcome: 'success', subject: id, detail });
      return this.withCode(added, code);
    });
  }

  /** Shows the code again, to a patient who has just proven who they are. */
  async showCode(browser: Browser, id: string, password: string | undefined): Promise<InvitationWithCode> {
    const invitation = await this.confirmed(browser, id, password);
    return this.withCode(invitation, this.secrets.open('invitations', invitation.code, id));
  }

  /** Makes a new code; it has the tries that are left. */
  async newCode(browser: Browser, id: string, password: string | undefined): Promise<InvitationWithCode> {
    await this.confirmed(browser, id, password);
    const code = newCode();
    const changed = await this.invitations.changeCode(id, this.secrets.seal('invitations', code, id));
    if (!changed) throw invitationEnded();
    return this.withCode(changed, code);
  }

  async cancel(inviterId: string, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const open = await this.invitations.findOpen(id);
      if (open?.inviterId !== inviterId || !(await this.invitations.end(id, 'cancelled'))) throw invitationEnded();
      await this.mail.withdraw(open.mailId);
      const detail = { end: 'cancelled' };
      await this.audit.record({ type: 'representation.invitation-ended', outcome: 'success', subject: id, detail });
    });
  }

  private async confirmed(browser: Browser, id: string, password: string | undefined): Promise<Invitation> {
    const owner = await this.confirmation.ownerOf(browser);
    const open = await this.invitations.findOpen(id);
    if (open?.inviterId !== owner.account.id) throw invitationEnded();
    await this.confirmation.assertRecent(owner, password, 'representation.invited');
    return open;
  }

  private withCode(invitation: Invitation, spokenCode: string): InvitationWithCode {
    const { server, email } = this.config;
    const { id } = invitation;
    const link = `${server.issuer}/invitation?u=${id}&t=${handedToken(this.secrets, id)}`;
    return { ...this.viewOf(invitation), spokenCode, ...(email.smtp === undefined && { link }) };
  }

  private viewOf(invitation: Invitation): InvitationView {
    const { id, fullName, email, basis, level, relation, end, createdAt, expiresAt, wrongCodes } = invitation;
    return {
      ...{ id, fullName, email, end },
      ...this.invited.labelsOf({ basis, level, relation }),
      invitedAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      triesLeft: invitationTries - wrongCodes,
    };
  }
}

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}
