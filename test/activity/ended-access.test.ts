/** Access that was taken back, at its launch: what ended it and when, and the answers to the app's later requests. */
import { ClientManagement } from '../../src/clients/application/client-management.js';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { type EndCode, endCauses } from '../../src/contract/activity/end-causes.js';
import type { LaunchList, LaunchView } from '../../src/contract/activity.js';
import { Sweeper } from '../../src/oidc-store/infrastructure/sweeper.js';
import type { SmartApp, Tokens } from '../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../support/clients/client-kinds.js';
import { endUndoTime } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { startFhirPortal } from '../support/portal/fhir-portal.js';
import { allWritten } from '../support/portal/launch-rows.js';
import type { TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { inTurn } from '../support/runs.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const offline = 'openid fhirUser launch/patient patient/*.rs offline_access';
const online = 'openid fhirUser launch/patient patient/*.rs online_access';
const newPassword = 'willow-harbour-3075';
const formats = ['Jwt', 'Reference'];

let portal: TestPortal;
let sink: MailSink;
let admin: Agent;
let persons = 0;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  sink = await startMailSink();
  const clients = clientKinds.flatMap((kind) =>
    formats.flatMap((accessTokenType) => [
      kind.client(`kept-${accessTokenType}`, { accessTokenType, allowOnlineAccess: true }),
      kind.client(`gone-${accessTokenType}`, { accessTokenType, allowOnlineAccess: true }),
      kind.client(`off-${accessTokenType}`, { accessTokenType, allowOnlineAccess: true }),
    ]),
  );
  portal = await startFhirPortal({ nodes: 2, config: { email: sink.config, users: [people.admin], clients } });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});
afterAll(async () => {
  await portal.close();
  await sink.stop();
});

/** A launch that has given tokens, to a person of its own. */
interface Launched {
  kind: ClientKind;
  app: SmartApp;
  tokens: Tokens;
  client: { clientId: string };
  person: { id: string; email: string; password: string };
}

async function createPerson() {
  persons += 1;
  const email = `person-${persons}@example.org`;
  const claims = [{ name: 'fhirUser', value: `Patient/${persons}` }];
  const form = { fullName: 'Ida Field', email, userType: 'Patient', claims };
  const { id } = (await admin.post('/api/admin/user', form)).json<{ id: string }>();
  const token = linkInMail(await sink.to(email)).t;
  await new Agent(portal.issuer).post(`/api/user/${id}/activate`, { password: people.patient.password, token });
  return { id, email, password: people.patient.password };
}

async function launched(kind: ClientKind, name: string, scope: string): Promise<Launched> {
  const client = kind.client(name);
  const person = await createPerson();
  const app = kind.app(portal, client, { scope });
  const tokens = await app.tokens(person as never);
  return { kind, app, tokens, client, person };
}

/** The launch as the page shows it. */
async function launchOf(answer: Answer): Promise<LaunchView> {
  await allWritten(portal);
  return (await admin.get(`/api/admin/activity/${answer.headers['x-launch-reference']}`)).json<LaunchView>();
}

async function newestLaunch({ client }: Launched): Promise<LaunchView> {
  await allWritten(portal);
  const { launches } = (await admin.get(`/api/admin/activity?clientId=${client.clientId}`)).json<LaunchList>();
  const view = (await admin.get(`/api/admin/activity/${launches[0]?.reference}`)).json<LaunchView>();
  // List and page say the same.
  expect(launches[0]).toMatchObject({ state: view.state, decidedBy: view.decidedBy, outcome: view.outcome });
  return view;
}

const clientRecord = async ({ client }: Launched) =>
  (await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [client.clientId]))[0]?.id ?? '';
const expectDone = (answer: Answer) => expect([answer.status, answer.text]).toEqual([expect.any(Number), '']);

interface Row {
  name: string;
  by: EndCode;
  scope: string;
  end: (at: Launched) => Promise<unknown>;
  /** `off` and `gone`: a client of its own, which the administrator disables or deletes. */
  client?: 'kept' | 'off' | 'gone';
  /** What the token endpoint says instead, where the client cannot be authenticated any more. */
  refresh?: CauseCode;
}

const ends: Row[] = [
  {
    name: 'the user takes it back',
    by: 'ended-by-person',
    scope: offline,
    end: ({ app, client }) => app.browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' }),
  },
  {
    name: 'an administrator takes it back',
    by: 'ended-by-administrator',
    scope: offline,
    end: ({ client, person }) =>
      admin.send(`/api/admin/user/${person.id}/app?clientId=${client.clientId}`, { method: 'DELETE' }),
  },
  {
    name: 'the app revokes its refresh token',
    by: 'ended-by-app',
    scope: offline,
    end: ({ app, tokens }) => app.revoke(tokens.refresh_token ?? ''),
  },
  {
    name: 'the app revokes its access token',
    by: 'ended-by-app',
    scope: offline,
    end: ({ app, tokens }) => app.revoke(tokens.access_token),
  },
  {
    name: 'the user signs out',
    by: 'ended-by-sign-out',
    scope: online,
    end: ({ app }) => app.browser.get('/logout', { headers: { 'sec-fetch-site': 'same-origin' } }),
  },
  {
    name: 'another person signs in in the same browser',
    by: 'ended-by-other-sign-in',
    scope: online,
    end: async ({ app }) => login(app.browser, (await createPerson()) as never),
  },
  {
    name: 'the user ends other sessions',
    by: 'ended-with-other-sessions',
    scope: online,
    end: async ({ person }) => {
      const elsewhere = new Agent(portal.issuer, portal.ports[1]);
      await login(elsewhere, person as never);
      expectDone(await elsewhere.send('/api/user/sessions', { method: 'DELETE' }));
    },
  },
  {
    name: 'an administrator ends the sessions',
    by: 'ended-with-session-by-administrator',
    scope: online,
    end: async ({ person }) =>
      expectDone(await admin.send(`/api/admin/user/${person.id}/session`, { method: 'DELETE' })),
  },
  {
    name: 'the user changes the password',
    by: 'ended-by-password-change',
    scope: online,
    end: async ({ app, person }) =>
      expectDone(await app.browser.post('/api/user/reset-password', { currentPassword: person.password, newPassword })),
  },
  {
    name: 'the user sets a new password by a link',
    by: 'ended-by-password-reset',
    scope: offline,
    end: async ({ person }) => {
      const browser = new Agent(portal.issuer);
      await browser.post('/api/user/forgot-password', { email: person.email });
      const token = linkInMail(await sink.to(person.email, 2)).t;
      const body = { password: newPassword, token };
      expectDone(await browser.send(`/api/user/forgot-password/${person.id}/reset`, { method: 'PUT', body }));
    },
  },
  {
    name: 'the account is deleted',
    by: 'ended-with-account',
    scope: offline,
    end: async ({ person }) => expectDone(await admin.send(`/api/admin/user/${person.id}`, { method: 'DELETE' })),
  },
  {
    name: 'a code is used a second time',
    by: 'ended-by-reuse',
    scope: offline,
    end: async ({ app, person }) => {
      const landed = await app.complete(person as never);
      const code = landed.searchParams.get('code') ?? '';
      expect((await app.exchange(code)).status).toBe(200);
      expect((await app.exchange(code)).status).toBe(400);
    },
  },
  {
    name: 'a refresh token is used a second time',
    by: 'ended-by-reuse',
    scope: offline,
    end: async ({ app, tokens }) => {
      const next = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>().refresh_token ?? '';
      expect((await app.refresh(next)).status).toBe(200);
      expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(400);
    },
  },
  {
    name: 'an operator disables the client',
    by: 'ended-with-client-disabled',
    scope: offline,
    client: 'off',
    refresh: 'token-client-disabled',
    end: ({ client }) =>
      portal.apps[0]?.get(ClientManagement, { strict: false }).disableClient(client.clientId) as never,
  },
  {
    name: 'an administrator deletes the client',
    by: 'ended-with-client',
    scope: offline,
    client: 'gone',
    refresh: 'token-client-misspelled',
    end: async (at) => {
      expect(
        (await admin.send(`/api/admin/client/${await clientRecord(at)}`, { method: 'DELETE' })).status,
      ).toBeLessThan(300);
      await endUndoTime(portal);
      await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'client-endings'")).length === 0);
    },
  },
];

const cases = ends.flatMap((row, number) =>
  inTurn(clientKinds, number).flatMap((kind) =>
    inTurn(formats, number).map((format) => ({ ...row, kind, format, title: `${row.name} (${kind.name}, ${format})` })),
  ),
);

describe('Access that has ended', () => {
  it.each(cases)('because $title is told with its cause in its launch', async (row) => {
    const { by, scope, kind, format, end, client = 'kept', refresh = 'access-had-ended' } = row;
    const at = await launched(kind, `${client}-${format}`, scope);
    const before = await newestLaunch(at);
    expect(before).toMatchObject({ state: 'completed', decidedBy: null });
    const since = Date.now();
    await end(at);

    const view =
      by === 'ended-by-reuse' ? await newestLaunch(at) : await launchOf({ headers: referenceOf(before) } as never);
    const ended = view.entries.find(({ code }) => code === by);
    expect(ended).toMatchObject({ ...shownOf(by), severity: 'ended', count: 1 });
    const endedAt = Date.parse(view.startedAt) + (ended?.afterMs ?? 0);
    expect(endedAt).toBeGreaterThan(since - 2000);
    expect(endedAt).toBeLessThan(Date.now() + 2000);
    if (by === 'ended-by-reuse') {
      expect(view).toMatchObject({ state: 'refused', decision: { code: expect.stringMatching(/-used$/) } });
      return;
    }
    expect(view).toMatchObject({ state: 'ended', outcome: 'completed', decision: { code: by } });
    expect(view.decidedBy).toBe(shownOf(by).decidedBy);
    expect(view.forDeveloper).toMatch(new RegExp(`^${escaped(endCauses[by as 'ended-by-person'].developer)}`));

    // The app continues at the other node.
    const other = new Agent(portal.issuer, portal.ports[1]);
    const refreshed = await at.app.refresh(at.tokens.refresh_token ?? '', {}, other);
    expect(refreshed.status).toBe(refresh === 'access-had-ended' ? 400 : 401);
    await expectTold(refreshed, view, { by, code: refresh, state: 'refused' });

    const read = await kind.read(other, '/fhir/Patient/1', at.tokens.access_token);
    expect(read.status).toBe(401);
    await expectTold(read, view, { by, code: 'gateway-access-had-ended', state: 'refused' });
  });

  it('is told of the gateway alone, when the app does not refresh', async () => {
    for (const kind of inTurn(clientKinds, 0)) {
      for (const format of formats) {
        const at = await launched(kind, `kept-${format}`, offline);
        await at.app.browser.send(`/api/grant?clientId=${at.client.clientId}`, { method: 'DELETE' });
        const read = await kind.read(new Agent(portal.issuer), '/fhir/Patient/1', at.tokens.access_token);
        const view = await launchOf(read);
        expect(view).toMatchObject({ kind: 'launch', state: 'request-refused', outcome: 'completed' });
        expect(view.decidedBy).toMatch(/^The user took the access back, on .* UTC$/);
        expect(view.forDeveloper).toContain('The user took the access of your app back.');
        expect(view.forDeveloper).not.toMatch(/under way|completed/);
      }
    }
  });

  it('is told of its code, whose launch is not written yet', async () => {
    for (const kind of inTurn(clientKinds, 1)) {
      const client = kind.client('kept-Jwt');
      const app = kind.app(portal, client, { scope: offline });
      const code = (await app.complete((await createPerson()) as never)).searchParams.get('code') ?? '';
      await app.browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
      await allWritten(portal);
      await portal.query('UPDATE launch SET code_hash = NULL');
      const view = await launchOf(await app.exchange(code));
      expect([view.kind, view.decision?.code]).toEqual(['launch', 'access-had-ended']);
      expect(view.decidedBy).toMatch(/^The user took the access back, on .* UTC$/);
    }
  });

  it('by itself is a step of the launch, also after it was swept, and says so to a refresh', async () => {
    const [kind] = clientKinds as [ClientKind];
    const at = await launched(kind, 'kept-Jwt', offline);
    await portal.query(
      `UPDATE oidc_record SET expires_at = now() - interval '2 minutes'
        WHERE account_id = $1 AND model IN ('Grant', 'RefreshToken')`,
      [at.person.id],
    );
    await portal.apps[0]?.get(Sweeper, { strict: false }).sweep();
    const view = await newestLaunch(at);
    expect(view).toMatchObject({ state: 'completed', decidedBy: null });
    expect(view.entries.find(({ code }) => code === 'ended-by-expiry')).toMatchObject({ severity: 'step' });
    const refused = await at.app.refresh(at.tokens.refresh_token ?? '');
    expect(await launchOf(refused)).toMatchObject({
      reference: view.reference,
      state: 'refused',
      decision: { code: 'refresh-token-expired' },
    });
  });

  it('with the session, which expired, is told at the refresh', async () => {
    const [kind] = clientKinds as [ClientKind];
    const at = await launched(kind, 'kept-Jwt', online);
    const before = await newestLaunch(at);
    await portal.query(
      "UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Session' AND account_id = $1",
      [at.person.id],
    );
    const refused = await at.app.refresh(at.tokens.refresh_token ?? '');
    expect(refused.status).toBe(400);
    const view = await launchOf(refused);
    expect(view.reference).toBe(before.reference);
    expect(view.decidedBy).toMatch(/^The session of the user expired, on/);
  });

  it('is not told to another client, and a refresh token without its client gets invalid_grant', async () => {
    const [kind] = clientKinds as [ClientKind];
    const at = await launched(kind, 'kept-Jwt', offline);
    await at.app.browser.send(`/api/grant?clientId=${at.client.clientId}`, { method: 'DELETE' });
    const form = { grant_type: 'refresh_token', refresh_token: at.tokens.refresh_token ?? '' };
    const bare = await new Agent(portal.issuer).postForm('/connect/token', form);
    expect([bare.status, bare.json<{ error: string }>().error]).toEqual([400, 'invalid_grant']);
    const other = kind.client('kept-Reference');
    const foreign = await new Agent(portal.issuer).postForm('/connect/token', { ...form, client_id: other.clientId });
    const view = await launchOf(foreign);
    expect(view).toMatchObject({ kind: 'unknown', decision: { code: 'refresh-token-of-other-client' } });
    expect(view.forDeveloper).not.toContain('took');
  });

  it('stays known when the node is killed before it writes its notes', async () => {
    const [kind] = clientKinds as [ClientKind];
    const at = await launched(kind, 'kept-Jwt', offline);
    await allWritten(portal);
    await at.app.browser.send(`/api/grant?clientId=${at.client.clientId}`, { method: 'DELETE' });
    // Nothing is flushed: the row of the end was written by the transaction that ended it.
    const rows = await portal.query<{ cause: string }>(
      "SELECT cause FROM ended_access WHERE model = 'Grant' AND client_id = $1 ORDER BY ended_at DESC LIMIT 1",
      [at.client.clientId],
    );
    expect(rows).toEqual([{ cause: 'ended-by-person' }]);
  });
});

it('No secret of these requests is recorded, whichever cause they have', async () => {
  await secrets.expectNoneRecorded(portal, 'end');
  const kept = JSON.stringify(await portal.query('SELECT * FROM ended_access'));
  expect(secrets.foundIn(kept)).toEqual([]);
});

const referenceOf = ({ reference }: LaunchView) => ({ 'x-launch-reference': reference });
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function shownOf(by: EndCode): { title: string; text?: string; decidedBy?: string } {
  const { title, text, decidedBy } = endCauses[by] as { title: string; text?: string; decidedBy?: string };
  return { title, ...(text && { text }), ...(decidedBy && { decidedBy }) };
}

/**
 * The refusal is in the launch, is its last event, and names the cause and the time where the token endpoint came to
 * them.
 */
async function expectTold(
  answer: Answer,
  { reference }: LaunchView,
  { by, code, state }: { by: EndCode; code: CauseCode; state: LaunchView['state'] },
): Promise<void> {
  const view = await launchOf(answer);
  expect([view.reference, view.state, view.decision?.code]).toEqual([reference, state, code]);
  if (code.endsWith('access-had-ended')) {
    expect(view.decidedBy).toBe(view.decision?.decidedBy);
    expect(view.decidedBy).toMatch(new RegExp(`^${escaped(shownOf(by).decidedBy ?? '')}, on .* UTC$`));
    expect(view.forDeveloper).toContain('is not valid any more: the access behind it ended on');
  }
  expect(view.forDeveloper).not.toMatch(/Tokens were issued|under way/);
}
