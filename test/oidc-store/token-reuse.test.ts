import { SmartApp } from '../support/apps/smart-app.js';
import { clientKinds } from '../support/clients/client-kinds.js';
import { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

let sink: MailSink;
let portal: TestPortal;
/** Signed in, so that a code needs few requests. */
let browser: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  const clients = clientKinds.map((kind) => kind.client('copied'));
  portal = await startPortal({ config: { users: [people.patient], clients, email: sink.config } });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

describe.each(clientKinds)('A code or token that is used a second time ($name)', (kind) => {
  const client = kind.client('copied');
  const app = () => kind.app(portal, client, {}, browser);
  const allRecorded = () =>
    portal.query(
      `SELECT outcome, detail - 'launch' AS detail, user_id::text = (SELECT id::text FROM account) AS "isOfPerson"
         FROM audit_event WHERE type = 'token.reused' AND client_id = $1 ORDER BY recorded_at`,
      [client.clientId],
    );
  let before: { recorded: number; mails: number };
  const recorded = async () => (await allRecorded()).slice(before.recorded);
  const codeReused = { outcome: 'failure', detail: { kind: 'AuthorizationCode' }, isOfPerson: true };
  const refreshTokenReused = { ...codeReused, detail: { kind: 'RefreshToken' } };
  /** The mails that were sent or will be. */
  const mails = async () => {
    await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
    return sink.received.length;
  };

  beforeEach(async () => {
    before = { recorded: (await allRecorded()).length, mails: await mails() };
  });

  async function refreshToken(): Promise<{ smart: SmartApp; token: string }> {
    const smart = app();
    return { smart, token: (await smart.tokens(people.patient)).refresh_token ?? '' };
  }

  it('B-08 has no consequence when the same request is repeated because its response was lost', async () => {
    const { smart, token } = await refreshToken();
    const [first, again] = [await smart.refresh(token), await smart.refresh(token)];
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await recorded()).toEqual([]);
    expect(await mails()).toBe(before.mails);
  });

  it('B-08 B-02 has no consequence when another client tries it', async () => {
    const { smart, token } = await refreshToken();
    await smart.refresh(token);
    const other = new SmartApp(portal, { client: { clientId: 'unknown' } });
    expect((await other.refresh(token)).status).toBe(401);
    expect(await recorded()).toEqual([]);
  });

  it('B-02 is recorded when it is a code', async () => {
    const smart = app();
    const code = (await smart.complete(people.patient)).searchParams.get('code') ?? '';
    expect((await smart.exchange(code)).status).toBe(200);
    // Some time later: at the same moment it would be an app that sends a request twice.
    await portal.query(
      "UPDATE oidc_record SET consumed_at = consumed_at - interval '1 minute' WHERE model = 'AuthorizationCode'",
    );
    expect((await smart.exchange(code)).status).toBe(400);
    expect(await recorded()).toEqual([codeReused]);
  });

  it('B-08 is recorded when it is a refresh token, and the user is notified which app has lost its access', async () => {
    const { smart, token } = await refreshToken();
    const next = (await smart.refresh(token)).json<{ refresh_token: string }>().refresh_token;
    expect((await smart.refresh(next)).status).toBe(200);
    expect((await smart.refresh(token)).status).toBe(400);
    expect(await recorded()).toEqual([refreshTokenReused]);
    const { mail } = await sink.to(people.patient.email, before.mails + 1);
    expect(mail.subject).toMatch(new RegExp(`^An access of ${client.clientName} to your data .* has ended$`));
    expect(mail.text).toContain('sign in again');
  });
});
