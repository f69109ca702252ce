import { Module } from '@nestjs/common';
import { ManagedObjects } from './application/managed-objects.js';
import { ObjectMarks } from './domain/object-marks.js';
import { PostgresObjectMarks } from './infrastructure/postgres-object-marks.js';

/**
 * The marks of objects that a file manages, which administrators cannot change by hand. Line 1 of the direction of
 * use.
 */
@Module({
  providers: [{ provide: ObjectMarks, useClass: PostgresObjectMarks }, ManagedObjects],
  exports: [ManagedObjects],
})
export class ManagedModule {}
