import { Notifications } from '../../../src/platform/database/notifications.js';
import { Flow } from '../../support/apps/flow.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { ConnectionCuts, type CutMoment } from '../../support/database/connection-cuts.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

/** Broken connections are in the long run only; `database-outage` and `killed-node` test some of them in every run. */
const moments: CutMoment[] = isLong ? ['before', 'ended'] : ['ended'];
const apps = clientKinds.map((kind) => kind.client('quiet', { accessTokenType: 'Reference' }));
const asking = { ...apps[0], clientId: 'asking', requireConsent: true };
const [app = asking] = apps;

const cuts = new ConnectionCuts();
let portal: TestPortal;
let upstream: Upstream;
/** The browser of a signed-in user. */
let browser: Agent;
let admin: Agent;
let accessToken: string;

beforeAll(async () => {
  upstream = await startUpstream((_, response) =>
    response.writeHead(200, { 'content-type': 'application/fhir+json' }).end('{"resourceType":"Patient","id":"1"}'),
  );
  portal = await startPortal({
    config: {
      users: [people.patient, people.admin],
      clients: [...apps, asking, backendService],
      fhir: { baseUrl: upstream.url },
      limits: { startsPerMinute: 1_000_000 },
    },
    reachDatabase: (database) => cuts.reach(database),
  });
  browser = agent();
  accessToken = (await new SmartApp(portal, { client: app }, browser).tokens(people.patient)).access_token;
  admin = agent();
  await login(admin, people.admin);
});

afterAll(async () => {
  await portal.close();
  await cuts.close();
  upstream.close();
});

const agent = () => new Agent(portal.issuer);
const areListening = () => portal.apps.every((node) => node.get(Notifications, { strict: false }).isListening);
const login = async (on: Agent, { email: username, password }: { email: string; password: string }) => {
  await portal.query('DELETE FROM rate_limit');
  return on.post('/api/session/login', { username, password });
};
const service = basicAuthorization(backendService.clientId, sharedSecret);
const bearer = () => ({ headers: { authorization: `Bearer ${accessToken}` } });
const asPage = { headers: { accept: 'text/html' } };
const onConsent = () => Flow.begin(portal, asking, { browser });

/** Each prepares a request and returns a function that sends it. */
const requests: Record<string, () => Promise<() => Promise<Answer>>> = {
  'an authorization request of a new browser': async () => () => new SmartApp(portal, { client: app }).authorize(),
  'an authorization request of a signed-in user': async () => () =>
    new SmartApp(portal, { client: app }, browser).authorize(),
  'an authorization request that leads to consent': async () => () =>
    browser.get(new SmartApp(portal, { client: asking }).authorizationPath, asPage),
  'a pushed authorization request': async () => () => {
    const form = Object.fromEntries(new URLSearchParams(new SmartApp(portal, { client: app }).query()));
    return agent().postForm('/connect/par', form);
  },
  'client credentials': async () => () =>
    agent().postForm(
      '/connect/token',
      { grant_type: 'client_credentials', scope: 'system/*.rs' },
      { headers: service },
    ),
  introspection: async () => () =>
    agent().postForm('/connect/introspect', { token: accessToken }, { headers: service }),
  'user info': async () => () => agent().get('/connect/userinfo', bearer()),
  revocation: async () => () => agent().postForm('/connect/revocation', { client_id: app.clientId, token: 'unknown' }),
  'a sign-out page': async () => () => browser.get('/connect/endsession', asPage),
  'a read at the gateway': async () => () => agent().get('/fhir/Patient/1', bearer()),
  'a sign-in': async () => () => login(agent(), people.patient),
  'the session': async () => () => browser.get('/api/session'),
  'the consent page': async () => {
    const flow = await onConsent();
    return () => flow.call('/api/consent');
  },
  'the apps of a user': async () => () => browser.get('/api/grant'),
  'a forgotten password': async () => () => agent().post('/api/user/forgot-password', { email: people.patient.email }),
  'the dashboard': async () => () => admin.get('/api/admin/dashboard'),
  'the list of clients': async () => () => admin.get('/api/admin/client?searchTerm=heart'),
  'the list of users': async () => () => admin.get('/api/admin/user?searchTerm=ward'),
  'the sign-in page': async () => () => agent().get('/login', asPage),
  'the start page of a signed-in user': async () => () => browser.get('/', asPage),
};

describe.each(moments)('R-07 When PostgreSQL cancels any statement of a request (%s)', (moment) => {
  it.each(Object.entries(requests))('%s is answered as usual, or with 503 and works again', async (_, prepare) => {
    const { refusedAgain } = await cuts.atEachStatement(moment, areListening, async () => ({
      send: await prepare(),
      check: async (first, again) => expect([again.status, 503]).toContain(first.status),
    }));
    expect(refusedAgain).toBe(0);
  });

  it.each(clientKinds)(
    'a code and a refresh token are redeemed, or answered with 503 and work again ($name)',
    async (kind) => {
      const turn = { number: kind.number, turns: 3 };
      const begin = async () => {
        const smart = kind.app(portal, kind.client('quiet'), {}, browser);
        const code = (await smart.complete(people.patient)).searchParams.get('code') ?? '';
        return { smart, code };
      };
      const works = async ({ access_token }: Tokens) =>
        expect((await kind.userinfo(agent(), access_token)).status).toBe(200);
      const codes = await cuts.atEachStatement(
        moment,
        areListening,
        async () => {
          const { smart, code } = await begin();
          return {
            send: () => smart.exchange(code),
            async check(first, again) {
              expect([
                [200, 400],
                [503, 200],
              ]).toContainEqual([first.status, again.status]);
              // The second use of a code revokes the tokens of the first.
              if (again.status === 200) await works(again.json<Tokens>());
            },
          };
        },
        turn,
      );
      expect(codes.refusedAgain).toBe(0);
      const { smart, code } = await begin();
      let { refresh_token: token = '' } = (await smart.exchange(code)).json<Tokens>();
      const refreshes = await cuts.atEachStatement(
        moment,
        areListening,
        async () => ({
          send: () => smart.refresh(token),
          async check(first, again) {
            expect([200, 503]).toContain(first.status);
            expect(again.status).toBe(200);
            await works(again.json<Tokens>());
            token = again.json<Tokens>().refresh_token ?? '';
          },
        }),
        turn,
      );
      expect(refreshes.refusedAgain).toBe(0);
    },
  );
});
