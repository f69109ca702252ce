import { type DynamicModule, Module } from '@nestjs/common';
import { AsCodeModule } from './as-code/as-code.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { SigningKeys } from './oidc/engine/keys/signing-keys.js';
import { PlatformModule, type Runtime } from './platform/platform.module.js';
import { ReadinessModule } from './readiness/readiness.module.js';
import { UsersModule } from './users/users.module.js';

/** Modules that commands use: neither the engine nor anything that listens. */
@Module({})
export class CliModule {
  static forRuntime(runtime: Runtime): DynamicModule {
    return {
      module: CliModule,
      imports: [PlatformModule.forRuntime(runtime), AsCodeModule, ClientsModule, UsersModule, ReadinessModule],
      providers: [SigningKeys],
    };
  }

  /** Only what also works with a database that is not migrated yet, and leaves it as it is. */
  static forInspection(runtime: Runtime): DynamicModule {
    return { module: CliModule, imports: [PlatformModule.forRuntime(runtime), ReadinessModule] };
  }
}
