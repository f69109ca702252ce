import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AskChangeRequest } from '../../contract/requests/changes.js';
import {
  AddFilesRequest,
  AskAccountingRequest,
  AskRequest,
  FileNames,
  OwnRequest,
  OwnRequestList,
  RequestFileView,
} from '../../contract/requests.js';
import { longestFile } from '../../contract/rules/request-files.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { readBody } from '../../platform/http/request-body.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { AskedRequests } from '../application/asked-requests.js';
import { RequestFileStore } from '../application/request-file-store.js';

@For('Patient', 'RelatedPerson')
@AboutRepresentation()
@Controller('api/requests')
export class OwnRequestsController {
  constructor(
    private readonly requests: AskedRequests,
    private readonly files: RequestFileStore,
  ) {}

  /** Lists the requests of the user to the hospital, and for what a user can ask. */
  @Get()
  list(@SignedIn() { id }: SignedInUser): Promise<OwnRequestList> {
    return this.requests.list(id);
  }

  /**
   * Asks to act for a patient.
   *
   * The answer is the same whatever is entered: it does not tell whether there is such a record.
   * @refuses 409
   */
  @Post()
  ask(
    @Body() form: AskRequest,
    @SignedIn() { id }: SignedInUser,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<OwnRequest> {
    return this.requests.ask(id, browser, form);
  }

  /**
   * Asks for a change of what the user may see, or of who acts for the user.
   * @refuses 409
   */
  @Post('change')
  askChange(@Body() form: AskChangeRequest, @SignedIn() { id }: SignedInUser): Promise<OwnRequest> {
    return this.requests.askChange(id, form);
  }

  /**
   * Asks for the whole list of who has seen the record of a patient for whom the user acts.
   * @refuses 409
   */
  @Post('accounting')
  askAccounting(@Body() form: AskAccountingRequest, @SignedIn() { id }: SignedInUser): Promise<OwnRequest> {
    return this.requests.askAccounting(id, form);
  }

  /**
   * Sends a file for a request that is not sent yet: PDF, JPEG or PNG, 10 MB at most, for a day.
   * @takes application/octet-stream
   * @refuses 429
   */
  @Post('files')
  async addFile(
    @Query() names: FileNames,
    @SignedIn() { id }: SignedInUser,
    @Req() request: Request,
  ): Promise<RequestFileView> {
    return this.files.add(id, names, await readBody(request, longestFile));
  }

  /** Removes a file that is not sent yet. */
  @Delete('files/:id')
  @HttpCode(204)
  removeFile(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<void> {
    return this.files.discard(user.id, id);
  }

  /** Reads a request. */
  @Get(':id')
  get(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<OwnRequest> {
    return this.requests.get(user.id, id);
  }

  /**
   * Sends further files.
   * @refuses 409
   */
  @Post(':id/files')
  @HttpCode(200)
  addFiles(
    @Param('id') id: string,
    @Body() { files }: AddFilesRequest,
    @SignedIn() user: SignedInUser,
  ): Promise<OwnRequest> {
    return this.requests.addFiles(user.id, id, files);
  }

  /**
   * Takes a request back.
   * @refuses 409
   */
  @Delete(':id')
  @HttpCode(204)
  takeBack(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<void> {
    return this.requests.takeBack(user.id, id);
  }
}
