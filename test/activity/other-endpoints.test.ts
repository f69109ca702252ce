/**
 * Refusals of introspection, revocation, userinfo, sign-out and of wrong methods: each has a reference that leads to
 * its cause, on a page and in an answer for programs.
 */
import { generateKeyPair, SignJWT } from 'jose';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { type ClientKind, clientKinds, confidentialKinds, kindsWithSecret } from '../support/clients/client-kinds.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent, type Answer, type RequestOptions } from '../support/http/agent.js';
import { sayOtherWords } from '../support/mistakes/other-words.js';
import { allWritten, entriesOf, type LaunchRow, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { asBearer } from '../support/portal/token-portal.js';
import { itInTurn } from '../support/runs.js';
import { people } from '../support/users/people.js';

const withoutOpenid = 'launch/patient patient/*.rs';
const scope = `openid fhirUser offline_access ${withoutOpenid}`;
const clientOf = (kind: ClientKind) => kind.client('app');
const otherOf = (kind: ClientKind) => kind.client('other');
const [logoutUri = ''] = publicApp.postLogoutRedirectUris;
const page: RequestOptions = { headers: { accept: 'text/html' } };
const secrets = SentSecrets.collect();

let portal: TestPortal;
beforeAll(async () => {
  const apps = clientKinds.flatMap((kind) => [clientOf(kind), otherOf(kind)]);
  const clients = [...apps, { ...publicApp, clientId: 'without-address', postLogoutRedirectUris: [] }];
  const server = { trustedProxies: ['127.0.0.1'] };
  portal = sayOtherWords(await startPortal({ config: { server, users: [people.patient], clients } }));
});
afterAll(() => portal.close());

/** An address has some records a day, so each test has one of its own. */
let tests = 0;
beforeEach(() => {
  tests += 1;
});

class AgentOfTest extends Agent {
  override send(path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = { ...options.headers, 'x-forwarded-for': `203.0.113.${tests % 250}` };
    return super.send(path, { ...options, headers });
  }
}

const agent = () => new AgentOfTest(portal.issuer);
const tokensOf = (kind: ClientKind, asked = scope, client = clientOf(kind)) =>
  kind.app(portal, client, { scope: asked }).tokens(people.patient);

/** The reference that an answer has, which is the same in each place of it. */
function referenceIn({ headers, text }: Answer): string {
  const reference = String(headers['x-launch-reference']);
  const told = text.startsWith('<')
    ? /name="gatehouse-reference" content="([^"]+)"/.exec(text)?.[1]
    : /Reference: ([^"]+)"/.exec(text)?.[1];
  expect([reference, text.slice(0, 300)]).toEqual([told, text.slice(0, 300)]);
  return reference;
}

interface Expected {
  code: CauseCode;
  detail?: object;
  client?: string | null;
  field?: string;
}

function expectCause(row: LaunchRow | undefined, { code, detail = {}, client, field }: Expected): void {
  const [entry] = entriesOf(row, code);
  expect({ found: Object.keys(row?.entries ?? {}), detail: entry?.detail }).toEqual({
    found: expect.arrayContaining([expect.stringMatching(new RegExp(`^${code}(\n|$)`))]),
    detail: expect.objectContaining(detail),
  });
  if (client !== undefined) expect(row?.client_id).toBe(client);
  expect(entry?.change?.field).toBe(field);
  for (const text of [entry?.text, entry?.decidedBy, entry?.developer]) expect(text ?? '').not.toContain('{');
}

async function expectExplained(answer: Answer, expected: Expected): Promise<LaunchRow | undefined> {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  referenceIn(answer);
  const row = await launchOf(portal, answer);
  expectCause(row, expected);
  return row;
}

/** A record of which the answer has no reference. */
async function hiddenOf(clientId: string, answer: Answer, text: string): Promise<LaunchRow | undefined> {
  expect([answer.status, answer.text, answer.headers['x-launch-reference']]).toEqual([200, text, undefined]);
  await allWritten(portal);
  const rows = await portal.query<LaunchRow>(
    "SELECT * FROM launch WHERE client_id = $1 AND kind = 'unknown' ORDER BY last_at DESC LIMIT 1",
    [clientId],
  );
  return rows[0];
}

describe.each(clientKinds)('A client ($name)', (kind) => {
  const { clientId } = clientOf(kind);
  const it = itInTurn(kind.number);

  it('that revokes without a token is told so', async () => {
    const answer = await kind.post(agent(), '/connect/revocation', clientOf(kind), { tokens: 'x' });
    await expectExplained(answer, {
      code: 'endpoint-token-missing',
      detail: { endpoint: 'revocation', sent: expect.stringContaining('tokens') },
      client: clientId,
    });
  });

  it('that sends its request as JSON, or in the address, is told where it belongs', async () => {
    const body = { token: 'hidden-token', client_id: clientId };
    for (const [path, endpoint] of [
      ['/connect/introspect', 'introspection'],
      ['/connect/revocation', 'revocation'],
    ]) {
      const asJson = await agent().send(String(path), { method: 'POST', body });
      await expectExplained(asJson, { code: 'endpoint-body-type', detail: { endpoint, type: 'application/json' } });
      const inAddress = await kind.post(agent(), `${path}?token=hidden-token`, clientOf(kind), {});
      await expectExplained(inAddress, {
        code: 'endpoint-in-address',
        detail: { endpoint, parameters: 'token' },
        client: clientId,
      });
    }
    const started = await agent().send('/connect/authorize', { method: 'POST', body: { client_id: clientId } });
    await expectExplained(started, { code: 'authorization-body-type', detail: { type: 'application/json' } });
  });

  it('that revokes a token of another client has a record, and the answer does not tell that there is one', async () => {
    const { access_token: token } = await tokensOf(kind, scope, otherOf(kind));
    const answer = await kind.post(agent(), '/connect/revocation', clientOf(kind), { token });
    const expected = { code: 'revocation-of-other-client', detail: { owner: otherOf(kind).clientId } } as const;
    expectCause(await hiddenOf(clientId, answer, ''), expected);
  });

  it('that uses a token without openid at userinfo is told in the launch of the token', async () => {
    const tokens = await tokensOf(kind, withoutOpenid);
    const row = await expectExplained(await kind.userinfo(agent(), tokens.access_token), {
      code: 'gateway-openid-missing',
      detail: { method: 'GET', type: 'userinfo' },
      client: clientId,
    });
    expect(row).toMatchObject({ kind: 'launch', outcome: 'completed' });
  });

  it('whose token has ended is told by what, at userinfo, in its launch', async () => {
    const app = kind.app(portal, clientOf(kind), { scope });
    const tokens = await app.tokens(people.patient);
    await app.revoke(tokens.refresh_token ?? '');
    const row = await expectExplained(await kind.userinfo(agent(), tokens.access_token), {
      code: 'gateway-access-had-ended',
      detail: { type: 'userinfo', reason: 'The app revoked its own token' },
      client: clientId,
    });
    expect(row).toMatchObject({ kind: 'launch', outcome: 'completed' });
  });

  it('whose token is damaged is told so at userinfo, in its launch', async () => {
    const tokens = await tokensOf(kind);
    const headers = { authorization: `Bearer "${tokens.access_token}"` };
    const row = await expectExplained(await agent().get('/connect/userinfo', { headers }), {
      code: 'gateway-token-damaged',
      client: clientId,
    });
    expect(row).toMatchObject({ kind: 'launch', outcome: 'completed' });
  });

  it('that sends its id_token in place of the access token is told so at userinfo', async () => {
    const { id_token: token = '' } = await tokensOf(kind);
    await expectExplained(await agent().get('/connect/userinfo', { headers: asBearer(token) }), {
      code: 'gateway-token-other-kind',
      detail: { sent: 'id_token' },
      client: clientId,
    });
  });

  it('whose address after the sign-out is not registered is told the nearest one', async () => {
    const parameters = { client_id: clientId, post_logout_redirect_uri: `${logoutUri}/` };
    const answer = await agent().get(`/connect/endsession?${new URLSearchParams(parameters)}`);
    expect(answer.status).toBe(200);
    expectCause(await launchOf(portal, answer), {
      code: 'sign-out-address',
      detail: { sent: `${logoutUri}/`, nearest: logoutUri },
      client: clientId,
      field: 'postLogoutRedirectUris',
    });
  });

  const hints: [string, (idToken: string) => string | Promise<string>, Expected][] = [
    ['cut', (token) => token.split('.', 2).join('.'), { code: 'sign-out-hint-unreadable' }],
    [
      'changed',
      (token) => `${token.slice(0, -6)}AAAAAA`,
      { code: 'sign-out-hint-changed', detail: { audience: clientId } },
    ],
    ['of another server', () => signed({ iss: 'https://other.example' }), { code: 'sign-out-hint-foreign' }],
    ['of a client that is gone', () => signed({ aud: 'gone-app' }), { code: 'sign-out-hint-of-unknown' }],
    [
      'no id_token',
      () => signed({ aud: clientId }, 'at+jwt'),
      { code: 'sign-out-hint-type', detail: { type: 'at+jwt' } },
    ],
  ];
  for (const [what, hint, expected] of hints) {
    it(`whose id_token_hint is ${what} is told so on the page and in the answer`, async () => {
      const { id_token: idToken = '' } = await tokensOf(kind);
      const query = new URLSearchParams({ id_token_hint: await hint(idToken), client_id: clientId });
      if (expected.code === 'sign-out-hint-of-unknown') query.delete('client_id');
      for (const send of [page, {}])
        await expectExplained(await agent().get(`/connect/endsession?${query}`, send), expected);
    });
  }

  it('that names another client than its id_token_hint is told both', async () => {
    const { id_token: hint = '' } = await tokensOf(kind);
    const query = new URLSearchParams({ id_token_hint: hint, client_id: 'another' });
    await expectExplained(await agent().get(`/connect/endsession?${query}`, page), {
      code: 'sign-out-client-differs',
      detail: { clientId: 'another', audience: clientId },
    });
  });
});

describe.each(confidentialKinds)('A client that authenticates ($name)', (kind) => {
  const { clientId } = clientOf(kind);
  const it = itInTurn(kind.number);

  it('and asks about no token is told so', async () => {
    const answer = await kind.post(agent(), '/connect/introspect', clientOf(kind), {});
    await expectExplained(answer, {
      code: 'endpoint-token-missing',
      detail: { endpoint: 'introspection' },
      client: clientId,
    });
  });

  it('and may not introspect has a record, and the answer is that for an unknown token', async () => {
    const { access_token: token } = await tokensOf(kind, scope, otherOf(kind));
    const answer = await kind.post(agent(), '/connect/introspect', clientOf(kind), { token });
    expectCause(await hiddenOf(clientId, answer, '{"active":false}'), {
      code: 'introspection-not-permitted',
      detail: { owner: otherOf(kind).clientId },
      field: 'allowIntrospection',
    });
  });

  it('by a token of a user, and asks about another access, has a record', async () => {
    const [own, other] = [await tokensOf(kind), await tokensOf(kind, scope, otherOf(kind))];
    const send = { headers: asBearer(own.access_token) };
    const answer = await agent().postForm('/connect/introspect', { token: other.access_token }, send);
    if (kind.tokenType === 'DPoP') return expectExplained(answer, { code: 'gateway-token-bound', client: clientId });
    const expected = { code: 'introspection-of-other-access' } as const;
    return expectCause(await hiddenOf(clientId, answer, '{"active":false}'), expected);
  });
});

const authenticating = ['introspect', 'revocation'];
describe.each(authenticating)('A request to %s', (endpoint) => {
  const path = `/connect/${endpoint}`;

  it.each(kindsWithSecret)('with a wrong secret is explained ($name)', async (kind) => {
    const { clientId } = clientOf(kind);
    const answer = await kind.post(agent(), path, clientOf(kind), { token: 'x' }, { secret: 'wrong' });
    await expectExplained(answer, { code: 'token-secret-wrong', client: clientId, field: 'clientSecrets' });
  });

  it('of an unknown client is explained', async () => {
    const headers = basicAuthorization('nothing-like-it', 'x');
    const answer = await agent().postForm(path, { token: 'x' }, { headers });
    await expectExplained(answer, { code: 'token-client-unknown', client: 'nothing-like-it' });
  });

  it('that names no client is explained, on a page, too', async () => {
    for (const send of [page, {}]) {
      await expectExplained(await agent().postForm(path, { token: 'x' }, send), {
        code: 'token-client-missing',
        client: null,
      });
    }
  });

  it('with a body that is too large is explained', async () => {
    const answer = await agent().postForm(path, { token: 'x'.repeat(70_000) });
    await expectExplained(answer, { code: 'endpoint-unreadable', detail: { fault: 'the body is too large' } });
  });
});

describe('A request without a client that is known', () => {
  const rows: [string, () => Promise<Answer>, Expected][] = [
    ['to userinfo without a token', () => agent().get('/connect/userinfo'), { code: 'gateway-token-missing' }],
    ['to userinfo by a browser', () => agent().get('/connect/userinfo', page), { code: 'gateway-token-missing' }],
    [
      'to userinfo with the token in the address',
      () => agent().get('/connect/userinfo?access_token=hidden-value'),
      { code: 'gateway-token-in-address' },
    ],
    [
      'to userinfo with an unknown token',
      () => agent().get('/connect/userinfo', { headers: asBearer('hidden-value') }),
      { code: 'gateway-token-unknown' },
    ],
    [
      'to userinfo with client credentials',
      () => agent().get('/connect/userinfo', { headers: basicAuthorization('app', 'hidden-value') }),
      { code: 'gateway-token-unreadable', client: 'app' },
    ],
    [
      'to introspection with an unknown bearer token',
      () => agent().postForm('/connect/introspect', { token: 'x' }, { headers: asBearer('hidden-value') }),
      { code: 'gateway-token-unknown', detail: { type: 'introspection' } },
    ],
    [
      'to sign out as an unknown client',
      () => agent().get('/connect/endsession?client_id=nothing-like-it', page),
      { code: 'client-unknown', detail: { clientId: 'nothing-like-it' }, client: 'nothing-like-it' },
    ],
    [
      'to confirm a sign-out on a page of another session',
      () => agent().postForm('/connect/endsession/confirm', { xsrf: 'x' }, page),
      { code: 'sign-out-form-gone' },
    ],
  ];
  it.each(rows)('%s is explained', async (_, make, expected) => {
    await expectExplained(await make(), { client: null, ...expected });
  });

  it.each([
    ['without a client', '', { code: 'sign-out-client-missing' }],
    [
      'of a client without one',
      '&client_id=without-address',
      { code: 'sign-out-addresses-none', field: 'postLogoutRedirectUris' },
    ],
  ] as [string, string, Expected][])(
    'to sign out with an address afterwards %s is explained',
    async (_, more, expected) => {
      const uri = encodeURIComponent('https://app.example/bye?hidden=value');
      const answer = await agent().get(`/connect/endsession?post_logout_redirect_uri=${uri}${more}`);
      expect(answer.status).toBe(200);
      expectCause(await launchOf(portal, answer), {
        ...expected,
        detail: { sent: 'https://app.example/bye?hidden=…' },
      });
    },
  );
});

describe('A request by a method that the endpoint does not take', () => {
  const endpoints = ['token', 'introspect', 'revocation', 'par', 'userinfo', 'authorize', 'endsession'];
  const byGet = ['token', 'introspect', 'revocation', 'par'];

  it.each(
    endpoints.flatMap((name) => [...(byGet.includes(name) ? ['GET'] : []), 'PUT'].map((method) => [method, name])),
  )('%s %s is told the right one, in an answer and on a page', async (method, name) => {
    for (const send of [page, {}]) {
      const path = `/connect/${name}?client_id=app-public&client_secret=hidden-value`;
      const answer = await agent().send(path, { ...send, method });
      expect([answer.status, answer.headers.allow]).toEqual([405, expect.stringContaining('POST')]);
      const allowed = expect.not.stringContaining('OPTIONS');
      const detail = { method, allowed, found: expect.stringContaining('in the address') };
      await expectExplained(answer, { code: 'endpoint-method', detail, client: 'app-public' });
    }
  });
});

it('A sign-out that is followed, and answers about own and unknown tokens, have no record', async () => {
  const [kind] = confidentialKinds;
  if (!kind) throw new Error('there is no kind');
  const app = new SmartApp(portal, { client: clientOf(kind), scope });
  const tokens = await tokensOf(kind);
  const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: logoutUri });
  const answers = [
    await app.browser.get(`/connect/endsession?${query}`),
    await kind.post(agent(), '/connect/introspect', clientOf(kind), { token: tokens.access_token }),
    await kind.post(agent(), '/connect/introspect', clientOf(kind), { token: 'unknown-token' }),
    await kind.post(agent(), '/connect/revocation', clientOf(kind), { token: 'unknown-token' }),
    await kind.post(agent(), '/connect/revocation', clientOf(kind), { token: tokens.access_token }),
  ];
  expect(answers.map(({ status, headers }) => [status, headers['x-launch-reference']])).toEqual(
    answers.map(() => [200, undefined]),
  );
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(portal, 'endpoint'));

async function signed(claims: object, typ?: string): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  const content = { iss: portal.issuer, sub: 'someone', aud: 'app', ...claims };
  return new SignJWT(content)
    .setProtectedHeader({ alg: 'RS256', ...(typ && { typ }) })
    .setIssuedAt()
    .sign(privateKey);
}
