import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ComingStep } from '../../contract/representation/coming-step.js';
import { EndedRelationship } from '../../contract/representation/ended-relationship.js';
import { OwnRelationships, RenewRelationshipRequest, StepAgreement } from '../../contract/representation.js';
import { AboutRepresentation, For } from '../../platform/http/access.js';
import { SignedIn, type SignedInUser } from '../../platform/http/signed-in.js';
import { EndedRelationships } from '../application/ends/ended-relationships.js';
import { ComingSteps } from '../application/levels/coming-steps.js';
import { OwnRelationshipList } from '../application/own-relationships.js';
import { PatientAnswers } from '../application/patient-answers.js';

@For('Patient', 'RelatedPerson')
@AboutRepresentation()
@Controller('api/representation')
export class OwnRelationshipsController {
  constructor(
    private readonly relationships: OwnRelationshipList,
    private readonly answers: PatientAnswers,
    private readonly steps: ComingSteps,
    private readonly ended: EndedRelationships,
  ) {}

  /** Lists the patients for whom the user acts, and who acts for the user. */
  @Get()
  list(@SignedIn() { id }: SignedInUser): Promise<OwnRelationships> {
    return this.relationships.list(id);
  }

  /**
   * Says what the next age step changes for the user, who acts for the patient: by the rules, whatever the record has.
   *
   * 404 where nothing is known to come.
   */
  @Get(':id/coming-step')
  comingStep(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<ComingStep> {
    return this.steps.forRepresentative(user.id, id);
  }

  /**
   * Ends a relationship and the access of apps that is based on it.
   *
   * The patient's end of a power of attorney or court order suspends it until administrators decide.
   * @refuses 409
   */
  @Post(':id/end')
  @HttpCode(204)
  end(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<void> {
    return this.relationships.end(user.id, id);
  }

  /**
   * Reads what has ended with a relationship: the apps, and who ended it.
   *
   * For a year. 404 for one that has not ended, and for one that the user must not know of.
   */
  @Get(':id/ended')
  endedOne(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<EndedRelationship> {
    return this.ended.forUser(user.id, id);
  }

  /**
   * Agrees, as the patient, to what the representative may see from an age on.
   * @refuses 409
   */
  @Put(':id/agreement')
  @HttpCode(204)
  agree(@Param('id') id: string, @Body() form: StepAgreement, @SignedIn() user: SignedInUser): Promise<void> {
    return this.answers.agree(user.id, id, { ...form, isAgreed: true });
  }

  /**
   * Takes the agreement back.
   * @refuses 409
   */
  @Delete(':id/agreement')
  @HttpCode(204)
  withdraw(@Param('id') id: string, @Body() { step }: StepAgreement, @SignedIn() user: SignedInUser): Promise<void> {
    return this.answers.agree(user.id, id, { step, isAgreed: false });
  }

  /**
   * Gives a relationship that the user, as the patient, chose another last day, in the 30 days before it.
   * @refuses 409
   */
  @Put(':id/period')
  @HttpCode(204)
  renew(
    @Param('id') id: string,
    @Body() { end }: RenewRelationshipRequest,
    @SignedIn() user: SignedInUser,
  ): Promise<void> {
    return this.answers.renew(user.id, id, end ?? null);
  }

  /**
   * Answers, as the patient, that a relationship without end is still right.
   * @refuses 409
   */
  @Post(':id/confirmation')
  @HttpCode(204)
  confirm(@Param('id') id: string, @SignedIn() user: SignedInUser): Promise<void> {
    return this.answers.confirm(user.id, id);
  }
}
