import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { ConsentOffers } from '../../consent/application/consent-offers.js';
import { message } from '../../contract/messages/message.js';
import type { SmartScope } from '../../contract/rules/scopes/smart-scope.js';
import { permissionOf, withoutPermission } from '../../contract/rules/scopes/taken-back.js';
import { GrantedScopes } from '../../oidc/application/granted-scopes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { GrantedPatients, type NamedPatient } from './granted-patients.js';

/** A user takes back one permission of an app, which keeps the others. */
@Injectable()
export class PermissionWithdrawal {
  constructor(
    private readonly consents: ConsentDecisions,
    private readonly offers: ConsentOffers,
    private readonly granted: GrantedScopes,
    private readonly patients: GrantedPatients,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Takes the permission from the live grants, and so from their codes and tokens, and from the decision, so that the
   * app's next request for it asks. A repeated call changes nothing: the answer to the first one may have been lost.
   * With `patient`, the access for a patient for whom the user acts is meant; throws `conflict` if there is none of the
   * user's own, and some of others, which a call must name.
   */
  async takeBack(
    app: { accountId: string; clientId: string },
    permission: string,
    patient?: NamedPatient,
  ): Promise<void> {
    const { accountId, clientId } = app;
    const taken = permissionOf(permission);
    if (!taken) throw Problem.invalid([{ field: 'scope', messages: [message('value-invalid')] }]);
    await this.database.repeatableTransaction(async () => {
      const ids = patient ? await this.patients.idsFor(accountId, patient) : [null];
      for (const representation of ids) {
        if (await this.takeFrom({ ...app, representation: representation ?? undefined }, permission, taken)) return;
      }
      throw await this.patients.refusalOf(accountId, clientId, patient);
    });
  }

  /** False if the app has no access. */
  private async takeFrom(
    app: { accountId: string; clientId: string; representation: string | undefined },
    permission: string,
    taken: SmartScope,
  ): Promise<boolean> {
    const { accountId, clientId, representation } = app;
    const decision = await this.consents.findForChange(accountId, clientId, representation);
    const unfoldAt = async (tenant: string | undefined) => {
      const kinds = await this.offers.kindsFor(accountId, tenant);
      return (wildcard: Parameters<typeof kinds.ofWildcard>[0]) => kinds.ofWildcard(wildcard);
    };
    const { grants, before, after } = await this.granted.narrow(app, async (scopes, tenant) =>
      withoutPermission(scopes, taken, await unfoldAt(tenant)),
    );
    if (grants === 0 && !decision?.isInForce(new Date())) return false;
    const unfold = await unfoldAt(decision?.tenant ?? undefined);
    const left = withoutPermission(decision?.scopes ?? [], taken, unfold);
    const lost = [...before, ...(decision?.scopes ?? [])].filter((text) => ![...after, ...left].includes(text));
    if (lost.length === 0) return true;
    await this.consents.keepWithout({ ...app, scopes: before }, { decision, taken, unfold });
    await this.audit.record({
      type: 'permission.revoked',
      outcome: 'success',
      clientId,
      detail: { permission, scopes: [...new Set(lost)], ...(representation && { representation }) },
    });
    return true;
  }
}
