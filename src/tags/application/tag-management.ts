import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ClientTag, TagForm } from '../../contract/clients/tags.js';
import { message } from '../../contract/messages/message.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Tag, Tags } from '../domain/tag.js';

/** Administrators' use cases for the tags of clients. */
@Injectable()
export class TagManagement {
  constructor(
    private readonly tags: Tags,
    private readonly managed: ManagedObjects,
    private readonly database: Database,
  ) {}

  async listTags(): Promise<ClientTag[]> {
    const managed = await this.managed.list('tag');
    return (await this.tags.list()).map((tag) => ({
      ...view(tag),
      ...(managed.has(tag.id) && { managed: true as const }),
    }));
  }

  async createTag(form: TagForm): Promise<ClientTag> {
    const tag = Tag.create(form, randomUUID());
    await this.tags.add(tag);
    return view(tag);
  }

  async changeTag(id: string, form: TagForm): Promise<ClientTag> {
    return this.database.repeatableTransaction(async () => {
      const tag = (await this.lock(id)).change(form);
      if (!(await this.tags.change(tag))) throw tagGone();
      return view(tag);
    });
  }

  async deleteTag(id: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      await this.lock(id);
      if (!(await this.tags.remove(id))) throw tagGone();
    });
  }

  private async lock(id: string): Promise<Tag> {
    const tag = await this.tags.findForChange(id);
    if (!tag) throw tagGone();
    await this.managed.refuseManaged('tag', id);
    return tag;
  }
}

function view({ id, value, color }: Tag): ClientTag {
  return { id, value, color };
}

function tagGone(): Problem {
  return new Problem('not-found', message('tag-gone'));
}
