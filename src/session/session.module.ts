import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OidcModule } from '../oidc/oidc.module.js';
import { UsersModule } from '../users/users.module.js';
import { Sessions } from './application/sessions.js';
import { LocalLogin } from './http/local-login.guard.js';
import { LogoutController } from './http/logout.controller.js';
import { SessionController } from './http/session.controller.js';
import { SessionGuard } from './http/session.guard.js';

@Module({
  imports: [OidcModule, UsersModule],
  controllers: [SessionController, LogoutController],
  providers: [Sessions, LocalLogin, { provide: APP_GUARD, useClass: SessionGuard }],
})
export class SessionModule {}
