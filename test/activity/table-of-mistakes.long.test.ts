/**
 * Mistakes that had been explained less than they could be, made against the built product over the wire, and read as
 * an administrator reads them: code, values, change, and a field that the client's form has.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { codeSeconds } from '../../src/contract/rules/lifetime.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { basicAuthorization, type Launch, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import {
  assertionType,
  clientAssertion,
  makeClientKey,
  nowSeconds,
  serviceWithKeys,
} from '../support/clients/assertions.js';
import { confidentialApp, publicApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { createDatabase } from '../support/database/database.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { type Hidden, ToldRecords, toldOf } from '../support/mistakes/told-records.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const key = await makeClientKey('ES384', 'table-key');
const proofKey = await generateKeyPair('ES256', { extractable: true });
const app = { ...publicApp, clientId: 'table-app', requireConsent: false };
const bound = { ...app, clientId: 'table-bound', requireDpop: true };
const withSecret = { ...confidentialApp, clientId: 'table-secret' };
const factor = { ...app, clientId: 'table-factor', require2fa: true };
const searching = { ...app, clientId: 'table-searching' };
const ending = { ...app, clientId: 'table-ending' };
const notRedeeming = { ...app, clientId: 'table-not-redeeming' };
const signing = {
  ...confidentialApp,
  clientId: 'table-signing',
  requireSignedRequestObject: true,
  clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(key.jwk), description: 'key' }],
};
const service = serviceWithKeys('table-service', [key], sharedSecret);
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };

let portal: PortalProcess & { fhirBase: string };
let server: SmallFhirServer;
let close: () => Promise<void>;
let records: ToldRecords;

beforeAll(async () => {
  server = await startSmallFhirServer();
  const [database, [port = 0]] = await Promise.all([createDatabase(), freePorts(1)]);
  const started = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      fhir: { baseUrl: server.url },
      ehr: { callers: [ehr] },
      users: [people.admin, people.patient, people.practitioner],
      clients: [app, bound, withSecret, factor, signing, service, searching, ending, notRedeeming],
    },
  });
  portal = Object.assign(started, { fhirBase: `${started.issuer}/fhir` });
  close = async () => {
    await portal.end('SIGTERM');
    await database.drop();
    server.close();
  };
  const admin = new Agent(portal.issuer);
  records = new ToldRecords(admin);
  await login(admin, people.admin);
  await until(async () => {
    const status = await admin.get('/api/admin/dashboard/firely-server-status');
    return status.json().isFirelyServerAvailable === true;
  });
});
afterAll(() => close());

const agent = () => new Agent(portal.issuer);
const start = (client: { clientId: string }, launch: Launch = {}) => new SmartApp(portal, { client, ...launch });
const ask = (parameters: Launch['parameters'], client: { clientId: string } = app) =>
  start(client, { parameters }).authorize();
const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  agent().postForm('/connect/token', form, { headers });
const read = (path: string, headers: Record<string, string>) => agent().get(`/fhir${path}`, { headers });
const assert = async (claims: object, form: Record<string, string> = { scope: 'system/*.rs' }) =>
  post({
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_assertion: await clientAssertion({
      clientId: service.clientId,
      audience: `${portal.issuer}/connect/token`,
      key,
      claims: claims as never,
    }),
    ...form,
  });
const tokens = (scope = 'openid launch/patient patient/Patient.rs', client: { clientId: string } = app) =>
  start(client, { scope }).tokens(people.patient);

async function proof(url: string, { token, typ = 'dpop+jwt' }: { token?: string; typ?: string } = {}) {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const claims = { htm: 'POST', htu: url, jti: randomUUID(), iat: nowSeconds(), ...ath };
  const jwk = await exportJWK(proofKey.publicKey);
  return new SignJWT(claims as never).setProtectedHeader({ alg: 'ES256', typ, jwk }).sign(proofKey.privateKey);
}

async function exchange(
  client: { clientId: string },
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const launched = start(client, { scope: 'openid launch/patient patient/Patient.rs' });
  const landed = await launched.complete(people.patient);
  const whole = {
    ...{ grant_type: 'authorization_code', client_id: client.clientId, redirect_uri: redirectUri },
    ...{ code: landed.searchParams.get('code') ?? '', code_verifier: launched.verifier, ...form },
  };
  return post(Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== '')), headers);
}

/** The tokens of an app of which the user has taken the access back. */
async function takenBack() {
  const launched = start(ending, { scope: 'openid launch/patient patient/Patient.rs offline_access' });
  const { access_token: token, refresh_token: refresh = '' } = await launched.tokens(people.patient);
  const answer = await launched.browser.send(`/api/grant?clientId=${ending.clientId}`, { method: 'DELETE' });
  expect(answer.status).toBeLessThan(300);
  return { launched, token, refresh };
}

async function signed(claims: object) {
  const { aud: _, ...parameters } = Object.fromEntries(new URLSearchParams(start(signing).query()));
  const now = nowSeconds();
  const own = { iss: signing.clientId, aud: portal.issuer, nbf: now, exp: now + 60, jti: randomUUID() };
  const request = await new SignJWT({ ...parameters, ...own, resource: portal.fhirBase, ...claims })
    .setProtectedHeader({ alg: 'ES384', kid: 'table-key' })
    .sign(key.privateKey);
  return ask({ request }, signing);
}

const announce = (form: Record<string, string>, secret = ehr.secret) =>
  agent().postForm('/connect/launchContext', form, { headers: basicAuthorization(ehr.id, secret) });

async function launchedFor(user: string) {
  const announced = await announce({ patient: '1', user });
  const launch = announced.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
  const launched = start(app, { scope: 'launch openid patient/*.rs', parameters: { launch } });
  const returnUrl = await launched.begin();
  await launched.signIn(people.patient, returnUrl);
  const resumed = await launched.browser.get(returnUrl);
  const { location = '' } = resumed;
  return location.startsWith('/') || location.startsWith(portal.issuer) ? launched.browser.get(location) : resumed;
}

/** The id of the mistake, its cause, a text that names the values, and the field of the change. */
type Row = [id: string, code: CauseCode, values: RegExp, send: () => Promise<Answer | Hidden>, field?: string];
const rows: Row[] = [
  [
    'A08',
    'redirect-uri-damaged',
    /percent-encoded twice/,
    () => ask({ redirect_uri: encodeURIComponent(encodeURIComponent(redirectUri)) }),
  ],
  [
    'A18',
    'pkce-public',
    /no code_challenge/,
    () => ask({ code_challenge: undefined, code_challenge_method: undefined }),
  ],
  ['A34', 'object-audience', /https:\/\/elsewhere\.example/, () => signed({ aud: 'https://elsewhere.example' })],
  [
    'A39',
    'announced-other-person',
    /Practitioner\/practitioner-1.*Patient\/1/,
    () => launchedFor('Practitioner/practitioner-1'),
  ],
  ['A43', 'ehr-secret-wrong', /ward-ehr/, () => announce({ patient: '1' }, 'another-secret')],
  ['A44', 'ehr-patient-unknown', /Patient\/none/, () => announce({ patient: 'none' })],
  ['B10', 'assertion-time', /milliseconds/, () => assert({ exp: Date.now() + 60_000 })],
  ['B18', 'assertion-issuer', /someone-else.*table-service/, () => assert({ sub: 'someone-else' })],
  ['B24', 'scopes-none-left', /system\/Patient\.s/, () => assert({}, { scope: 'system/Patient.search' })],
  ['B25', 'token-scopes-missing', /no scope/, () => assert({}, {}), 'defaultScopes'],
  [
    'B27',
    'token-client-damaged',
    /upper and lower case/,
    () =>
      post(
        { grant_type: 'client_credentials', scope: 'system/*.rs' },
        basicAuthorization('Table-Service', sharedSecret),
      ),
  ],
  [
    'B29',
    'token-credentials-unreadable',
    /follow Basic as they are/,
    () => post({ grant_type: 'client_credentials' }, { authorization: `Basic ${service.clientId}:x` }),
  ],
  [
    'D05',
    'dpop-type',
    /its typ is JWT/,
    async () => exchange(bound, {}, { dpop: await proof(`${portal.issuer}/connect/token`, { typ: 'JWT' }) }),
  ],
  [
    'D07',
    'gateway-token-bound',
    /bound to a key/,
    async () => {
      const answer = await exchange(bound, {}, { dpop: await proof(`${portal.issuer}/connect/token`) });
      return read('/Patient/1', { authorization: `Bearer ${answer.json<Tokens>().access_token}` });
    },
  ],
  [
    'G04',
    'gateway-other-patient',
    /patient of the launch alone/,
    async () => read('/Patient/2', { authorization: `Bearer ${(await tokens()).access_token}` }),
  ],
  [
    'G05',
    'gateway-search-emptied',
    /another patient/,
    async () => {
      const { access_token: token } = await tokens('openid launch/patient patient/Observation.rs', searching);
      await read('/Observation?patient=2', { authorization: `Bearer ${token}` });
      return searching;
    },
  ],
  [
    'G12',
    'gateway-token-changed',
    /does not fit its content/,
    async () => {
      const { access_token: token } = await tokens();
      return read('/Patient/1', { authorization: `Bearer ${token.slice(0, -9)}AAAAAAAAA` });
    },
  ],
  [
    'G14',
    'gateway-access-had-ended',
    /The user took the access back/,
    async () => read('/Patient/1', { authorization: `Bearer ${(await takenBack()).token}` }),
  ],
  [
    'G19',
    'gateway-type-unknown',
    /no such resource type.*similar name/,
    async () => read('/Spaceship/1', { authorization: `Bearer ${(await tokens()).access_token}` }),
  ],
  [
    'G26',
    'gateway-token-in-address',
    /in the address/,
    async () => read(`/Patient/1?access_token=${(await tokens()).access_token}`, {}),
  ],
  [
    'O01',
    'introspection-not-permitted',
    /issued to table-app/,
    async () => {
      const { access_token: token } = await tokens();
      await agent().postForm(
        '/connect/introspect',
        { token },
        { headers: basicAuthorization(withSecret.clientId, sharedSecret) },
      );
      return withSecret;
    },
    'allowIntrospection',
  ],
  [
    'O11',
    'gateway-document-elsewhere',
    /\/\.well-known\/openid-configuration/,
    () => agent().get('/fhir/.well-known/openid-configuration'),
  ],
  [
    'O04',
    'token-origin',
    /https:\/\/page\.example/,
    () => exchange(app, {}, { origin: 'https://page.example' }),
    'redirectUris',
  ],
  [
    'O09',
    'scopes-none-left',
    /Management API/,
    () => assert({}, { scope: 'http://server.fire.ly/auth/scope/authmanagement' }),
  ],
  [
    'O12',
    'registration-not-offered',
    /dynamic registration/,
    () => agent().send('/connect/register', { method: 'POST', body: {} }),
  ],
  [
    'P05',
    'second-factor-none',
    /setting of the client/,
    async () => {
      const launched = start(factor);
      const returnUrl = await launched.begin();
      await launched.signIn(people.patient, returnUrl);
      const page = new URL(await launched.follow(returnUrl));
      return launched.browser.get(
        `/api/twofactor/enable?returnUrl=${encodeURIComponent(page.searchParams.get('returnUrl') ?? '')}`,
      );
    },
    'require2fa',
  ],
  [
    'P08',
    'scope-patient-skipped',
    /chose no patient.*Have the user choose a patient/,
    async () => {
      const launch = { client: app, scope: 'openid fhirUser launch/patient patient/Patient.rs' };
      const choice = await ContextChoice.reach(portal as never, launch, people.practitioner);
      await choice.choose([]);
      const { location = '' } = await choice.app.browser.get(choice.returnUrl);
      return choice.app.browser.get(location);
    },
  ],
  ['S05', 'scopes-none-left', /separated by commas/, () => ask({ scope: 'patient/Patient.rs,patient/Observation.rs' })],
  [
    'S06',
    'scopes-none-left',
    /separated by plus signs/,
    () => ask({ scope: 'patient/Patient.rs+patient/Observation.rs' }),
  ],
  ['T05', 'token-parameter-missing', /no redirect_uri/, () => exchange(app, { redirect_uri: '' })],
  [
    'T08',
    'token-body-type',
    /application\/json/,
    () => agent().send('/connect/token', { method: 'POST', body: { grant_type: 'refresh_token' } }),
  ],
  ['T11', 'token-credentials-missing', /neither a secret nor a client_assertion/, () => exchange(withSecret, {})],
  ['T12', 'token-credentials-of-public', /public/, () => exchange(app, { client_secret: 'x' })],
  [
    'T27',
    'access-had-ended',
    /The user took the access back/,
    () => takenBack().then(({ launched, refresh }) => launched.refresh(refresh)),
  ],
  [
    'T30',
    'code-unredeemed',
    /did not redeem its code.*runs at its redirect URI/,
    async () => {
      await start(notRedeeming).complete(people.patient);
      await sleep((codeSeconds + 1) * 1_000);
      return notRedeeming;
    },
  ],
  ['T24', 'token-parameter-missing', /no grant_type/, () => exchange(app, { grant_type: '' })],
];

describe('Each mistake of the table is explained', () => {
  it.each(rows)('%s: %s', async (_, code, values, send, ...[field]) => {
    const view = await records.recordOf(await send(), code, values);
    const entry = view?.entries.find((one) => one.code === code);
    expect({ found: view?.entries.map((one) => one.code), field: entry?.change?.field }).toEqual({
      found: expect.arrayContaining([code]),
      field,
    });
    const told = toldOf(view, code);
    expect(told).toMatch(values);
    expect(told).not.toMatch(/\{\{|undefined|no check that is known/);
    expect(entry?.change?.text).toMatch(/^[A-Z].{10,}\.$/);
    expect(view?.forDeveloper).toContain(`Reference: ${view?.reference}`);
  });
});
