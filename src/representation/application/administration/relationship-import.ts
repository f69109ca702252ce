import { Injectable } from '@nestjs/common';
import { type FieldProblem, message } from '../../../contract/messages/message.js';
import type { ImportedRelationship, RelationshipImport } from '../../../contract/representation/import.js';
import type { ProposeRelationshipRequest } from '../../../contract/representation.js';
import {
  columnNamed,
  mostRelationships,
  neededColumns,
  type RelationshipLine,
  relationshipLine,
  relationshipLineProblems,
} from '../../../contract/rules/representation/relationship-import.js';
import type { WrongLine } from '../../../contract/users/user-import.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { readCsv, refused } from '../../../users/application/import/csv-records.js';
import type { UserFacts } from '../../../users/application/user-directory.js';
import { liveStatuses, openStatuses } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import type { Decider } from '../deciders.js';
import { RelationshipDecisions } from '../relationship-decisions.js';
import { RelationshipProposals } from '../relationship-proposals.js';
import { Representatives } from '../representatives.js';
import { AgeRules } from './age-rules.js';

/** Refusals of an approval after which the line waits for administrators. */
const reasonsToWait: Partial<Record<string, ImportedRelationship['reason']>> = {
  'representation-own-case': 'own-case',
  'representation-rules-differ': 'rules-differ',
  'representation-blocked': 'blocked',
};
/** Proposals that are read from the file at once, for the records of their patients. */
const readAtOnce = 8;
const kept = [...liveStatuses, ...openStatuses];

interface Line {
  line: number;
  cells: string[];
  asked: ProposeRelationshipRequest;
}

/**
 * Relationships of a CSV file. A line that the age table does not permit, or of a blocked pair, is
 * only proposed: a file never replaces a decision that two administrators have to make.
 */
@Injectable()
export class RelationshipImporting {
  constructor(
    private readonly relationships: Relationships,
    private readonly proposals: RelationshipProposals,
    private readonly decisions: RelationshipDecisions,
    private readonly ageRules: AgeRules,
    private readonly people: Representatives,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** With `dryRun` it says what an import would do, and changes nothing. Throws `invalid` at `csv`. */
  async run(csv: string, { dryRun, by }: { dryRun: boolean; by: Decider }): Promise<RelationshipImport> {
    const { header, records } = await readCsv(csv, mostRelationships);
    const missing = neededColumns.filter((column) => !header.some((title) => columnNamed(title) === column));
    if (missing.length > 0) throw refused(message('import-columns', { columns: missing.join(', ') }));
    const wrong: WrongLine[] = [];
    const lines: ImportedRelationship[] = [];
    const seen = new Map<string, number>();
    const parsed = records.flatMap(({ line, cells }): Line[] => {
      const row = relationshipLine(header, cells);
      const problems = relationshipLineProblems(row);
      const pair = [row.email?.toLowerCase(), row.tenant, row.patient].join(' ');
      const earlier = seen.get(pair);
      if (problems.length === 0 && earlier !== undefined) {
        problems.push({ field: 'patient', messages: [message('import-same-pair', { line: earlier })] });
      }
      if (problems.length === 0) {
        seen.set(pair, line);
        return [{ line, cells, asked: askedBy(row) }];
      }
      wrong.push(wrongLine({ line, cells }, problems));
      return [];
    });
    for (let from = 0; from < parsed.length; from += readAtOnce) {
      const some = parsed.slice(from, from + readAtOnce);
      const outcomes = await Promise.all(some.map((one) => this.foreseen(one)));
      for (const [index, outcome] of outcomes.entries()) {
        const one = some[index] as Line;
        const done = 'problems' in outcome || dryRun ? outcome : await this.applied(one, outcome, by);
        if ('problems' in done) wrong.push(done);
        else lines.push(done);
      }
    }
    if (!dryRun) await this.record(lines, wrong.length);
    wrong.sort((one, other) => one.line - other.line);
    return { dryRun, header, ignored: header.filter((title) => columnNamed(title) === undefined), lines, wrong };
  }

  /** What the line becomes, as far as it can be known before it is stored. */
  private async foreseen({ line, cells, asked }: Line): Promise<ImportedRelationship | WrongLine> {
    try {
      const { account } = await this.proposals.check(asked);
      const { tenant, patient, basis, level } = asked;
      const own = account ? await this.relationships.ofAccount(account.id) : [];
      const isKnown = own.some((one) => one.tenant === tenant && one.patient === patient && kept.includes(one.status));
      if (isKnown) return { line, becomes: 'known', reason: null };
      const table = await this.ageRules.stateOfProposal({ tenant, patient, basis, level });
      const reason = (await this.isBlocked(asked, account)) ? 'blocked' : table === 'permits' ? null : table;
      return { line, becomes: reason ? 'proposed' : 'active', reason };
    } catch (error) {
      if (error instanceof Problem && error.kind === 'invalid')
        return wrongLine({ line, cells }, error.options.items ?? []);
      throw error;
    }
  }

  private isBlocked(asked: ProposeRelationshipRequest, account: UserFacts | undefined): Promise<boolean> {
    const { tenant, patient, email = null, relatedPerson = null } = asked;
    return this.people.isBlocked({ tenant, patient }, { accountId: account?.id ?? null, email, relatedPerson });
  }

  private async applied(
    { line, cells, asked }: Line,
    foreseen: ImportedRelationship,
    by: Decider,
  ): Promise<ImportedRelationship | WrongLine> {
    if (foreseen.becomes === 'known') return foreseen;
    try {
      // A line that is repeated is known: it must not be left as a proposal half-way.
      return await this.database.repeatableTransaction(async () => {
        const { id } = await this.proposals.propose(asked, by);
        if (foreseen.becomes === 'proposed') return foreseen;
        const note = asked.note ?? 'Imported from a file';
        return { line, ...(await this.decided(id, by, note)) };
      });
    } catch (error) {
      if (error instanceof Problem && error.userMessage.code === 'representation-address-of-patient')
        return wrongLine({ line, cells }, [{ field: 'email', messages: [error.userMessage] }]);
      // Another administrator has made it meanwhile.
      if (error instanceof Problem && error.kind === 'conflict') return { line, becomes: 'known', reason: null };
      if (error instanceof Problem && error.kind === 'invalid')
        return wrongLine({ line, cells }, error.options.items ?? []);
      throw error;
    }
  }

  private async decided(id: string, by: Decider, note: string): Promise<Omit<ImportedRelationship, 'line'>> {
    try {
      await this.decisions.decide(id, by, { decision: 'approve', note });
      return { becomes: 'active', reason: null };
    } catch (error) {
      const reason = error instanceof Problem ? reasonsToWait[error.userMessage.code] : undefined;
      if (!reason) throw error;
      return { becomes: 'proposed', reason };
    }
  }

  private async record(lines: ImportedRelationship[], wrong: number): Promise<void> {
    const count = (becomes: ImportedRelationship['becomes']) => lines.filter((one) => one.becomes === becomes).length;
    const counts = { active: count('active'), proposed: count('proposed'), known: count('known'), wrong };
    await this.audit.record({ type: 'representation.imported', outcome: 'success', detail: counts });
  }
}

function askedBy({ name, related_person: relatedPerson, ...row }: RelationshipLine): ProposeRelationshipRequest {
  return {
    ...(row as RelationshipLine & Pick<ProposeRelationshipRequest, 'patient' | 'basis' | 'level'>),
    ...(name !== undefined && { fullName: name }),
    ...(relatedPerson !== undefined && { relatedPerson }),
  };
}

const columnOfField: Record<string, string> = { fullName: 'name', relatedPerson: 'related_person' };

function wrongLine({ line, cells }: Pick<Line, 'line' | 'cells'>, problems: readonly FieldProblem[]): WrongLine {
  return {
    line,
    cells,
    problems: problems.map(({ field, messages }) => ({
      column: field === undefined ? null : (columnOfField[field] ?? field),
      messages: [...messages],
    })),
  };
}
