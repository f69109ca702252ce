import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AuditEventView,
  AuditExportQuery,
  type AuditFormat,
  type AuditList,
  AuditQuery,
  type AuditState,
} from '../../contract/audit.js';
import { For, Polled } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { AuditReading } from '../application/audit-reading.js';
import { AuditVerificationRuns } from '../application/audit-verification-runs.js';

const mediaTypes: Record<AuditFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

@For('Admin')
@Controller('api/admin/audit')
export class AuditController {
  constructor(
    private readonly reading: AuditReading,
    private readonly verifications: AuditVerificationRuns,
  ) {}

  /** Lists the recorded events, the newest first. */
  @Get()
  list(@SignedIn() { id }: SignedInUser, @Query() query: AuditQuery): Promise<AuditList> {
    return this.reading.list(id, query);
  }

  /**
   * Sends the recorded events that the filters find as a file.
   *
   * Ends when the caller disconnects, and breaks the connection off when the database fails.
   * @answers 200 text/csv
   * @answers 200 application/x-ndjson
   */
  @Get('export')
  async export(@SignedIn() { id }: SignedInUser, @Query() query: AuditExportQuery, @Res() response: Response) {
    const lines = await this.reading.export(id, query);
    response.writeHead(200, {
      'content-type': mediaTypes[query.format],
      'content-disposition': `attachment; filename="audit-${new Date().toISOString().slice(0, 10)}.${query.format}"`,
      'cache-control': 'no-store',
    });
    await pipeline(Readable.from(lines), response).catch(() => undefined);
  }

  /** Reads the state of the seals and of their verification. */
  @Polled()
  @Get('state')
  state(): Promise<AuditState> {
    return this.verifications.state();
  }

  /** Starts the verification of all seals. */
  @Post('verification')
  @HttpCode(200)
  verify(@SignedIn() { id }: SignedInUser): Promise<AuditState> {
    return this.verifications.begin(id);
  }

  /**
   * Sends what an expert needs to see which seal is broken.
   * @answers 200 application/json
   * @refuses 404
   */
  @Get('proof')
  async proof(@SignedIn() { id }: SignedInUser, @Res() response: Response) {
    const proof = await this.verifications.proof(id);
    response.attachment(`audit-proof-${new Date().toISOString().slice(0, 10)}.json`);
    response.setHeader('cache-control', 'no-store');
    response.json(proof);
  }

  /** Reads a recorded event with its changes and its seal. */
  @Get('entry/:id')
  findEvent(@SignedIn() { id: userId }: SignedInUser, @Param('id') id: string): Promise<AuditEventView> {
    return this.reading.entry(userId, id);
  }
}
