import { Module } from '@nestjs/common';
import { AccessReceipts } from './infrastructure/access-receipts.js';
import { AccountSessions } from './infrastructure/account-sessions.js';
import { GrantedApps } from './infrastructure/granted-apps.js';
import { LogoutQueue } from './infrastructure/logout-queue.js';
import { OidcRecords } from './infrastructure/oidc-records.js';
import { PausedApps } from './infrastructure/paused-apps.js';
import { PresentedRecords } from './infrastructure/presented-records.js';
import { RefreshAnswers } from './infrastructure/refresh-answers.js';
import { Revocations } from './infrastructure/revocations.js';
import { Sweeper } from './infrastructure/sweeper.js';

/** Storage, single use and revocation of codes, tokens, grants and sessions. Line 2 of the direction of use. */
@Module({
  providers: [
    AccessReceipts,
    AccountSessions,
    GrantedApps,
    LogoutQueue,
    OidcRecords,
    PausedApps,
    PresentedRecords,
    RefreshAnswers,
    Revocations,
    Sweeper,
  ],
  exports: [
    AccessReceipts,
    AccountSessions,
    GrantedApps,
    LogoutQueue,
    OidcRecords,
    PausedApps,
    PresentedRecords,
    RefreshAnswers,
    Revocations,
  ],
})
export class OidcStoreModule {}
