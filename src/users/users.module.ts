import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FhirServerModule } from '../fhir-server/fhir-server.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { PasswordHashing } from '../platform/crypto/password-hashing.js';
import { Accounts } from './application/accounts.js';
import { AdminInvitations } from './application/admin-invitations.js';
import { Admins } from './application/admins.js';
import { ConfiguredAccounts } from './application/configured-accounts.js';
import { ExternalAccounts } from './application/external-accounts.js';
import { FirstAdmin } from './application/first-admin.js';
import { LinksByMail } from './application/links-by-mail.js';
import { OwnDetails } from './application/own-details.js';
import { PasswordLinks } from './application/password-links.js';
import { Passwords } from './application/passwords.js';
import { RecordLookup } from './application/record-lookup.js';
import { SecurityNotices } from './application/security-notices.js';
import { SetupToken } from './application/setup-token.js';
import { UserManagement } from './application/user-management.js';
import { UserViews } from './application/user-views.js';
import { AccountLinks } from './domain/account-link.js';
import { Installation } from './domain/installation.js';
import { Users } from './domain/user.js';
import { FirstAdminController } from './http/first-admin.controller.js';
import { UsersController } from './http/users.controller.js';
import { PostgresAccountLinks } from './infrastructure/postgres-account-links.js';
import { PostgresInstallation } from './infrastructure/postgres-installation.js';
import { PostgresUsers, userSchema } from './infrastructure/postgres-users.js';

@Module({
  imports: [FhirServerModule, OidcStoreModule, TypeOrmModule.forFeature([userSchema])],
  controllers: [FirstAdminController, UsersController],
  providers: [
    { provide: Users, useClass: PostgresUsers },
    { provide: Installation, useClass: PostgresInstallation },
    { provide: AccountLinks, useClass: PostgresAccountLinks },
    { provide: PasswordHashing, useFactory: () => new PasswordHashing() },
    Accounts,
    AdminInvitations,
    Admins,
    ConfiguredAccounts,
    ExternalAccounts,
    FirstAdmin,
    LinksByMail,
    OwnDetails,
    PasswordLinks,
    Passwords,
    RecordLookup,
    SecurityNotices,
    SetupToken,
    UserManagement,
    UserViews,
  ],
  exports: [Accounts, Admins, ExternalAccounts, OwnDetails, PasswordLinks, RecordLookup, SecurityNotices, SetupToken],
})
export class UsersModule {}
