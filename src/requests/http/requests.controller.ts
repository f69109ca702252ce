import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApprovedInErrorRequest,
  DecideRequestRequest,
  RequestCount,
  RequestList,
  RequestListQuery,
  RequestReview,
} from '../../contract/requests.js';
import { AboutRepresentation, For, PeopleOnly, Polled } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { RequestDecisions } from '../application/request-decisions.js';
import { RequestErrors } from '../application/request-errors.js';
import { RequestFileStore } from '../application/request-file-store.js';
import { RequestQueue } from '../application/request-queue.js';

@For('Admin')
@AboutRepresentation()
@Controller('api/admin/requests')
export class RequestsController {
  constructor(
    private readonly queue: RequestQueue,
    private readonly files: RequestFileStore,
    private readonly decisions: RequestDecisions,
    private readonly errors: RequestErrors,
  ) {}

  /** Lists what users ask of the hospital, and what the portal asks about relationships. */
  @Get()
  list(@Query() query: RequestListQuery): Promise<RequestList> {
    return this.queue.list(query);
  }

  /** Counts the requests that wait, and those of them that are late. */
  @Get('count')
  @Polled()
  count(): Promise<RequestCount> {
    return this.queue.count();
  }

  /** Reads a request, and compares it with the record. */
  @Get(':id')
  get(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<RequestReview> {
    return this.queue.review(id, caller);
  }

  /**
   * Sends a file of a request. Each opening is recorded.
   * @answers 200 application/pdf
   * @answers 200 image/jpeg
   * @answers 200 image/png
   */
  @Get(':id/files/:file')
  @PeopleOnly()
  async open(
    @Param('id') id: string,
    @Param('file') fileId: string,
    @SignedIn() caller: SignedInUser,
    @Res() response: Response,
  ): Promise<void> {
    const { name, mediaType, content } = await this.files.open(id, fileId, caller.id);
    response.writeHead(200, {
      'content-type': mediaType,
      'content-length': content.length,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
      // A file of a stranger: whatever is in it runs nowhere, and has no origin.
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    response.end(content);
  }

  /**
   * Decides about a request.
   *
   * A level above the age table, and a record that differs in one thing, wait for the approval of another
   * administrator for the same terms. Each one has opened each file.
   * @refuses 409
   */
  @Post(':id/decision')
  @PeopleOnly()
  @HttpCode(200)
  async decide(
    @Param('id') id: string,
    @Body() form: DecideRequestRequest,
    @SignedIn() caller: SignedInUser,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<RequestReview> {
    await this.decisions.decide(id, { administrator: caller.id, browser }, form);
    return this.queue.review(id, caller);
  }

  /**
   * Corrects an approval that was wrong: the relationship ends at once, and the patient is told.
   * @refuses 409
   */
  @Post(':id/error')
  @PeopleOnly()
  @HttpCode(200)
  async correct(
    @Param('id') id: string,
    @Body() form: ApprovedInErrorRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<RequestReview> {
    await this.errors.correct(id, caller.id, form);
    return this.queue.review(id, caller);
  }
}
