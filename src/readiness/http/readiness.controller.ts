import { Body, Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { ReadinessReport, TestMailConfirmation } from '../../contract/readiness.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { Readiness } from '../application/readiness.js';
import { TestMails } from '../application/test-mails.js';

@For('Admin')
@Controller('api/admin/readiness')
export class ReadinessController {
  constructor(
    private readonly readiness: Readiness,
    private readonly testMails: TestMails,
  ) {}

  /** Reads what an installation still needs before it goes live. */
  @Get()
  @Header('Cache-Control', 'no-store')
  report(@SignedIn() { id }: SignedInUser): Promise<ReadinessReport> {
    return this.readiness.report(id);
  }

  /**
   * Sends a test mail to the administrator.
   * @refuses 409 429
   */
  @Post('test-mail')
  @HttpCode(204)
  sendTestMail(@SignedIn() { id }: SignedInUser): Promise<void> {
    return this.testMails.send(id);
  }

  /**
   * Records that the test mail has arrived.
   * @refuses 404
   */
  @Post('test-mail/confirm')
  @HttpCode(204)
  confirmTestMail(@Body() { token }: TestMailConfirmation): Promise<void> {
    return this.testMails.confirm(token);
  }
}
