import { Module } from '@nestjs/common';

/** The record of launches as administrators read it. */
@Module({})
export class ActivityModule {}
