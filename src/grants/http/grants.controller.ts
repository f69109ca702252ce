import { Body, Controller, Delete, Get, HttpCode, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { GrantList, RevokeAppQuery, WithdrawDisclaimersRequest } from '../../contract/grants.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { GrantRevocation } from '../application/grant-revocation.js';
import { Grants } from '../application/grants.js';

@Controller('api/grant')
@For('Patient', 'Practitioner')
export class GrantsController {
  constructor(
    private readonly grants: Grants,
    private readonly revocation: GrantRevocation,
  ) {}

  @Get()
  list(@SignedIn() { id }: SignedInUser): Promise<GrantList> {
    return this.grants.list(id);
  }

  /** `Location` is the address of the receipt. */
  @Delete()
  @HttpCode(204)
  async revoke(
    @Query() { clientId }: RevokeAppQuery,
    @SignedIn() { id }: SignedInUser,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.location(`/api/receipt/${await this.revocation.revokeApp(id, clientId, 'person')}`);
  }

  @Delete('disclaimer')
  @HttpCode(204)
  withdraw(@Body() { disclaimers }: WithdrawDisclaimersRequest, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.revocation.withdrawDisclaimers(id, disclaimers);
  }
}
