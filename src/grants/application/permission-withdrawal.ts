import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { ConsentOffers } from '../../consent/application/consent-offers.js';
import { message } from '../../contract/messages/message.js';
import { permissionOf, withoutPermission } from '../../contract/rules/scopes/taken-back.js';
import { GrantedScopes } from '../../oidc/application/granted-scopes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';

/** A user takes back one permission of an app, which keeps the others. */
@Injectable()
export class PermissionWithdrawal {
  constructor(
    private readonly consents: ConsentDecisions,
    private readonly offers: ConsentOffers,
    private readonly granted: GrantedScopes,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Takes the permission from the live grants, and so from their codes and tokens, and from the decision, so that the
   * app's next request for it asks. A repeated call changes nothing: the answer to the first one may have been lost.
   */
  async takeBack(accountId: string, clientId: string, permission: string): Promise<void> {
    const taken = permissionOf(permission);
    if (!taken) throw Problem.invalid([{ field: 'scope', messages: [message('value-invalid')] }]);
    await this.database.repeatableTransaction(async () => {
      const decision = await this.consents.findForChange(accountId, clientId);
      const unfoldAt = async (tenant: string | undefined) => {
        const kinds = await this.offers.kindsFor(accountId, tenant);
        return (wildcard: Parameters<typeof kinds.ofWildcard>[0]) => kinds.ofWildcard(wildcard);
      };
      const { grants, before, after } = await this.granted.narrow({ accountId, clientId }, async (scopes, tenant) =>
        withoutPermission(scopes, taken, await unfoldAt(tenant)),
      );
      if (grants === 0 && !decision?.isInForce(new Date())) throw new Problem('not-found', message('app-gone'));
      const unfold = await unfoldAt(decision?.tenant ?? undefined);
      const left = withoutPermission(decision?.scopes ?? [], taken, unfold);
      const lost = [...before, ...(decision?.scopes ?? [])].filter((text) => ![...after, ...left].includes(text));
      if (lost.length === 0) return;
      await this.consents.keepWithout({ accountId, clientId, scopes: before }, { decision, taken, unfold });
      await this.audit.record({
        type: 'permission.revoked',
        outcome: 'success',
        clientId,
        detail: { permission, scopes: [...new Set(lost)] },
      });
    });
  }
}
