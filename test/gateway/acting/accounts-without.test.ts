import { mock } from 'node:test';
import { decodeJwt } from 'jose';
import pg from 'pg';
import type { AppSettings } from '../../../src/contract/settings.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { sharedSecret } from '../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { searchset, sendFhir } from '../../support/fhir/scripted-server.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { jwtApp, opaqueApp, withSecret } from '../../support/representation/acting.js';
import { type Person, people } from '../../support/users/people.js';

const observation = { resourceType: 'Observation', id: 'o', subject: { reference: 'Patient/2' }, status: 'final' };
const patient = { resourceType: 'Patient', id: '2', birthDate: '1948-01-01', contact: [{ name: { text: 'Kim' } }] };
const metadata = {
  ...{ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1' },
  rest: [
    {
      mode: 'server',
      resource: ['Patient', 'Observation', 'Condition', 'Practitioner'].map((type) => ({
        type,
        searchParam: ['patient', 'code'].map((name) => ({ name })),
      })),
    },
  ],
};
/** Statements that nodes send by themselves. */
const ofNodes =
  /^\s*(BEGIN|COMMIT|LISTEN|SHOW|SELECT 1$|SELECT system_identifier |WITH first_due |INSERT INTO (launch|audit)|DELETE FROM (rate_limit|oidc_record WHERE ctid|refresh_answer WHERE expires_at))|due_at|UPDATE job|pg_notify/;

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '', method }, response) => {
    const resource = url.includes('/Patient/2') ? patient : observation;
    if (url.endsWith('/metadata')) return sendFhir(response, metadata);
    if (method === 'GET' && url.includes('?')) return sendFhir(response, searchset([resource]));
    const isThere = /\/(Patient\/2|Observation\/o)$/.test(url);
    const missing = { resourceType: 'OperationOutcome', issue: [] };
    return sendFhir(response, isThere ? resource : missing, isThere ? 200 : 404);
  });
});

afterAll(() => upstream.close());

/** What differs between two runs of the same: ids, secrets, times, ports. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '{jwt}'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '{id}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '{time}'],
  [/localhost(?::|%3A)\d+/g, '{host}'],
  [/\b(?:[0-9A-Z]{2}-[0-9A-Z]{4}-[0-9A-Z]{2}|(?:[0-9A-Z]{4}-){2}[0-9A-Z]{4})\b/g, '{reference}'],
  [/state=[\w-]+/g, 'state={opaque}'],
  [/[\w-]{20,}/g, '{opaque}'],
  [/\b1[789]\d{8}\b/g, '{seconds}'],
  [/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, '{date}'],
  [/(?<!"total"):\d+(?:\.\d+)?(?=[,}])/g, ':{number}'],
];
const masked = (text: string) => masks.reduce((done, [pattern, word]) => done.replace(pattern, word), text);

/** Each step of the same user, with its answer, masked. */
async function stepsOf(portal: TestPortal, person: Person, launch: object): Promise<string[]> {
  const steps: string[] = [];
  const note = (name: string, { status, headers, text }: Answer) => {
    const { date: _date, 'content-length': _length, etag: _etag, ...own } = headers;
    steps.push(masked(`${name} ${status} ${JSON.stringify(own)} ${text}`));
  };
  const app = new SmartApp(portal, launch);
  const begun = await app.authorize();
  note('authorize', begun);
  const returnUrl = new URL(begun.location ?? '', portal.issuer).searchParams.get('returnUrl') ?? '';
  note('sign-in', await app.signIn(person, returnUrl));
  let at = await app.follow(returnUrl);
  steps.push(masked(`page ${at}`));
  if (at.includes('/user/consent')) {
    const next = new URL(at).searchParams.get('returnUrl') ?? '';
    note('consent', await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(next)}`));
    note('consented', await app.consent(next, await app.offeredScopes(next), true));
    at = await app.follow(next);
    steps.push(masked(`app ${at}`));
  }
  const exchanged = await app.exchange(new URL(at).searchParams.get('code') ?? '');
  note('tokens', exchanged);
  const tokens = exchanged.json<Tokens>();
  for (const token of [tokens.access_token, tokens.id_token ?? '']) {
    if (token.startsWith('eyJ')) steps.push(masked(JSON.stringify(decodeJwt(token))));
  }
  const agent = new Agent(portal.issuer);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  note('userinfo', await agent.get('/connect/userinfo', { headers }));
  const secret = { headers: basicAuthorization(opaqueApp.clientId, sharedSecret) };
  note('introspection', await agent.postForm('/connect/introspect', { token: tokens.access_token }, secret));
  for (const path of [
    ...['Patient/2', 'Observation/o', 'Observation?patient=2', 'Observation?code=x&_summary=count', 'Condition/none'],
    ...['AuditEvent', 'RelatedPerson?patient=2', 'Patient/1', 'Observation?patient=1', 'Patient/2/$everything'],
    ...['metadata', '.well-known/smart-configuration', 'Practitioner/practitioner-1'],
  ]) {
    note(path, await agent.get(`/fhir/${path}`, { headers }));
  }
  const change = { method: 'PUT', headers: { ...headers, 'content-type': 'application/fhir+json' } };
  note('change', await agent.send('/fhir/Observation/o', { ...change, body: JSON.stringify(observation) }));
  for (const path of [
    '/api/grant',
    '/api/account',
    '/api/user/access-log',
    '/api/user/deletion',
    '/api/disclaimer',
    '/api/session',
  ]) {
    note(path, await app.browser.get(path));
  }
  const client = (launch as { client?: { clientId: string } }).client?.clientId ?? '';
  note('refresh', await app.refresh(tokens.refresh_token ?? ''));
  note('again', await app.authorize());
  note('take back', await app.browser.send(`/api/grant?clientId=${client}`, { method: 'DELETE' }));
  note('refused', await app.refresh(tokens.refresh_token ?? ''));
  return steps;
}

const scope = 'openid fhirUser launch/patient patient/*.cruds user/*.cruds offline_access';

const ofStaff = 'openid fhirUser user/*.cruds offline_access';

const kinds: readonly (readonly [string, Person, object])[] = [
  ['a patient with self-contained tokens', people.otherPatient, { client: jwtApp, scope }],
  ['a patient with opaque tokens', people.otherPatient, { ...withSecret, scope }],
  ['a patient without one in the token', people.otherPatient, { client: jwtApp, scope: ofStaff }],
  ['a practitioner with self-contained tokens', people.practitioner, { client: jwtApp, scope: ofStaff }],
  ['a practitioner with opaque tokens', people.practitioner, { ...withSecret, scope: ofStaff }],
];

/** All that is seen of users who act for no other, at a portal with this section of the configuration. */
async function seenWith(section: object) {
  const portal = await startPortal({
    config: {
      users: [people.otherPatient, people.practitioner],
      clients: [jwtApp, opaqueApp],
      fhir: { baseUrl: upstream.url },
      locale: { timeZone: 'Europe/Amsterdam' },
      ...section,
    },
  });
  const seen = new Map<string, string[]>();
  for (const [kind, person, launch] of kinds) {
    upstream.requests.length = 0;
    seen.set(kind, await stepsOf(portal, person, launch));
    const asked = upstream.requests.filter(({ url }) => !url.endsWith('/metadata'));
    seen.set(
      `requests of ${kind}`,
      asked.map(({ method, url, body }) => `${method} ${url} ${body}`),
    );
  }
  seen.set('statements', await statementsOfRead(portal));
  seen.set('settings', await settingsOf(portal));
  await portal.close();
  return seen;
}

/** What every page loads, but for the two members that open the pages of representation. */
async function settingsOf(portal: TestPortal): Promise<string[]> {
  const answer = await new Agent(portal.issuer).get('/api/settings');
  const { familyPages, askersWithoutAccount, ...others } = answer.json<AppSettings>();
  expect([familyPages, askersWithoutAccount]).toEqual(
    portal.config.representation ? [true, true] : [undefined, undefined],
  );
  return Object.entries(others).map((member) => masked(JSON.stringify(member)));
}

/** Of ten reads with a token that is known. */
async function statementsOfRead(portal: TestPortal): Promise<string[]> {
  const { access_token } = await new SmartApp(portal, { client: jwtApp, scope }).tokens(people.otherPatient);
  const agent = new Agent(portal.issuer);
  const read = async () => {
    const answer = await agent.get('/fhir/Patient/2', { headers: { authorization: `Bearer ${access_token}` } });
    expect(answer.status).toBe(200);
  };
  await read();
  const query = mock.method(pg.Client.prototype, 'query');
  for (let turn = 0; turn < 10; turn += 1) await read();
  const sent = query.mock.calls.map(({ arguments: [first] }) => textOf(first)).filter((sql) => !ofNodes.test(sql));
  query.mock.restore();
  return sent.sort();
}

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : String((query as { text?: unknown }).text);
}

it('Users who act for no other have the same steps, requests, answers and reads where accounts can act for patients', async () => {
  const on = await seenWith({ representation: {} });
  const off = await seenWith({});
  for (const [kind] of kinds) expect([kind, (on.get(kind) ?? []).length > 25]).toEqual([kind, true]);
  for (const [what, steps] of on) expect([what, steps]).toEqual([what, off.get(what)]);
});
