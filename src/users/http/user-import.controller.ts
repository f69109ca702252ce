import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ImportCheck, ImportProgress, ImportRequest } from '../../contract/users/user-import.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { UserImporting } from '../application/import/user-importing.js';

@For('Admin')
@Controller('api/admin/user/import')
export class UserImportController {
  constructor(private readonly importing: UserImporting) {}

  /** Says what an import of this file would do, and changes nothing. */
  @Post()
  @HttpCode(200)
  check(@Body() { csv }: ImportRequest): Promise<ImportCheck> {
    return this.importing.check(csv);
  }

  /** Begins the import of a file; the caller makes the id, and may repeat the call. */
  @Put(':id')
  begin(
    @Param('id') id: string,
    @Body() { csv }: ImportRequest,
    @SignedIn() caller: SignedInUser,
  ): Promise<ImportProgress> {
    return this.importing.begin(id, csv, caller);
  }

  /** Stops an import of the caller; the users that it has created stay. */
  @Post(':id/stop')
  @HttpCode(200)
  stop(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<ImportProgress> {
    return this.importing.stop(id, caller);
  }

  /**
   * Stops an import of the caller, and removes the users that it has created and who have not used their invitation.
   */
  @Post(':id/undo')
  @HttpCode(200)
  undo(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<ImportProgress> {
    return this.importing.undo(id, caller);
  }

  /** Says how far an import of the caller is. */
  @Get(':id')
  progress(@Param('id') id: string, @SignedIn() caller: SignedInUser): Promise<ImportProgress> {
    return this.importing.progress(id, caller);
  }
}
