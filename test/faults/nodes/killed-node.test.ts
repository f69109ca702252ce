import { randomUUID } from 'node:crypto';
import { sha256 } from '../../../src/platform/crypto/secrets.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { Flow } from '../../support/apps/flow.js';
import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds, kindsInSlowTests as kinds } from '../../support/clients/client-kinds.js';
import {
  type Attempt,
  ConnectionCuts,
  type CutMoment,
  retryWhileUnavailable,
} from '../../support/database/connection-cuts.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const quietApps = clientKinds.map((kind) => kind.client('quiet', { accessTokenType: 'Reference' }));
const askingApps = clientKinds.map((kind) => kind.client('asking', { requireConsent: true }));
const moments: CutMoment[] = ['before', 'after'];

/** Links by mail are the same for all kinds. */
const [clientOfLinks] = clientKinds as [ClientKind];
const cuts = new ConnectionCuts();
let portal: TestPortal;
/** The browser of a signed-in user. */
let browser: Agent;

async function open(users: object[]): Promise<void> {
  portal = await startPortal({
    nodes: 2,
    config: { users, clients: [...quietApps, ...askingApps] },
    // The second node lives on.
    reachDatabase: async (database) => [await cuts.reach(database), database],
  });
}

async function close(): Promise<void> {
  await portal.close();
  await cuts.close();
}

const areListening = () => portal.apps.every((node) => node.get(Notifications, { strict: false }).isListening);
const agentOf = (node: number) => new Agent(portal.issuer, portal.ports[node]);
const count = async (sql: string, ...parameters: unknown[]) => (await portal.query(sql, parameters)).length;
/** Deletes the grants of earlier attempts. */
const forgetGrants = async () => {
  await portal.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')");
  await portal.query('DELETE FROM app_consent');
};
const isActive = async (kind: ClientKind, { access_token }: Tokens) =>
  (await kind.userinfo(agentOf(1), access_token)).status === 200;
const unused = () =>
  count(`SELECT FROM oidc_record WHERE model = 'RefreshToken' AND consumed_at IS NULL
          AND grant_id IN (SELECT grant_id FROM oidc_record WHERE model = 'Grant')`);
const nothingOfAGrantWithout = async () =>
  expect(
    await count(`SELECT FROM oidc_record token WHERE model IN ('RefreshToken', 'AccessToken', 'AuthorizationCode')
                  AND NOT EXISTS (SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id = token.grant_id)`),
  ).toBe(0);

/** Uses the session of the browser, so that a code needs few requests. */
async function newCode(kind: ClientKind): Promise<{ app: SmartApp; code: string }> {
  browser.port = portal.ports[1] ?? 0;
  const app = kind.app(portal, kind.client('quiet'), {}, browser);
  const landed = await app.complete(people.patient);
  return { app, code: landed.searchParams.get('code') ?? '' };
}

async function canSignIn(email: string, password: string): Promise<boolean> {
  await portal.query('DELETE FROM rate_limit');
  const answer = await retryWhileUnavailable(() =>
    agentOf(1).post('/api/session/login', { username: email, password }),
  );
  return answer.status === 200;
}

describe.each(moments)('R-01 When a node is killed %s any statement of a request', (moment) => {
  /** One kind tries half of the statements at each moment: the other half at the other one. */
  const turn = { number: moments.indexOf(moment), turns: moments.length };
  /** At each moment the kinds try each statement once between them, and each kind tries one if there are as many. */
  const turnOf = ({ number }: ClientKind) => ({ number, turns: clientKinds.length });
  /** Only a fault at the last statement, the commit, can complete a request without an answer to its client. */
  const expectWholeOrNothing = (
    { statements, refusedAgain }: Awaited<ReturnType<ConnectionCuts['atEachStatement']>>,
    least = 6,
  ) => {
    expect(statements).toBeGreaterThanOrEqual(least);
    expect(refusedAgain).toBe(0);
  };

  beforeAll(async () => {
    await open([people.patient]);
    browser = agentOf(0);
  });
  afterAll(close);

  it.each(clientKinds)('a code is redeemed once or not at all ($name)', async (kind) => {
    const tried = await cuts.atEachStatement(
      moment,
      areListening,
      async (): Promise<Attempt> => {
        await forgetGrants();
        const { app, code } = await newCode(kind);
        return {
          send: (node) => app.exchange(code, {}, agentOf(node)),
          async check(first, again) {
            expect([200, 503]).toContain(first.status);
            const [one] = [first, again].filter(({ status }) => status === 200);
            if (first.status === 200 || again.status !== 200) {
              expect([again.status, again.json().error]).toEqual([400, 'invalid_grant']);
            }
            expect(await unused()).toBe(first.status !== 200 && one ? 1 : 0);
            if (one === again) expect(await isActive(kind, again.json<Tokens>())).toBe(true);
            await nothingOfAGrantWithout();
          },
        };
      },
      turnOf(kind),
    );
    expectWholeOrNothing(tried, clientKinds.length);
  });

  it.each(clientKinds)('no client loses its grant by a refresh ($name)', async (kind) => {
    const tried = await cuts.atEachStatement(
      moment,
      areListening,
      async (): Promise<Attempt> => {
        await forgetGrants();
        const { app, code } = await newCode(kind);
        const token = (await app.exchange(code, {}, agentOf(1))).json<{ refresh_token: string }>().refresh_token;
        return {
          send: (node) => app.refresh(token, {}, agentOf(node)),
          async check(first, again) {
            expect([200, 503]).toContain(first.status);
            expect(again.status).toBe(200);
            if (first.status === 200) expect(again.text).toBe(first.text);
            expect(await unused()).toBe(1);
            const next = again.json<Tokens>();
            expect(await isActive(kind, next)).toBe(true);
            expect((await app.refresh(next.refresh_token ?? '', {}, agentOf(0))).status).toBe(200);
            await nothingOfAGrantWithout();
          },
        };
      },
      turnOf(kind),
    );
    expectWholeOrNothing(tried, clientKinds.length);
  });

  it.each(kinds.slice(0, isLong ? kinds.length : 1))(
    'a consent is stored once or not at all, and the authorization can continue ($name)',
    async (kind) => {
      const tried = await cuts.atEachStatement(
        moment,
        areListening,
        async (): Promise<Attempt> => {
          await forgetGrants();
          browser.port = portal.ports[1] ?? 0;
          const flow = await Flow.begin(portal, kind.client('asking'), { kind, browser });
          expect(flow.path).toBe('/user/consent');
          const scopes = await flow.app.offeredScopes(flow.returnUrl);
          const recorded = () => count("SELECT FROM audit_event WHERE type = 'consent.given'");
          const before = await recorded();
          return {
            send(node) {
              browser.port = portal.ports[node] ?? 0;
              return flow.app.consent(flow.returnUrl, scopes);
            },
            async check(first, again) {
              expect([204, 503]).toContain(first.status);
              // A repeated answer is refused because it was given before, or because the request has ended.
              expect([204, 400]).toContain(again.status);
              await flow.followToNextPage();
              expect(flow.path).toBe('app');
              const tokens = await flow.app.exchange(flow.page.searchParams.get('code') ?? '', {}, agentOf(1));
              expect(tokens.status).toBe(200);
              expect(await count('SELECT FROM app_consent')).toBe(1);
              // Recorded twice only if the first attempt was stored and its response was lost.
              const times = (await recorded()) - before;
              expect(moment === 'before' && first.status === 503 ? [1] : [1, 2]).toContain(times);
            },
          };
        },
        turn,
      );
      expectWholeOrNothing(tried);
    },
  );

  it.each(kinds.slice(0, isLong ? kinds.length : 1))(
    'the redirect back to the app can be repeated ($name)',
    async (kind) => {
      const tried = await cuts.atEachStatement(
        moment,
        areListening,
        async (): Promise<Attempt> => {
          await forgetGrants();
          browser.port = portal.ports[1] ?? 0;
          const flow = await Flow.begin(portal, kind.client('asking'), { kind, browser });
          expect((await flow.app.consent(flow.returnUrl, await flow.app.offeredScopes(flow.returnUrl))).status).toBe(
            204,
          );
          const resume = (await browser.get(flow.returnUrl)).location ?? '';
          return {
            send(node) {
              browser.port = portal.ports[node] ?? 0;
              return browser.get(resume);
            },
            async check(first, again) {
              expect([303, 503]).toContain(first.status);
              expect([303, 400]).toContain(again.status);
              if (again.status === 303) {
                const code = new URL(again.location ?? '').searchParams.get('code') ?? '';
                expect((await flow.app.exchange(code, {}, agentOf(1))).status).toBe(200);
              }
              expect((await newCode(kind)).code).not.toBe('');
              await nothingOfAGrantWithout();
            },
          };
        },
        turn,
      );
      expectWholeOrNothing(tried);
    },
  );

  it('a link for a forgotten password remembers the authorization request during which it was requested', async () => {
    const client = clientOfLinks.client('quiet');
    const tried = await cuts.atEachStatement(
      moment,
      areListening,
      async (): Promise<Attempt> => {
        await portal.query('DELETE FROM rate_limit');
        await portal.query('DELETE FROM account_link');
        const app = clientOfLinks.app(portal, client, {}, agentOf(1));
        const returnUrl = await app.begin();
        const id = new URLSearchParams(returnUrl.split('?')[1]).get('ix') ?? '';
        return {
          send: (node) => {
            app.browser.port = portal.ports[node] ?? 0;
            return app.browser.post('/api/user/forgot-password', { email: people.patient.email, returnUrl });
          },
          async check(first, again) {
            expect([200, 503]).toContain(first.status);
            expect(again.status).toBe(200);
            const remembered = await portal.query('SELECT client_id, request_hash FROM account_link');
            expect(remembered).toEqual([{ client_id: client.clientId, request_hash: sha256(id) }]);
          },
        };
      },
      turn,
    );
    expectWholeOrNothing(tried);
  });

  it('a mailed link sets the new password once, and the old password is refused', async () => {
    const { email } = people.patient;
    let password: string = people.patient.password;
    const tried = await cuts.atEachStatement(
      moment,
      areListening,
      async (): Promise<Attempt> => {
        await portal.query('DELETE FROM rate_limit');
        await portal.query('DELETE FROM account_link');
        const token = randomUUID();
        const [{ id } = { id: '' }] = await portal.query<{ id: string }>('SELECT id FROM account');
        await portal.query(
          `INSERT INTO account_link (account_id, purpose, token_hash, mail_id, expires_at)
         VALUES ($1, 'password-reset', $2, gen_random_uuid(), now() + interval '1 hour')`,
          [id, sha256(`password-reset ${token}`)],
        );
        const old = password;
        password = randomUUID();
        const chosen = password;
        const noted = () => count("SELECT FROM audit_event WHERE type = 'password.reset' AND outcome = 'success'");
        const before = await noted();
        return {
          send: (node) =>
            agentOf(node).send(`/api/user/forgot-password/${id}/reset`, {
              method: 'PUT',
              body: { password: chosen, token },
            }),
          async check(first, again) {
            expect([204, 503]).toContain(first.status);
            expect([204, 400]).toContain(again.status);
            expect(await canSignIn(email, chosen)).toBe(true);
            expect(await canSignIn(email, old)).toBe(false);
            expect(await noted()).toBe(before + 1);
          },
        };
      },
      turn,
    );
    expectWholeOrNothing(tried);
  });
});

// Each attempt starts a portal, so the usual run has one moment and every fifth statement only.
describe.each(isLong ? moments : (['after'] as const))('R-01 When a node is killed %s any statement', (moment) => {
  it('of creating the first administrator, there is one in the end, who can sign in', async () => {
    const { email, password } = people.admin;
    let isOpen = false;
    const tried = await cuts.atEachStatement(
      moment,
      areListening,
      async (): Promise<Attempt> => {
        // A new portal each time: a node remembers that there is an administrator.
        if (isOpen) await close();
        await open([]);
        isOpen = true;
        return {
          send: (node) =>
            agentOf(node).post('/api/admin/adminmanagement/create-initial', { Email: email, Password: password }),
          async check(first, again) {
            expect([200, 503]).toContain(first.status);
            expect([200, 403]).toContain(again.status);
            expect(await count("SELECT FROM account WHERE user_type = 'Admin'")).toBe(1);
            expect(await canSignIn(email, password)).toBe(true);
          },
        };
      },
      { number: 0, turns: 5 },
    );
    await close();
    expect(tried.statements).toBeGreaterThan(5);
    expect(tried.refusedAgain).toBe(0);
  });
});
