import pg from 'pg';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { onlyWinner, race, raceSize, raceTimeout, rounds } from '../../support/http/races.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const keys = await Promise.all([makeClientKey('RS384', 'RS384'), makeClientKey('ES384', 'ES384')]);
const service = serviceWithKeys('keyed-service', keys);
const revocable = { accessTokenType: 'Reference' };

let portal: TestPortal;
/** Signed in, so that a code needs few requests. */
let browser: Agent;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    config: {
      users: [people.patient],
      clients: [service, ...clientKinds.map((kind) => kind.client('racing', revocable))],
      limits: { startsPerMinute: 1_000_000 },
    },
  });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
});

afterAll(() => portal.close());

/** Records of an app that remain without their grant. */
const leftWithoutGrant = () =>
  portal.query(
    `SELECT model, client_id FROM oidc_record token
      WHERE model IN ('RefreshToken', 'AccessToken', 'AuthorizationCode')
        AND NOT EXISTS (SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id = token.grant_id)`,
  );

/**
 * Sends the same request over all connections, and locks the grant until all of them wait for it: a request that comes
 * later would be no race but a second use of a code. If a request waits too long on a busy machine, the race starts
 * again.
 */
async function raceForGrant(begin: () => Promise<(agent: Agent) => Promise<Answer>>): Promise<Answer[]> {
  const holder = new pg.Client(portal.connection);
  await holder.connect();
  try {
    for (;;) {
      const send = await begin();
      await holder.query('BEGIN');
      await holder.query("SELECT FROM oidc_record WHERE model = 'Grant' FOR UPDATE");
      let hasAnswer = false;
      const answers = race(portal, (agent) =>
        send(agent).finally(() => {
          hasAnswer = true;
        }),
      );
      const allWait = async () => {
        const { rows } = await holder.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return rows.length === raceSize;
      };
      await until(async () => hasAnswer || (await allWait()));
      const areReady = !hasAnswer;
      await holder.query('COMMIT');
      if (areReady) return await answers;
      await answers;
    }
  } finally {
    await holder.end();
  }
}

describe.each(clientKinds)('Of 20 requests at once on two nodes ($name)', (kind) => {
  const client = kind.client('racing', revocable);
  const app = () => kind.app(portal, client, {}, browser);
  const unused = () =>
    portal.query("SELECT FROM oidc_record WHERE model = 'RefreshToken' AND client_id = $1 AND consumed_at IS NULL", [
      client.clientId,
    ]);

  beforeEach(() => portal.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')"));

  it(
    'B-03 one redeems a code for working tokens, and no other one does',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        let smart = app();
        let before = 0;
        const answers = await raceForGrant(async () => {
          before = (await unused()).length;
          smart = app();
          const code = (await smart.complete(people.patient)).searchParams.get('code') ?? '';
          return (agent) => smart.exchange(code, {}, agent);
        });
        const { access_token, refresh_token = '' } = onlyWinner(answers, 200, [400]).json<Tokens>();
        expect((await kind.userinfo(browser, access_token)).status).toBe(200);
        expect((await smart.refresh(refresh_token)).status).toBe(200);
        expect(await unused()).toHaveLength(before + 1);
      }
    },
    raceTimeout,
  );

  it(
    'B-09 all that repeat a refresh get one answer, whose tokens work',
    async () => {
      let token = (await app().tokens(people.patient)).refresh_token ?? '';
      for (let round = 0; round < rounds; round += 1) {
        const answers = await race(portal, (agent) => app().refresh(token, {}, agent));
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        const { access_token, refresh_token = '' } = answers[0]?.json<Tokens>() ?? { access_token: '' };
        expect((await kind.userinfo(browser, access_token)).status).toBe(200);
        expect(await unused()).toHaveLength(1);
        token = refresh_token;
      }
    },
    raceTimeout,
  );

  it(
    'P-05 none that refresh while the user revokes the app get an internal error or leave tokens behind',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const token = (await app().tokens(people.patient)).refresh_token ?? '';
        const path = `/api/grant?clientId=${client.clientId}`;
        const signedIn = (agent: Agent) => {
          for (const [name, value] of browser.cookies) agent.cookies.set(name, value);
          return agent;
        };
        const answers = await race(portal, (agent, index) =>
          index === 10 ? signedIn(agent).send(path, { method: 'DELETE' }) : app().refresh(token, {}, agent),
        );
        const refreshed = answers.filter((_, index) => index !== 10);
        expect([answers[10]?.status, refreshed.filter(({ status }) => ![200, 400].includes(status))]).toEqual([
          204,
          [],
        ]);
        expect(await leftWithoutGrant()).toEqual([]);
        expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Grant'")).toEqual([]);
        const [won] = refreshed.filter(({ status }) => status === 200);
        if (won) expect((await app().refresh(won.json<Tokens>().refresh_token ?? '')).status).toBe(400);
      }
    },
    raceTimeout,
  );

  it(
    'P-05 none that redeem a code while the user revokes the app get an internal error or leave tokens behind',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const smart = app();
        const code = (await smart.complete(people.patient)).searchParams.get('code') ?? '';
        const [revoked, ...answers] = await Promise.all([
          browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' }),
          ...portal.ports.map((port) => smart.exchange(code, {}, new Agent(portal.issuer, port))),
        ]);
        expect([revoked?.status, answers.filter(({ status }) => ![200, 400].includes(status))]).toEqual([204, []]);
        expect(await leftWithoutGrant()).toEqual([]);
      }
    },
    raceTimeout,
  );
});

describe.each(keys)('Of 20 requests at once on two nodes ($alg)', (key) => {
  it(
    'C-06 one may use a client assertion',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const form = {
          grant_type: 'client_credentials',
          scope: 'system/*.rs',
          client_assertion_type: assertionType,
          client_assertion: await clientAssertion({
            clientId: service.clientId,
            audience: `${portal.issuer}/connect/token`,
            key,
          }),
        };
        onlyWinner(await race(portal, (agent) => agent.postForm('/connect/token', form)), 200, [401]);
      }
    },
    raceTimeout,
  );
});
