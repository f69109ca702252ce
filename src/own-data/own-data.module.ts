import { Module } from '@nestjs/common';
import { ConsentModule } from '../consent/consent.module.js';
import { DisclaimersModule } from '../disclaimers/disclaimers.module.js';
import { GrantsModule } from '../grants/grants.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { TwoFactorModule } from '../two-factor/two-factor.module.js';
import { UsersModule } from '../users/users.module.js';
import { Downloads } from './application/downloads.js';
import { OwnAccountFacts } from './application/own-account-facts.js';
import { OwnDataFile } from './application/own-data-file.js';
import { OwnDeletion } from './application/own-deletion.js';
import { OwnerConfirmation } from './application/owner-confirmation.js';
import { OwnRecords } from './domain/own-records.js';
import { OwnDataController } from './http/own-data.controller.js';
import { PostgresOwnRecords } from './infrastructure/postgres-own-records.js';

/**
 * The user's file with everything kept about them, and the deletion of their own account. Line 9 of the direction of
 * use: the file of a user has what the others keep.
 */
@Module({
  imports: [
    ConsentModule,
    DisclaimersModule,
    GrantsModule,
    OidcModule,
    OidcStoreModule,
    PasskeysModule,
    RepresentationModule,
    TwoFactorModule,
    UsersModule,
  ],
  controllers: [OwnDataController],
  providers: [
    { provide: OwnRecords, useClass: PostgresOwnRecords },
    Downloads,
    OwnAccountFacts,
    OwnDataFile,
    OwnDeletion,
    OwnerConfirmation,
  ],
  exports: [OwnerConfirmation],
})
export class OwnDataModule {}
