import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { BulkProgress, PendingBulkChange } from '../../contract/clients/bulk.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { BulkChanges } from '../application/bulk-changes.js';

/** The changes of many clients or users that continue by themselves. */
@For('Admin')
@Controller('api/admin/bulk')
export class BulkChangesController {
  constructor(private readonly bulk: BulkChanges) {}

  /** Lists the caller's changes of many that have not ended, or whose end the caller has not seen. */
  @Get()
  pending(@SignedIn() caller: SignedInUser): Promise<PendingBulkChange[]> {
    return this.bulk.pending(caller);
  }

  /**
   * Stops a change of many: the rest is not done, and what is done stays.
   * @refuses 404
   */
  @Post(':id/stop')
  @HttpCode(200)
  stop(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<BulkProgress> {
    return this.bulk.stop(id, caller);
  }

  /**
   * Marks the end of a change of many as seen.
   * @refuses 404
   */
  @Post(':id/seen')
  @HttpCode(204)
  markSeen(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<void> {
    return this.bulk.markSeen(id, caller);
  }
}
