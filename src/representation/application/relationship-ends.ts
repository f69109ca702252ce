import { Injectable } from '@nestjs/common';
import type { AdministratorEnd } from '../../contract/representation.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Blocks, identitiesOf } from '../domain/blocks.js';
import {
  type Actor,
  isHidden,
  liveStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../domain/relationships.js';
import { Representatives } from './representatives.js';

interface End {
  reason: AdministratorEnd | 'representative' | 'patient' | 'period' | 'deceased' | 'age';
  by: Actor;
  note?: string | undefined;
}

const firstName = (name: string) => name.split(' ')[0] ?? name;

/** The end of a relationship, with the access of all apps that was based on it. */
@Injectable()
export class RelationshipEnds {
  constructor(
    private readonly relationships: Relationships,
    private readonly blocks: Blocks,
    private readonly revocations: Revocations,
    private readonly receipts: AccessReceipts,
    private readonly people: Representatives,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Ends an active or suspended relationship at once. A safeguarding end leaves no receipt, and blocks the pair. Throws
   * `not-found` and `conflict`.
   */
  end(id: string, { reason, by, note }: End): Promise<Relationship> {
    return this.database.repeatableTransaction(async () => {
      const before = await this.relationships.findById(id);
      if (!before) throw relationshipGone();
      const change: RelationshipChange = {
        ...{ status: 'ended', reason, endedBy: by, endedAt: new Date(), ...(note !== undefined && { note }) },
        patientName: firstName(before.patientName),
      };
      const ended = await this.relationships.change(id, liveStatuses, change);
      if (!ended) throw relationshipChanged();
      if (reason === 'safeguarding') {
        const email = ended.accountId === null ? null : await this.people.emailOf(ended.accountId);
        await this.blocks.add(ended, identitiesOf({ ...ended, email }), id);
      }
      await this.endAccess(ended);
      await this.audit.record({ type: 'representation.ended', outcome: 'success', subject: id, detail: { reason } });
      return ended;
    });
  }

  /** Takes the access of apps, in the caller's transaction. */
  private async endAccess(ended: Relationship): Promise<void> {
    const { accountId, id } = ended;
    if (accountId === null) return;
    for (const { clientId, ended: access } of await this.revocations.revokeRepresentation(accountId, id)) {
      if (isHidden(ended)) continue;
      const app = await this.people.appOf(clientId);
      await this.receipts.prepareForRepresentative(app, access);
    }
  }
}
