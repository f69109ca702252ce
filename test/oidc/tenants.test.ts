import { decodeJwt, SignJWT } from 'jose';
import type { LaunchContextRequest } from '../../src/contract/launch-context.js';
import { usersChanged } from '../../src/users/domain/user.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../support/clients/assertions.js';
import { alterClient, backendService, confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import type { Upstream } from '../support/fhir/gateway.js';
import { startNamedFhirServer } from '../support/fhir/named-fhir-server.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal, tellNodes } from '../support/portal/portal.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { until } from '../support/until.js';
import { type Person, people } from '../support/users/people.js';

const of = (person: Person, name: string, ...tenants: string[]): Person => ({
  ...person,
  email: `${name}@example.org`,
  claims: [...person.claims, ...tenants.map((value) => ({ name: 'tenant', value }))],
});
const patients = {
  none: people.patient as Person,
  north: of(people.patient, 'north.patient', 'north'),
  south: of(people.patient, 'south.patient', 'south'),
};
const doctor = of(people.practitioner, 'north.doctor', 'north');
const locum = of(people.practitioner, 'locum', 'north', 'south');
const leaver = of(people.patient, 'leaver', 'north');

const key = await makeClientKey('ES384', 'key');
const app = { ...publicApp, requireConsent: false };
const askingApp = { ...publicApp, clientId: 'asking-app' };
const referenceApp = { ...app, clientId: 'reference-app', accessTokenType: 'Reference' };
const signingApp = {
  ...confidentialApp,
  clientId: 'signing-app',
  requireSignedRequestObject: true,
  clientSecrets: [
    { secretType: 'JWK', secret: JSON.stringify(key.jwk) },
    { secretType: 'SharedSecret', secret: sharedSecret },
  ],
};
const northernApp = { ...app, clientId: 'northern-app', allowedTenants: ['north'] };
const northernService = { ...backendService, clientId: 'northern-service', allowedTenants: ['north'] };
const introspector = { ...confidentialApp, clientId: 'introspector', allowIntrospection: true };
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };

const hospitals: Record<string, Upstream> = {};
let provider: TestIdentityProvider;
let portal: TestPortal;

beforeAll(async () => {
  for (const name of ['none', 'north', 'south']) hospitals[name] = await startNamedFhirServer(name);
  const tenant = (id: string, name: string) => {
    return { id, name, baseUrl: hospitals[id]?.url ?? '', credentials: { type: 'none' } };
  };
  provider = await startIdentityProvider();
  const copyClaims = [{ claim: 'department', as: 'tenant' }];
  const lookup = [{ type: 'Patient', match: [{ parameter: '_id', claim: 'name' }] }];
  portal = await startPortal({
    config: {
      identityProviders: [
        provider.entry({ copyClaims }),
        provider.entry({ scheme: 'searching', copyClaims, fhirUser: { lookup } }),
      ],
      fhir: {
        baseUrl: hospitals.none?.url,
        tenants: [tenant('north', 'North Clinic'), tenant('south', 'South Clinic')],
      },
      users: [...Object.values(patients), doctor, locum, leaver],
      clients: [app, askingApp, referenceApp, signingApp, introspector, backendService, northernApp, northernService],
      ehr: { callers: [ehr] },
    },
  });
  provider.trust(portal, 'hospital', 'searching');
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  for (const hospital of Object.values(hospitals)) hospital.close();
});

type Name = keyof typeof patients;

const baseOf = (name: string) => (name === 'none' ? portal.fhirBase : `${portal.fhirBase}/${name}`);

function appAt(
  tenant: string,
  client: { clientId: string } = app,
  more: object = {},
  browser = new Agent(portal.issuer),
) {
  return new SmartApp(portal, { client, ...more, parameters: { aud: baseOf(tenant), ...more } }, browser);
}

const read = (base: string, token: string) =>
  new Agent(portal.issuer).get(`${base}/Patient/1`, { headers: { authorization: `Bearer ${token}` } });

const introspect = async (token: string) => {
  const headers = basicAuthorization(introspector.clientId, sharedSecret);
  return (await new Agent(portal.issuer).postForm('/connect/introspect', { token }, { headers })).json();
};

const userInfo = (token: string) =>
  new Agent(portal.issuer).get('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } });

const errorIn = (location = 'none:') => new URL(location).searchParams.get('error');

describe('A tenant', () => {
  it.each([[app], [referenceApp]])(
    'is chosen by aud and returned in token, response, introspection and refresh',
    async (client) => {
      const tokens = await appAt('north', client).tokens(patients.north);
      const told = { tenant: 'north', patient: '1' };
      const fhirUser = `${baseOf('north')}/Patient/1`;
      expect(tokens).toMatchObject(told);
      expect(decodeJwt(tokens.id_token ?? '').fhirUser).toBe(fhirUser);
      expect(await introspect(tokens.access_token)).toMatchObject({
        active: true,
        aud: baseOf('north'),
        fhirUser,
        ...told,
      });
      expect((await userInfo(tokens.access_token)).json()).toMatchObject({ fhirUser });
      const refreshed = (await appAt('north', client).refresh(tokens.refresh_token ?? '')).json<Tokens>();
      expect(refreshed).toMatchObject(told);
      expect(await introspect(refreshed.access_token)).toMatchObject({ active: true, aud: baseOf('north'), ...told });
      expect((await read(baseOf('north'), refreshed.access_token)).text).toContain('Patient of north');
    },
  );

  it('is not returned where there is none', async () => {
    const tokens = await appAt('none').tokens(patients.none);
    expect(tokens).not.toHaveProperty('tenant');
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty('tenant');
    expect(decodeJwt(tokens.access_token).aud).toBe(portal.fhirBase);
  });

  it.each([[app], [referenceApp]])('does not accept the tokens of another tenant', async (client) => {
    for (const own of ['none', 'north', 'south'] as Name[]) {
      const { access_token: token } = await appAt(own, client).tokens(patients[own]);
      for (const other of ['none', 'north', 'south']) {
        const answer = await read(baseOf(other), token);
        expect([own, other, answer.status]).toEqual([own, other, own === other ? 200 : 401]);
        if (own === other) expect(answer.text).toContain(`Patient of ${own}`);
      }
    }
  });

  it('A-10 must exist, with at most one slash more', async () => {
    for (const aud of [
      `${portal.fhirBase}/east`,
      `${baseOf('north')}//`,
      `${baseOf('north')}/Patient`,
      baseOf('NORTH'),
    ]) {
      expect(errorIn((await appAt('north', app, { aud }).authorize()).location)).toBe('invalid_request');
    }
    const tokens = await appAt('north', app, { aud: `${baseOf('north')}/` }).tokens(patients.north);
    expect(decodeJwt(tokens.access_token).aud).toBe(baseOf('north'));
  });

  it('must be the only one that the request names', async () => {
    const both = await appAt('north', app, { resource: baseOf('south') }).authorize();
    expect(errorIn(both.location)).toBe('invalid_request');
    const query = `${appAt('north').query()}&resource=${baseOf('north')}&resource=${baseOf('south')}`;
    const twice = await new Agent(portal.issuer).get(`/connect/authorize?${query}`);
    expect(errorIn(twice.location)).toBe('invalid_target');
    const { refresh_token: token } = await appAt('north').tokens(patients.north);
    const changed = await appAt('north').refresh(token ?? '', { resource: baseOf('south') });
    expect(changed.json()).toMatchObject({ error: 'invalid_target' });
  });

  it('has its own discovery documents', async () => {
    for (const name of ['none', 'north', 'south']) {
      const metadata = await new Agent(portal.issuer).get(`${baseOf(name)}/metadata`);
      expect(metadata.json()).toMatchObject({ resourceType: 'CapabilityStatement', name });
      const smart = await new Agent(portal.issuer).get(`${baseOf(name)}/.well-known/smart-configuration`);
      expect(smart.json()).toMatchObject({ token_endpoint: `${portal.issuer}/connect/token` });
      expect(JSON.stringify(metadata.json())).toContain(`${portal.issuer}/connect/token`);
    }
  });

  it('is in the returnUrl', async () => {
    const at = async (name: string) => new URLSearchParams((await appAt(name).begin()).split('?')[1]).get('tenant');
    expect([await at('north'), await at('none')]).toEqual(['north', null]);
  });

  it('can be named by a pushed and by a signed request', async () => {
    const pushing = appAt('north');
    const form = Object.fromEntries(new URLSearchParams(pushing.query()));
    const pushed = (await new Agent(portal.issuer).postForm('/connect/par', form)).json<{ request_uri: string }>();
    const query = new URLSearchParams({ client_id: app.clientId, request_uri: pushed.request_uri });
    const landed = await pushing.complete(
      patients.north,
      undefined,
      new URL(`/connect/authorize?${query}`, portal.issuer),
    );
    const tokens = (await pushing.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    expect(tokens.tenant).toBe('north');

    const signing = new SmartApp(portal, { client: signingApp, secret: sharedSecret });
    const { aud: _aud, ...parameters } = Object.fromEntries(new URLSearchParams(signing.query()));
    const times = { nbf: nowSeconds(), exp: nowSeconds() + 60 };
    const claims = { ...parameters, iss: signingApp.clientId, aud: portal.issuer, ...times };
    const request = await new SignJWT({ ...claims, resource: baseOf('south') })
      .setProtectedHeader({ alg: 'ES384', kid: 'key', typ: 'oauth-authz-req+jwt' })
      .sign(key.privateKey);
    const signed = new URLSearchParams({ client_id: signingApp.clientId, request });
    const there = await signing.complete(
      patients.south,
      undefined,
      new URL(`/connect/authorize?${signed}`, portal.issuer),
    );
    const more = (await signing.exchange(there.searchParams.get('code') ?? '')).json<Tokens>();
    expect(more).toMatchObject({ tenant: 'south', patient: '1' });
  });

  it('is named by resource for a service', async () => {
    const ask = async (more: Record<string, string>) =>
      (
        await new Agent(portal.issuer).postForm(
          '/connect/token',
          { grant_type: 'client_credentials', scope: 'system/*.rs', ...more },
          { headers: basicAuthorization(backendService.clientId, sharedSecret) },
        )
      ).json<Tokens>();
    const tokens = await ask({ resource: baseOf('south') });
    expect(tokens.tenant).toBe('south');
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: baseOf('south'), tenant: 'south' });
    expect((await read(baseOf('south'), tokens.access_token)).text).toContain('Patient of south');
    expect((await read(baseOf('north'), tokens.access_token)).status).toBe(401);
    expect((await read(baseOf('none'), tokens.access_token)).status).toBe(401);
    expect(decodeJwt((await ask({})).access_token).aud).toBe(portal.fhirBase);
    expect(await ask({ resource: `${portal.fhirBase}/east` })).toMatchObject({ error: 'invalid_target' });
    expect(await ask({ request: 'nonsense' })).toMatchObject({ access_token: expect.any(String) });
  });
});

describe('A client for some tenants', () => {
  it('gets tokens for those and no other base', async () => {
    for (const tenant of ['none', 'south']) {
      expect(errorIn((await appAt(tenant, northernApp).authorize()).location)).toBe('invalid_target');
      const service = await new Agent(portal.issuer).postForm(
        '/connect/token',
        { grant_type: 'client_credentials', scope: 'system/*.rs', resource: baseOf(tenant) },
        { headers: basicAuthorization(northernService.clientId, sharedSecret) },
      );
      expect(service.json()).toMatchObject({ error: 'invalid_target' });
    }
    const tokens = await appAt('north', northernApp).tokens(patients.north);
    expect(tokens.tenant).toBe('north');
    await alterClient(portal, northernApp.clientId, { settings: { allowedTenants: ['south'] } });
    const refreshed = await appAt('north', northernApp).refresh(tokens.refresh_token ?? '');
    expect(refreshed.json()).toMatchObject({ error: 'invalid_target' });
  });
});

describe('A user account', () => {
  it.each<[string, Person, string]>([
    ['of one tenant', patients.north, 'south'],
    ['of one tenant', patients.north, 'none'],
    ['of no tenant', patients.none, 'north'],
  ])('%s is asked for another account by an app of another tenant', async (_, person, tenant) => {
    const visit = appAt(tenant);
    const landed = await visit.complete(person);
    expect(landed.pathname).toBe('/connect/account');
    const page = await visit.browser.get(landed.href);
    expect(page.text).toContain('This account cannot be used here');
    expect(page.text.includes('South Clinic')).toBe(tenant === 'south');
    const again = new URL(await visit.follow(landed.searchParams.get('returnUrl') ?? ''));
    expect(again.pathname).toBe('/connect/account');
    const returnUrl = again.searchParams.get('returnUrl') ?? '';
    const left = await visit.browser.postForm('/connect/account', { returnUrl, choice: 'decline' });
    expect(errorIn(await visit.follow(left.location ?? ''))).toBe('access_denied');
  });

  it('that leaves a tenant loses its tokens for it', async () => {
    const visits = [appAt('north'), appAt('north', referenceApp)];
    const tokens = await Promise.all(visits.map((visit) => visit.tokens(leaver)));
    await portal.query(`UPDATE account SET claims = jsonb_build_array(claims->0) WHERE email = $1`, [leaver.email]);
    await tellNodes(portal, usersChanged);
    for (const [index, { access_token: token, refresh_token: refresh }] of tokens.entries()) {
      await until(async () => (await read(baseOf('north'), token)).status === 401);
      expect(await introspect(token)).toEqual({ active: false });
      expect(await introspect(refresh ?? '')).toEqual({ active: false });
      expect((await userInfo(token)).status).toBe(401);
      expect((await visits[index]?.refresh(refresh ?? ''))?.json()).toMatchObject({ error: 'invalid_grant' });
    }
  });

  it.each([
    ['hospital', 'grace'],
    ['searching', 'otto'],
  ])('of an identity provider belongs to the tenant that the provider names (%s)', async (scheme, subject) => {
    Object.assign(provider.members[subject] ?? {}, { department: 'north', groups: ['patients'] });
    for (const { requests } of Object.values(hospitals)) requests.length = 0;
    const { browser } = await signInAtProvider(portal, provider, subject, { scheme });
    const tokens = await appAt('north', app, {}, browser).tokens(patients.north);
    expect(tokens).toMatchObject({ tenant: 'north', patient: '1' });
    const searched = ['none', 'north', 'south'].filter((name) =>
      hospitals[name]?.requests.some(({ url }) => url.startsWith('/r4/Patient?')),
    );
    expect(searched).toEqual(scheme === 'searching' ? ['north'] : []);
    expect((await appAt('none', app, {}, browser).complete(patients.none)).pathname).toBe('/connect/account');
  });

  it('of an identity provider cannot be used with an unknown tenant', async () => {
    Object.assign(provider.members['no-email'] ?? {}, { department: 'east' });
    const { answer } = await signInAtProvider(portal, provider, 'no-email');
    expect(new URL(answer.location ?? '').pathname).toBe('/account/error');
  });

  it('of two tenants consents at each of them, and reduces the scopes of one only', async () => {
    const browser = new Agent(portal.issuer);
    const scope = 'openid fhirUser user/Patient.rs user/Practitioner.rs offline_access';
    const grant = async (tenant: string, without?: string) => {
      const visit = new SmartApp(portal, { client: askingApp, scope, parameters: { aud: baseOf(tenant) } }, browser);
      let at = new URL(await visit.follow(`/connect/authorize?${visit.query()}`));
      if (at.pathname === '/login') {
        const signIn = at.searchParams.get('returnUrl') ?? '';
        await visit.signIn(locum, signIn);
        at = new URL(await visit.follow(signIn));
      }
      expect(at.pathname).toBe('/user/consent');
      const returnUrl = at.searchParams.get('returnUrl') ?? '';
      await visit.consent(
        returnUrl,
        scope.split(' ').filter((one) => one !== without),
        true,
      );
      const landed = new URL(await visit.follow(returnUrl));
      return (await visit.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    };
    const north = await grant('north');
    const south = await grant('south', 'user/Patient.rs');
    expect([north.tenant, south.tenant]).toEqual(['north', 'south']);
    expect(south.scope).not.toContain('user/Patient.rs');
    const refreshed = (await appAt('north', askingApp).refresh(north.refresh_token ?? '')).json<Tokens>();
    expect(refreshed.scope).toBe(scope);
  });
});

describe('The launch context at a tenant', () => {
  const scope = 'launch openid fhirUser patient/*.rs';
  const announce = (form: Record<string, string>) =>
    new Agent(portal.issuer).postForm('/connect/launchContext', form, {
      headers: basicAuthorization(ehr.id, ehr.secret),
    });
  const launchOf = async (form: Record<string, string>) =>
    (await announce(form)).json<{ launchContextIdentifier: string }>().launchContextIdentifier;

  it("is chosen among the tenant's own resources", async () => {
    const wants = { scope: 'openid fhirUser launch/patient patient/*.rs' };
    const visit = new SmartApp(portal, { client: app, ...wants, parameters: { aud: baseOf('north') } });
    const page = await visit.complete(doctor);
    expect(page.pathname).toBe('/user/launch-context');
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    const query = new URLSearchParams({ returnUrl });
    const { resourceData } = (await visit.browser.get(`/api/launch-context?${query}`)).json<LaunchContextRequest>();
    expect(JSON.stringify(resourceData)).toContain('Patient of north');
    await visit.browser.post(`/api/launch-context?${query}`, ['Patient/1']);
    const landed = new URL(await visit.follow(returnUrl));
    const tokens = (await visit.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    expect(tokens).toMatchObject({ tenant: 'north', patient: '1' });
    expect((await read(baseOf('north'), tokens.access_token)).text).toContain('Patient of north');
  });

  it('O-06 is valid at the tenant that the EHR named, and at no other', async () => {
    const open = async (named: string | undefined, at: string) => {
      const launch = await launchOf({ patient: '1', ...(named === undefined ? {} : { tenant: named }) });
      return new SmartApp(portal, { client: app, scope, parameters: { aud: baseOf(at), launch } });
    };
    expect(await (await open('north', 'north')).tokens(doctor)).toMatchObject({ tenant: 'north', patient: '1' });
    for (const [named, at] of [
      ['north', 'south'],
      ['north', 'none'],
      [undefined, 'north'],
    ] as const) {
      expect(errorIn((await (await open(named, at)).authorize()).location)).toBe('invalid_request');
    }
  });

  it('cannot be registered for an unknown tenant, nor for the patient of another one', async () => {
    const patient = `${baseOf('north')}/Patient/1`;
    const forms = [{ patient }, { patient, tenant: 'south' }, { patient: '1', tenant: 'east' }];
    const answers = await Promise.all(forms.map((form) => announce(form as Record<string, string>)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it('names its user and its patient by the tenant’s address', async () => {
    const [user, patient] = ['Practitioner/practitioner-1', 'Patient/1'].map((path) => `${baseOf('north')}/${path}`);
    const launch = await launchOf({ tenant: 'north', user: user ?? '', patient: patient ?? '' });
    const visit = new SmartApp(portal, { client: app, scope, parameters: { aud: baseOf('north'), launch } });
    expect((await visit.tokens(doctor)).patient).toBe('1');
  });
});
