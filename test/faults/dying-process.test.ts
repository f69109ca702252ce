import { Agent, type Answer } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { createDatabase, type TestConnection } from '../support/database.js';
import { DatabaseDoor } from '../support/database-proxy.js';
import { people } from '../support/people.js';
import { freePorts } from '../support/portal.js';
import { PortalProcess } from '../support/portal-process.js';
import { SmartApp, type Tokens } from '../support/smart-app.js';

const app = { ...publicApp, requireConsent: false, accessTokenType: 'Reference' };
/** Loaded before the portal: what a fault of ours does, at a signal. */
const faults = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { throw new Error('a fault of ours'); });
  process.on('SIGHUP', () => { Promise.reject(new Error('a fault of ours')); });
  process.on('SIGWINCH', () => { for (const kept = []; ; ) kept.push(new Array(1e6).fill({})); });
`)}`;

let database: { connection: TestConnection; drop(): Promise<void> };
let door: DatabaseDoor;
let reached: TestConnection;
let ports: number[];
/** Stays. */
let other: PortalProcess;
let dying: PortalProcess;
let browser: Agent;
/** What happens at the next COMMIT: before it goes through, or when it has and the node does not know. */
let atCommit: { before?: () => void; after?: () => void } = {};

const config = { users: [people.patient], clients: [app] };

async function start(): Promise<void> {
  const [, port = 0] = ports;
  const nodeArguments = ['--max-old-space-size=192', '--import', faults];
  dying = await PortalProcess.start({ database: reached, port, issuer: other.issuer, config, nodeArguments });
}

beforeAll(async () => {
  database = await createDatabase();
  door = new DatabaseDoor(database.connection, (sql, onAnswer) => {
    if (sql !== 'COMMIT') return;
    const { before, after } = atCommit;
    atCommit = {};
    before?.();
    if (after) onAnswer(after);
  });
  reached = await door.open();
  ports = await freePorts(2);
  other = await PortalProcess.start({ database: database.connection, port: ports[0] ?? 0, config });
  browser = new Agent(other.issuer);
});

beforeEach(start);
afterEach(() => dying.end('SIGKILL'));

afterAll(async () => {
  await other.end('SIGKILL');
  await door.shut();
  await database.drop();
});

const onDying = () => new Agent(other.issuer, dying.port);
/** Nobody answers any more. */
const noAnswer = (request: Promise<Answer>) =>
  request.then(
    ({ status, text }) => `${status} ${text}`,
    () => 'none',
  );

async function newCode(): Promise<{ smart: SmartApp; code: string }> {
  const portal = { issuer: other.issuer, fhirBase: `${other.issuer}/fhir` };
  const smart = new SmartApp(portal, { client: app }, browser);
  return { smart, code: (await smart.complete(people.patient)).searchParams.get('code') ?? '' };
}

async function newRefreshToken() {
  const { smart, code } = await newCode();
  return { smart, token: (await smart.exchange(code)).json<{ refresh_token: string }>().refresh_token };
}

describe('R-03 When the answer to a refresh is lost because its node was killed', () => {
  it('another node gives one answer, again and again, and its refresh token works', async () => {
    const { smart, token } = await newRefreshToken();
    atCommit = {
      after() {
        dying.signal('SIGKILL');
        door.breakAll();
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

describe('R-15 A fault that nothing catches', () => {
  it.each([
    ['an exception', 'SIGUSR2', 1],
    ['a rejected promise', 'SIGHUP', 1],
    ['no memory left', 'SIGWINCH', 'SIGABRT'],
  ] as const)(
    'ends the process with a sign of it, and what it was about to do can be done by another: %s',
    async (_, signal, end) => {
      const { smart, code } = await newCode();
      atCommit = {
        before() {
          dying.signal(signal);
          door.breakAll();
        },
      };
      const lost = noAnswer(smart.exchange(code, {}, onDying()));
      expect(await dying.end()).toBe(end);
      await lost;
      expect((await smart.exchange(code)).status).toBe(200);
    },
  );
});
