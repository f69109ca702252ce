import { Injectable } from '@nestjs/common';
import { type FieldProblem, message } from '../../../contract/messages/message.js';
import type { ImportedRelationship, RelationshipImport } from '../../../contract/representation/import.js';
import type { ProposeRelationshipRequest } from '../../../contract/representation.js';
import { levelInOrder } from '../../../contract/rules/representation/level-text.js';
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
import { readCsv, refused } from '../../../users/application/import/csv-records.js';
import type { Decider } from '../deciders.js';
import { RelationshipsByFile } from './relationships-by-file.js';

/** Proposals that are read from the file at once, for the records of their patients. */
const readAtOnce = 8;

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
    private readonly byFile: RelationshipsByFile,
    private readonly audit: Audit,
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
      const outcomes = await Promise.all(some.map(({ asked }) => this.byFile.foresee(asked)));
      for (const [index, outcome] of outcomes.entries()) {
        const one = some[index] as Line;
        const done = 'problems' in outcome || dryRun ? outcome : await this.byFile.apply(one.asked, outcome, by);
        if ('problems' in done) wrong.push(wrongLine(one, done.problems));
        else lines.push({ line: one.line, ...done });
      }
    }
    if (!dryRun) await this.record(lines, wrong.length);
    wrong.sort((one, other) => one.line - other.line);
    return { dryRun, header, ignored: header.filter((title) => columnNamed(title) === undefined), lines, wrong };
  }

  private async record(lines: ImportedRelationship[], wrong: number): Promise<void> {
    const count = (becomes: ImportedRelationship['becomes']) => lines.filter((one) => one.becomes === becomes).length;
    const counts = { active: count('active'), proposed: count('proposed'), known: count('known'), wrong };
    await this.audit.record({ type: 'representation.imported', outcome: 'success', detail: counts });
  }
}

function askedBy({ name, related_person: relatedPerson, ...line }: RelationshipLine): ProposeRelationshipRequest {
  const row = line as RelationshipLine & Pick<ProposeRelationshipRequest, 'patient' | 'basis' | 'level'>;
  return {
    ...row,
    level: levelInOrder(row.level),
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
