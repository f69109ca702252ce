import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../src/platform/database/migrate.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { RestartablePostgres } from '../../support/database/postgres-pair.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { HeldRequest } from '../../support/http/held-request.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { isLong, runs } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** The number of killed nodes; the database is restarted between them. */
const { numRuns: kills } = runs(1, 30);
const { numRuns: restarts } = runs(1, 10);
/** The number of refreshes that are answered between two faults. */
const refreshesBetween = 30;
/** The pause between refreshes of an app, so that a starting node gets CPU time. */
const pauseMs = 100;
/** An app gives up a request after this time, and sends it to the other node. */
const patienceMs = 2_000;

let postgres: RestartablePostgres;
let nodes: PortalProcess[];
let ports: number[];
let isOver = false;
let refreshes = 0;

const config = {
  users: [people.patient],
  clients: clientKinds.map((kind) => kind.client('stormy', { accessTokenType: 'Reference' })),
};
const portal = () => ({ issuer: `http://localhost:${ports[0]}`, fhirBase: `http://localhost:${ports[0]}/fhir` });

async function startNode(index: number): Promise<void> {
  const [port = 0, issuer] = [ports[index], portal().issuer];
  nodes[index] = await PortalProcess.start({ database: postgres.connection, port, issuer, config });
}

beforeAll(async () => {
  postgres = await RestartablePostgres.start();
  await migrate(postgres.connection);
  ports = await freePorts(2);
  nodes = [];
  await startNode(0);
  await startNode(1);
});

afterAll(async () => {
  for (const node of nodes) await node.end('SIGKILL');
  await postgres.remove();
});

/** Repeats the request at any node until it is answered, as apps do after a lost answer, or one that takes too long. */
async function answered(send: (agent: Agent) => Promise<Answer>): Promise<Answer> {
  for (let turn = Math.floor(Math.random() * 2); ; turn += 1) {
    const request = new HeldRequest(portal().issuer, ports[turn % 2] ?? 0, send);
    const end = setTimeout(() => request.close(), patienceMs);
    const answer = await request.answer;
    clearTimeout(end);
    if (answer && answer.status < 500) return answer;
    await sleep(50);
  }
}

/** An app with tokens from its own authorization, so that many apps can refresh at once. */
async function begin(kind: ClientKind, browser: Agent) {
  const app = kind.app(portal(), kind.client('stormy'), {}, browser);
  const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
  return { app, code };
}

/** Refreshes until the end of the test; returns the refusals. */
async function refreshOnAndOn(kind: ClientKind, browser: Agent): Promise<string[]> {
  const { app, code } = await begin(kind, browser);
  let { refresh_token: token = '' } = (await app.exchange(code)).json<Tokens>();
  const refused: string[] = [];
  const refresh = async () => {
    const answer = await answered((agent) => app.refresh(token, {}, agent));
    if (answer.status !== 200) return refused.push(`${kind.name}: ${answer.status} ${answer.text}`);
    token = answer.json<Tokens>().refresh_token ?? '';
    refreshes += 1;
    await sleep(pauseMs);
  };
  while (!isOver && refused.length === 0) await refresh();
  // The last refresh token is still valid after all faults.
  if (refused.length === 0) await refresh();
  return refused;
}

/** Redeems codes at both nodes at once; returns those that gave tokens twice. */
async function redeemOnAndOn(browser: Agent): Promise<{ codes: number; spentTwice: string[] }> {
  const spentTwice: string[] = [];
  let codes = 0;
  for (let turn = 0; !isOver; turn += 1) {
    const kind = clientKinds[turn % clientKinds.length] as ClientKind;
    browser.port = ports[turn % 2] ?? 0;
    const begun = await begin(kind, browser).catch(() => undefined);
    if (!begun?.code) continue;
    codes += 1;
    const send = () => answered((agent) => begun.app.exchange(begun.code, {}, agent));
    const given = (await Promise.all([send(), send()])).filter(({ status }) => status === 200);
    if (given.length > 1) spentTwice.push(kind.name);
    await sleep(pauseMs);
  }
  return { codes, spentTwice };
}

/** For longer than the apps wait for an answer. */
async function standStill(node: PortalProcess | undefined): Promise<void> {
  node?.signal('SIGSTOP');
  await sleep(patienceMs + 1_000);
  node?.signal('SIGCONT');
}

async function faults(): Promise<void> {
  const inBetween = Math.ceil(kills / restarts);
  for (let kill = 1; kill <= kills; kill += 1) {
    const before = refreshes;
    await until(() => refreshes >= before + refreshesBetween);
    await standStill(nodes[(kill + 1) % 2]);
    await nodes[kill % 2]?.end('SIGKILL');
    await startNode(kill % 2);
    if (kill % inBetween === 0) await postgres.restart();
  }
  await until(async () => (await Promise.all(nodes.map((node) => node.isReady()))).every(Boolean));
}

describe('R-01 R-05 While nodes stand still, nodes are killed and the database is restarted repeatedly', () => {
  useBusyMachine();

  it('no kind of client loses a grant, and no code or refresh token is used twice', async () => {
    const browser = new Agent(portal().issuer);
    const { email: username, password } = people.patient;
    expect((await browser.post('/api/session/login', { username, password })).status).toBe(200);
    const elsewhere = new Agent(portal().issuer);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    const begun = clientKinds.map((kind) => refreshOnAndOn(kind, browser));
    const codes = redeemOnAndOn(elsewhere);
    await faults().finally(() => {
      isOver = true;
    });
    expect((await Promise.all(begun)).flat()).toEqual([]);
    expect((await codes).spentTwice).toEqual([]);
    expect((await codes).codes).toBeGreaterThan(0);
    const reused = await postgres.query(
      "SELECT client_id, detail FROM audit_event WHERE type = 'token.reused' AND detail ->> 'kind' = 'RefreshToken'",
    );
    expect(reused).toEqual([]);
    const unused = await postgres.query(
      `SELECT grant_id FROM oidc_record WHERE model = 'RefreshToken' AND consumed_at IS NULL
        GROUP BY grant_id HAVING count(*) > 1`,
    );
    expect(unused).toEqual([]);
    const withoutGrant = await postgres.query(
      `SELECT model FROM oidc_record token WHERE model IN ('RefreshToken', 'AccessToken', 'AuthorizationCode')
         AND NOT EXISTS (SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id = token.grant_id)`,
    );
    expect(withoutGrant).toEqual([]);
    const counts = `${kills} kills, ${restarts} restarts, ${refreshes} refreshes, ${(await codes).codes} codes\n`;
    if (isLong) process.stderr.write(counts);
  }, 3_600_000);
});
