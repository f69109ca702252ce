import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AuditEventView,
  AuditExportQuery,
  type AuditFormat,
  type AuditList,
  AuditQuery,
} from '../../contract/audit.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { AuditExports } from '../application/audit-exports.js';
import { AuditLists } from '../application/audit-lists.js';

const mediaTypes: Record<AuditFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

@For('Admin')
@Controller('api/admin/audit')
export class AuditController {
  constructor(
    private readonly lists: AuditLists,
    private readonly exports: AuditExports,
  ) {}

  @Get()
  list(@SignedIn() { id }: SignedInUser, @Query() query: AuditQuery): Promise<AuditList> {
    return this.lists.list(id, query);
  }

  /** Ends when the reader goes away, and breaks off visibly when the database does. */
  @Get('export')
  async export(@SignedIn() { id }: SignedInUser, @Query() query: AuditExportQuery, @Res() response: Response) {
    const lines = await this.exports.begin(id, query);
    response.writeHead(200, {
      'content-type': mediaTypes[query.format],
      'content-disposition': `attachment; filename="audit-${new Date().toISOString().slice(0, 10)}.${query.format}"`,
      'cache-control': 'no-store',
    });
    await pipeline(Readable.from(lines), response).catch(() => undefined);
  }

  @Get('entry/:id')
  find(@SignedIn() { id: userId }: SignedInUser, @Param('id') id: string): Promise<AuditEventView> {
    return this.lists.find(userId, id);
  }
}
