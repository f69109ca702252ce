import { Module } from '@nestjs/common';
import { AccountSessions } from './application/account-sessions.js';
import { GrantedApps } from './application/granted-apps.js';
import { LogoutQueue } from './application/logout-queue.js';
import { OidcRecords } from './application/oidc-records.js';
import { RefreshAnswers } from './application/refresh-answers.js';
import { Revocations } from './application/revocations.js';
import { Sweeper } from './application/sweeper.js';

@Module({
  providers: [AccountSessions, GrantedApps, LogoutQueue, OidcRecords, RefreshAnswers, Revocations, Sweeper],
  exports: [AccountSessions, GrantedApps, LogoutQueue, OidcRecords, RefreshAnswers, Revocations],
})
export class OidcStoreModule {}
