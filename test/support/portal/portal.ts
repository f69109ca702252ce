import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import pg from 'pg';
import { createPortal } from '../../../src/app.setup.js';
import type { Config } from '../../../src/platform/config/config.js';
import { loadConfig } from '../../../src/platform/config/load-config.js';
import { representation } from '../../../src/platform/config/representation.js';
import { algorithmsInUse } from '../../../src/platform/config/signing-algorithms.js';
import type { PasswordCost } from '../../../src/platform/crypto/password-hashing.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { log } from '../../../src/platform/logging/log.js';
import { createDatabase, type TestConnection } from '../database/database.js';

export interface PortalOptions {
  /** Replaces members of the default sections. */
  config?: { [section in keyof Config]?: unknown };
  /** The number of nodes, which share the database and the issuer. */
  nodes?: number;
  issuer?: string;
  /** The ports of the nodes, if a test must know them in advance. */
  ports?: number[];
  /** Returns the connection that the nodes use instead of the direct one, or one for each node. */
  reachDatabase?: (database: TestConnection) => Promise<TestConnection | TestConnection[]>;
  /** A filled database instead of a new one, with the key that seals its secrets. */
  filled?: { database: Awaited<ReturnType<typeof createDatabase>>; masterKey: Buffer };
}

export interface TestPortal {
  issuer: string;
  fhirBase: string;
  config: Config;
  /** The port of each node; the first one is the issuer's. */
  ports: number[];
  apps: INestApplication[];
  servers: Server[];
  /** Queries the portal's database directly. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  connection: { host: string; port: number; user: string; database: string };
  close(): Promise<void>;
}

/**
 * The least that argon2id computes. The product's own is tested in `password-hashing.test.ts` and used by all portals
 * in processes of their own.
 */
const passwordCost: PasswordCost = { memoryCost: 8, timeCost: 1 };

/** Starts the portal in this process with a real PostgreSQL; tests use it over HTTP. */
export async function startPortal({
  config: overrides = {},
  nodes = 1,
  issuer,
  ports: chosenPorts,
  reachDatabase = async (database) => database,
  filled,
}: PortalOptions = {}): Promise<TestPortal> {
  log.level = process.env.GATEHOUSE_TEST_LOG ?? 'silent';
  const { connection, drop } = filled?.database ?? (await createDatabase());
  const ports = chosenPorts ?? (await freePorts(nodes));
  const config = testConfig(overrides, issuer ?? `http://localhost:${ports[0]}`);
  const masterKey = filled?.masterKey ?? randomBytes(32);
  const pool = new pg.Pool({ ...connection, max: 2 });
  // Dropping the database may break a connection that is still closing.
  pool.on('error', () => undefined);
  if (!filled) await storeRsaKey(pool, config, new Secrets(masterKey));
  const reached = [await reachDatabase(connection)].flat();
  const started: { app: INestApplication; servers: Server[] }[] = [];
  for (const [index, port] of ports.entries()) {
    const reachedByNode = reached[index % reached.length] ?? connection;
    const secrets = new Secrets(masterKey);
    const node = await createPortal({ config, secrets, connection: reachedByNode, passwordCost });
    await listen(node.server, port);
    if (node.management) await listen(node.management, config.server.management?.port ?? 0);
    started.push({ app: node.app, servers: [node.server, ...(node.management ? [node.management] : [])] });
  }
  const apps = started.map(({ app }) => app);
  const nodeServers = started.flatMap(({ servers }) => servers.slice(0, 1));
  return {
    issuer: config.server.issuer,
    fhirBase: config.server.issuer + config.gateway.path,
    config,
    ports,
    apps,
    servers: nodeServers,
    connection,
    query: async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) =>
      (await pool.query<Row>(sql, parameters)).rows,
    async close() {
      for (const { app, servers } of started) {
        for (const server of servers) {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        }
        await app.close();
      }
      // The variables of a test file stay in the process, and with them this object: it must not keep the nodes.
      for (const kept of [started, apps, nodeServers]) kept.length = 0;
      await pool.end();
      await drop();
    },
  };
}

let rsaKey: Promise<JWK> | undefined;

/**
 * An RSA key takes a quarter of the CPU of a start. The portals of a process share one, each under an id of its own.
 */
async function storeRsaKey(pool: pg.Pool, config: Config, secrets: Secrets): Promise<void> {
  const alg = 'RS256';
  if (!algorithmsInUse(config.keys).includes(alg)) return;
  rsaKey ??= generateKeyPair(alg, { extractable: true }).then(({ privateKey }) => exportJWK(privateKey));
  const kid = randomUUID();
  const sealed = secrets.seal('signing-keys', JSON.stringify({ ...(await rsaKey), kid, alg, use: 'sig' }), kid);
  await pool.query('INSERT INTO signing_key (kid, alg, sealed, keep_seconds) VALUES ($1, $2, $3, $4)', [
    kid,
    alg,
    sealed,
    config.account.session.rememberedDays * 86_400,
  ]);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

/** What a test leaves out of a tenant, as the configuration adds it. */
const defaultsOfTenant = { aliases: [], exportStores: [], testPatients: [] };

function testConfig(overrides: PortalOptions['config'], issuer: string): Config {
  const defaults: Config = { representation: undefined, ...loadConfig({}, '/nonexistent') };
  const merged = Object.fromEntries(
    Object.entries(defaults).map(([section, value]) => {
      const override = overrides?.[section as keyof Config];
      const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
      return [section, isSection ? { ...value, ...(override as object) } : (override ?? value)];
    }),
  ) as unknown as Config;
  const tenants = merged.fhir.tenants.map((tenant) => ({ ...defaultsOfTenant, ...tenant }));
  const acting = merged.representation && representation.parse(merged.representation);
  return { ...merged, server: { ...merged.server, issuer }, fhir: { ...merged.fhir, tenants }, representation: acting };
}

/**
 * Below the ports of outgoing connections, which could otherwise take a port before the portal listens on it. For the
 * same reason, the workers of a run share none.
 */
const portsOfWorker = 1_500;
const lowestPort = 20_000 + portsOfWorker * (Number(process.env.JEST_WORKER_ID ?? 0) % 8);
const highestPort = lowestPort + portsOfWorker - 1;
let nextPort = randomInt(lowestPort, highestPort + 1);

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = nextPort;
    nextPort = port < highestPort ? port + 1 : lowestPort;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Clears the nodes' caches of data that was changed in the database, by a notification as from a node. */
export async function tellNodes(portal: TestPortal, channel: string): Promise<void> {
  for (const app of portal.apps) await app.get(Notifications, { strict: false }).send(channel);
}
