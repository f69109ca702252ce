import { Injectable } from '@nestjs/common';
import { ClientsByFile } from '../../clients/application/clients-by-file.js';
import type { ClientTag } from '../../contract/clients/tags.js';
import { counted } from '../../contract/messages/counted.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { TagsByFile } from '../../tags/application/tags-by-file.js';
import { fieldChanges } from '../domain/plan.js';
import type { FileContent } from './file-content.js';
import { attempted, type PlannedChange } from './planned-change.js';

const keyOf = (value: string) => value.trim().toLowerCase();

/** Tags, which are named by their value without regard to case. */
@Injectable()
export class PlannedTags {
  constructor(
    private readonly tags: TagsByFile,
    private readonly clients: ClientsByFile,
    private readonly managed: ManagedObjects,
  ) {}

  /** `ids` has the tags that there will be, by their values in lower case. */
  async plan(content: FileContent, adopt: boolean): Promise<{ changes: PlannedChange[]; ids: Map<string, string> }> {
    const stored = new Map((await this.tags.list()).map((tag) => [keyOf(tag.value), tag]));
    const marks = await this.managed.list('tag');
    const changes: PlannedChange[] = [];
    const ids = new Map([...stored].map(([key, { id }]) => [key, id]));
    const wanted = new Set<string>();
    for (const { path, value: form } of content.tags ?? []) {
      const key = keyOf(form.value);
      if (wanted.has(key)) content.add([...path, 'value'], 'Another tag of the file has this value.');
      wanted.add(key);
      const before = stored.get(key);
      const after = attempted(content, path, () => this.tags.plan(form, before));
      if (!after) continue;
      ids.set(key, after.id);
      const change = this.changeOf(before, after, before !== undefined && marks.has(before.id), adopt);
      if (change) changes.push({ ...change, path });
    }
    if (!content.tags) return { changes, ids };
    for (const [key, tag] of stored) {
      if (wanted.has(key) || !marks.has(tag.id)) continue;
      ids.delete(key);
      changes.push(await this.deletionOf(tag));
    }
    return { changes, ids };
  }

  private changeOf(
    before: ClientTag | undefined,
    { id, value, color }: ClientTag,
    isManaged: boolean,
    adopt: boolean,
  ): Omit<PlannedChange, 'path'> | undefined {
    const after = { id, value, color };
    const change = { kind: 'tag' as const, name: value, id, basis: before ?? null };
    const mark = () => this.managed.mark('tag', id);
    if (!before) {
      const carryOut = () => this.tags.add(after).then(mark);
      return { ...change, action: 'create', fields: [{ field: 'color', after: color }], carryOut };
    }
    const fields = fieldChanges(before, after);
    if (isManaged && fields.length === 0) return undefined;
    const action = isManaged ? 'change' : adopt ? 'adopt' : 'adoption-needed';
    return { ...change, action, fields, carryOut: () => this.tags.change(before, after).then(mark) };
  }

  private async deletionOf(tag: ClientTag): Promise<PlannedChange> {
    const count = await this.clients.countWithTag(tag.id);
    return {
      kind: 'tag',
      name: tag.value,
      action: 'delete',
      fields: [],
      note: `taken off ${counted(count, 'client')}`,
      path: ['tags'],
      id: tag.id,
      basis: tag,
      carryOut: () => this.tags.remove(tag),
    };
  }
}
