import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BulkModule } from '../bulk/bulk.module.js';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { ManagedModule } from '../managed/managed.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { AdminInvitations } from './application/admins/admin-invitations.js';
import { Admins } from './application/admins/admins.js';
import { ConfiguredUsers } from './application/configured-users.js';
import { AccountRemoval } from './application/deletion/account-removal.js';
import { DeletionRequests } from './application/deletion/deletion-requests.js';
import { KeepLinks } from './application/deletion/keep-links.js';
import { ExternalUsers } from './application/external-users.js';
import { UserImporting } from './application/import/user-importing.js';
import { LinkMailer } from './application/link-mailer.js';
import { OwnDetails } from './application/own-details.js';
import { NewPasswords } from './application/passwords/new-passwords.js';
import { PasswordLinks } from './application/passwords/password-links.js';
import { Passwords } from './application/passwords/passwords.js';
import { RecordLookup } from './application/record-lookup.js';
import { Recoveries } from './application/recoveries.js';
import { RequestLinks } from './application/request-links.js';
import { SecurityNotices } from './application/security-notices.js';
import { SignInReadinesses } from './application/sign-in-readiness.js';
import { UserBulk } from './application/user-bulk.js';
import { UserChanges } from './application/user-changes.js';
import { UserDirectory } from './application/user-directory.js';
import { UserInvitations } from './application/user-invitations.js';
import { UserManagement } from './application/user-management.js';
import { UsersByFile } from './application/users-by-file.js';
import { AccountDeletions } from './domain/account-deletion.js';
import { AccountLinks } from './domain/account-link.js';
import { AccountRecoveries } from './domain/account-recovery.js';
import { Installation } from './domain/installation.js';
import { RecordAddresses } from './domain/record-addresses.js';
import { Users } from './domain/user.js';
import { UserImports } from './domain/user-import.js';
import { UserViews } from './domain/user-views.js';
import { FirstAdminController } from './http/first-admin.controller.js';
import { UserBulkController } from './http/user-bulk.controller.js';
import { UserImportController } from './http/user-import.controller.js';
import { UsersController } from './http/users.controller.js';
import { WaitingRecoveryController } from './http/waiting-recovery.controller.js';
import { PostgresAccountDeletions } from './infrastructure/postgres-account-deletions.js';
import { PostgresAccountLinks } from './infrastructure/postgres-account-links.js';
import { PostgresAccountRecoveries } from './infrastructure/postgres-account-recoveries.js';
import { PostgresInstallation } from './infrastructure/postgres-installation.js';
import { PostgresUserImports } from './infrastructure/postgres-user-imports.js';
import { PostgresUserViews } from './infrastructure/postgres-user-views.js';
import { PostgresUsers, userSchema } from './infrastructure/postgres-users.js';

/** Accounts, passwords, links by mail, the first administrator. Line 3 of the direction of use. */
@Module({
  imports: [BulkModule, ManagedModule, FhirServerModule, OidcStoreModule, TypeOrmModule.forFeature([userSchema])],
  controllers: [
    FirstAdminController,
    UserBulkController,
    UserImportController,
    UsersController,
    WaitingRecoveryController,
  ],
  providers: [
    { provide: Users, useClass: PostgresUsers },
    { provide: UserImports, useClass: PostgresUserImports },
    { provide: UserViews, useClass: PostgresUserViews },
    { provide: Installation, useClass: PostgresInstallation },
    { provide: AccountDeletions, useClass: PostgresAccountDeletions },
    { provide: AccountLinks, useClass: PostgresAccountLinks },
    { provide: AccountRecoveries, useClass: PostgresAccountRecoveries },
    RecordAddresses,
    UserDirectory,
    AccountRemoval,
    AdminInvitations,
    Admins,
    ConfiguredUsers,
    DeletionRequests,
    ExternalUsers,
    KeepLinks,
    LinkMailer,
    NewPasswords,
    OwnDetails,
    PasswordLinks,
    Passwords,
    Recoveries,
    RecordLookup,
    RequestLinks,
    SecurityNotices,
    UserBulk,
    UserChanges,
    UsersByFile,
    UserImporting,
    SignInReadinesses,
    UserInvitations,
    UserManagement,
  ],
  exports: [
    AdminInvitations,
    RecordAddresses,
    UserDirectory,
    UserInvitations,
    Admins,
    DeletionRequests,
    ExternalUsers,
    KeepLinks,
    OwnDetails,
    PasswordLinks,
    Recoveries,
    RecordLookup,
    SecurityNotices,
    SignInReadinesses,
    UserManagement,
    UsersByFile,
  ],
})
export class UsersModule {}
