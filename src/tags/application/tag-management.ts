import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { ClientTag, TagForm } from '../../contract/tags.js';
import { Problem } from '../../platform/errors.js';
import { Tag, Tags } from '../domain/tag.js';

/** Administrators' use cases for the tags of clients. */
@Injectable()
export class TagManagement {
  constructor(private readonly tags: Tags) {}

  async listTags(): Promise<ClientTag[]> {
    return (await this.tags.list()).map(view);
  }

  async createTag(form: TagForm): Promise<ClientTag> {
    const tag = Tag.create(form, randomUUID());
    await this.tags.add(tag);
    return view(tag);
  }

  async changeTag(id: string, form: TagForm): Promise<ClientTag> {
    const tag = (await this.tags.find(id))?.change(form);
    if (!tag || !(await this.tags.change(tag))) throw gone();
    return view(tag);
  }

  async deleteTag(id: string): Promise<void> {
    if (!(await this.tags.remove(id))) throw gone();
  }
}

function view({ id, value, color }: Tag): ClientTag {
  return { id, value, color };
}

function gone(): Problem {
  return new Problem('not-found', message('tag-gone'));
}
