import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../../src/platform/config/load-config.js';
import { withDatabase } from '../../../src/platform/database/first-contact.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openRuntime } from '../../../src/runtime.js';
import { addressOf, createDatabase, type TestConnection } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent } from '../../support/http/agent.js';
import { configured } from '../../support/portal/command-line.js';
import { freePorts, startPortal } from '../../support/portal/portal.js';
import { PortalProcess, spawnBuilt } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';

const waitForDatabase = (connection: TestConnection, wait: { seconds: number; say: (message: string) => void }) =>
  withDatabase(connection, wait, async () => undefined);

let database: TestConnection;
let drop: () => Promise<void>;
/** The database of the node's configuration. */
let reached: TestConnection;
let proxy: DatabaseProxy;

beforeEach(async () => {
  ({ connection: database, drop } = await createDatabase());
  proxy = new DatabaseProxy(database);
  reached = await proxy.open();
  await proxy.shut();
});
afterEach(async () => {
  await proxy.shut();
  await drop();
});

/** A server that answers every connection with this error, in PostgreSQL's protocol. */
async function refusing(code: string, message: string): Promise<Server> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  await new Promise<void>((resolve) => server.listen(reached.port, '127.0.0.1', resolve));
  return server;
}

/** Starts a node in a folder of its own, and sends SIGTERM as soon as it has come that far; returns how it ended. */
async function stoppedWhen(config: { server?: object }, isThere: (folder: string, output: string) => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-early-'));
  const [port] = await freePorts(1);
  const node = await spawnBuilt(
    'main.js',
    [],
    await configured(folder, { ...config, server: { ...config.server, port } }),
  );
  let output = '';
  for (const stream of [node.stdout, node.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<number | null>((resolve) => node.once('close', resolve));
  await until(() => isThere(folder, output));
  node.kill('SIGTERM');
  const code = await ended;
  await rm(folder, { recursive: true });
  return { code, output };
}

const closed = (server: Server) => new Promise((resolve) => server.close(resolve));

describe('A node that starts before its database', () => {
  it('waits while connections are refused and while the database starts, logs it, and then starts', async () => {
    const said: string[] = [];
    const waiting = waitForDatabase(reached, { seconds: 60, say: (message) => said.push(message) });
    await until(() => said.length === 1);
    const starting = await refusing('57P03', 'the database system is starting up');
    await until(() => said.length === 2);
    await closed(starting);
    await proxy.open();
    await waiting;
    expect(said).toEqual([
      expect.stringMatching(/^waiting up to 60 s for the database: connect ECONNREFUSED/),
      'waiting up to 60 s for the database: the database system is starting up',
    ]);
  });

  it('waits while the database accepts connections and answers no statement', async () => {
    let isSilent = true;
    const silent: DatabaseProxy = new DatabaseProxy(database, () => isSilent && silent.dropAllData());
    const said: string[] = [];
    const waiting = waitForDatabase(await silent.open(), { seconds: 60, say: (message) => said.push(message) });
    try {
      await Promise.race([waiting, until(() => said.length === 1)]);
      isSilent = false;
      silent.passDataAgain();
      await waiting;
      expect(said[0]).toBe('waiting up to 60 s for the database: Query read timeout');
    } finally {
      await silent.shut();
    }
  });

  it('waits for a host name that does not resolve yet', async () => {
    const said: string[] = [];
    const waiting = waitForDatabase(
      { ...database, host: 'database.invalid' },
      { seconds: 1, say: (message) => said.push(message) },
    );
    await expect(waiting).rejects.toThrow(/database\.invalid/);
    expect(said[0]).toMatch(/^waiting up to 1 s for the database: getaddrinfo/);
  });

  it.each([
    ['the check of its sessions', 'LISTEN gatehouse_session', true],
    ['the check of its migrations', 'FROM migrations', false],
    ['a migration', 'CREATE TABLE oidc_record', true],
  ])('waits, and starts over, when the database is restarted during %s', async (_, statement, empty) => {
    const restarts = ['57P01', '57P03'];
    const { connection: behind, drop: dropBehind } = await createDatabase({ empty });
    const restarted: DatabaseProxy = new DatabaseProxy(behind, (sql) =>
      sql.includes(statement) ? restarts.shift() : undefined,
    );
    const config = loadConfig(
      { GATEHOUSE_DATABASE__URL: addressOf(behind), GATEHOUSE_KEYS__MASTER_KEY: '7'.repeat(64) },
      tmpdir(),
    );
    const said: string[] = [];
    try {
      const { runtime, close } = await openRuntime(
        config,
        { connection: await restarted.open(), stop: async () => undefined },
        (message) => said.push(message),
      );
      await close();
      expect(await migrate(runtime.connection)).toEqual([]);
      expect([restarts, said.length > 0, said[0]]).toEqual([
        [],
        true,
        expect.stringContaining('waiting up to 60 s for the database: '),
      ]);
    } finally {
      await restarted.shut();
      await dropBehind();
    }
  });

  it('does not wait when the database refuses it for good', async () => {
    await proxy.open();
    const said: string[] = [];
    const waiting = waitForDatabase(
      { ...reached, database: 'no_such_database' },
      { seconds: 60, say: (message) => said.push(message) },
    );
    await expect(waiting).rejects.toThrow('database "no_such_database" does not exist');
    expect(said).toEqual([]);
  });

  it('starts as soon as the database is available', async () => {
    const [port = 0] = await freePorts(1);
    const starting = await refusing('57P03', 'the database system is starting up');
    const config = { logging: { level: 'warn' } };
    const node = PortalProcess.start({ database: reached, port, config });
    // The node has started and tried to connect once.
    await new Promise((resolve) => starting.once('connection', resolve));
    await closed(starting);
    await proxy.open();
    const started = await node;
    expect(started.output).toContain('for the database: the database system is starting up');
    expect(await started.end('SIGTERM')).toBe(0);
  });

  it('starts although the database is restarted while it reads its keys, and does not answer a line of the greeting', async () => {
    const [port = 0] = await freePorts(1);
    const keys = ['57P01'];
    let isGreeting = true;
    const restarted: DatabaseProxy = new DatabaseProxy(database, (sql) => {
      if (sql.includes('FROM signing_key')) return keys.shift();
      return isGreeting && sql.includes('had_admin') ? '57P03' : undefined;
    });
    const node = await PortalProcess.start({
      database: await restarted.open(),
      port,
      // The greeting has a link for the first administrator where others can reach the node.
      issuer: 'https://portal.example.org',
      config: { logging: { level: 'warn' } },
    });
    try {
      await until(() => node.output.includes('Gatehouse is ready.'));
      isGreeting = false;
      expect(keys).toEqual([]);
      expect(node.output).toContain('waiting up to 60 s for the database: ended by the test');
      expect(node.output).toContain('start again to see the link for the first one');
      expect(node.output).not.toContain('register?setup=');
      expect(await node.end('SIGTERM')).toBe(0);
    } finally {
      await restarted.shut();
    }
  });

  it.each([
    ['the only node', 1],
    ['two workers', 2],
  ])('ends without an error on SIGTERM, also as the first process of a container: %s', async (_, workers) => {
    const { user, port, database: name } = reached;
    const url = `postgres://${user}@127.0.0.1:${port}/${name}`;
    const config = { server: { workers }, database: { url }, keys: { masterKey: '7'.repeat(64) } };
    const { code, output } = await stoppedWhen(config, (_folder, said) => said.includes('waiting up to'));
    // Without a handler the code would be missing, and the first process of a container would not end.
    expect(code).toBe(0);
    expect(output).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('stops the embedded database on SIGTERM, also while that starts', async () => {
    let database = 0;
    const { code, output } = await stoppedWhen({}, (folder) => {
      const file = join(folder, 'data/postgres/postmaster.pid');
      database = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
      return database > 0;
    });
    expect(code).toBe(0);
    expect(output).not.toMatch(/"level":"(error|fatal)"/);
    expect(() => process.kill(database, 0)).toThrow('ESRCH');
  });

  it('ends with one log line when the database is not available in time', async () => {
    const [port = 0] = await freePorts(1);
    const url = `postgres://${reached.user}@127.0.0.1:${reached.port}/${reached.database}`;
    await expect(
      PortalProcess.start({ database: reached, port, config: { database: { url, startWait: 1 } } }),
    ).rejects.toThrow(/\nThe database cannot be used: connect ECONNREFUSED 127\.0\.0\.1:\d+\n/);
  });
});

describe('A migration', () => {
  /** Holds the lock of a node that is migrating. */
  async function holdingLock(work: () => Promise<unknown>): Promise<void> {
    const other = new pg.Client(database);
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock(4712051)');
    try {
      await work();
    } finally {
      await other.end();
    }
  }
  const forgetOne = async () => {
    const client = new pg.Client(database);
    await client.connect();
    await client.query('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
    await client.end();
  };

  it('takes no lock when the schema is up to date, so that commands do not wait for nodes', () =>
    holdingLock(() => migrate(database, { giveUpAfterMs: 100 })));

  it('logs that it waits for another node, and fails with an error that says how to find it', async () => {
    await forgetOne();
    await holdingLock(async () => {
      const said: string[] = [];
      const migrating = migrate(database, {
        say: (message) => said.push(message),
        sayAfterMs: 50,
        giveUpAfterMs: 1_000,
      });
      await expect(migrating).rejects.toThrow(
        /^another node has held the lock for migrations for 1 seconds; .* pg_locks WHERE .* objid = 4712051$/,
      );
      expect(said).toEqual(["waiting for another node's migration"]);
    });
  });
});

describe('A node whose first connection to the database gets no answer', () => {
  it('connects again until there is an answer', async () => {
    reached = await proxy.open();
    proxy.dropAllData();
    const starting = startPortal({ reachDatabase: async () => reached });
    await until(() => proxy.connections > 1);
    proxy.passNewData();
    const portal = await starting;
    expect((await new Agent(portal.issuer).get('/api/settings')).status).toBe(200);
    await portal.close();
  });
});
