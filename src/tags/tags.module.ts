import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ManagedModule } from '../managed/managed.module.js';
import { TagManagement } from './application/tag-management.js';
import { TagsByFile } from './application/tags-by-file.js';
import { Tags } from './domain/tag.js';
import { TagsController } from './http/tags.controller.js';
import { PostgresTags, tagSchema } from './infrastructure/postgres-tags.js';

/** Labels by which administrators sort clients. Line 2 of the direction of use. */
@Module({
  imports: [ManagedModule, TypeOrmModule.forFeature([tagSchema])],
  controllers: [TagsController],
  providers: [{ provide: Tags, useClass: PostgresTags }, TagManagement, TagsByFile],
  exports: [TagsByFile],
})
export class TagsModule {}
