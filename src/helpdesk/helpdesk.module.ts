import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { LaunchContextModule } from '../launch-context/launch-context.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { OwnDataModule } from '../own-data/own-data.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { SessionModule } from '../session/session.module.js';
import { TwoFactorModule } from '../two-factor/two-factor.module.js';
import { UsersModule } from '../users/users.module.js';
import { SecondFactorReset } from './application/second-factor-reset.js';
import { SignInDiagnosis } from './application/sign-in-diagnosis.js';
import { UserHelp } from './application/user-help.js';
import { UserLocks } from './application/user-locks.js';
import { UserRelease } from './application/user-release.js';
import { HelpdeskController } from './http/helpdesk.controller.js';

/**
 * The administrators' view of a user's sign-in, and their means to let the user in again. Line 10 of the direction of
 * use: it tells why a user cannot sign in, and lets them in again.
 */
@Module({
  imports: [
    ClientsModule,
    LaunchContextModule,
    OidcModule,
    OidcStoreModule,
    OwnDataModule,
    PasskeysModule,
    SessionModule,
    TwoFactorModule,
    UsersModule,
  ],
  controllers: [HelpdeskController],
  providers: [SecondFactorReset, SignInDiagnosis, UserHelp, UserLocks, UserRelease],
})
export class HelpdeskModule {}
