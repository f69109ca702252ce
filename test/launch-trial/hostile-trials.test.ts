/** Trials of other administrators, and misuse of a trial. */

import { randomUUID } from 'node:crypto';
import type { TrialRequest } from '../../src/contract/clients/launch-trial.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { TrialBrowser } from '../support/apps/trial.js';
import { alterClient, backendService, confidentialApp, publicApp } from '../support/clients/clients.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent } from '../support/http/agent.js';
import { allWritten } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { people } from '../support/users/people.js';

const scopes = ['openid', 'launch/patient', 'patient/Patient.rs', 'patient/Observation.rs'];
const standalone: TrialRequest = { kind: 'standalone', scopes, patient: '1' };
const other = { ...people.admin, email: 'second-admin@example.org', fullName: 'Second Administrator' };
const apps = Array.from({ length: 4 }, (_, index) => ({ ...publicApp, clientId: `app-${index}` }));
const [app, disabled, deleted, edited] = apps.map(({ clientId }) => clientId) as [string, string, string, string];

let portal: TestPortal;
let server: Upstream;
let browser: TrialBrowser;
let page: string;

const secrets = SentSecrets.collect();

beforeAll(async () => {
  server = await startUpstream(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://server');
    const patient = { resourceType: 'Patient', id: pathname.split('/').at(-1), name: [{ text: 'Test Patient' }] };
    const found = { ...patient, id: '1' };
    const bundle = { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: found }] };
    const body = /\/Patient\/\w+$/.test(pathname) ? patient : bundle;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: server.url, testPatients: ['1'] },
      users: [people.admin, other, people.patient],
      clients: [...apps, { ...confidentialApp, requireConsent: true }, backendService],
    },
  });
  browser = await TrialBrowser.signedIn(portal);
  page = `${portal.issuer}/admin/try-launch`;
});
afterAll(async () => {
  await portal.close();
  server.close();
});

/** A trial whose code has arrived at its page. */
async function withCode(clientId = app): Promise<{ id: string; at: URL }> {
  const { id, at } = await browser.begin(clientId, standalone);
  return { id, at: await browser.consent(at) };
}

async function refusals(): Promise<object[]> {
  const rows = await portal.query<{ detail: object }>(
    "SELECT detail FROM audit_event WHERE type = 'access.refused' ORDER BY id",
  );
  return rows.map(({ detail }) => detail);
}

describe('the page of trials as a redirect URI', () => {
  const request = (clientId: string, scope = 'openid') =>
    new URLSearchParams({
      ...{ client_id: clientId, response_type: 'code', redirect_uri: page, scope, state: randomUUID() },
      ...{ code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' },
    });

  it.each(['an administrator', 'a patient', 'a browser without a session'])(
    'is refused in a request by %s without a trial',
    async (who) => {
      const agent =
        who === 'a browser without a session'
          ? new Agent(portal.issuer)
          : await TrialBrowser.signedIn(portal, who === 'a patient' ? people.patient : people.admin);
      const { status, location } = await agent.get(`/connect/authorize?${request(app)}`);
      expect({ status, location }).toEqual({ status: 400, location: undefined });
    },
  );

  it('is refused in a pushed request', async () => {
    const form = Object.fromEntries(request(app));
    const answer = await new Agent(portal.issuer).postForm('/connect/par', form);
    expect(answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('is refused in a request by the browser of a trial that waits', async () => {
    await browser.begin(app, standalone);
    expect((await browser.get(`/connect/authorize?${request(app)}`)).status).toBe(400);
  });

  it.each([
    ['trial', JSON.stringify({ id: randomUUID(), accountId: 'x', sessionUid: 'y', patient: '2' })],
    ['trialId', randomUUID()],
  ])('is not accepted because of a parameter %s', async (name, value) => {
    const query = request(app);
    query.set(name, value);
    expect((await browser.get(`/connect/authorize?${query}`)).status).toBe(400);
  });
});

describe('a request of a trial', () => {
  const start = async () => (await browser.start(app, standalone)).json<{ id: string; authorize: string }>();

  it.each([
    ['another administrator', other],
    ['a patient', people.patient],
    ['the same administrator in another session', people.admin],
  ])('is unknown to %s', async (_, person) => {
    const { authorize } = await start();
    const { status, location } = await (await TrialBrowser.signedIn(portal, person)).get(authorize);
    expect({ status, location }).toEqual({ status: 400, location: undefined });
  });

  it('is opened once', async () => {
    const { authorize } = await start();
    const first = await browser.get(authorize);
    expect(first.location).toContain('/user/consent');
    await browser.consent(new URL(first.location ?? ''));
    const { status, location } = await browser.get(authorize);
    expect({ status, location }).toEqual({ status: 400, location: undefined });
  });

  it('ends for an administrator who declines, as the app would learn it', async () => {
    const { id, at } = await browser.begin(app, standalone);
    const declined = await browser.consent(at, []);
    expect(declined.searchParams.get('error')).toBe('access_denied');
    await browser.answer(id, declined);
    expect((await browser.view(id)).result).toMatchObject({ outcome: 'refused', error: { code: 'access_denied' } });
  });
});

describe('the answer to a trial', () => {
  it('is accepted once', async () => {
    const { id, at } = await withCode();
    expect((await browser.answer(id, at)).status).toBe(204);
    expect((await browser.answer(id, at)).status).toBe(409);
    expect((await browser.view(id)).result?.outcome).toBe('completed');
  });

  it('is accepted once of many at the same time', async () => {
    const { id, at } = await withCode();
    const answers = await Promise.all(Array.from({ length: 6 }, () => browser.answer(id, at)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409, 409, 409, 409, 409]);
  });

  it.each([
    ['a browser without a session', undefined, 401],
    ['a patient', people.patient, 403],
    ['another administrator', other, 404],
    ['the same administrator in another session', people.admin, 409],
  ])('is refused from %s, and is recorded', async (_, person, status) => {
    const { id, at } = await withCode();
    const before = await refusals();
    const agent = person ? await TrialBrowser.signedIn(portal, person) : new TrialBrowser(portal.issuer);
    expect((await agent.answer(id, at)).status).toBe(status);
    if (status >= 403) expect((await refusals()).length).toBe(before.length + 1);
    expect((await browser.view(id)).state).toBe('waiting');
  });

  it('is refused without a trial', async () => {
    const { at } = await withCode();
    expect((await browser.answer(randomUUID(), at)).status).toBe(404);
    expect((await browser.answer('%27%20OR%201', at)).status).toBe(404);
  });

  it('is refused after the trial has expired, and the view says so', async () => {
    const { id, at } = await withCode();
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'LaunchTrial'");
    expect((await browser.answer(id, at)).status).toBe(409);
    expect((await browser.view(id)).state).toBe('expired');
  });

  it('with the code of another trial is refused, and the other one continues', async () => {
    const [one, two] = [await withCode(), await withCode(confidentialApp.clientId)];
    await browser.answer(one.id, two.at);
    expect((await browser.view(one.id)).result).toMatchObject({ error: { code: 'invalid_grant' } });
    await browser.answer(two.id, two.at);
    expect((await browser.view(two.id)).result?.outcome).toBe('completed');
  });

  it('continues for the other one of two tries of one client in two tabs', async () => {
    const [one, two] = [await withCode(), await withCode()];
    await browser.answer(two.id, two.at);
    await browser.answer(one.id, one.at);
    const outcomes = [await browser.view(one.id), await browser.view(two.id)].map(({ result }) => result?.outcome);
    expect(outcomes).toEqual(['completed', 'completed']);
  });
});

describe('a client that changes during its try', () => {
  it.each([
    ['disabled', disabled, () => alterClient(portal, disabled, { enabled: false }), 'invalid_client'],
    ['deleted', deleted, () => portal.query('DELETE FROM client WHERE client_id = $1', [deleted]), 'invalid_client'],
  ])('is refused once it is %s', async (_, clientId, change, code) => {
    const { id, at } = await withCode(clientId);
    await change();
    if (clientId === deleted) await alterClient(portal, app, {});
    expect((await browser.answer(id, at)).status).toBe(204);
    expect((await browser.view(id)).result).toMatchObject({ outcome: 'refused', error: { code } });
  });

  it('gets what its settings permit at the end', async () => {
    const { id, at } = await withCode(edited);
    await alterClient(portal, edited, { settings: { allowedResourceTypes: ['Observation'] } });
    await browser.answer(id, at);
    expect((await browser.view(id)).result?.granted).toEqual(expect.arrayContaining(['patient/Observation.rs']));
    expect((await browser.view(id)).result?.granted).not.toContain('patient/Patient.rs');
  });

  it('is not tried while it is disabled', async () => {
    await alterClient(portal, disabled, { enabled: false });
    expect((await browser.start(disabled, standalone)).status).toBe(409);
  });
});

describe('the data of people in a trial', () => {
  it('is read of test patients only', async () => {
    expect((await browser.start(app, { ...standalone, patient: '2' })).status).toBe(400);
    const service: TrialRequest = { kind: 'service', scopes: ['system/Patient.rs'], patient: '2' };
    expect((await browser.start(backendService.clientId, service)).status).toBe(400);
  });

  it.each([
    [
      'a user’s scopes',
      { ...standalone, scopes: ['openid', 'user/*.rs', 'patient/Patient.rs', 'launch/patient'] },
      'scope-of-person',
    ],
    [
      'scopes for a patient without one',
      { kind: 'standalone', scopes: ['openid', 'patient/*.rs', 'launch/patient'] },
      'scope-no-test-patient',
    ],
  ] as [string, TrialRequest, string][])('is not opened by %s', async (_, request, cause) => {
    const { result, reference } = await browser.tried(app, request);
    expect(result?.granted.filter((scope) => scope.startsWith('user/'))).toEqual([]);
    if (!request.patient) expect(result).toMatchObject({ granted: ['openid'], read: { none: 'no-patient' } });
    await allWritten(portal);
    const [launch] = await portal.query<{ codes: string }>(
      "SELECT (SELECT string_agg(key, ' ') FROM jsonb_object_keys(entries) AS key) AS codes FROM launch WHERE id LIKE $1",
      [`${reference.replace(/\W/g, '')}%`],
    );
    expect(launch?.codes).toContain(cause);
  });

  it('is in the record of accesses as a test by the administrator', async () => {
    await browser.tried(app, standalone);
    const [event] = await portal.query<{ user_id: string; name: string; detail: object }>(
      `SELECT user_id, account.email AS name, detail FROM audit_event JOIN account ON account.id::text = user_id
        WHERE type = 'record.accessed' ORDER BY audit_event.id DESC LIMIT 1`,
    );
    expect(event).toMatchObject({ name: people.admin.email, detail: { trial: true, patient: '1', status: 200 } });
  });

  it('is never part of the view: neither names nor values of the resource, nor a usable token', async () => {
    const { id } = { id: (await browser.tried(app, standalone)).id };
    const { text } = await browser.get(`/api/admin/launch-trial/${id}`);
    expect(text).not.toContain('Test Patient');
    // A JWT has two dots between three parts.
    expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
  });
});

it('a trial starts and ends with an audit event each, which name the client, the scopes and the launch', async () => {
  const { id, result } = await browser.tried(app, standalone);
  const events = await portal.query<{ type: string; outcome: string; client_id: string; detail: object }>(
    'SELECT type, outcome, client_id, detail FROM audit_event WHERE subject = $1 ORDER BY id',
    [id],
  );
  expect(events).toEqual([
    {
      type: 'launch-trial.started',
      outcome: 'success',
      client_id: app,
      detail: expect.objectContaining({ scopes, patient: '1', kind: 'standalone', launch: expect.any(String) }),
    },
    {
      type: 'launch-trial.ended',
      outcome: 'success',
      client_id: app,
      detail: expect.objectContaining({ scopes: result?.granted, read: 200, launch: expect.any(String) }),
    },
  ]);
});

it('a trial launches like an EHR, with the test patient in context', async () => {
  const request: TrialRequest = { kind: 'ehr', scopes: ['openid', 'launch', 'patient/Patient.rs'], patient: '1' };
  const { result } = await browser.tried(app, request);
  expect(result).toMatchObject({ outcome: 'completed', response: { patient: '1' }, read: { status: 200 } });
  expect(result?.granted).toContain('launch');
});

it('a trial notifies no app that the session of the administrator has ended', async () => {
  const own = await TrialBrowser.signedIn(portal);
  await own.tried(app, standalone);
  await own.signOut();
  expect(await portal.query("SELECT payload FROM job WHERE kind = 'backchannel-logout'")).toEqual([]);
});

it('an administrator cannot authorize an app outside of a trial', async () => {
  const launch = new SmartApp(portal, { client: { ...publicApp, clientId: app }, scope: 'openid' }, browser);
  expect((await launch.authorize()).location).toContain('/connect/account');
});

it('a trial records its causes, and no secret in any', async () => {
  await secrets.expectNoneRecorded(portal, 'trial');
});
