import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { UserType } from '../../contract/session.js';
import { AccessTokens, managementAudience, managementScope } from '../../oidc/domain/access-tokens.js';
import { RefusedTokens } from '../../oidc/domain/refused/refused-tokens.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { requestContext } from '../../platform/request/scope.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { Sessions } from './sessions.js';

const refusals = { 'two-factor': 'admin-needs-two-factor', passkey: 'admin-needs-passkey' } as const;

const bearer = /^Bearer +(\S+)$/i;

/** A call without a session. */
interface ServiceCall {
  method: string;
  /** The Authorization header. */
  authorization: string;
}

/** A call of a route. */
export interface Call {
  browser: Browser;
  path: string;
  /** The credentials of a service; absent for a call of a browser. */
  service: ServiceCall | undefined;
  /** True if a timer calls, which is not a use of the session. */
  isPolled: boolean;
  /** Undefined for a call that does not change the own account. */
  ownAccount: 'changes' | 'adds-factor' | undefined;
  /** True if a service cannot make the call. */
  isForPeople: boolean;
}

/** Decides whether a caller may call a route: a signed-in user, or a service with a management token. */
@Injectable()
export class CallerAdmission {
  constructor(
    private readonly sessions: Sessions,
    private readonly tokens: AccessTokens,
    private readonly refused: RefusedTokens,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {}

  /**
   * Throws `unauthenticated`, or `forbidden` for an account that is of none of these types, and for a service at a call
   * for people.
   */
  async admit(call: Call, types: readonly UserType[]): Promise<SignedInUser> {
    const { browser, service, isPolled, path } = call;
    const caller =
      service === undefined
        ? { ...(await this.sessions.account(browser, !isPolled)), isService: false }
        : await this.service(service);
    const { id, userType, isService = false } = caller;
    const context = requestContext.getStore();
    if (context) context.userId = id;
    if (!types.includes(userType) || (isService && call.isForPeople)) {
      await this.audit.recordRefusal({ type: 'access.refused', detail: { path } });
      throw new Problem('forbidden', message(isService ? 'access-people-only' : 'access-forbidden'));
    }
    if (!isService) await this.assertStrongEnough(call, { id, userType }, types);
    return { id, userType, isService };
  }

  /**
   * Administrators whose sign-in lacks what `account.adminsNeed` demands may do what leads them to it, and no more: a
   * stolen password would be enough to end the account, or to replace what protects it. What they have already they
   * must use.
   */
  private async assertStrongEnough(
    { browser, path, ownAccount }: Call,
    user: Pick<SignedInUser, 'id' | 'userType'>,
    types: readonly UserType[],
  ): Promise<void> {
    const isForAdmins = types.every((type) => type === 'Admin');
    if (!isForAdmins && ownAccount === undefined) return;
    const lack = await this.sessions.lackOf(browser, user);
    if (lack === undefined) return;
    const mustUse = !isForAdmins && (await this.sessions.hasWhatIsLacking(user.id, lack));
    if (ownAccount === 'adds-factor' && !mustUse) return;
    await this.audit.recordRefusal({ type: 'access.refused', detail: { path, lacks: lack } });
    throw new Problem('forbidden', message(mustUse ? 'admin-use-factor-first' : refusals[lack]));
  }

  /** For calls about passkeys: throws `forbidden` where they are off. */
  admitPasskeys(): void {
    if (this.config.account.passkeys === 'off') throw new Problem('forbidden', message('passkeys-off'));
  }

  /** For calls about representation: nothing is there where it is off. */
  admitRepresentation(): void {
    if (!this.config.representation) throw new Problem('not-found', message('address-unknown'));
  }

  private async service({ method, authorization }: ServiceCall): Promise<SignedInUser> {
    const [, token] = bearer.exec(authorization) ?? [];
    const facts = token === undefined ? undefined : await this.tokens.verify(token);
    const base = managementAudience(this.config.server.issuer);
    const mayManage = facts?.audience === base && facts.scopes.includes(managementScope);
    if (mayManage) return { id: `client ${facts.clientId}`, userType: 'Admin', isService: true };
    const problem = new Problem('unauthenticated', message('access-token-invalid'));
    const [error, sentence] = ['invalid_token', problem.message];
    await this.refused.note({ method, type: '/api/admin', target: '', authorization, error, sentence, base });
    throw problem;
  }
}
