import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  DeleteAccountRequest,
  DeletionFacts,
  DeletionResult,
  Download,
  DownloadRequest,
  KeepAccountRequest,
  PendingDeletion,
} from '../../contract/own-record/own-data.js';
import { ChangesOwnAccount, For, Public } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { Downloads } from '../application/downloads.js';
import { OwnDeletion } from '../application/own-deletion.js';

@For('Admin', 'Patient', 'Practitioner', 'RelatedPerson')
@Controller('api/user')
export class OwnDataController {
  constructor(
    private readonly downloads: Downloads,
    private readonly deletion: OwnDeletion,
  ) {}

  /**
   * Creates the address of the file of everything that is kept about the user.
   * @refuses 429
   */
  @Post('data')
  @ChangesOwnAccount()
  @HttpCode(200)
  async permit(
    @Body() { currentPassword }: DownloadRequest,
    @CallingBrowser() browser: HttpBrowser,
  ): Promise<Download> {
    return { address: `/user/data/${await this.downloads.permit(browser, currentPassword)}` };
  }

  /**
   * Sends the file of everything that is kept about the user, once.
   * @answers 200 application/json OwnData
   */
  @Get('data/:ticket')
  @ChangesOwnAccount()
  async download(
    @Param('ticket') ticket: string,
    @CallingBrowser() browser: HttpBrowser,
    @Res() response: Response,
  ): Promise<void> {
    const pieces = await this.downloads.open(browser, ticket);
    response.set({
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="my-data-${new Date().toISOString().slice(0, 10)}.json"`,
      'Cache-Control': 'no-store',
    });
    // A failure breaks the connection off: half of a file must not look like a whole one.
    await pipeline(Readable.from(pieces), response).catch(() => response.destroy());
  }

  /** Reads what the deletion of the own account would take. */
  @Get('deletion')
  describe(@CallingBrowser() browser: HttpBrowser): Promise<DeletionFacts> {
    return this.deletion.describe(browser);
  }

  /**
   * Deletes the own account, or plans the deletion.
   * @refuses 409 429
   */
  @Post('deletion')
  @ChangesOwnAccount()
  @HttpCode(200)
  async delete(@Body() form: DeleteAccountRequest, @CallingBrowser() browser: HttpBrowser): Promise<DeletionResult> {
    const dueAt = await this.deletion.begin(browser, form);
    return { deletedOn: dueAt?.toISOString() ?? null };
  }

  /**
   * Reads when an account will be deleted.
   *
   * Changes nothing, and no GET: a link stands in no log.
   * @refuses 401 429
   */
  @Post(':userId/deletion')
  @Public()
  @HttpCode(200)
  async check(
    @Param('userId') userId: string,
    @Body() { token }: KeepAccountRequest,
    @CallingBrowser() { addressKey: caller }: HttpBrowser,
  ): Promise<PendingDeletion> {
    const dueAt = await this.deletion.check({ userId, token, caller });
    return { deletedOn: dueAt?.toISOString() ?? null };
  }

  /**
   * Keeps an account that was to be deleted.
   * @refuses 401 429
   */
  @Post(':userId/deletion/withdraw')
  @Public()
  @HttpCode(204)
  keep(
    @Param('userId') userId: string,
    @Body() { token }: KeepAccountRequest,
    @CallingBrowser() { addressKey: caller }: HttpBrowser,
  ): Promise<void> {
    return this.deletion.keep({ userId, token, caller });
  }
}
