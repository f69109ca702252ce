import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import { Audit } from '../../../platform/audit/audit.js';
import { SecurityNotices } from '../../../users/application/security-notices.js';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';
import { LateDuplicate } from '../shared/late-duplicate.js';

interface SingleUse {
  kind: string;
  consumed?: unknown;
  clientId?: string;
  accountId?: string;
}

/**
 * A code or refresh token that is presented twice was copied, and the engine ends everything issued from it (RFC 9700
 * §4.14). This class records the reuse, and notifies the user when it ends a client's lasting access, in the
 * transaction that ends it. A token that is repeated only because a response was lost is no reuse, and neither is one in a late request,
 * which is recorded as such; so this must wrap the code that recognises these: install it last.
 */
@Injectable()
export class TokenReuse {
  constructor(
    private readonly audit: Audit,
    private readonly notices: SecurityNotices,
  ) {}

  install(provider: Provider): void {
    for (const model of [provider.AuthorizationCode, provider.RefreshToken] as const) {
      const find = model.find.bind(model) as (value: string, options?: object) => Promise<SingleUse | undefined>;
      Object.defineProperty(model, 'find', {
        value: async (value: string, options?: object) => {
          const found = await find(value, options).catch((error: unknown) => this.noteLate(error));
          const { oidc } = engineRequest();
          const isUse = oidc.route === 'token' && oidc.client?.clientId === found?.clientId;
          if (found?.consumed && isUse) await this.note(found, gatehouseClient(oidc.client).name);
          return found;
        },
      });
    }
  }

  /** Throws the error again. */
  private async noteLate(error: unknown): Promise<never> {
    const { kind, clientId, accountId } = error instanceof LateDuplicate ? error.used : {};
    if (kind !== undefined && clientId === engineRequest().oidc.client?.clientId) {
      const detail = { kind };
      await this.audit.record({ type: 'token.late', outcome: 'failure', userId: accountId, clientId, detail });
    }
    throw error;
  }

  private async note({ kind, clientId, accountId }: SingleUse, app: string): Promise<void> {
    await this.audit.record({
      type: 'token.reused',
      outcome: 'failure',
      userId: accountId,
      clientId,
      detail: { kind },
    });
    if (kind === 'RefreshToken' && accountId !== undefined) {
      await this.notices.send(accountId, { name: 'app-access-ended', app });
    }
  }
}
