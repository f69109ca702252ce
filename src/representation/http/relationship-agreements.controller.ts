import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { RecordAgreementRequest, RelationshipView } from '../../contract/representation.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { PatientAnswers } from '../application/patient-answers.js';
import { viewOf } from '../application/relationship-list.js';

@For('Admin')
@AboutRepresentation()
@Controller('api/admin/representation')
export class RelationshipAgreementsController {
  constructor(private readonly answers: PatientAnswers) {}

  /**
   * Records that a patient agrees to an age step, or not any more.
   * @refuses 409
   */
  @Post(':id/agreement')
  @HttpCode(200)
  async record(
    @Param('id') id: string,
    @Body() form: RecordAgreementRequest,
    @SignedIn() { id: caller, isService = false }: SignedInUser,
  ): Promise<RelationshipView> {
    return viewOf(await this.answers.recordAgreement(id, { id: caller, isService }, form));
  }
}
