import { publicApp } from '../support/clients.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp } from '../support/smart-app.js';

let sink: MailSink;
let portal: TestPortal;

beforeEach(async () => {
  sink = await startMailSink();
  portal = await startPortal({ config: { users: [people.patient], clients: [publicApp], email: sink.config } });
});

afterEach(async () => {
  await portal.close();
  await sink.stop();
});

const recorded = () =>
  portal.query(
    `SELECT outcome, client_id AS "clientId", detail, user_id::text = (SELECT id::text FROM account) AS "isOfPerson"
       FROM audit_event WHERE type = 'token.reused'`,
  );
const mails = () => portal.query('SELECT FROM mail_outbox').then(({ length }) => length + sink.received.length);

async function refreshToken(): Promise<{ app: SmartApp; token: string }> {
  const app = new SmartApp(portal);
  return { app, token: (await app.tokens(people.patient)).refresh_token ?? '' };
}

describe('What is used a second time', () => {
  it('B-02 is recorded when it is a code', async () => {
    const app = new SmartApp(portal);
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    expect((await app.exchange(code)).status).toBe(200);
    // Not of the same moment, which would be an app that asks twice at once.
    await portal.query(
      "UPDATE oidc_record SET consumed_at = consumed_at - interval '1 minute' WHERE model = 'AuthorizationCode'",
    );
    expect((await app.exchange(code)).status).toBe(400);
    expect(await recorded()).toEqual([
      { outcome: 'failure', clientId: publicApp.clientId, detail: { kind: 'AuthorizationCode' }, isOfPerson: true },
    ]);
  });

  it('B-08 is recorded when it is a refresh token, and the person is told which app has lost its access', async () => {
    const { app, token } = await refreshToken();
    const next = (await app.refresh(token)).json<{ refresh_token: string }>().refresh_token;
    expect((await app.refresh(next)).status).toBe(200);
    expect((await app.refresh(token)).status).toBe(400);
    expect(await recorded()).toEqual([
      { outcome: 'failure', clientId: publicApp.clientId, detail: { kind: 'RefreshToken' }, isOfPerson: true },
    ]);
    const { mail } = await sink.to(people.patient.email);
    expect(mail.subject).toMatch(new RegExp(`^${publicApp.clientName} no longer has access`));
    expect(mail.text).toContain('sign in again');
  });

  it('B-08 is no matter to anybody while it is the same request, whose answer was lost', async () => {
    const { app, token } = await refreshToken();
    const [first, again] = [await app.refresh(token), await app.refresh(token)];
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await recorded()).toEqual([]);
    expect(await mails()).toBe(0);
  });

  it('B-08 B-02 is no matter to anybody when another client tries it', async () => {
    const { app, token } = await refreshToken();
    await app.refresh(token);
    const other = new SmartApp(portal, { client: { clientId: 'nobody' } });
    expect((await other.refresh(token)).status).toBe(401);
    expect(await recorded()).toEqual([]);
  });
});
