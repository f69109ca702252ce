import { basicAuthorization, type Launch, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp, redirectUri, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { itInTurn, inTurn as oneOf } from '../../support/runs.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const formats = ['Jwt', 'Reference'];
const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };

let portal: TestPortal;
/** Signed in, so that a code needs few requests. */
let browser: Agent;

beforeAll(async () => {
  const apps = formats.flatMap((accessTokenType) =>
    clientKinds.map((kind) => kind.client(accessTokenType, { accessTokenType })),
  );
  portal = await startPortal({ nodes: 2, config: { users: [people.patient], clients: [quietApp, ...apps] } });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
});

afterAll(() => portal.close());

function expectRefusal(answer: Answer, error = 'invalid_grant'): void {
  expect([answer.status, answer.json().error]).toEqual([400, error]);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

const agentOf = (node: number) => new Agent(portal.issuer, portal.ports[node]);

describe.each(clientKinds)('An authorization code ($name)', (kind) => {
  const inTurn = itInTurn(kind.number, 2);

  async function withCode(format = 'Jwt', launch: Launch = {}): Promise<{ app: SmartApp; code: string }> {
    const app = kind.app(portal, kind.client(format), launch, browser);
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    return { app, code };
  }

  it.each(oneOf(formats, kind.number))(
    'SMART token-code-reuse B-02 that is used twice ends its whole grant (%s)',
    async (format) => {
      const { app, code } = await withCode(format);
      const tokens = (await app.exchange(code)).json<Tokens>();
      expect((await kind.userinfo(agentOf(0), tokens.access_token)).status).toBe(200);
      expectRefusal(await app.exchange(code));
      await eventually(async () => {
        for (const node of [0, 1]) expect((await kind.userinfo(agentOf(node), tokens.access_token)).status).toBe(401);
      });
      expectRefusal(await app.refresh(tokens.refresh_token ?? ''));
    },
  );

  inTurn('B-04 expires after a minute', async () => {
    const { app, code } = await withCode();
    const [row] = await portal.query<{ left: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM oidc_record
        WHERE model = 'AuthorizationCode' ORDER BY created_at DESC LIMIT 1`,
    );
    expect(row?.left).toBeLessThanOrEqual(60);
    await portal.query(
      "UPDATE oidc_record SET expires_at = expires_at - interval '61 seconds' WHERE model = 'AuthorizationCode'",
    );
    expectRefusal(await app.exchange(code));
  });

  inTurn(
    'SMART token-pkce B-06 is refused with a missing, blank or wrong verifier, and with the challenge itself (RFC 7636 §4.6)',
    async () => {
      const challenge = (app: SmartApp) => new URLSearchParams(app.query()).get('code_challenge') ?? '';
      const wrong: ((app: SmartApp) => string | undefined)[] = [
        () => undefined,
        () => '',
        () => 'a'.repeat(43),
        () => 'a'.repeat(42),
        () => 'a'.repeat(129),
        challenge,
        (app) => `${app.verifier}=`,
      ];
      for (const verifier of wrong) {
        const { app, code } = await withCode();
        const value = verifier(app);
        const form: Record<string, string> = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
        const answer = await app.token(value === undefined ? form : { ...form, code_verifier: value });
        expect(answer.status).toBe(400);
        expect(answer.json().error).toMatch(/^invalid_(grant|request)$/);
      }
    },
  );

  inTurn(
    'B-06 without a challenge is refused with a verifier (RFC 9700 §4.8.2), and is not issued to a public client',
    async () => {
      const parameters = { code_challenge: undefined, code_challenge_method: undefined };
      const { app, code } = await withCode('Jwt', { parameters });
      if (kind.isPublic) expect(code).toBe('');
      else expectRefusal(await app.exchange(code));
    },
  );

  it('SMART token-client-binding is accepted from its client with its redirect URI only', async () => {
    const mine = await withCode();
    const other = kind.app(portal, kind.client('Reference'));
    expectRefusal(await other.exchange(mine.code, { code_verifier: mine.app.verifier }));
    const moved = await withCode();
    expectRefusal(await moved.app.exchange(moved.code, { redirect_uri: `${redirectUri}/other` }));
    const left = await withCode();
    const answer = await left.app.token({
      grant_type: 'authorization_code',
      code: left.code,
      code_verifier: left.app.verifier,
    });
    expect(answer.status).toBe(400);
  });

  inTurn('is refused when the consent has ended', async () => {
    const { app, code } = await withCode();
    const { clientId } = kind.client('Jwt');
    expect((await browser.send(`/api/grant?clientId=${clientId}`, { method: 'DELETE' })).status).toBe(204);
    expectRefusal(await app.exchange(code));
  });
});

describe('An unknown authorization code', () => {
  it('SMART token-bad-code SMART token-unknown-client is refused with 400, and an unknown client with 401', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    for (const code of ['BAD_CODE', '', 'a.b.c', 'x'.repeat(10_000), '\ud83d\ude00']) {
      expect((await app.exchange(code)).status).toBe(400);
    }
    const form = { grant_type: 'authorization_code', code: 'BAD_CODE', redirect_uri: redirectUri };
    const agent = new Agent(portal.issuer);
    const answers = [
      await agent.postForm('/connect/token', { ...form, client_id: 'BAD_CLIENT_ID' }),
      await agent.postForm('/connect/token', form, { headers: basicAuthorization('BAD_CLIENT_ID', sharedSecret) }),
    ];
    for (const answer of answers) expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
  });
});

describe('A malformed token request', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    new Agent(portal.issuer).send('/connect/token', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  it('is answered with a client error', async () => {
    for (const answer of [
      await post('grant_type=authorization_code&code=%00&client_id=quiet-app'),
      await post('\u0000'),
      await post('x'.repeat(80_000)),
      await post('%ED%A0%80=%ED%A0%80&grant_type=%ED%A0%80'),
      await post('grant_type=authorization_code&grant_type=refresh_token&client_id=quiet-app'),
      await post('client_id=quiet-app&client_id=reference-app'),
      await post('{"grant_type":"authorization_code"}', { 'content-type': 'application/json' }),
      await post('', { 'content-type': 'text/plain' }),
      await post('__proto__[x]=1&constructor=1&client_id=__proto__'),
    ]) {
      expect([400, 401, 413, 415]).toContain(answer.status);
      expect(answer.json()).toHaveProperty('error');
      expect(answer.headers['cache-control']).toContain('no-store');
    }
  });

  it('is refused by other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await new Agent(portal.issuer).send('/connect/token', { method });
      expect([404, 405]).toContain(answer.status);
    }
  });
});
