import { mock } from 'node:test';
import fc from 'fast-check';
// @ts-expect-error: the engine has no types for its own constants.
import { PARAM_LIST } from 'oidc-provider/lib/consts/index.js';
import { authorizationParameters } from '../../../src/oidc/engine/authorization/posted-requests.js';
import { log } from '../../../src/platform/logging/log.js';
import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import { type Launch, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { awkwardText } from '../../support/http/any-input.js';
import { allWritten } from '../../support/portal/launch-rows.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { runs } from '../../support/runs.js';
import { people } from '../../support/users/people.js';

const quiet = { ...publicApp, clientId: 'quiet-app', requireConsent: false, accessTokenType: 'Reference' };
const planted = 'planted-value-that-stands-nowhere';
/** Members that are credentials at some endpoint, here or elsewhere. */
const credentials = [
  'client_secret',
  'refresh_token',
  'password',
  'code',
  'code_verifier',
  'access_token',
  'id_token',
  'id_token_hint',
  'token',
  'assertion',
  'client_assertion',
  'subject_token',
  'device_code',
  'logout_token',
  'otp',
  'session',
  'api_key',
];

let portal: TestPortal;
let lines: string[];

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [quiet], limits: { startsPerMinute: 10_000 } },
  });
});
afterAll(() => portal.close());

beforeEach(() => {
  lines = [];
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    mock.method(log, level, (...parts: unknown[]) => lines.push(JSON.stringify(parts)));
  }
});
afterEach(() => mock.restoreAll());

const app = (parameters: Launch['parameters'] = {}) => new SmartApp(portal, { client: quiet, parameters });
const formOf = (one: SmartApp) => Object.fromEntries(new URLSearchParams(one.query()));
const post = (form: Record<string, string>, headers: Record<string, string> = {}, agent = new Agent(portal.issuer)) =>
  agent.postForm('/connect/authorize', form, { headers });

/** Everything that the portal has said about requests: addresses, pages, rows and log lines. */
async function said(answers: Answer[]): Promise<string> {
  await allWritten(portal);
  const rows = await portal.query('SELECT * FROM launch');
  const events = await portal.query('SELECT * FROM audit_event');
  return JSON.stringify([answers.map(({ headers, text }) => [headers, text]), rows, events, lines]);
}

/** Answers from the first one on to the first page. */
async function followed(first: Answer, agent: Agent): Promise<Answer[]> {
  const answers = [first];
  for (let at = first.location; at !== undefined && answers.length < 5; at = answers.at(-1)?.location) {
    answers.push(await agent.get(at, { headers: { accept: 'text/html' } }));
  }
  return answers;
}

it('the parameters that are carried on are all that the engine knows', () => {
  expect([...(PARAM_LIST as Iterable<string>)].filter((name) => !authorizationParameters.has(name))).toEqual([]);
});

describe('A form that is posted to the authorization endpoint', () => {
  it.each(credentials)('puts no %s into an address, a page, a record or the log, and continues', async (member) => {
    const [one, agent] = [app(), new Agent(portal.issuer)];
    const answers = await followed(await post({ ...formOf(one), [member]: planted }, {}, agent), agent);
    expect(answers[0]?.status).toBe(303);
    // An app is told that its hint is none.
    expect(new URL(answers[1]?.location ?? '').pathname).toBe(member === 'id_token_hint' ? '/callback' : '/login');
    expect(await said(answers)).not.toContain(planted);
  });

  it.each(credentials)('by GET repeats no %s that its sender has put into the address', async (member) => {
    const agent = new Agent(portal.issuer);
    const first = await agent.get(`${app().authorizationPath}&${member}=${planted}`);
    expect(await said(await followed(first, agent))).not.toContain(planted);
  });

  it('carries on nothing but parameters of authorization requests, whatever it contains', async () => {
    const name = fc.oneof(fc.constantFrom(...authorizationParameters, ...credentials), awkwardText);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, awkwardText), { maxLength: 6 }), async (pairs) => {
        const body = pairs.map(([one, value]) => `${encoded(one)}=${encoded(value)}`).join('&');
        const answer = await new Agent(portal.issuer).send('/connect/authorize', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        expect([303, 400]).toContain(answer.status);
        if (answer.location === undefined) return;
        const names = [...new URL(answer.location).searchParams.keys()];
        expect(names.filter((one) => one !== 'posted' && !authorizationParameters.has(one))).toEqual([]);
      }),
      runs(150, 3000),
    );
  });

  it.each([
    ['JSON', 'application/json', JSON.stringify({ client_id: quiet.clientId, client_secret: planted })],
    ['a bare text', 'text/plain', planted],
    ['a member without a value', 'application/x-www-form-urlencoded', `${planted}&client_id=quiet-app`],
    ['an encoded name', 'application/x-www-form-urlencoded', `client%5Fsecret=${planted}&client_id=quiet-app`],
    ['a name with a blank', 'application/x-www-form-urlencoded', `client_id+=${planted}&client_id=quiet-app`],
  ])('carries on nothing of %s', async (_what, type, body) => {
    const agent = new Agent(portal.issuer);
    const headers = { 'content-type': type };
    const first = await agent.send('/connect/authorize', { method: 'POST', body, headers });
    expect(await said(await followed(first, agent))).not.toContain(planted);
  });
});

/** Lone surrogates have no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/g, ''));
}

describe('A token request that is sent to the authorization endpoint', () => {
  const requests: Record<string, Record<string, string>> = {
    'for a code': { grant_type: 'authorization_code', code: planted, redirect_uri: redirectUri },
    'for a refresh': { grant_type: 'refresh_token', refresh_token: planted },
    'of a service': { grant_type: 'client_credentials', scope: 'system/*.rs', client_secret: planted },
    'by a password': { grant_type: 'password', username: 'anna', password: planted },
    'without its grant type': { refresh_token: planted, client_secret: planted },
  };
  const kinds = Object.keys(requests);
  const of = (kind: string) => ({ client_id: quiet.clientId, ...requests[kind] });

  it.each(kinds)('by POST is refused with the right endpoint: %s', async (kind) => {
    const answer = await post(of(kind));
    expect([answer.status, answer.location, answer.json().error]).toEqual([400, undefined, 'invalid_request']);
    expect(answer.json().error_description).toContain(`${portal.issuer}/connect/token`);
    const { decidedBy, clientId } = await launchOfAnswer(portal, answer);
    expect([decidedBy?.code, clientId]).toEqual(['request-for-tokens', quiet.clientId]);
    expect(decidedBy?.texts.text).toContain('wrong endpoint');
    expect(await said([answer])).not.toContain(planted);
  });

  it.each(kinds)('by GET and by a push is explained as well: %s', async (kind) => {
    const byGet = await new Agent(portal.issuer).get(`/connect/authorize?${new URLSearchParams(of(kind))}`);
    const pushed = await new Agent(portal.issuer).postForm('/connect/par', of(kind));
    for (const answer of [byGet, pushed]) {
      expect([303, 400, 401]).toContain(answer.status);
      expect((await launchOfAnswer(portal, answer)).decidedBy?.code).toBe('request-for-tokens');
    }
    expect(await said([byGet, pushed])).not.toContain(planted);
  });

  it('by a browser shows a page', async () => {
    const answer = await post(of('for a code'), { accept: 'text/html' });
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
  });
});

describe('A posted request that fits no address', () => {
  const resources = ['Condition', 'Observation', 'Procedure', 'Goal', 'CarePlan'];
  const scope = [
    'launch/patient offline_access',
    ...resources.flatMap((type) =>
      Array.from(
        { length: 26 },
        (_, index) => `patient/${type}.rs?category=http://example.org/categories|value-${index}`,
      ),
    ),
  ].join(' ');

  it('is answered by a short address, and gets all of its scopes', async () => {
    const one = app({ scope });
    const posted = await post(formOf(one), {}, one.browser);
    expect([posted.status, String(posted.headers.location).length < 200]).toEqual([303, true]);
    const landed = await one.complete(people.patient, undefined, new URL(posted.location ?? ''));
    const tokens = await one.exchange(landed.searchParams.get('code') ?? '');
    expect(tokens.status).toBe(200);
    expect(tokens.json<Tokens>().scope.split(' ').sort()).toEqual(scope.split(' ').sort());
  });

  it.each([
    [64 * 1024, 303],
    [64 * 1024 + 1, 413],
  ])('of %i bytes is answered with %i', async (bytes, status) => {
    const wide = 'launch/patient offline_access';
    const system = `http://example.org/${'categories/'.repeat(8)}`;
    const nth = (index: number) => ` patient/Observation.rs?category=${system}|value-${index}`;
    const sizeOf = (text: string) => new URLSearchParams(formOf(app({ scope: text }))).toString().length;
    let long = wide;
    for (let index = 0; sizeOf(long + nth(index)) <= bytes; index += 1) long += nth(index);
    const one = app({ scope: long });
    const form = formOf(one);
    const rest = bytes - new URLSearchParams(form).toString().length - '&x='.length;
    const posted = await post({ ...form, x: 'x'.repeat(rest) }, {}, one.browser);
    expect(posted.status).toBe(status);
    if (posted.location === undefined) return;
    const landed = await one.complete(people.patient, undefined, new URL(posted.location));
    const tokens = await one.exchange(landed.searchParams.get('code') ?? '');
    expect(tokens.json<Tokens>().scope.split(' ').sort()).toEqual(long.split(' ').sort());
  });

  it('is not in the address with an id_token_hint either, which is used', async () => {
    const first = app({ scope: 'openid fhirUser' });
    const { id_token: hint = '' } = await first.tokens(people.patient);
    const again = new SmartApp(
      portal,
      { client: quiet, scope: 'openid', parameters: { prompt: 'none', id_token_hint: hint } },
      first.browser,
    );
    const posted = await post(formOf(again), {}, first.browser);
    expect(posted.location).not.toContain(hint);
    const landed = await again.follow(posted.location ?? '');
    expect(new URL(landed).searchParams.get('code')).not.toBeNull();
  });

  it('may be opened again, and no longer than ten minutes', async () => {
    const one = app({ scope });
    const { location = '' } = await post(formOf(one), {}, one.browser);
    for (let time = 0; time < 2; time += 1) {
      expect(new URL((await one.browser.get(location)).location ?? '').pathname).toBe('/login');
    }
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'PostedRequest'");
    const late = await one.browser.get(location);
    expect([late.status, late.location]).toEqual([400, undefined]);
    expect((await launchOfAnswer(portal, late)).decidedBy?.code).toBe('request-form-gone');
  });

  it('is refused without being stored if it names no client', async () => {
    const kept = () => portal.query("SELECT FROM oidc_record WHERE model = 'PostedRequest'");
    const before = (await kept()).length;
    const { client_id: _, ...form } = formOf(app({ scope }));
    expect((await post(form)).status).toBe(400);
    expect(await kept()).toHaveLength(before);
  });

  it('is limited by address as other starts are', async () => {
    await portal.query(
      `INSERT INTO rate_limit (key, points, expire)
       VALUES ('start-posted-authorization:127.0.0.1', 10000, (extract(epoch FROM now()) + 60) * 1000)
       ON CONFLICT (key) DO UPDATE SET points = 10000, expire = excluded.expire`,
    );
    const answers: Answer[] = [];
    for (let sent = 0; sent < 150; sent += 1) answers.push(await post(formOf(app({ scope }))));
    expect(answers.at(-1)?.status).toBe(429);
  });
});

describe('A posted request under an issuer with a path', () => {
  it.each(['', 'x'.repeat(5_000)])('continues below that path (%#)', async (state) => {
    const [port = 0] = await freePorts(1);
    const below = await startPortal({
      issuer: `http://localhost:${port}/ward/smart`,
      ports: [port],
      config: { users: [people.patient], clients: [quiet] },
    });
    const one = new SmartApp(below, { client: quiet, parameters: { state } });
    const posted = await one.browser.postForm(
      '/connect/authorize',
      Object.fromEntries(new URLSearchParams(one.query())),
    );
    expect(posted.location).toMatch(/^http:\/\/localhost:\d+\/ward\/smart\/connect\/authorize\?/);
    const landed = await one.complete(people.patient, undefined, new URL(posted.location ?? ''));
    expect(landed.searchParams.get('state') ?? '').toBe(state);
    await below.close();
  });
});
