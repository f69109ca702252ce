import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  AccountRelationships as AccountRelationshipsView,
  AgeRulesTrial,
  AgeRulesTrialQuery,
  AgeRules as AgeRulesView,
  LinkPatientRecordRequest,
} from '../../contract/representation/administration.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { AccountRelationships } from '../application/account-relationships.js';
import { AgeRules } from '../application/age-rules.js';

@For('Admin')
@AboutRepresentation()
@Controller('api/admin/representation')
export class AccountRelationshipsController {
  constructor(
    private readonly accounts: AccountRelationships,
    private readonly ageRules: AgeRules,
  ) {}

  /** Reads bases, levels and age tables as they are configured. */
  @Get('age-rules')
  rules(): AgeRulesView {
    return this.ageRules.view();
  }

  /** Tries the age table of a basis: what it gives on a day, decided as for a request. */
  @Get('age-rules/trial')
  trial(@Query() query: AgeRulesTrialQuery): AgeRulesTrial {
    return this.ageRules.trial(query);
  }

  /**
   * Lists for whom an account acts, and who acts for its record.
   * @refuses 404
   */
  @Get('account/:id')
  list(@Param('id') id: string): Promise<AccountRelationshipsView> {
    return this.accounts.list(id);
  }

  /**
   * Links a patient record to an account that only acted for others.
   *
   * It becomes the account of a patient; its relationships stay, and its apps have to be connected again.
   * @refuses 404 409
   */
  @Post('account/:id/record')
  @HttpCode(204)
  linkRecord(@Param('id') id: string, @Body() form: LinkPatientRecordRequest): Promise<void> {
    return this.accounts.linkRecord(id, form);
  }
}
