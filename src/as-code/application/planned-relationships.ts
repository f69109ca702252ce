import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { FieldProblem } from '../../contract/messages/message.js';
import type { ProposeRelationshipRequest } from '../../contract/representation.js';
import { Config } from '../../platform/config/config.js';
import {
  type Foreseen,
  RelationshipsByFile,
} from '../../representation/application/administration/relationships-by-file.js';
import { fieldChanges } from '../domain/plan.js';
import type { Entry, FileContent } from './file-content.js';
import type { PlannedChange } from './planned-change.js';

const waits = {
  less: 'The age table gives less.',
  refuses: 'The age table gives none.',
  unknown: 'The record has no birth date that can be used.',
  blocked: 'The pair is blocked.',
  'own-case': 'It is decided by another administrator.',
  'rules-differ': 'Nodes have different rules.',
} as const;

/**
 * Relationships that a file makes, where none of the pair is there. No file changes or ends one: both are decisions
 * with a reason, and the patient and the user may have decided since the file was written.
 */
@Injectable()
export class PlannedRelationships {
  constructor(
    private readonly byFile: RelationshipsByFile,
    private readonly config: Config,
  ) {}

  async plan(content: FileContent, isAsked: boolean): Promise<PlannedChange[]> {
    const { relationships = [] } = content;
    if (relationships.length === 0) return [];
    const refusal = isAsked ? this.refusalOfAll() : 'Relationships need --with-relationships.';
    if (refusal !== undefined) {
      content.add(['relationships'], refusal);
      return [];
    }
    const changes: PlannedChange[] = [];
    const seen = new Set<string>();
    for (const entry of relationships) {
      const { path, value } = entry;
      const pair = [value.email?.toLowerCase(), value.tenant, value.patient].join(' ');
      if (seen.has(pair)) content.add(path, 'The file names this pair twice.');
      seen.add(pair);
      const foreseen = await this.byFile.foresee(value);
      if ('problems' in foreseen) content.addAll(path, renamed(foreseen.problems));
      else if (foreseen.becomes !== 'known') changes.push(this.changeOf(entry, foreseen, content));
    }
    return changes;
  }

  private refusalOfAll(): string | undefined {
    return this.config.representation ? undefined : 'The configuration has no section representation.';
  }

  private changeOf(
    { path, value }: Entry<ProposeRelationshipRequest>,
    foreseen: Exclude<Foreseen, { problems: unknown }>,
    content: FileContent,
  ): PlannedChange {
    const { email = '', patient, tenant, note: _, fullName: __, account: ___, ...terms } = value;
    const name = `${email} for ${tenant === undefined ? '' : `${tenant} `}Patient/${patient}`;
    const { becomes, reason } = foreseen;
    const carryOut = async () => {
      const by = { id: basename(content.file), isService: true, isFile: true };
      const done = await this.byFile.apply(value, foreseen, by);
      if ('problems' in done) content.addAll(path, renamed(done.problems));
      content.refuse();
    };
    return {
      ...{ kind: 'relationship', name, action: 'create', path, id: name, basis: [name, becomes, reason], carryOut },
      fields: fieldChanges({}, { ...terms, status: becomes }),
      ...(reason !== null && { note: `Administrators decide. ${waits[reason]}` }),
    };
  }
}

/** Members of the file have names of their own. */
function renamed(problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map((problem) => (problem.field === 'fullName' ? { ...problem, field: 'name' } : problem));
}
