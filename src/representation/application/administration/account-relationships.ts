import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type {
  AccountRelationships as AccountRelationshipsView,
  AdministeredRelationship,
} from '../../../contract/representation/administration.js';
import { Problem } from '../../../platform/errors.js';
import { UserDirectory, type UserFacts } from '../../../users/application/user-directory.js';
import { Blocks } from '../../domain/blocks.js';
import { ownRecordsOf } from '../../domain/patient-facts.js';
import type { Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { viewOf } from '../relationship-list.js';
import { AgeRules } from './age-rules.js';

/** Both sides of an account as administrators see them. */
@Injectable()
export class AccountRelationships {
  constructor(
    private readonly relationships: Relationships,
    private readonly blocks: Blocks,
    private readonly accounts: UserDirectory,
    private readonly ageRules: AgeRules,
  ) {}

  /** Throws `not-found` for an account that is not there. */
  async list(accountId: string): Promise<AccountRelationshipsView> {
    const account = await this.accountOf(accountId);
    const records = ownRecordsOf(account);
    const [actsFor, helpers] = await Promise.all([
      this.relationships.ofAccount(accountId),
      Promise.all(records.map((key) => this.relationships.ofPatient(key))),
    ]);
    return {
      actsFor: await this.administered(actsFor),
      helpers: await this.administered(helpers.flat()),
      records: records.map(({ tenant = null, patient }) => ({ tenant, patient })),
      references: (await this.relationships.referencesOf(accountId)).map(({ tenant = null, reference }) => ({
        ...{ tenant, reference },
      })),
    };
  }

  private async accountOf(id: string): Promise<UserFacts> {
    const account = await this.accounts.findById(id);
    if (!account || account.userType === 'Admin') throw new Problem('not-found', message('user-gone'));
    return account;
  }

  private async administered(all: Relationship[]): Promise<AdministeredRelationship[]> {
    const blocks = await this.blocks.ofRelationships(all.map(({ id }) => id));
    const views = all.map(async (one) => ({
      ...viewOf(one),
      table: await this.ageRules.stateFor(one),
      block: blocks.get(one.id) ?? ('none' as const),
    }));
    return (await Promise.all(views)).toSorted(byUrgency);
  }
}

const order: readonly string[] = ['proposed', 'more-needed', 'suspended', 'active'];

/** Relationships that need an answer come first, ended ones last with the latest of them first. */
function byUrgency(one: AdministeredRelationship, other: AdministeredRelationship): number {
  const rank = ({ status }: AdministeredRelationship) => (order.includes(status) ? order.indexOf(status) : 9);
  return rank(one) - rank(other) || (other.endedAt ?? '').localeCompare(one.endedAt ?? '');
}
