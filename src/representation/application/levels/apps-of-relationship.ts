import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { AccessReceipts } from '../../../oidc-store/infrastructure/access-receipts.js';
import { GrantedApps } from '../../../oidc-store/infrastructure/granted-apps.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import type { LevelRule } from '../../domain/level.js';
import type { Relationship } from '../../domain/relationship.js';
import { fitOf } from '../../domain/scope-fit.js';

interface FittedApp {
  clientId: string;
  clientName: string;
  /** Kinds that it was granted, and that the levels do not permit. */
  lost: string[];
  /** True if its grant ends for that. */
  ends: boolean;
}

/** The apps that a representative has let in, and what a level leaves of their grants. */
@Injectable()
export class AppsOfRelationship {
  constructor(
    private readonly apps: GrantedApps,
    private readonly clients: RegisteredClients,
    private readonly revocations: Revocations,
    private readonly receipts: AccessReceipts,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** By name. */
  async fitsOf({ id, accountId }: Relationship, levels: readonly LevelRule[]): Promise<FittedApp[]> {
    const all = accountId === null ? [] : await this.apps.ofAccount(accountId);
    const own = all.filter(({ representation }) => representation === id);
    const fits = await Promise.all(
      own.map(async ({ clientId, scope }) => {
        const client = await this.clients.findByClientId(clientId);
        const requiredScopes = client?.settings.requiredScopes ?? [];
        const clientName = client?.clientName || clientId;
        return { clientId, clientName, ...fitOf({ scopes: splitScopes(scope), requiredScopes }, levels) };
      }),
    );
    return fits.toSorted((one, other) => one.clientName.localeCompare(other.clientName));
  }

  /** Ends the grants that these levels leave nothing of, or not what the app needs. The gateway has refused before. */
  async endUnfit(relationship: Relationship, levels: readonly LevelRule[]): Promise<void> {
    const { id, accountId } = relationship;
    const unfit = (await this.fitsOf(relationship, levels)).filter(({ ends }) => ends);
    if (accountId === null || unfit.length === 0) return;
    await this.database.repeatableTransaction(async () => {
      for (const app of unfit) {
        const of = { accountId, clientId: app.clientId, of: id };
        const { ended } = await this.revocations.revokeAppFor(of, 'ended-with-level');
        if (ended) await this.receipts.prepareForRepresentative(app, ended, id);
        const detail = { client: app.clientId, app: 'ended', lost: app.lost };
        await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
      }
    });
  }
}
