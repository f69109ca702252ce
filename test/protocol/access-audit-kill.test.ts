import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Agent } from '../support/agent.js';
import { backendService, sharedSecret } from '../support/clients.js';
import { createDatabase, type TestConnection } from '../support/database.js';
import { startUpstream, type Upstream } from '../support/gateway.js';
import { freePorts } from '../support/portal.js';
import { basic } from '../support/smart-app.js';
import { until } from '../support/until.js';

const readers = 8;

let folder: string;
let issuer: string;
let upstream: Upstream;
let database: { connection: TestConnection; drop(): Promise<void> };
let portal: ChildProcess;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '' }, response) => {
    const resource = { resourceType: 'Observation', id: url.split('/').at(-1) };
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(resource));
  });
  database = await createDatabase();
  const [port] = await freePorts(1);
  issuer = `http://localhost:${port}`;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-kill-'));
  const config = join(folder, 'gatehouse.yaml');
  const { host, port: at, user, database: name } = database.connection;
  const settings = {
    dataDir: join(folder, 'data'),
    server: { issuer, port },
    database: { url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${at}` },
    keys: { masterKey: '7'.repeat(64) },
    fhir: { baseUrl: upstream.url },
    logging: { level: 'error' },
    clients: [backendService],
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(settings));
  portal = spawn(process.execPath, ['--import', '@swc-node/register/esm-register', 'src/main.ts'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, GATEHOUSE_CONFIG: config },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(() =>
    fetch(`${issuer}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});

afterAll(async () => {
  portal.kill('SIGKILL');
  upstream.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it('Every access that was answered is recorded, also when the process is killed in the midst of them', async () => {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const headers = basic(backendService.clientId, sharedSecret);
  const answer = await new Agent(issuer).postForm('/connect/token', form, { headers });
  const { access_token } = answer.json<{ access_token: string }>();
  const answered: string[] = [];
  let isAlive = true;
  const read = async (reader: number) => {
    for (let count = 0; isAlive; count += 1) {
      const target = `/Observation/r${reader}-${count}`;
      const response = await fetch(`${issuer}/fhir${target}`, { headers: { authorization: `Bearer ${access_token}` } });
      await response.text();
      if (response.status === 200) answered.push(target);
    }
  };
  const reading = Promise.allSettled(Array.from({ length: readers }, (_, reader) => read(reader)));
  await until(async () => answered.length > 200);
  const ended = new Promise((resolve) => portal.once('exit', resolve));
  portal.kill('SIGKILL');
  await ended;
  isAlive = false;
  await reading;
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query(
    "SELECT detail->>'target' AS target FROM audit_event WHERE type = 'record.accessed'",
  );
  await client.end();
  const recorded = new Set(rows.map(({ target }) => target as string));
  expect(answered.filter((target) => !recorded.has(target))).toEqual([]);
});
