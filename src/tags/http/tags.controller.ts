import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ClientTag, TagForm } from '../../contract/clients/tags.js';
import { For } from '../../platform/http/access.js';
import { TagManagement } from '../application/tag-management.js';

@For('Admin')
@Controller('api/admin/configuration/tag')
export class TagsController {
  constructor(private readonly tags: TagManagement) {}

  /** Lists the tags. */
  @Get()
  list(): Promise<ClientTag[]> {
    return this.tags.listTags();
  }

  /**
   * Creates a tag.
   * @refuses 409
   */
  @Post()
  create(@Body() form: TagForm): Promise<ClientTag> {
    return this.tags.createTag(form);
  }

  /**
   * Changes a tag.
   * @refuses 409
   */
  @Put(':id')
  change(@Param('id') id: string, @Body() form: TagForm): Promise<ClientTag> {
    return this.tags.changeTag(id, form);
  }

  /** Deletes a tag, and takes it off its clients. */
  @Delete(':id')
  @HttpCode(204)
  delete(@Param('id') id: string): Promise<void> {
    return this.tags.deleteTag(id);
  }
}
