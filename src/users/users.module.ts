import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PasswordHashing } from '../platform/crypto/password-hashing.js';
import { Accounts } from './application/accounts.js';
import { Admins } from './application/admins.js';
import { ConfiguredAccounts } from './application/configured-accounts.js';
import { FirstAdmin } from './application/first-admin.js';
import { Passwords } from './application/passwords.js';
import { SetupToken } from './application/setup-token.js';
import { UserManagement } from './application/user-management.js';
import { Installation } from './domain/installation.js';
import { Users } from './domain/user.js';
import { FirstAdminController } from './http/first-admin.controller.js';
import { UsersController } from './http/users.controller.js';
import { PostgresInstallation } from './infrastructure/postgres-installation.js';
import { PostgresUsers, userSchema } from './infrastructure/postgres-users.js';

@Module({
  imports: [TypeOrmModule.forFeature([userSchema])],
  controllers: [FirstAdminController, UsersController],
  providers: [
    { provide: Users, useClass: PostgresUsers },
    { provide: Installation, useClass: PostgresInstallation },
    { provide: PasswordHashing, useFactory: () => new PasswordHashing() },
    Accounts,
    Admins,
    ConfiguredAccounts,
    FirstAdmin,
    Passwords,
    SetupToken,
    UserManagement,
  ],
  exports: [Accounts, Admins, SetupToken],
})
export class UsersModule {}
