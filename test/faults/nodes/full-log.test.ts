/**
 * A log that cannot be written fails no request, and is told. The disk is one of 64 KB where it can be mounted, and
 * else `/dev/full`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { Agent } from '../../support/http/agent.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { until } from '../../support/until.js';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-'));
const disk = join(folder, 'disk');
const file = join(disk, 'log');
const filler = join(disk, 'filler');
const otherStream = join(folder, 'stderr');

let database: { connection: TestConnection; drop(): Promise<void> };
let portal: PortalProcess | undefined;
let isMounted = false;

beforeAll(async () => {
  mkdirSync(disk);
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status === 0;
  database = await createDatabase();
});
afterAll(async () => {
  await portal?.end('SIGTERM');
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

async function start(output: string): Promise<PortalProcess> {
  const [port = 0] = await freePorts(1);
  const command = ['sh', '-c', `exec node dist/src/main.js >> ${output} 2> ${otherStream}`] as const;
  return PortalProcess.start({ database: database.connection, port, command, config: { logging: { level: 'info' } } });
}

function fillDisk(): void {
  try {
    for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) {
      for (;;) {
        try {
          writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
        } catch {
          break;
        }
      }
    }
  } catch {}
}

/** A refused announcement of a launch is a line of the log. */
const logSomething = (node: PortalProcess) =>
  new Agent(node.issuer)
    .postForm('/connect/launchContext', { patient: '1' }, { headers: basicAuthorization('unknown-ehr', 'x') })
    .then(({ status }) => status);
const readiness = async (node: PortalProcess) => {
  const { status, ...answer } = await new Agent(node.issuer).get('/health/ready');
  return [status, answer.json<Record<string, unknown>>().log];
};
const told = () =>
  readFileSync(otherStream, 'utf8')
    .split('\n')
    .filter((line) => line.includes('cannot be written'));

it('A node whose log is on a full disk starts, serves, and tells the reason once', async () => {
  portal = await start('/dev/full');
  for (let time = 0; time < 20; time += 1) expect(await logSomething(portal)).toBe(401);
  expect(await readiness(portal)).toEqual([200, false]);
  expect(told()).toEqual([expect.stringMatching(/"level":"error".*"the log cannot be written: ENOSPC"/)]);
  expect(await portal.end('SIGTERM')).toBe(0);
  portal = undefined;
});

it('A node writes its log again when the disk has room', async () => {
  if (!isMounted) return;
  portal = await start(file);
  expect(await readiness(portal)).toEqual([200, undefined]);
  fillDisk();
  for (let time = 0; time < 25; time += 1) expect(await logSomething(portal)).toBe(401);
  expect(await readiness(portal)).toEqual([200, false]);
  expect(told()).toHaveLength(1);
  rmSync(filler);
  const node = portal;
  await until(async () => (await readiness(node))[1] === undefined);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  // What waited is there, in its order, and each line is whole.
  expect(lines.filter((line) => line.includes('unknown-ehr'))).toHaveLength(25);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'the log is written again', lost: 0 });
});
