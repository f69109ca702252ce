import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  AccountRelationships as AccountRelationshipsView,
  AgeRulesTrial,
  AgeRulesTrialQuery,
  AgeRules as AgeRulesView,
  LinkPatientRecordRequest,
  NameReferencesRequest,
} from '../../contract/representation/administration.js';
import { RelationshipImport, RelationshipImportRequest } from '../../contract/representation/import.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { answerCsv } from '../../platform/http/csv-answer.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { AccountRecords } from '../application/administration/account-records.js';
import { AccountRelationships } from '../application/administration/account-relationships.js';
import { AgeRules } from '../application/administration/age-rules.js';
import { RelationshipImporting } from '../application/administration/relationship-import.js';
import { RelationshipLists } from '../application/relationship-list.js';

@For('Admin')
@AboutRepresentation()
@Controller('api/admin/representation')
export class AccountRelationshipsController {
  constructor(
    private readonly accounts: AccountRelationships,
    private readonly records: AccountRecords,
    private readonly ageRules: AgeRules,
    private readonly importing: RelationshipImporting,
    private readonly lists: RelationshipLists,
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
   * Imports relationships from a CSV file, or says with `dryRun` what an import would do.
   *
   * A line above the age table, and one of a blocked pair, is only proposed.
   */
  @Post('import')
  @HttpCode(200)
  import(
    @Body() { csv, dryRun }: RelationshipImportRequest,
    @SignedIn() { id, isService = false }: SignedInUser,
  ): Promise<RelationshipImport> {
    return this.importing.run(csv, { dryRun, by: { id, isService } });
  }

  /**
   * Sends the relationships that count or wait as a CSV file.
   * @answers 200 text/csv
   */
  @Post('export')
  @HttpCode(200)
  async export(@Res() response: Response): Promise<void> {
    await answerCsv(response, 'representation', await this.lists.export());
  }

  /** Lists for whom an account acts, and who acts for its record. */
  @Get('account/:id')
  list(@Param('id') id: string): Promise<AccountRelationshipsView> {
    return this.accounts.list(id);
  }

  /**
   * Names the RelatedPerson and Person resources that belong to an account.
   *
   * With `representation.source: server` they make relationships.
   */
  @Put('account/:id/references')
  @HttpCode(204)
  nameReferences(
    @Param('id') id: string,
    @Body() form: NameReferencesRequest,
    @SignedIn() { id: caller, isService = false }: SignedInUser,
  ): Promise<void> {
    return this.records.nameReferences(id, form, { id: caller, isService });
  }

  /**
   * Links a patient record to an account that only acted for others.
   *
   * It becomes the account of a patient; its relationships stay, and its apps have to be connected again.
   * @refuses 409
   */
  @Post('account/:id/record')
  @HttpCode(204)
  linkRecord(@Param('id') id: string, @Body() form: LinkPatientRecordRequest): Promise<void> {
    return this.records.linkRecord(id, form);
  }
}
