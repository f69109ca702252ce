import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { EntitySchema, type Repository } from 'typeorm';
import { message } from '../../contract/messages/message.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { Tag, Tags } from '../domain/tag.js';

export const tagSchema = new EntitySchema<Tag>({
  name: 'Tag',
  target: Tag,
  tableName: 'tag',
  columns: {
    id: { type: 'uuid', primary: true },
    value: { type: 'text' },
    color: { type: 'text' },
  },
});

@Injectable()
export class PostgresTags extends Tags {
  constructor(private readonly database: Database) {
    super();
  }

  override list(): Promise<Tag[]> {
    return this.rows.createQueryBuilder('tag').orderBy('lower(tag.value)').getMany();
  }

  override async findForChange(id: string): Promise<Tag | undefined> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    await this.database.query('SELECT FROM tag WHERE id = $1 FOR UPDATE', [id]);
    return (await this.rows.findOneBy({ id })) ?? undefined;
  }

  override async add(tag: Tag): Promise<void> {
    await this.rows.insert(tag).catch(refuseTaken);
  }

  override async change({ id, value, color }: Tag): Promise<boolean> {
    const result = await this.rows.update({ id }, { value, color }).catch(refuseTaken);
    return result.affected === 1;
  }

  override async remove(id: string): Promise<boolean> {
    if (!isUUID(id, 'all')) return false;
    const result = await this.rows.delete({ id });
    return result.affected === 1;
  }

  private get rows(): Repository<Tag> {
    return this.database.manager.getRepository(tagSchema);
  }
}

function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  const taken = message('tag-taken');
  throw new Problem('conflict', taken, { items: [{ field: 'value', messages: [taken] }] });
}
