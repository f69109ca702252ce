import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  AppOfPatientQuery,
  GrantList,
  GrantListQuery,
  ResumeAppRequest,
  TakeBackPermissionQuery,
  WithdrawDisclaimersRequest,
} from '../../contract/own-record/grants.js';
import { For } from '../../platform/http/access.js';
import { CallingBrowser, HttpBrowser } from '../../platform/http/http-browser.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { AppPauses } from '../application/app-pauses.js';
import { GrantRevocation } from '../application/grant-revocation.js';
import { Grants } from '../application/grants.js';
import { PermissionWithdrawal } from '../application/permission-withdrawal.js';

@Controller('api/grant')
@For('Patient', 'Practitioner', 'RelatedPerson')
export class GrantsController {
  constructor(
    private readonly grants: Grants,
    private readonly revocation: GrantRevocation,
    private readonly withdrawal: PermissionWithdrawal,
    private readonly pauses: AppPauses,
  ) {}

  /** Lists the apps that have access, with what each of them may do, and the agreements. */
  @Get()
  list(@SignedIn() { id }: SignedInUser, @Query() query: GrantListQuery): Promise<GrantList> {
    return this.grants.list(id, patientOf(query));
  }

  /**
   * Takes back all access of an app to the user's own record, or to that of a patient for whom the user acts.
   *
   * `Location` is the address of the receipt.
   * @refuses 404 409
   */
  @Delete()
  @HttpCode(204)
  async revoke(
    @Query() { clientId, ...query }: AppOfPatientQuery,
    @SignedIn() { id }: SignedInUser,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const receipt = await this.revocation.revokeAppFor(id, clientId, patientOf(query));
    response.location(`/api/receipt/${receipt}`);
  }

  /**
   * Takes back one permission of an app.
   * @refuses 404 409
   */
  @Delete('permission')
  @HttpCode(204)
  takeBack(
    @Query() { clientId, scope, ...query }: TakeBackPermissionQuery,
    @SignedIn() { id }: SignedInUser,
  ): Promise<void> {
    return this.withdrawal.takeBack({ accountId: id, clientId }, scope, patientOf(query));
  }

  /**
   * Pauses the access of an app.
   * @refuses 404 409
   */
  @Put('pause')
  @HttpCode(204)
  pause(@Query() { clientId, ...query }: AppOfPatientQuery, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.pauses.pause(id, clientId, patientOf(query));
  }

  /**
   * Lets a paused app use its access again.
   * @refuses 404
   */
  @Delete('pause')
  @HttpCode(204)
  resume(@Query() { clientId, ...query }: AppOfPatientQuery, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.pauses.resume(id, clientId, patientOf(query));
  }

  /** Lets a paused app use its access again, on the page of its request, which continues. */
  @Post('resume')
  @HttpCode(204)
  resumeFor(
    @Body() { returnUrl }: ResumeAppRequest,
    @CallingBrowser() browser: HttpBrowser,
    @SignedIn() { id: accountId }: SignedInUser,
  ): Promise<void> {
    return this.pauses.resumeFor({ accountId, browser, returnUrl });
  }

  /**
   * Withdraws agreements to disclaimers: all that are named, or none.
   * @refuses 404
   */
  @Delete('disclaimer')
  @HttpCode(204)
  withdraw(@Body() { disclaimers }: WithdrawDisclaimersRequest, @SignedIn() { id }: SignedInUser): Promise<void> {
    return this.revocation.withdrawDisclaimers(id, disclaimers);
  }
}

function patientOf({ patient, tenant }: GrantListQuery) {
  return patient === undefined ? undefined : { patient, tenant };
}
