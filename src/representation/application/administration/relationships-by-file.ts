import { Injectable } from '@nestjs/common';
import type { FieldProblem } from '../../../contract/messages/message.js';
import type { ImportedRelationship } from '../../../contract/representation/import.js';
import type { ProposeRelationshipRequest } from '../../../contract/representation.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { liveStatuses, openStatuses } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import type { Decider } from '../deciders.js';
import { RelationshipDecisions } from '../relationship-decisions.js';
import { RelationshipProposals } from '../relationship-proposals.js';
import { Representatives } from '../representatives.js';
import { AgeRules } from './age-rules.js';

/** Refusals of an approval after which it waits for administrators. */
const reasonsToWait: Partial<Record<string, ImportedRelationship['reason']>> = {
  'representation-own-case': 'own-case',
  'representation-rules-differ': 'rules-differ',
  'representation-blocked': 'blocked',
};
const kept = [...liveStatuses, ...openStatuses];

/** The state that a relationship of a file gets, or its faults. */
export type Foreseen = Omit<ImportedRelationship, 'line'> | { problems: readonly FieldProblem[] };

/**
 * Relationships that a file names: one that the age table does not permit, or of a blocked pair, is only proposed. A
 * file never replaces a decision that two administrators have to make, and changes none that is there.
 */
@Injectable()
export class RelationshipsByFile {
  constructor(
    private readonly relationships: Relationships,
    private readonly proposals: RelationshipProposals,
    private readonly decisions: RelationshipDecisions,
    private readonly ageRules: AgeRules,
    private readonly people: Representatives,
    private readonly database: Database,
  ) {}

  /** The state that it gets, as far as this is known before it is stored. */
  async foresee(asked: ProposeRelationshipRequest): Promise<Foreseen> {
    try {
      const { account } = await this.proposals.check(asked);
      const { tenant, patient, basis, level, email = null, relatedPerson = null } = asked;
      const own = account ? await this.relationships.ofAccount(account.id) : [];
      const isKnown = own.some((one) => one.tenant === tenant && one.patient === patient && kept.includes(one.status));
      if (isKnown) return { becomes: 'known', reason: null };
      const table = await this.ageRules.stateOfProposal({ tenant, patient, basis, level });
      const representative = { accountId: account?.id ?? null, email, relatedPerson };
      const isBlocked = await this.people.isBlocked({ tenant, patient }, representative);
      const reason = isBlocked ? 'blocked' : table === 'permits' ? null : table;
      return { becomes: reason ? 'proposed' : 'active', reason };
    } catch (error) {
      return problemsOf(error);
    }
  }

  /** Stores what was foreseen. */
  async apply(asked: ProposeRelationshipRequest, foreseen: Foreseen, by: Decider): Promise<Foreseen> {
    if ('problems' in foreseen || foreseen.becomes === 'known') return foreseen;
    try {
      // One that is repeated is known: it must not be left as a proposal half-way.
      return await this.database.repeatableTransaction(async () => {
        const { id } = await this.proposals.propose(asked, by);
        if (foreseen.becomes === 'proposed') return foreseen;
        return this.decided(id, by, asked.note ?? 'Imported from a file');
      });
    } catch (error) {
      if (error instanceof Problem && error.userMessage.code === 'representation-address-of-patient') {
        return { problems: [{ field: 'email', messages: [error.userMessage] }] };
      }
      // Another administrator has made it meanwhile.
      if (error instanceof Problem && error.kind === 'conflict') return { becomes: 'known', reason: null };
      return problemsOf(error);
    }
  }

  private async decided(id: string, by: Decider, note: string): Promise<Foreseen> {
    try {
      await this.decisions.decide(id, by, { decision: 'approve', note });
      return { becomes: 'active', reason: null };
    } catch (error) {
      const reason = error instanceof Problem ? reasonsToWait[error.userMessage.code] : undefined;
      if (!reason) throw error;
      return { becomes: 'proposed', reason };
    }
  }
}

function problemsOf(error: unknown): { problems: readonly FieldProblem[] } {
  if (error instanceof Problem && error.kind === 'invalid') return { problems: error.options.items ?? [] };
  throw error;
}
