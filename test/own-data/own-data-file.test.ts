/** Everything kept about a user, as one JSON file. */
import { connect } from 'node:net';
import type { OwnData } from '../../src/contract/own-record/own-data.js';
import { OwnRecords } from '../../src/own-data/domain/own-records.js';
import { Flow } from '../support/apps/flow.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { confirmAtProvider, ownerKinds, ownerUsers, signInOwner } from '../support/users/owners.js';
import { people } from '../support/users/people.js';

const { patient, otherPatient } = people;
const disclaimer = { id: 'research', description: 'Research', html: '<p>Your data may be used for research.</p>' };
let provider: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    config: {
      clients: [publicApp],
      users: [
        ...ownerUsers,
        people.admin,
        { ...patient, claims: [...patient.claims, { name: 'locale', value: 'nl' }] },
        otherPatient,
      ],
      identityProviders: [provider.entry({ allowedGroups: ['patients', 'staff'] })],
      disclaimers: [{ clients: [], everyLogin: false, ...disclaimer }],
    },
  });
  provider.trust(portal);
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));

const ask = (agent: Agent, body: object = {}) => agent.post('/api/user/data', body);

async function addressOf(agent: Agent): Promise<string> {
  const answer = await ask(agent);
  expect(answer.status).toBe(200);
  return `/api${answer.json<{ address: string }>().address}`;
}

async function downloaded(agent: Agent): Promise<OwnData> {
  const answer = await agent.get(await addressOf(agent));
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/);
  expect(answer.headers['cache-control']).toBe('no-store');
  return answer.json<OwnData & Record<string, unknown>>();
}

/** As if all sign-ins were this many seconds older. */
const age = (seconds: number) =>
  portal.query(
    `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - $1::int))
      WHERE model = 'Session'`,
    [seconds],
  );

const events = (id: string, count: number) =>
  portal.query(
    `WITH added AS (
       INSERT INTO audit_event (type, outcome, user_id, detail)
       SELECT 'logout', 'success', $1, jsonb_build_object('number', number) FROM generate_series(1, $2::int) AS number RETURNING id)
     INSERT INTO audit_unsealed SELECT id FROM added`,
    [id, count],
  );

describe.each(ownerKinds)('The file of $kind', (kind) => {
  it('has the account, its second factor, its sessions and what its user did, and no secret', async () => {
    const owner = await signInOwner(portal, provider, kind);
    const data = await downloaded(owner.agent);
    expect(data).toMatchObject({
      format: 'gatehouse-own-data',
      version: 1,
      issuer: portal.issuer,
      account: {
        id: owner.id,
        fullName: kind.fullName,
        email: kind.email,
        provider: kind.person ? null : { issuer: provider.authority, subject: kind.subject },
        ...(kind.person && { userType: kind.person.userType, claims: kind.person.claims }),
      },
      twoFactor: kind.hasTwoFactor ? { enabledAt: expect.any(String), recoveryCodesLeft: 10 } : null,
      recoveryCodesLeft: kind.hasTwoFactor ? 10 : null,
      passkeys:
        kind.hasPasskeyAlone || kind.hasPasskeyAsWell ? [expect.objectContaining({ name: expect.any(String) })] : [],
      sessions: [
        {
          browser: { name: null, system: null },
          signedIn: expect.any(String),
          lastUsed: expect.any(String),
          current: true,
        },
      ],
      launches: [],
    });
    expect(Math.abs(Date.parse(data.generatedAt) - Date.now())).toBeLessThan(60_000);
    expect(data.auditEvents.map(({ type }) => type)).toContain('login');

    const text = JSON.stringify(data);
    const [row] = await portal.query<Record<string, string>>(
      `SELECT password_hash, security_stamp, array_to_string(recovery_codes, ' ') AS codes, encode(sealed_key, 'base64') AS key
         FROM account LEFT JOIN two_factor ON account_id = id WHERE id = $1`,
      [owner.id],
    );
    const secrets = [
      ...Object.values(row ?? {}),
      ...(row?.codes?.split(' ') ?? []),
      owner.factor?.key,
      ...owner.agent.cookies.values(),
    ];
    for (const secret of secrets) if (secret) expect(text).not.toContain(secret);
    if (owner.passkey) expect(text).not.toContain(owner.passkey.id);
    const others = Object.values(people).filter(({ fullName }) => fullName !== kind.fullName);
    for (const { email, fullName } of others) {
      expect([email, text.includes(email), text.includes(fullName)]).toEqual([email, false, false]);
    }
  });
});

describe('The file', () => {
  it('has apps, also that one is paused, consents and agreements with their wordings, launches, and the language', async () => {
    const scope = 'openid fhirUser launch/patient patient/Observation.rs offline_access';
    const flow = await (await Flow.begin(portal, publicApp, { scope })).agreeToAll();
    expect(flow.path).toBe('/user/consent');
    const { app, returnUrl } = flow;
    const granted = (await app.offeredScopes(returnUrl)).filter((offered) => offered !== 'offline_access');
    expect((await app.consent(returnUrl, granted, true)).status).toBeLessThan(300);
    const landed = new URL(await app.follow(returnUrl));
    expect((await app.exchange(landed.searchParams.get('code') ?? '')).status).toBe(200);
    await until(async () => (await portal.query("SELECT FROM launch WHERE outcome = 'completed'")).length === 1);

    const data = await downloaded(app.browser);
    const words = { scope: 'patient/Observation.rs', displayName: expect.any(String), description: expect.any(String) };
    expect(data.account.language).toBe('nl');
    expect(data.apps).toMatchObject([
      {
        clientId: publicApp.clientId,
        clientName: publicApp.clientName,
        permissions: expect.arrayContaining([words]),
        pausedAt: null,
      },
    ]);
    expect(data.consents).toMatchObject([
      {
        clientId: publicApp.clientId,
        remembered: true,
        granted: expect.arrayContaining([words]),
        declined: expect.arrayContaining([{ ...words, scope: 'offline_access' }]),
      },
    ]);
    expect(data.agreements).toMatchObject([
      { disclaimerId: 'research', wording: { description: 'Research', html: disclaimer.html } },
    ]);
    expect(data.launches).toMatchObject([
      { clientId: publicApp.clientId, outcome: 'completed', reference: expect.stringMatching(/^..-....-..$/) },
    ]);
    expect(data.launches[0]?.steps.map(({ code }) => code)).toContain('tokens-issued');
    expect(data.receipts).toEqual([]);
    await app.browser.send(`/api/grant/pause?clientId=${publicApp.clientId}`, { method: 'PUT' });
    expect((await downloaded(app.browser)).apps).toMatchObject([{ pausedAt: expect.any(String) }]);
    await app.browser.send(`/api/grant?clientId=${publicApp.clientId}`, { method: 'DELETE' });
    expect((await downloaded(app.browser)).receipts).toMatchObject([{ clientId: publicApp.clientId, by: 'person' }]);
  });

  it('has all of thousands of events once, in their order, and reads them in parts', async () => {
    const agent = new Agent(portal.issuer);
    await login(agent, otherPatient);
    const { id } = (await agent.get('/api/session')).json<{ id: string }>();
    await events(id, 2_345);
    const { auditEvents } = await downloaded(agent);
    const numbers = auditEvents.filter(({ type }) => type === 'logout').map(({ detail }) => detail?.number);
    expect(numbers).toEqual(Array.from({ length: 2_345 }, (_, at) => at + 1));
    const parts = portal.apps[0]?.get(OwnRecords, { strict: false }).events(id, new Date(), []) ?? [];
    for await (const part of parts) expect(part.length).toBeLessThanOrEqual(500);
  });

  it('ends without an error when the caller disconnects, and releases the database connection', async () => {
    const agent = new Agent(portal.issuer);
    await login(agent, otherPatient);
    const { id } = (await agent.get('/api/session')).json<{ id: string }>();
    await events(id, 20_000);
    const path = await addressOf(agent);
    const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const socket = connect(portal.ports[0] ?? 0, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${new URL(portal.issuer).host}\r\nCookie: ${cookie}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    const reading = () =>
      portal.query(
        "SELECT FROM pg_stat_activity WHERE state <> 'idle' AND query LIKE '%audit_event%' AND pid <> pg_backend_pid() AND datname = current_database()",
      );
    await until(async () => (await reading()).length === 0);
    expect((await agent.get('/api/session')).status).toBe(200);
  });
});

describe('The address of a download', () => {
  it('is given to the session that asked, for a minute, and the download is recorded', async () => {
    const agent = new Agent(portal.issuer);
    await login(agent, patient);
    const path = await addressOf(agent);
    const elsewhere = new Agent(portal.issuer);
    await login(elsewhere, patient);
    const ended = 'This download was not begun in time. Please go back and begin it again.';
    for (const [who, wrong] of [
      [elsewhere, path],
      [agent, `${path}x`],
      [agent, '/api/user/data/x'],
      [agent, `/api/user/data/${(Date.now() - 1000).toString(36)}.${path.split('.')[1]}`],
      [agent, `/api/user/data/${(Date.now() + 1e9).toString(36)}.${path.split('.')[1]}`],
    ] as const) {
      const answer = await who.get(wrong);
      expect([wrong, answer.status, answer.json().message]).toEqual([wrong, 400, ended]);
    }
    expect((await new Agent(portal.issuer).get(path)).status).toBe(401);
    const recorded = () => portal.query("SELECT FROM audit_event WHERE type = 'data.exported' AND outcome = 'success'");
    const before = (await recorded()).length;
    expect((await agent.get(path)).status).toBe(200);
    expect(await recorded()).toHaveLength(before + 1);
  });

  it('takes the password when the sign-in is older than five minutes', async () => {
    const agent = new Agent(portal.issuer);
    await login(agent, patient);
    await age(301);
    const needed = await ask(agent);
    expect([needed.status, errorsOf(needed)]).toEqual([
      400,
      [{ field: 'currentPassword', messages: ['Please enter your current password.'] }],
    ]);
    expect(errorsOf(await ask(agent, { currentPassword: 'wrong' }))[0]?.field).toBe('currentPassword');
    expect((await ask(agent, { currentPassword: patient.password })).status).toBe(200);
  });

  it('takes a new sign-in at the provider when that of a user of the provider is older', async () => {
    const kind = ownerKinds.find(({ person }) => !person) as (typeof ownerKinds)[number];
    const owner = await signInOwner(portal, provider, kind);
    await age(301);
    const needed = await ask(owner.agent);
    expect([needed.status, errorsOf(needed)[0]?.field]).toEqual([400, 'signIn']);
    await confirmAtProvider(provider, owner);
    expect((await ask(owner.agent)).status).toBe(200);
  });

  it('is given ten times in an hour', async () => {
    const agent = new Agent(portal.issuer);
    await login(agent, patient);
    for (let at = 0; at < 10; at += 1) expect((await ask(agent)).status).toBe(200);
    expect((await ask(agent)).status).toBe(429);
  });
});
