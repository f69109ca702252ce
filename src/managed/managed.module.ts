import { Module } from '@nestjs/common';
import { ManagedObjects } from './application/managed-objects.js';
import { ObjectMarks } from './domain/object-marks.js';
import { PostgresObjectMarks } from './infrastructure/postgres-object-marks.js';

/** The objects that a file manages. */
@Module({
  providers: [{ provide: ObjectMarks, useClass: PostgresObjectMarks }, ManagedObjects],
  exports: [ManagedObjects],
})
export class ManagedModule {}
