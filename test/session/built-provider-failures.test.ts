/** The failures of another provider in the built server, whose packages are bundled: each is told by what it was. */
import type { ServerResponse } from 'node:http';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import pg from 'pg';
import type { ReadinessReport } from '../../src/contract/readiness.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { createDatabase } from '../support/database/database.js';
import { Agent } from '../support/http/agent.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';
import { beginExternalSignIn } from '../support/providers/external-sign-in.js';
import {
  type Deviations,
  kid,
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '../support/providers/misbehaving-provider.js';
import { eventually } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

interface Failure {
  what: string;
  deviations?: Deviations;
  /** Parameters of the callback in place of the right ones. */
  answer?: Record<string, string | undefined>;
  reason: 'provider-unavailable' | 'provider-failed' | 'access-denied';
  why: RegExp;
}

const status =
  (code: number, body = '{}') =>
  (response: ServerResponse) =>
    void response.writeHead(code).end(body);
const silence = () => undefined;
const reset = (response: ServerResponse) => void response.destroy();
const now = () => Math.floor(Date.now() / 1000);
const otherKey = generateKeyPair('RS256');
const unavailable = (what: string, deviations: Deviations, why: RegExp): Failure => ({
  ...{ what, deviations, why },
  reason: 'provider-unavailable',
});
const unusable = (what: string, deviations: Deviations, why: RegExp): Failure => ({
  ...{ what, deviations, why },
  reason: 'provider-failed',
});
const answered = (what: string, answer: Failure['answer'], reason: Failure['reason'], why: RegExp): Failure => ({
  ...{ what, answer: { code: undefined, ...answer }, reason, why },
});

const failures: Failure[] = [
  unavailable('the token endpoint fails', { tokens: status(500) }, /token endpoint had the status 500/),
  unavailable('a proxy is before the token endpoint', { tokens: status(502, '<html>') }, /token endpoint .* 502/),
  unavailable('the token endpoint never answers', { tokens: silence }, /token endpoint .* no answer in time/),
  unavailable('the token endpoint breaks off', { tokens: reset }, /token endpoint could not be read: .*/),
  unusable(
    'the token endpoint refuses the client',
    { tokens: status(401, '{"error":"invalid_client"}') },
    /token endpoint answered 401 invalid_client/,
  ),
  unusable(
    'the token endpoint refuses the code',
    { tokens: status(400, '{"error":"invalid_grant"}') },
    /token endpoint answered 400 invalid_grant/,
  ),
  unusable('the token endpoint refuses without JSON', { tokens: status(400, 'no') }, /answered 400 without JSON/),
  unusable('tokens are garbage', { tokens: status(200, '{"access_') }, /answered 200 without JSON/),
  unusable('tokens are HTML', { tokens: status(200, '<html>') }, /answered 200 without JSON/),
  unusable('there is no id_token', { tokens: status(200, '{"access_token":"a"}') }, /answered 200 without tokens/),
  unusable('the id_token is garbage', { idToken: () => 'a.b.c' }, /id_token cannot be accepted: /),
  unusable('the id_token is of another type', { idToken: () => 7 }, /answered 200 without tokens/),
  unusable(
    'the id_token is signed by another key',
    {
      idToken: async (claims: JWTPayload) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign((await otherKey).privateKey),
    },
    /id_token cannot be accepted: signature verification failed/,
  ),
  unusable('the id_token has another issuer', { claims: { iss: 'https://elsewhere.example' } }, /"iss"/),
  unusable('the id_token has another audience', { claims: { aud: 'another-client' } }, /"aud"/),
  unusable('the id_token has expired', { claims: { exp: now() - 3_600 } }, /"exp"/),
  unusable('the id_token has no subject', { claims: { sub: undefined } }, /"sub"/),
  unusable('the id_token has no time', { claims: { iat: undefined } }, /"iat"/),
  unusable('the nonce is another one', { claims: { nonce: 'another' } }, /nonce/),
  unavailable('the user info fails', { userInfo: status(500) }, /user info had the status 500/),
  unavailable('the user info breaks off', { userInfo: reset }, /user info could not be read/),
  unusable('the user info is refused', { userInfo: status(401) }, /user info had the status 401/),
  unusable('the user info is garbage', { userInfo: status(200, '<html>') }, /user info .* no JSON object/),
  unusable('the user info is of another user', { userInfo: { sub: 'another' } }, /sub of the user info/),
  unavailable('the key set fails', { keys: status(503) }, /key set had the status 503/),
  unavailable('the key set breaks off', { keys: reset }, /key set could not be read/),
  unusable('there is no key set', { keys: status(404) }, /key set had the status 404/),
  unusable('the key set is garbage', { keys: status(200, '<html>') }, /JSON Web Key Set/),
  unusable('the key set is empty', { keys: status(200, '{"keys":[]}') }, /no applicable key/),
  unavailable('the discovery document fails', { discovery: status(500) }, /discovery document had the status 500/),
  unavailable('there is no discovery document', { discovery: status(404) }, /discovery document had the status 404/),
  unavailable('the discovery document is garbage', { discovery: status(200, '<html>') }, /cannot be used: all of it/),
  unavailable('the discovery document is of another issuer', { metadata: { issuer: 'https://a.example' } }, /issuer/),
  answered('the provider fails', { error: 'server_error' }, 'provider-failed', /provider answered server_error/),
  answered(
    'the provider has no time',
    { error: 'temporarily_unavailable' },
    'provider-unavailable',
    /provider answered temporarily_unavailable/,
  ),
  answered('the user cancels', { error: 'access_denied' }, 'access-denied', /access-denied/),
  answered('there is no code', {}, 'provider-failed', /there is no code/),
];

const schemeOf = (index: number) => `case-${index}`;

let provider: MisbehavingProvider;
let database: Awaited<ReturnType<typeof createDatabase>>;
let node: PortalProcess;
let client: pg.Client;
let admin: Agent;
let portal: { issuer: string; fhirBase: string };
/** Launches with the failure that their record has to tell; they are written a moment later. */
const launches: { reference: string; why: RegExp }[] = [];

beforeAll(async () => {
  [provider, database] = await Promise.all([startMisbehavingProvider(), createDatabase()]);
  for (const [index, { deviations }] of failures.entries()) provider.deviations[schemeOf(index)] = deviations ?? {};
  const [port = 0] = await freePorts(1);
  node = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      users: [people.admin],
      clients: [publicApp],
      identityProviders: [
        ...failures.map((_, index) => provider.entry(schemeOf(index))),
        // No server listens there.
        { ...provider.entry('down'), authority: 'http://localhost:9' },
        provider.entry('right'),
      ],
      logging: { level: 'warn' },
    },
  });
  portal = { issuer: node.issuer, fhirBase: `${node.issuer}/fhir` };
  client = new pg.Client(database.connection);
  await client.connect();
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});

afterAll(async () => {
  await client.end();
  await node.end('SIGTERM');
  await Promise.all([provider.close(), database.drop()]);
});

/** The callback with the provider's answer, or the refusal of the start, during the request of an app. */
async function comeBack(scheme: string, answer: Failure['answer'] = {}) {
  const app = new SmartApp(portal as never);
  const returnUrl = await app.begin();
  const begun = await beginExternalSignIn(app.browser, scheme, returnUrl);
  const isAtProvider = begun.location?.startsWith(provider.authority(scheme)) === true;
  const back = isAtProvider ? await app.browser.get(provider.callbackFor(begun.location ?? '', answer)) : begun;
  return { app, back };
}

const logLines = (scheme: string) =>
  node.output
    .split('\n')
    .filter((line) => line.includes(`"identityProvider":"${scheme}"`))
    .map((line) => JSON.parse(line) as { reason: string; why: string; err?: unknown });

async function providerCheck() {
  const { sections } = (await admin.get('/api/admin/readiness')).json<ReadinessReport & Record<string, unknown>>();
  return sections.flatMap(({ checks }) => checks).find(({ code }) => code === 'identity-providers');
}

async function expectTold(scheme: string, { answer, reason, why }: Omit<Failure, 'what'>): Promise<void> {
  const { back } = await comeBack(scheme, answer);
  expect([back.status, new URL(back.location ?? '').searchParams.get('error')]).toEqual([303, reason]);

  const lines = logLines(scheme);
  expect(lines).toEqual([expect.objectContaining({ reason })]);
  if (reason !== 'access-denied') expect(lines[0]?.why).toMatch(why);
  expect(lines[0]?.err).toBeUndefined();

  const { rows } = await client.query(
    "SELECT detail - 'launch' AS detail FROM audit_event WHERE type = 'login' AND detail ->> 'identityProvider' = $1",
    [scheme],
  );
  const expected = { identityProvider: scheme, reason };
  expect(rows).toEqual([
    { detail: reason === 'access-denied' ? expected : { ...expected, why: expect.stringMatching(why) } },
  ]);

  if (reason !== 'access-denied') {
    launches.push({ reference: String(back.headers['x-launch-reference']), why });
    const check = await providerCheck();
    expect([check?.state, check?.finding.text]).toEqual(['improve', expect.stringMatching(why)]);
  }
}

describe('A sign-in at another provider, in the built server,', () => {
  it.each(failures.map((failure, index) => ({ ...failure, scheme: schemeOf(index) })))(
    'is told as $reason where $what',
    ({ scheme, ...failure }) => expectTold(scheme, failure),
  );

  it('is told as provider-unavailable where nothing listens', () =>
    expectTold('down', {
      reason: 'provider-unavailable',
      why: /discovery document could not be read: .*ECONNREFUSED/,
    }));

  it('is told in the launch of the app', () =>
    eventually(async () => {
      expect(launches.length).toBeGreaterThan(30);
      for (const { reference, why } of launches) {
        const { text } = await admin.get(`/api/admin/activity/${reference}`);
        expect(text.replaceAll('\\"', '"')).toMatch(why);
      }
    }));

  it('whose state is lost is told to the operator, and gets a page', async () => {
    const { app } = await comeBack('right', { state: 'a'.repeat(43) });
    expect((await app.browser.get('/api/session')).status).toBe(401);
    expect(logLines('right')).toEqual([
      expect.objectContaining({
        reason: 'unknown-state',
        why: expect.stringMatching(/no sign-in of this browser waits/),
      }),
    ]);
  });

  it('that succeeds ends what the readiness report says of its provider', async () => {
    await client.query(
      'INSERT INTO readiness_note (name, detail) VALUES (\'identity-provider right\', \'{"why": "x"}\')',
    );
    await client.query("DELETE FROM readiness_note WHERE name LIKE 'identity-provider %' AND name NOT LIKE '% right'");
    expect((await providerCheck())?.state).toBe('improve');
    const { back } = await comeBack('right');
    expect(back.status).toBe(303);
    expect((await providerCheck())?.finding.text).toBe('No provider has failed since its latest sign-in.');
  });
});
