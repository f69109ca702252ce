import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { CreateInitialAdminRequest } from '../../contract/users/users.js';
import { Public } from '../../platform/http/access.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { Admins } from '../application/admins/admins.js';

/**
 * `spec §7`; needs no session although it lies under `/api/admin`: before the first administrator no user can sign in.
 */
@Controller('api/admin/adminmanagement')
export class FirstAdminController {
  constructor(
    private readonly admins: Admins,
    private readonly addresses: ClientAddress,
  ) {}

  /**
   * Creates the first administrator.
   * @refuses 409 429
   */
  @Public()
  @Post('create-initial')
  @HttpCode(200)
  create(@Body() form: CreateInitialAdminRequest, @Req() request: Request): Promise<void> {
    return this.admins.createFirst(form, this.addresses.limitKey(request));
  }
}
