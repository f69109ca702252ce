import { decodeJwt } from 'jose';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { type Person, people } from '../support/users/people.js';

const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const app = { ...publicApp, requireConsent: false };
const legacyApp = { ...app, clientId: 'legacy-app', enableLegacyFhirContext: true };
const introspector = { ...confidentialApp, clientId: 'introspector', allowIntrospection: true };
const scope = 'launch openid fhirUser user/*.rs patient/*.rs offline_access';

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    nodes: 2,
    config: {
      fhir: { baseUrl: fhirServer.url },
      server: { trustedProxies: ['127.0.0.1'] },
      ehr: { callers: [ehr] },
      users: Object.values(people),
      clients: [app, legacyApp, introspector],
    },
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

const announce = (
  form: Record<string, string>,
  headers: Record<string, string> = basicAuthorization(ehr.id, ehr.secret),
) => new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });

const launchOf = async (form: Record<string, string>) =>
  (await announce(form)).json<{ launchContextIdentifier: string }>().launchContextIdentifier;

function appFor(launch: string | undefined, { client = app, browser = new Agent(portal.issuer), ...more } = {}) {
  return new SmartApp(portal, { client, scope, parameters: { launch }, ...more }, browser);
}

const opened = async (form: Record<string, string>, person: Person = people.practitioner): Promise<Tokens> =>
  appFor(await launchOf(form)).tokens(person);

async function errorOf(landed: URL): Promise<Record<string, string | null>> {
  expect(landed.href.startsWith(publicApp.redirectUris[0] ?? '')).toBe(true);
  return Object.fromEntries(['error', 'code', 'iss'].map((name) => [name, landed.searchParams.get(name)]));
}

const refused = () => ({ error: 'invalid_request', code: null, iss: portal.issuer });

describe('POST /connect/launchContext', () => {
  it('returns an unguessable value that must not be cached', async () => {
    const answer = await announce({ patient: '1', encounter: 'Encounter/visit-1' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(answer.json()).toEqual({ launchContextIdentifier: expect.stringMatching(/^[\w-]{43}$/) });
    const { launchContextIdentifier } = answer.json<{ launchContextIdentifier: string }>();
    const stored = await portal.query("SELECT * FROM oidc_record WHERE model = 'EhrLaunch'");
    const events = await portal.query("SELECT * FROM audit_event WHERE type = 'launch.announced'");
    expect(JSON.stringify(events)).toContain(ehr.id);
    expect(JSON.stringify([stored, events])).not.toContain(launchContextIdentifier);
  });

  it.each([
    ['no credentials', {}],
    ['a wrong secret', basicAuthorization(ehr.id, 'another-secret-of-the-same-length')],
    ['an unknown caller', basicAuthorization('other', ehr.secret)],
    ["an app's client", basicAuthorization(introspector.clientId, sharedSecret)],
    ['no Basic', { authorization: `Bearer ${ehr.secret}` }],
  ])('answers %s with 401 invalid_client', async (_, headers) => {
    const answer = await announce({ patient: '1' }, headers as Record<string, string>);
    expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
  });

  it.each([
    [{ patient: 'Practitioner/1' }],
    [{ patient: '../1' }],
    [{ patient: '/Patient/1' }],
    [{ patient: 'https://other.example/r4/Patient/1' }],
    [{ patient: '1 or 2' }],
    [{ patient: `${'1'.repeat(65)}` }],
    [{ encounter: 'Patient/1' }],
    [{ need_patient_banner: 'maybe' }],
    [{ intent: 'a\nb' }],
    [{ smart_style_url: 'javascript:alert(1)' }],
    [{ fhirContext: '{' }],
    [{ fhirContext: '{}' }],
    [{ fhirContext: '[1]' }],
    [{ fhirContext: '[{"role":"x"}]' }],
    [{ fhirContext: '[{"reference":"https://fhir.example/ImagingStudy/1"}]' }],
    [{ fhirContext: '[{"reference":"ImagingStudy/1","role":""}]' }],
    [{ fhirContext: '[{"reference":"Patient/1"}]' }],
    [{ fhirContext: '[{"reference":"Encounter/1","role":"launch"}]' }],
    [{ fhirContext: '[{"identifier":{"value":"\\u0000"}}]' }],
  ])('refuses %j with 400 invalid_request', async (form) => {
    const answer = await announce(form as unknown as Record<string, string>);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
  });

  it('refuses repeated parameters, and bodies that are too long or not a form', async () => {
    const send = (body: string, contentType = 'application/x-www-form-urlencoded'): Promise<Answer> =>
      new Agent(portal.issuer).send('/connect/launchContext', {
        method: 'POST',
        body,
        headers: { ...basicAuthorization(ehr.id, ehr.secret), 'content-type': contentType },
      });
    expect((await send('patient=1&patient=2')).status).toBe(400);
    expect((await send('{"patient":"1"}', 'text/plain')).status).toBe(400);
    expect((await send('patient=1', '')).status).toBe(400);
    expect((await send(`patient=1&intent=${'x'.repeat(20_000)}`)).status).toBe(413);
    expect((await send('patient=1&unheard_of=2')).status).toBe(200);
  });
});

it('Guesses of the secret of an EHR are limited, for each address by itself', async () => {
  const proxied = (from: string, secret: string) =>
    announce({ patient: '1' }, { ...basicAuthorization(ehr.id, secret), 'x-forwarded-for': from });
  const answers = [];
  for (let sent = 0; sent < 60; sent += 1) answers.push(await proxied('203.0.113.7', `guess-${sent}`));
  expect(answers.map(({ status }) => status)).toEqual([...Array(50).fill(401), ...Array(10).fill(429)]);
  const late = await proxied('203.0.113.7', ehr.secret);
  expect([late.status, late.json().error]).toEqual([429, 'temporarily_unavailable']);
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
  for (let sent = 0; sent < 60; sent += 1) expect((await proxied('203.0.113.8', ehr.secret)).status).toBe(200);
});

describe('An EHR launch', () => {
  it('SMART launch-ehr SMART context-members SMART introspection-context returns patient and encounter without a question, in response, token, introspection and refresh', async () => {
    const tokens = await opened({ patient: 'Patient/1', encounter: 'visit-1', intent: 'reconcile-medications' });
    const told = {
      patient: '1',
      encounter: 'visit-1',
      intent: 'reconcile-medications',
      need_patient_banner: true,
      smart_style_url: expect.stringContaining('/smart-style/'),
    };
    expect(tokens).toMatchObject({ ...told, scope });
    expect(decodeJwt(tokens.access_token)).toMatchObject(told);
    const introspection = await new Agent(portal.issuer).postForm(
      '/connect/introspect',
      { token: tokens.access_token },
      { headers: basicAuthorization(introspector.clientId, sharedSecret) },
    );
    expect(introspection.json()).toMatchObject({ active: true, ...told });
    expect((await appFor(undefined).refresh(tokens.refresh_token ?? '')).json()).toMatchObject(told);
  });

  it('SMART launch-ehr-post works when the authorization request is sent by POST', async () => {
    const launched = appFor(await launchOf({ patient: '2' }));
    const form = Object.fromEntries(new URLSearchParams(launched.query()));
    const posted = await launched.browser.postForm('/connect/authorize', form);
    expect(posted.status).toBe(303);
    const page = new URL(await launched.follow(posted.location ?? ''));
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    await launched.signIn(people.practitioner, returnUrl);
    const landed = new URL(await launched.follow(returnUrl));
    const answer = await launched.exchange(landed.searchParams.get('code') ?? '');
    expect(answer.json()).toMatchObject({ patient: '2' });
  });

  it('SMART context-banner returns the banner and style parameters of the EHR', async () => {
    const style = 'https://ehr.example/style.json';
    const told = await opened({ patient: '1', need_patient_banner: 'false', smart_style_url: style });
    expect(told).toMatchObject({ need_patient_banner: false, smart_style_url: style });
  });

  it('SMART context-fhir-context R177 returns fhirContext as objects, and as relative references to a client of SMART 2.0', async () => {
    const items = [
      { reference: 'ImagingStudy/1' },
      { reference: 'Patient/9', role: 'https://ehr.example/role/mother' },
      { canonical: 'http://example.org/Questionnaire/phq', type: 'Questionnaire' },
    ];
    const form = { patient: '1', fhirContext: JSON.stringify(items) };
    expect((await opened(form)).fhirContext).toEqual(items);
    const legacy = await appFor(await launchOf(form), { client: legacyApp }).tokens(people.practitioner);
    expect(legacy.fhirContext).toEqual(['ImagingStudy/1']);
    expect(await opened({ patient: '1' })).not.toHaveProperty('fhirContext');
  });

  it('SMART launch-again for patient B in the browser of patient A returns B', async () => {
    const browser = new Agent(portal.issuer);
    const first = await appFor(await launchOf({ patient: '1' }), { browser }).tokens(people.practitioner);
    const second = await appFor(await launchOf({ patient: '2' }), { browser }).tokens(people.practitioner);
    expect([first.patient, second.patient]).toEqual(['1', '2']);
  });

  it('asks for the types that the EHR left open', async () => {
    const launched = appFor(await launchOf({ intent: 'order' }));
    const landed = await launched.complete(people.practitioner);
    expect(landed.pathname).toBe('/user/launch-context');
  });

  it('is granted the scope launch only with a launch value', async () => {
    const landed = await appFor(undefined, { scope: 'launch openid fhirUser user/*.rs' } as never).tokens(
      people.practitioner,
    );
    expect(landed.scope).toBe('openid fhirUser user/*.rs');
    expect(landed).not.toHaveProperty('need_patient_banner');
  });

  it('A-10 requires aud like every launch', async () => {
    const launch = await launchOf({ patient: '1' });
    const landed = (await appFor(launch, { parameters: { launch, aud: undefined } } as never).authorize()).location;
    expect(await errorOf(new URL(landed ?? ''))).toEqual(refused());
  });
});

describe('O-06 A launch value', () => {
  it('SMART launch-unknown that no EHR registered is refused before the user signs in', async () => {
    const landed = (await appFor('x'.repeat(43)).authorize()).location;
    expect(await errorOf(new URL(landed ?? ''))).toEqual(refused());
  });

  it('that is older than ten minutes is refused', async () => {
    const launch = await launchOf({ patient: '1' });
    await portal.query("UPDATE oidc_record SET expires_at = expires_at - interval '601 s' WHERE model = 'EhrLaunch'");
    expect(await errorOf(await appFor(launch).complete(people.practitioner))).toEqual(refused());
  });

  it('works once', async () => {
    const launch = await launchOf({ patient: '1' });
    expect((await appFor(launch).tokens(people.practitioner)).patient).toBe('1');
    expect(await errorOf(await appFor(launch).complete(people.practitioner))).toEqual(refused());
  });

  it('works once of many simultaneous requests on two nodes', async () => {
    const launch = await launchOf({ patient: '1' });
    const browsers = await Promise.all(
      [0, 1, 0, 1].map(async (node) => {
        const browser = new Agent(portal.issuer, portal.ports[node]);
        await appFor(undefined, { browser, scope: 'openid' } as never).complete(people.practitioner);
        return browser;
      }),
    );
    const answers = await Promise.all(browsers.map((browser) => appFor(launch, { browser }).authorize()));
    const landed = answers.map(({ location }) => new URL(location ?? ''));
    expect(landed.filter(({ searchParams }) => searchParams.has('code'))).toHaveLength(1);
    expect(landed.filter(({ searchParams }) => searchParams.get('error') === 'invalid_request')).toHaveLength(3);
  });

  it('of another client is refused', async () => {
    const launch = await launchOf({ patient: '1', client_id: legacyApp.clientId });
    const landed = (await appFor(launch).authorize()).location;
    expect(await errorOf(new URL(landed ?? ''))).toEqual(refused());
    expect((await appFor(launch, { client: legacyApp }).tokens(people.practitioner)).patient).toBe('1');
  });

  it('for another user is refused; the user may be named by fhirUser, relative or absolute', async () => {
    const foreign = await launchOf({ patient: '1', user: 'Practitioner/another' });
    expect(await errorOf(await appFor(foreign).complete(people.practitioner))).toEqual(refused());
    const own = people.practitioner.claims[0]?.value ?? '';
    for (const user of [own, `${portal.fhirBase}/${own}`]) {
      expect((await opened({ patient: '1', user })).patient).toBe('1');
    }
  });

  it('gives a patient their own record only', async () => {
    expect((await opened({ patient: '1' }, people.patient)).patient).toBe('1');
    for (const form of [{ patient: '2' }, { encounter: 'visit-3' }] as Record<string, string>[]) {
      const launched = appFor(await launchOf(form));
      expect(await errorOf(await launched.complete(people.patient))).toEqual(refused());
    }
  });
});

it('SMART discovery-capabilities-ehr the SMART configuration lists EHR launches where an EHR can register them', async () => {
  const answer = await new Agent(portal.issuer).get('/fhir/.well-known/smart-configuration');
  const { capabilities, scopes_supported } = answer.json<{ capabilities: string[]; scopes_supported: string[] }>();
  expect(capabilities).toEqual(
    expect.arrayContaining([
      ...['launch-ehr', 'client-confidential-symmetric', 'client-confidential-asymmetric', 'sso-openid-connect'],
      ...['context-banner', 'context-style', 'context-ehr-patient', 'context-ehr-encounter', 'permission-offline'],
      ...['permission-user', 'authorize-post', 'permission-v2', 'permission-v1'],
    ]),
  );
  expect(scopes_supported).toContain('launch');
});
