import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StrayRecords } from './activity/stray-records.js';
import { Audit } from './audit/audit.js';
import { AuditBatch } from './audit/audit-batch.js';
import { Config } from './config/config.js';
import { type PasswordCost, PasswordHashing } from './crypto/password-hashing.js';
import { Secrets } from './crypto/secrets.js';
import { type PostgresConnection, typeOrmConnection } from './database/connection.js';
import { Database } from './database/database.js';
import { Notifications } from './database/notifications.js';
import { makeUsable } from './database/read-only.js';
import { ClientAddress } from './http/client-address.js';
import { Outbound } from './http/outbound.js';
import { JobRunner } from './jobs/job-runner.js';
import { Jobs } from './jobs/jobs.js';
import { Languages } from './language/languages.js';
import { Limits } from './limits/limits.js';
import { StartLimits } from './limits/start-limits.js';
import { Mail } from './mail/mail.js';
import { MailDelivery } from './mail/mail-delivery.js';
import { MailTemplates } from './mail/mail-templates.js';
import { Figures } from './metrics/figures.js';
import { Arrivals } from './request/arrivals.js';
import { Telemetry } from './telemetry/telemetry.js';

/** Configuration and resources that the process was started with. */
export interface Runtime {
  config: Config;
  secrets: Secrets;
  connection: PostgresConnection;
  /** The recommended one by default. Tests, which compute thousands of hashes, take a lower one. */
  passwordCost?: PasswordCost;
}

/** Classes that each module may use. */
const shared = [
  Database,
  Figures,
  Telemetry,
  Limits,
  StartLimits,
  StrayRecords,
  Arrivals,
  Audit,
  AuditBatch,
  Jobs,
  JobRunner,
  MailTemplates,
  Mail,
  MailDelivery,
];

/** Infrastructure that every module may inject. */
@Global()
@Module({})
export class PlatformModule {
  static forRuntime({ config, secrets, connection, passwordCost }: Runtime): DynamicModule {
    return {
      module: PlatformModule,
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          ...typeOrmConnection(connection),
          autoLoadEntities: true,
          // Aggregates have private constructors; stored values were validated when they were created.
          entitySkipConstructor: true,
          // A busy machine may take longer than `connectTimeoutMS`, which is for requests. `withDatabase` has reached
          // it before.
          retryAttempts: 5,
          retryDelay: 500,
          poolSize: config.database.poolSize,
          // A network that drops all packets to the database must fail requests within seconds, not hold them (security
          //
          connectTimeoutMS: 2_000,
          extra: {
            // A little later than the statement's own time-out: a statement that the database cancels itself keeps its
            // connection.
            query_timeout: 5_000,
            keepAlive: true,
            // With the default, connections would be reopened in the middle of a request after every ten idle seconds.
            idleTimeoutMillis: 300_000,
            onConnect: makeUsable,
          },
        }),
      ],
      providers: [
        { provide: Config, useValue: config },
        { provide: Secrets, useValue: secrets },
        { provide: PasswordHashing, useValue: new PasswordHashing(passwordCost) },
        ...shared,
        {
          provide: Notifications,
          useFactory: (database: Database) => new Notifications(connection, database),
          inject: [Database],
        },
        { provide: Outbound, useFactory: () => new Outbound(config.outbound.allowedPrivateHosts) },
        { provide: Languages, useFactory: () => new Languages(config.languages) },
        { provide: ClientAddress, useFactory: () => new ClientAddress(config.server.trustedProxies) },
      ],
      exports: [...shared, Config, Secrets, PasswordHashing, Notifications, ClientAddress, Languages, Outbound],
    };
  }
}
