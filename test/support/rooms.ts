import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import supertest from 'supertest';
import { FhirServerStatus } from '../../src/fhir-server/application/fhir-server-status.js';
import { FhirServerModule } from '../../src/fhir-server/fhir-server.module.js';
import { configSchema } from '../../src/platform/config/config.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { ProblemFilter } from '../../src/platform/http/problem.filter.js';
import { ContractValidationPipe } from '../../src/platform/http/validation.js';
import { log } from '../../src/platform/logging/log.js';
import { PlatformModule } from '../../src/platform/platform.module.js';

export interface Rooms {
  app: INestApplication;
  api: ReturnType<typeof supertest>;
  database: pg.Pool;
  stop(): Promise<void>;
}

/** Rooms on their own: a real database and the real pipe and filter, without the guard of the session room. */
export async function startRooms(modules: Type[], configuration: object = {}): Promise<Rooms> {
  const undo: (() => unknown)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(modules, configuration, undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(modules: Type[], configuration: object, undo: (() => unknown)[]): Promise<Omit<Rooms, 'stop'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  undo.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, error() {} }, durability: 'test' });
  undo.push(() => postgres.stop());
  await migrate(postgres.connection);

  const fhirServer = await startMetadataServer();
  undo.push(() => fhirServer.close());
  const { port } = fhirServer.address() as AddressInfo;
  const fhir = { baseUrl: `http://127.0.0.1:${port}` };
  const config = configSchema.parse({ fhir, ...configuration, logging: { level: 'silent' } });
  log.level = config.logging.level;

  const { connection } = postgres;
  const platform = PlatformModule.for({ config, secrets: new Secrets(randomBytes(32)), connection });
  class TestModule {}
  const app = await NestFactory.create(
    { module: TestModule, imports: [platform, FhirServerModule, ...modules] },
    { logger: false, abortOnError: false },
  );
  undo.push(() => app.close());
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new ContractValidationPipe());
  await app.init();
  const status = app.get(FhirServerStatus, { strict: false });
  while (config.fhir.baseUrl && !status.status().isFirelyServerAvailable) await sleep(50);

  const database = new pg.Pool(connection);
  undo.push(() => database.end());
  return { app, api: supertest(app.getHttpServer()), database };
}

async function startMetadataServer(): Promise<Server> {
  const statement = {
    resourceType: 'CapabilityStatement',
    fhirVersion: '4.0.1',
    rest: [{ mode: 'server', resource: [{ type: 'Observation' }, { type: 'Patient' }] }],
  };
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/fhir+json').end(JSON.stringify(statement));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
