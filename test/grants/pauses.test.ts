import type { AccessLogPage } from '../../src/contract/own-record/access-log.js';
import type { GrantList } from '../../src/contract/own-record/grants.js';
import type { UserActivity } from '../../src/contract/users/users.js';
import { returnUrlOf, type Tokens } from '../support/apps/smart-app.js';
import { clientKinds, kindsInSlowTests } from '../support/clients/client-kinds.js';
import { Agent } from '../support/http/agent.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import {
  appsOfKind,
  asResourceServer,
  expectInactive,
  tokenScope,
  useTokenPortal,
} from '../support/portal/token-portal.js';
import { itInTurn, inTurn as oneOf } from '../support/runs.js';
import { eventually } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const tokens = useTokenPortal({});
const aRead = '/fhir/Patient/1';
/** There is no FHIR server: the gateway has let the request through. */
const passed = 502;

const pause = (browser: Agent, { clientId }: { clientId: string }, method = 'PUT') =>
  browser.send(`/api/grant/pause?${new URLSearchParams({ clientId })}`, { method });
const resume = (browser: Agent, client: { clientId: string }) => pause(browser, client, 'DELETE');
const eventsOf = async ({ clientId }: { clientId: string }) =>
  (
    await tokens.portal.query<{ type: string }>(
      "SELECT type FROM audit_event WHERE type IN ('app.paused', 'app.resumed') AND client_id = $1 ORDER BY id",
      [clientId],
    )
  ).map(({ type }) => type);
const cardOf = async (browser: Agent, client: { clientId: string }) =>
  (await browser.get('/api/grant'))
    .json<GrantList & Record<string, unknown>>()
    .clientsPermissions.find(({ clientId }) => clientId === client.clientId);

const rows = clientKinds.flatMap((kind) =>
  oneOf(appsOfKind(kind), kind.number).map((client) => ({
    kind,
    client,
    name: `${kind.name}, ${client.accessTokenType}`,
  })),
);

describe.each(rows)('An app that the user has paused ($name)', ({ kind, client }) => {
  const inTurn = itInTurn(kind.number, 2);
  const appOf = (browser?: Agent, scope = tokenScope) => kind.app(tokens.portal, client, { scope }, browser);

  it('can use none of its tokens anywhere, and all of them again when it is resumed', async () => {
    const app = appOf();
    const { access_token, refresh_token = '' } = await app.tokens(people.patient);
    const statuses = async (node: number) => {
      const agent = tokens.node(node);
      const answers = [kind.read(agent, aRead, access_token), kind.userinfo(agent, access_token)];
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect(await statuses(0)).toEqual([passed, 200]);
    expect((await pause(app.browser, client)).status).toBe(204);
    expect((await cardOf(app.browser, client))?.pausedAt).toEqual(expect.any(String));
    for (const node of [0, 1]) {
      await eventually(async () => {
        expect(await statuses(node)).toEqual([401, 401]);
        for (const token of [access_token, refresh_token]) {
          expectInactive(await tokens.introspect(token, asResourceServer(), node));
        }
      });
    }
    const refused = await app.refresh(refresh_token);
    expect([refused.status, refused.json().error, refused.headers['retry-after']]).toEqual([
      400,
      'temporarily_unavailable',
      '900',
    ]);
    const launch = await launchOf(tokens.portal, refused);
    expect(entriesOf(launch, 'token-app-paused')).toHaveLength(1);

    expect((await resume(app.browser, client)).status).toBe(204);
    expect((await cardOf(app.browser, client))?.pausedAt).toBeNull();
    for (const node of [0, 1]) await eventually(async () => expect(await statuses(node)).toEqual([passed, 200]));
    const next = (await app.refresh(refresh_token)).json<Tokens>();
    expect((await kind.read(app.browser, aRead, next.access_token)).status).toBe(passed);
    expect(await eventsOf(client)).toEqual(expect.arrayContaining(['app.paused', 'app.resumed']));
  });

  inTurn('exchanges a code only after it was resumed', async () => {
    const app = appOf();
    await app.tokens(people.patient);
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    await pause(app.browser, client);
    const refused = await app.exchange(code);
    expect([refused.status, refused.json().error]).toEqual([400, 'temporarily_unavailable']);
    await resume(app.browser, client);
    expect((await app.exchange(code)).status).toBe(200);
  });

  inTurn('has the reason in its launch when the gateway refuses it', async () => {
    const app = appOf();
    const { access_token } = await app.tokens(people.patient);
    await pause(app.browser, client);
    const answer = await kind.read(app.browser, aRead, access_token);
    const [entry] = entriesOf(await launchOf(tokens.portal, answer), 'gateway-app-paused');
    expect([answer.status, entry?.decidedBy, entry?.detail]).toEqual([
      401,
      'Paused by the user',
      { method: 'GET', type: 'Patient' },
    ]);
    await resume(app.browser, client);
  });
});

describe.each(kindsInSlowTests)('While the user has paused an app ($name)', (kind) => {
  const [client] = appsOfKind(kind) as [ReturnType<typeof appsOfKind>[number]];
  const appOf = (browser?: Agent, parameters = {}) =>
    kind.app(tokens.portal, client, { scope: tokenScope, parameters }, browser);
  const resumeFor = (browser: Agent, returnUrl: string) => browser.post('/api/grant/resume', { returnUrl });

  async function paused() {
    const app = appOf();
    const issued = await app.tokens(people.patient);
    expect((await pause(app.browser, client)).status).toBe(204);
    return { ...issued, browser: app.browser };
  }

  it('its next request asks whether to resume it, and continues with the answer', async () => {
    const { browser, access_token } = await paused();
    const before = (await eventsOf(client)).length;
    const app = appOf(browser);
    const asked = await app.authorize();
    const returnUrl = returnUrlOf(asked);
    expect(new URL(asked.location ?? '').pathname).toBe('/user/paused-app');
    expect((await browser.get(`/api/authorization?${new URLSearchParams({ returnUrl })}`)).json()).toMatchObject({
      step: 1,
      total: 1,
    });
    expect((await resumeFor(browser, returnUrl)).status).toBe(204);
    const landed = new URL(await app.follow(returnUrl));
    expect((await app.exchange(landed.searchParams.get('code') ?? '')).status).toBe(200);
    expect((await kind.read(browser, aRead, access_token)).status).toBe(passed);
    expect((await eventsOf(client)).slice(before)).toEqual(['app.resumed']);
    expect((await resumeFor(browser, returnUrl)).status).toBe(400);
  });

  it('it stays paused when the user cancels, or another account answers', async () => {
    const { browser, access_token } = await paused();
    const app = appOf(browser);
    const returnUrl = returnUrlOf(await app.authorize());
    const other = appOf();
    await other.signIn(people.otherPatient, await other.begin());
    expect((await resumeFor(other.browser, returnUrl)).status).toBe(400);
    await browser.send(`/api/authorization?${new URLSearchParams({ returnUrl })}`, { method: 'DELETE' });
    const landed = new URL(await app.follow(returnUrl));
    expect(landed.searchParams.get('error')).toBe('access_denied');
    expect((await kind.read(browser, aRead, access_token)).status).toBe(401);
    await resume(browser, client);
  });

  it('a request that may show no page is refused', async () => {
    const { browser } = await paused();
    const landed = await appOf(browser, { prompt: 'none' }).complete(people.patient);
    expect(landed.searchParams.get('error')).toBe('interaction_required');
    await resume(browser, client);
  });

  it('the answer to a refresh that was lost is repeated, and a token that is used again ends the access', async () => {
    const app = appOf();
    const { refresh_token = '' } = await app.tokens(people.patient);
    const answer = await app.refresh(refresh_token);
    await pause(app.browser, client);
    expect((await app.refresh(refresh_token)).text).toBe(answer.text);
    await tokens.portal.query('DELETE FROM refresh_answer');
    expect((await app.refresh(refresh_token)).json().error).toBe('invalid_grant');
    await resume(app.browser, client);
    expect((await app.refresh(answer.json<Tokens>().refresh_token ?? '')).json().error).toBe('invalid_grant');
  });

  it('its access can be taken back, and a new request is not asked about the pause', async () => {
    const { browser } = await paused();
    await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    const landed = await appOf(browser).complete(people.patient);
    expect(landed.searchParams.get('code')).not.toBeNull();
  });

  it('an administrator sees it on the user', async () => {
    const { browser } = await paused();
    const admin = new Agent(tokens.portal.issuer);
    await login(admin, people.admin);
    const [{ id = '' } = {}] = await tokens.portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      people.patient.email,
    ]);
    const { apps } = (await admin.get(`/api/admin/user/${id}/activity`)).json<UserActivity & Record<string, unknown>>();
    expect(apps.find(({ clientId }) => clientId === client.clientId)?.pausedAt).toEqual(expect.any(String));
    await resume(browser, client);
  });
});

describe('Pausing an app', () => {
  const [kind] = clientKinds as [(typeof clientKinds)[number]];
  const [client] = appsOfKind(kind) as [ReturnType<typeof appsOfKind>[number]];

  it('is recorded once however often it is sent, and so is resuming it', async () => {
    const app = kind.app(tokens.portal, client, { scope: tokenScope });
    await app.tokens(people.patient);
    const before = (await eventsOf(client)).length;
    const thrice = (send: typeof pause) => Promise.all([1, 2, 3].map(() => send(app.browser, client)));
    expect((await thrice(pause)).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await thrice(resume)).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await eventsOf(client)).slice(before)).toEqual(['app.paused', 'app.resumed']);
    const log = await app.browser.get(`/api/user/access-log?clientId=${client.clientId}`);
    const { entries } = log.json<AccessLogPage & Record<string, unknown>>();
    const ends = entries.flatMap((entry) => (entry.type === 'taken-back' ? [[entry.what, entry.byPatient]] : []));
    expect(ends.slice(0, 2)).toEqual([
      ['resumed', true],
      ['paused', true],
    ]);
  });

  it('is refused for an app without access', async () => {
    const app = kind.app(tokens.portal, client, { scope: tokenScope });
    await app.tokens(people.patient);
    expect((await pause(app.browser, { clientId: 'unknown' })).status).toBe(404);
    await app.browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    expect((await pause(app.browser, client)).status).toBe(404);
    expect((await resume(app.browser, client)).status).toBe(204);
  });
});
