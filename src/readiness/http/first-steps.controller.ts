import { Body, Controller, Get, HttpCode, Put } from '@nestjs/common';
import { FirstSteps, FirstStepsChange } from '../../contract/readiness.js';
import { For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { FirstStepsOfPortal } from '../application/first-steps.js';

@For('Admin')
@Controller('api/admin/first-steps')
export class FirstStepsController {
  constructor(private readonly firstSteps: FirstStepsOfPortal) {}

  /** Reads which first steps of a new portal are done. */
  @Get()
  steps(@SignedIn() { id }: SignedInUser): Promise<FirstSteps> {
    return this.firstSteps.forAccount(id);
  }

  /** Puts the first steps away, or shows them again. */
  @Put()
  @HttpCode(204)
  change(@Body() { isPutAway }: FirstStepsChange): Promise<void> {
    return this.firstSteps.change(isPutAway);
  }
}
