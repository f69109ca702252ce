import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ClientTag, TagForm } from '../../contract/clients/tags.js';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import { Tag, Tags } from '../domain/tag.js';

/** Tags as a file describes them. */
@Injectable()
export class TagsByFile {
  constructor(private readonly tags: Tags) {}

  list(): Promise<ClientTag[]> {
    return this.tags.list();
  }

  /** Applies the rules of the form; throws a `Problem` with everything that is wrong. Changes nothing. */
  plan(form: TagForm, before: ClientTag | undefined): ClientTag {
    return Tag.create(form, before?.id ?? randomUUID());
  }

  async add(after: ClientTag): Promise<void> {
    await this.tags.add(Tag.create(after, after.id));
  }

  /** Stores the change if the tag is still as it was planned for. */
  async change(before: ClientTag, after: ClientTag): Promise<void> {
    const locked = await this.lock(before);
    if (after.value !== before.value || after.color !== before.color) await this.tags.change(locked.change(after));
  }

  async remove(before: ClientTag): Promise<void> {
    await this.lock(before);
    await this.tags.remove(before.id);
  }

  private async lock({ id, value, color }: ClientTag): Promise<Tag> {
    const locked = await this.tags.findForChange(id);
    if (locked?.value !== value || locked.color !== color) throw new Problem('conflict', message('tag-gone'));
    return locked;
  }
}
