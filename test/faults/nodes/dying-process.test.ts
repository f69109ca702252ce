import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, kindsInSlowTests as kinds } from '../../support/clients/client-kinds.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { inTurn, isLong } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const apps = kinds.map((kind) => kind.client('cut-off', { accessTokenType: 'Reference' }));
/** Loaded before the portal: causes the faults, each at a signal. */
const faults = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { throw new Error('a fault of ours'); });
  process.on('SIGHUP', () => { Promise.reject(new Error('a fault of ours')); });
  process.on('SIGWINCH', () => { for (const kept = []; ; ) kept.push(new Array(1e6).fill({})); });
`)}`;

let proxy: DatabaseProxy;
let reached: TestConnection;
let ports: number[];
/** The node that is not killed, in this process. */
let other: TestPortal;
let dying: PortalProcess;
let browser: Agent;
/** Called at the next COMMIT: before the server gets it, or after it was executed and before the node knows. */
let atCommit: { before?: () => void; after?: () => void } = {};

const config = { users: [people.patient], clients: apps };

async function start(): Promise<void> {
  const [, port = 0] = ports;
  const nodeArguments = ['--max-old-space-size=192', '--import', faults];
  dying = await PortalProcess.start({ database: reached, port, issuer: other.issuer, config, nodeArguments });
}

beforeAll(async () => {
  const database = await createDatabase();
  proxy = new DatabaseProxy(database.connection, (sql, onAnswer) => {
    if (sql !== 'COMMIT') return;
    const { before, after } = atCommit;
    atCommit = {};
    before?.();
    if (after) onAnswer(after);
  });
  reached = await proxy.open();
  ports = await freePorts(2);
  // All processes of `PortalProcess` have this master key.
  const masterKey = Buffer.from('7'.repeat(64), 'hex');
  other = await startPortal({ filled: { database, masterKey }, ports: ports.slice(0, 1), config });
  browser = new Agent(other.issuer);
});

beforeEach(start);
afterEach(() => dying.end('SIGKILL'));

afterAll(async () => {
  await other.close();
  await proxy.shut();
});

const onDying = () => new Agent(other.issuer, dying.port);
/** The request gets no answer because the process has ended. */
const noAnswer = (request: Promise<Answer>) =>
  request.then(
    ({ status, text }) => `${status} ${text}`,
    () => 'none',
  );

async function newCode(kind: ClientKind): Promise<{ smart: SmartApp; code: string }> {
  const smart = kind.app(other, kind.client('cut-off'), {}, browser);
  return { smart, code: (await smart.complete(people.patient)).searchParams.get('code') ?? '' };
}

async function newRefreshToken(kind: ClientKind) {
  const { smart, code } = await newCode(kind);
  return { smart, token: (await smart.exchange(code)).json<{ refresh_token: string }>().refresh_token };
}

describe('R-03 When a node is killed before it answers a refresh', () => {
  // Usually with one kind: `killed-node.test.ts` tries all of them, with nodes whose connections end.
  it.each(inTurn(kinds, 0))('another node repeats the answer, and its refresh token works ($name)', async (kind) => {
    const { smart, token } = await newRefreshToken(kind);
    atCommit = {
      after() {
        dying.signal('SIGKILL');
        proxy.breakAll();
      },
    };
    const lost = noAnswer(smart.refresh(token, {}, onDying()));
    expect(await dying.end()).toBe('SIGKILL');
    await lost;
    const answers = [await smart.refresh(token), await smart.refresh(token)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    const { refresh_token: next = '' } = answers[0]?.json<Tokens>() ?? {};
    expect((await smart.refresh(next)).status).toBe(200);
    expect((await smart.refresh(token)).status).toBe(400);
  });
});

const uncaught = [
  { fault: 'an exception', signal: 'SIGUSR2', end: 1 },
  { fault: 'a rejected promise', signal: 'SIGHUP', end: 1 },
  { fault: 'no memory left', signal: 'SIGWINCH', end: 'SIGABRT' },
] as const;
/** Another fault for each kind, all of them in the long run. */
const tries = kinds.flatMap((kind, index) =>
  uncaught
    .filter((_, other) => isLong || other === index % uncaught.length)
    .map((one) => ({ ...one, kind, name: kind.name })),
);

describe('R-15 An uncaught exception', () => {
  it.each(tries)(
    'ends the process with a log line, and another node can do the interrupted work: $fault ($name)',
    async ({ kind, signal, end }) => {
      const { smart, code } = await newCode(kind);
      atCommit = {
        before() {
          dying.signal(signal);
          proxy.breakAll();
        },
      };
      const lost = noAnswer(smart.exchange(code, {}, onDying()));
      expect(await dying.end()).toBe(end);
      await lost;
      expect((await smart.exchange(code)).status).toBe(200);
    },
  );
});
