import { Injectable } from '@nestjs/common';
import { PasskeyRegistry } from '../../passkeys/application/passkey-registry.js';
import { Database } from '../../platform/database/database.js';
import { TwoFactorReset } from '../../two-factor/application/two-factor-reset.js';
import { AdminInvitations, type Invitation } from '../../users/application/admins/admin-invitations.js';
import { UserDirectory } from '../../users/application/user-directory.js';

/**
 * The way back for an administrator who has lost passkeys, authenticator app and recovery codes: by the operator of the
 * portal.
 */
@Injectable()
export class AdministratorRescue {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly invitations: AdminInvitations,
    private readonly twoFactor: TwoFactorReset,
    private readonly passkeys: PasskeyRegistry,
    private readonly database: Database,
  ) {}

  /** As {@link AdminInvitations.invite}, and nothing but the link is needed then. */
  rescue(email: string, { print }: { print: boolean }): Promise<Invitation> {
    return this.database.transaction(async () => {
      const id = await this.accounts.idOf(email);
      const invitation = await this.invitations.invite(email, { print });
      if (id !== undefined) await this.twoFactor.resetByCommand(id, () => this.passkeys.removeAll(id));
      return invitation;
    });
  }
}
