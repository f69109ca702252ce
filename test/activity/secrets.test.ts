/** Planted secrets reach neither the record of launches nor the log, whatever was refused. */

import { mock } from 'node:test';
import { ActivityLog } from '../../src/activity/application/activity-log.js';
import { catalogue } from '../../src/contract/activity/catalogue.js';
import { log } from '../../src/platform/logging/log.js';
import { Figures } from '../../src/platform/metrics/figures.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../support/clients/assertions.js';
import { backendService, confidentialApp, publicApp, redirectUri } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { madeBy } from '../support/portal/cause-subjects.js';
import { allWritten, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { asBearer } from '../support/portal/token-portal.js';
import { verifyCode } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const key = await makeClientKey('ES384', 'key');
const service = serviceWithKeys('key-service', [key]);
const app = { ...publicApp, clientId: 'plain-app', requireConsent: false };
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [app, confidentialApp, backendService, service],
      fhir: { baseUrl: 'http://127.0.0.1:1' },
    },
  });
});
afterEach(() => mock.restoreAll());
afterAll(() => portal.close());

const agent = () => new Agent(portal.issuer);
const token = (form: Record<string, string>, headers = {}) => agent().postForm('/connect/token', form, { headers });
const stored = async () => JSON.stringify(await portal.query('SELECT * FROM launch'));

it('each cause that keeps values has a row in the table of tests that make it over HTTP', () => {
  const withValues = Object.entries(catalogue).filter(([, cause]) => JSON.stringify(cause).includes('{{'));
  expect(Object.keys(madeBy).sort()).toEqual(withValues.map(([code]) => code).sort());
});

it('the record of launches and the log keep no planted secret, over flows that are refused in many ways', async () => {
  const lines: string[] = [];
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    mock.method(log, level, (...parts: unknown[]) => lines.push(JSON.stringify(parts)));
  }
  const planted: string[] = [];
  const plant = (value: string) => {
    planted.push(value);
    return value;
  };
  for (let round = 0; round < 5; round += 1) {
    const secret = (name: string) => plant(`planted-${name}-${round}-abcdefghijklmnopqrstuvwxyz-0123456789`);
    const grant = { grant_type: 'authorization_code', redirect_uri: redirectUri };
    const launch = new SmartApp(portal, { client: app, parameters: { launch: secret('launch-value') } });
    await launch.authorize();
    const begun = new SmartApp(portal, { client: app });
    const returnUrl = await begun.begin();
    await begun.signIn({ ...people.patient, password: secret('password') }, returnUrl);
    await verifyCode(begun.browser, plant(`95173${round}`), { returnUrl });
    await token({ ...grant, client_id: app.clientId, code: secret('code'), code_verifier: secret('verifier') });
    const whole = new SmartApp(portal, { client: app });
    const code = plant((await whole.complete(people.patient)).searchParams.get('code') ?? '');
    await whole.exchange(code, { redirect_uri: `${redirectUri}?code=${secret('query')}` });
    await whole.exchange(code, { code_verifier: secret('wrong-verifier') });
    const tokens = (await whole.exchange(code)).json<Tokens>();
    plant(tokens.access_token);
    plant(tokens.refresh_token ?? '');
    await agent().get(`/fhir/Observation?code=${secret('search-value')}`, { headers: asBearer(tokens.access_token) });
    await agent().get(`/fhir/Patient?${secret('a=search-name')}`, { headers: asBearer(tokens.access_token) });
    await agent().get('/fhir/Patient/1', { headers: asBearer(secret('token')) });
    await whole.exchange(code);
    await whole.refresh(secret('refresh-token'));
    await whole.refresh(tokens.refresh_token ?? '');
    await token({ ...grant, code }, basicAuthorization(confidentialApp.clientId, secret('client-secret')));
    await token({ ...grant, code, client_id: confidentialApp.clientId, client_secret: secret('posted-secret') });
    const audience = `${portal.issuer}/connect/token`;
    const assertion = plant(
      await clientAssertion({ clientId: service.clientId, audience, key, claims: { jti: secret('jti'), exp: 1 } }),
    );
    const ask = { grant_type: 'client_credentials', scope: 'system/*.rs', client_assertion_type: assertionType };
    await token({ ...ask, client_assertion: assertion });
    await token({ ...ask, client_assertion: secret('no-assertion') });
    plant(begun.verifier);
    plant(whole.verifier);
  }
  await allWritten(portal);
  const text = `${await stored()}\n${lines.join('\n')}`;
  expect(text).toMatch(/code-(unknown|malformed)/);
  expect(text).toContain('token-secret-wrong');
  expect(text).toContain('password-wrong');
  expect(planted.filter((value) => value === '' || text.includes(value))).toEqual([]);
});

it('a request whose transaction was rolled back is recorded', async () => {
  mock.method(log, 'error', () => undefined);
  const launch = new SmartApp(portal, { client: app });
  const code = (await launch.complete(people.patient)).searchParams.get('code') ?? '';
  await portal.query("ALTER TABLE oidc_record ADD CONSTRAINT planted CHECK (model <> 'RefreshToken') NOT VALID");
  const failed = await launch.exchange(code);
  await portal.query('ALTER TABLE oidc_record DROP CONSTRAINT planted');
  expect(failed.status).toBe(500);
  const told = await launchOf(portal, failed);
  expect(told).toMatchObject({ outcome: 'failed', cause: 'request-failed' });
  expect((await launch.exchange(code)).status).toBe(200);
});

it('the record of launches fails no request while it cannot be written, and is written later', async () => {
  mock.method(log, 'warn', () => undefined);
  await portal.query('ALTER TABLE launch RENAME TO launch_away');
  const launch = new SmartApp(portal, { client: app });
  const landed = await launch.complete(people.patient);
  const exchanged = await launch.exchange(landed.searchParams.get('code') ?? '');
  await allWritten(portal);
  await portal.query('ALTER TABLE launch_away RENAME TO launch');
  expect(exchanged.status).toBe(200);
  expect(await launchOf(portal, exchanged)).toMatchObject({ outcome: 'completed' });
});

it('the record of launches drops the oldest launch of a full queue, and counts it', async () => {
  const lost = mock.fn(async () => {
    throw new Error('the database is down');
  });
  mock.method(log, 'warn', () => undefined);
  const queue = new ActivityLog({ store: lost } as never, portal.config, new Figures());
  const add = (id: string) => queue.add({ id, entries: [{ code: 'code-unknown', at: 1, detail: {} }] });
  for (let count = 0; count < 10_003; count += 1) add(`launch-${count}`);
  expect(queue.dropped).toBe(3);
  await queue.flush();
  expect(queue.dropped).toBe(3);
});
