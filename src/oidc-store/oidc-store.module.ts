import { Module } from '@nestjs/common';
import { GrantedApps } from './application/granted-apps.js';
import { OidcRecords } from './application/oidc-records.js';
import { RefreshAnswers } from './application/refresh-answers.js';
import { Revocations } from './application/revocations.js';
import { Sweeper } from './application/sweeper.js';

@Module({
  providers: [GrantedApps, OidcRecords, RefreshAnswers, Revocations, Sweeper],
  exports: [GrantedApps, OidcRecords, RefreshAnswers, Revocations],
})
export class OidcStoreModule {}
