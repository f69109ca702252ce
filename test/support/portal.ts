import { randomBytes, randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import pg from 'pg';
import { createPortal } from '../../src/app.setup.js';
import type { Config } from '../../src/platform/config/config.js';
import { loadConfig } from '../../src/platform/config/load-config.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { Notifications } from '../../src/platform/database/notifications.js';
import { log } from '../../src/platform/logging/log.js';
import { createDatabase, type TestConnection } from './database.js';

export interface PortalOptions {
  /** Laid over the defaults, section by section. */
  config?: { [section in keyof Config]?: unknown };
  /** How many nodes share the database; all answer to the same issuer. */
  nodes?: number;
  issuer?: string;
  /** The ports of the nodes, where they must be known beforehand. */
  ports?: number[];
  /** What the portal connects to instead of the database itself. */
  reachDatabase?: (database: TestConnection) => Promise<TestConnection>;
  /** A database that is filled already, instead of a fresh one; and the key that its secrets are sealed with. */
  filled?: { database: Awaited<ReturnType<typeof createDatabase>>; masterKey: Buffer };
}

export interface TestPortal {
  issuer: string;
  fhirBase: string;
  config: Config;
  /** The port of each node; the first one's is the issuer's. */
  ports: number[];
  apps: INestApplication[];
  servers: Server[];
  /** Straight to the portal's database, as an operator would look. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  connection: { host: string; port: number; user: string; database: string };
  close(): Promise<void>;
}

/** The real portal on a real PostgreSQL, in this process; everything else goes over HTTP. */
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
  const reached = await reachDatabase(connection);
  const started: { app: INestApplication; server: Server }[] = [];
  for (const port of ports) {
    const node = await createPortal({ config, secrets: new Secrets(masterKey), connection: reached });
    await new Promise<void>((resolve) => node.server.listen(port, '127.0.0.1', resolve));
    started.push(node);
  }
  const pool = new pg.Pool({ ...connection, max: 2 });
  // Dropping the database may cut off a connection that is still saying goodbye.
  pool.on('error', () => undefined);
  return {
    issuer: config.server.issuer,
    fhirBase: config.server.issuer + config.gateway.path,
    config,
    ports,
    apps: started.map(({ app }) => app),
    servers: started.map(({ server }) => server),
    connection,
    query: async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) =>
      (await pool.query<Row>(sql, parameters)).rows,
    async close() {
      for (const { app, server } of started) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await app.close();
      }
      await pool.end();
      await drop();
    },
  };
}

function testConfig(overrides: PortalOptions['config'], issuer: string): Config {
  const defaults = loadConfig({}, '/nonexistent');
  const merged = Object.fromEntries(
    Object.entries(defaults).map(([section, value]) => {
      const override = overrides?.[section as keyof Config];
      const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
      return [section, isSection ? { ...value, ...(override as object) } : (override ?? value)];
    }),
  ) as unknown as Config;
  return { ...merged, server: { ...merged.server, issuer } };
}

/** Below those that systems give to connections going out: none of these can take a port before it is listened on. */
const lowestPort = 20_000;
const highestPort = 32_000;
let nextPort = randomInt(lowestPort, highestPort);

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

/** What was changed behind the nodes' back is forgotten by each of them, at once and as if one of them had said so. */
export async function tellNodes(portal: TestPortal, channel: string): Promise<void> {
  for (const app of portal.apps) await app.get(Notifications, { strict: false }).send(channel);
}
