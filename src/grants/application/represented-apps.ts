import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { message } from '../../contract/messages/message.js';
import type { RepresentedApp } from '../../contract/own-record/represented-apps.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { OwnRelationshipList } from '../../representation/application/own-relationships.js';
import { AppAccess } from './app-access.js';

/** The apps that users who act for a patient have let in, as the patient sees and ends them. */
@Injectable()
export class RepresentedApps {
  constructor(
    private readonly relationships: OwnRelationshipList,
    private readonly access: AppAccess,
    private readonly consents: ConsentDecisions,
    private readonly revocations: Revocations,
    private readonly receipts: AccessReceipts,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** None for a patient who is too young to be told (`representation.ownAccountFrom`). */
  async list(accountId: string): Promise<RepresentedApp[]> {
    const representatives = await this.relationships.representativesOf(accountId);
    const all = await Promise.all(
      representatives.map(async ({ relationship, personId, fullName }) => {
        const apps = await this.access.ofAccount(personId);
        return Promise.all(
          apps
            .filter(({ representation }) => representation === relationship)
            .map(async ({ clientId, created, lastRead }) => ({
              ...{ relationship, personId, fullName, clientId },
              clientName: (await this.access.view(clientId)).clientName,
              created: created.toISOString(),
              lastRead: lastRead?.at.toISOString() ?? null,
            })),
        );
      }),
    );
    return all.flat();
  }

  /** Ends the access of an app, and that it gets some without a question. Throws `not-found` if there is none. */
  async end(accountId: string, relationship: string, clientId: string): Promise<void> {
    const all = await this.relationships.representativesOf(accountId);
    const found = all.find((one) => one.relationship === relationship);
    if (!found) throw new Problem('not-found', message('app-gone'));
    const app = await this.access.view(clientId);
    await this.database.repeatableTransaction(async () => {
      const consent = await this.consents.forget(found.personId, clientId, relationship);
      const { any, ended } = await this.revocations.revokeAppFor(
        { accountId: found.personId, clientId, of: relationship },
        'ended-by-person',
      );
      if (!consent && !any) throw new Problem('not-found', message('app-gone'));
      if (ended) await this.receipts.prepareForRepresentative(app, ended, relationship);
      const detail = { client: clientId, app: 'ended' };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: relationship, detail });
    });
  }
}
