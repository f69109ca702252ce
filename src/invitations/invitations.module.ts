import { Module } from '@nestjs/common';
import { OidcModule } from '../oidc/oidc.module.js';
import { OwnDataModule } from '../own-data/own-data.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { UsersModule } from '../users/users.module.js';
import { HelperLevels } from './application/helper-levels.js';
import { InvitationAnswers } from './application/invitation-answers.js';
import { InvitedSignIns } from './application/invited-sign-ins.js';
import { PatientInvitations } from './application/patient-invitations.js';
import { Invitations } from './domain/invitation.js';
import { HelperLevelsController } from './http/helper-levels.controller.js';
import { InvitationAnswersController } from './http/invitation-answers.controller.js';
import { PatientInvitationsController } from './http/patient-invitations.controller.js';
import { PostgresInvitations } from './infrastructure/postgres-invitations.js';

/**
 * Patients invite adults to act for them, and say how far representatives may. Line 10 of the direction of use: an
 * invitation needs a proof of the user, as the own data do.
 */
@Module({
  imports: [OidcModule, OwnDataModule, RepresentationModule, UsersModule],
  controllers: [HelperLevelsController, PatientInvitationsController, InvitationAnswersController],
  providers: [
    { provide: Invitations, useClass: PostgresInvitations },
    HelperLevels,
    InvitationAnswers,
    InvitedSignIns,
    PatientInvitations,
  ],
})
export class InvitationsModule {}
