import { Injectable } from '@nestjs/common';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { OidcRecords } from '../../oidc-store/infrastructure/oidc-records.js';
import { narrowGrant } from '../engine/authorization/earlier-grants.js';
import { Engine } from '../engine/shared/engine.js';
import type { GrantExtras } from '../engine/shared/engine-models.js';
import { RequestedBases } from '../engine/shared/requested-base.js';

/** The scopes of an app's live grants, before and after a change. */
export interface NarrowedGrants {
  /** Number of live grants. */
  grants: number;
  before: string[];
  after: string[];
}

/** Takes scopes from what a user has granted to an app. */
@Injectable()
export class GrantedScopes {
  constructor(
    private readonly engine: Engine,
    private readonly records: OidcRecords,
    private readonly bases: RequestedBases,
  ) {}

  /**
   * Leaves each live grant the scopes that `rest` returns, in the caller's transaction. `rest` gets those of one grant
   * and the id of its tenant. With `representation`, an id, the grants for the patient of this relationship are meant,
   * without it those for the user's own record. The grants stay locked: a request that uses one of their codes or
   * tokens comes before or after.
   */
  async narrow(
    app: { accountId: string; clientId: string; representation?: string | undefined },
    rest: (scopes: string[], tenant: string | undefined) => Promise<string[]>,
  ): Promise<NarrowedGrants> {
    const ids = await this.records.lockGrants(app.accountId, app.clientId);
    const all: NarrowedGrants = { grants: 0, before: [], after: [] };
    for (const id of ids) {
      const grant = await this.engine.provider.Grant.find(id);
      const base = this.bases.all.find(({ url }) => grant?.resources?.[url] !== undefined);
      if (!grant || (grant as GrantExtras).representation?.id !== app.representation) continue;
      all.grants += 1;
      if (!base) continue;
      const before = splitScopes(grant.getOIDCScope());
      const after = await rest(before, base.tenant?.id);
      all.before.push(...before);
      all.after.push(...after);
      if (before.some((text) => !after.includes(text))) await narrowGrant(grant, after, base.url);
    }
    return { ...all, before: [...new Set(all.before)], after: [...new Set(all.after)] };
  }
}
