import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ConsentModule } from '../consent/consent.module.js';
import { DisclaimersModule } from '../disclaimers/disclaimers.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { OidcStoreModule } from '../oidc-store/oidc-store.module.js';
import { RepresentationModule } from '../representation/representation.module.js';
import { UsersModule } from '../users/users.module.js';
import { AppAccess } from './application/app-access.js';
import { AppPauses } from './application/app-pauses.js';
import { AppsOfUser } from './application/apps-of-user.js';
import { FamilyNewsPage } from './application/family-news.js';
import { FamilyNewsStep } from './application/family-news-step.js';
import { GrantRevocation } from './application/grant-revocation.js';
import { GrantedPatients } from './application/granted-patients.js';
import { Grants } from './application/grants.js';
import { PermissionWithdrawal } from './application/permission-withdrawal.js';
import { ReceiptIssue } from './application/receipt-issue.js';
import { Receipts } from './application/receipts.js';
import { RepresentedApps } from './application/represented-apps.js';
import { UserActivities } from './application/user-activity.js';
import { AuditedActivity } from './domain/audited-activity.js';
import { FamilyNewsController } from './http/family-news.controller.js';
import { GrantsController } from './http/grants.controller.js';
import { ReceiptsController } from './http/receipts.controller.js';
import { RepresentedAppsController } from './http/represented-apps.controller.js';
import { UserActivityController } from './http/user-activity.controller.js';
import { PostgresAuditedActivity } from './infrastructure/postgres-audited-activity.js';

/** The user's list of authorized apps, revoking them, and the receipts for it. Line 8 of the direction of use. */
@Module({
  imports: [
    ClientsModule,
    ConsentModule,
    DisclaimersModule,
    OidcModule,
    OidcStoreModule,
    RepresentationModule,
    UsersModule,
  ],
  controllers: [
    FamilyNewsController,
    GrantsController,
    ReceiptsController,
    RepresentedAppsController,
    UserActivityController,
  ],
  providers: [
    { provide: AuditedActivity, useClass: PostgresAuditedActivity },
    AppAccess,
    AppPauses,
    AppsOfUser,
    FamilyNewsPage,
    FamilyNewsStep,
    GrantedPatients,
    GrantRevocation,
    Grants,
    PermissionWithdrawal,
    ReceiptIssue,
    Receipts,
    RepresentedApps,
    UserActivities,
  ],
  exports: [Grants],
})
export class GrantsModule {}
