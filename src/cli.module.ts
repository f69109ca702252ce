import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AsCodeModule } from './as-code/as-code.module.js';
import { AuditArchivesModule } from './audit/audit-archives.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { AdministratorRescue } from './helpdesk/application/administrator-rescue.js';
import { SigningKeys } from './oidc/engine/keys/signing-keys.js';
import { OidcStoreModule } from './oidc-store/oidc-store.module.js';
import { Ceremonies } from './passkeys/application/ceremonies.js';
import { Challenges } from './passkeys/application/challenges.js';
import { PasskeyEvents } from './passkeys/application/passkey-events.js';
import { PasskeyRegistry } from './passkeys/application/passkey-registry.js';
import { Passkeys } from './passkeys/domain/passkey.js';
import { PostgresPasskeys, passkeySchema } from './passkeys/infrastructure/postgres-passkeys.js';
import { PlatformModule, type Runtime } from './platform/platform.module.js';
import { ReadinessModule } from './readiness/readiness.module.js';
import { TwoFactorEvents } from './two-factor/application/two-factor-events.js';
import { TwoFactorProofs } from './two-factor/application/two-factor-proofs.js';
import { TwoFactorReset } from './two-factor/application/two-factor-reset.js';
import { PendingSignIns } from './two-factor/domain/pending-sign-in.js';
import { TwoFactors } from './two-factor/domain/two-factor.js';
import { PostgresPendingSignIns, pendingSignInSchema } from './two-factor/infrastructure/postgres-pending-sign-ins.js';
import { PostgresTwoFactors, twoFactorSchema } from './two-factor/infrastructure/postgres-two-factors.js';
import { UsersModule } from './users/users.module.js';

/** Modules that commands use: neither the engine nor anything that listens. */
@Module({})
export class CliModule {
  static forRuntime(runtime: Runtime): DynamicModule {
    return {
      module: CliModule,
      imports: [
        PlatformModule.forRuntime(runtime),
        AsCodeModule,
        AuditArchivesModule,
        ClientsModule,
        OidcStoreModule,
        UsersModule,
        ReadinessModule,
        TypeOrmModule.forFeature([passkeySchema, pendingSignInSchema, twoFactorSchema]),
      ],
      providers: [
        SigningKeys,
        AdministratorRescue,
        Ceremonies,
        Challenges,
        PasskeyEvents,
        PasskeyRegistry,
        TwoFactorEvents,
        TwoFactorProofs,
        TwoFactorReset,
        { provide: Passkeys, useClass: PostgresPasskeys },
        { provide: PendingSignIns, useClass: PostgresPendingSignIns },
        { provide: TwoFactors, useClass: PostgresTwoFactors },
      ],
    };
  }

  /** Only what also works with a database that is not migrated yet, and leaves it as it is. */
  static forInspection(runtime: Runtime): DynamicModule {
    return { module: CliModule, imports: [PlatformModule.forRuntime(runtime), AuditArchivesModule, ReadinessModule] };
  }
}
