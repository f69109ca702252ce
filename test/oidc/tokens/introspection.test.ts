import { decodeJwt } from 'jose';
import { plainIntrospection } from '../../../src/oidc/engine/tokens/plain-introspection.js';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { backendService, confidentialApp, sharedSecret } from '../../support/clients/clients.js';
import {
  appsOfFormats,
  appsOfKind,
  asBearer,
  asResourceServer,
  expectInactive,
  resourceServer,
  tokenScope,
  useTokenPortal,
} from '../../support/portal/token-portal.js';
import { inTurn } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const [jwtApp] = appsOfFormats as [(typeof appsOfFormats)[number]];
const brief = appsOfFormats.map((app) => ({
  ...app,
  clientId: `brief-${app.clientId}`,
  accessTokenLifetime: '00:00:02',
}));
const referenceService = { ...backendService, clientId: 'reference-service', accessTokenType: 'Reference' };
const key = await makeClientKey('ES384', 'caller');
const keyedCaller = { ...serviceWithKeys('keyed-caller', [key]), allowIntrospection: true };
const disabledCaller = { ...backendService, clientId: 'disabled-caller', enabled: false, allowIntrospection: true };
const at = useTokenPortal({
  clients: [...brief, confidentialApp, backendService, referenceService, keyedCaller, disabledCaller],
});

describe.each(appsOfFormats)('An access token of $clientId', (client) => {
  it('SMART introspection-active §8 is introspected with the values of its token response and id_token', async () => {
    const tokens = await at.tokensOf(client);
    const answer = await at.introspect(tokens.access_token);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    const id = decodeJwt(tokens.id_token ?? '');
    const told = answer.json<Record<string, unknown>>();
    expect(told).toMatchObject({
      active: true,
      client_id: client.clientId,
      scope: tokens.scope,
      token_type: 'Bearer',
      iss: id.iss,
      sub: id.sub,
      fhirUser: id.fhirUser,
      aud: at.portal.fhirBase,
      patient: '1',
      need_patient_banner: true,
      smart_style_url: tokens.smart_style_url,
    });
    expect(Math.abs(Number(told.exp) - Number(told.iat) - tokens.expires_in)).toBeLessThanOrEqual(1);
  });

  it('SMART introspection-bearer §8 is introspected for its holder by a bearer token, and so is its refresh token', async () => {
    const { access_token, refresh_token } = await at.tokensOf(client);
    expect((await at.introspect(access_token, asBearer(access_token))).json()).toMatchObject({
      active: true,
      patient: '1',
    });
    expect((await at.introspect(refresh_token ?? '', asBearer(access_token))).json()).toMatchObject({ active: true });
    const another = await at.tokensOf(client);
    expectInactive(await at.introspect(another.access_token, asBearer(access_token)));
  });

  it('returns the claims of its user at userinfo, by GET and by POST', async () => {
    const { access_token, id_token } = await at.tokensOf(client);
    const { sub, fhirUser } = decodeJwt(id_token ?? '');
    const answer = await at.userinfo(access_token);
    expect([answer.status, answer.json()]).toEqual([200, { sub, fhirUser }]);
    expect(answer.headers['cache-control']).toContain('no-store');
    const posted = await at.post('/connect/userinfo', {}, asBearer(access_token), 1);
    expect(posted.json()).toEqual({ sub, fhirUser });
  });

  it('B-21 is introspected for its client and for resource servers only', async () => {
    const { access_token } = await at.tokensOf(client);
    expectInactive(await at.introspect(access_token, basicAuthorization(confidentialApp.clientId, sharedSecret)));
    expectInactive(await at.introspect(access_token, asBearer(await at.serviceToken(backendService))));
    expect((await at.introspect(access_token, asBearer(await at.serviceToken(resourceServer)))).json()).toMatchObject({
      active: true,
      client_id: client.clientId,
    });
  });

  it('SMART introspection-expired is inactive after its expiry', async () => {
    const asked = Date.now();
    const { access_token } = await at.tokensOf({ clientId: `brief-${client.clientId}` });
    await until(async () => (await at.userinfo(access_token)).status === 401);
    // The lifetime is two seconds, and the first one had begun.
    expect(Date.now() - asked).toBeGreaterThan(1_000);
    expectInactive(await at.introspect(access_token));
  });
});

describe.each(clientKinds)('The tokens of an app ($name)', (kind) => {
  const apps = inTurn(appsOfKind(kind), kind.number);

  it.each(apps)('B-21 are introspected for the app if it can authenticate ($accessTokenType)', async (client) => {
    const app = kind.app(at.portal, client, { scope: tokenScope });
    const { browser } = app;
    const { access_token: token } = await app.tokens(people.patient);
    const answer = await kind.post(browser, '/connect/introspect', client, { token });
    if (kind.isPublic) expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
    else expect(answer.json()).toMatchObject({ active: true, client_id: client.clientId, token_type: kind.tokenType });
  });
});

describe('An access token without a user', () => {
  it.each([backendService, referenceService])('§8 is introspected without a sub ($clientId)', async (client) => {
    const token = await at.serviceToken(client);
    const told = (await at.introspect(token, basicAuthorization(client.clientId, sharedSecret))).json();
    expect(told).toMatchObject({
      active: true,
      client_id: client.clientId,
      scope: 'system/*.rs',
      aud: at.portal.fhirBase,
    });
    expect(told).not.toHaveProperty('patient');
    expect((await at.userinfo(token)).status).toBe(401);
    expect((await at.introspect(token, asResourceServer(), 1)).json()).toMatchObject({ active: true });
    for (const node of [0, 1]) expect((await at.readPatient(token, node)).status).not.toBe(401);
    await at.post('/connect/revocation', { token }, basicAuthorization(client.clientId, sharedSecret));
    expectInactive(await at.introspect(token));
    await at.expectRefusedEverywhere(token);
  });
});

describe('Introspection', () => {
  it('SMART introspection-unknown returns only active=false for an unknown token', async () => {
    for (const token of [
      'invalid_token_value',
      'a.b.c',
      'eyJhbGciOiJub25lIn0.e30.',
      '~a.b.c',
      'x'.repeat(20_000),
      '🙂',
    ]) {
      expectInactive(await at.introspect(token));
    }
  });

  it('SMART introspection-unauthorized B-21 is refused to unauthenticated callers', async () => {
    const { access_token } = await at.tokensOf(jwtApp);
    for (const headers of [
      {},
      basicAuthorization(resourceServer.clientId, 'wrong'),
      basicAuthorization('unknown', sharedSecret),
      asBearer('made-up'),
      asBearer('a.b.c'),
    ] as Record<string, string>[]) {
      const answer = await at.introspect(access_token, headers);
      expect([400, 401]).toContain(answer.status);
      expect(answer.json()).not.toHaveProperty('active');
    }
    const named = await at.post('/connect/introspect', { token: access_token, client_id: jwtApp.clientId }, {});
    expect([named.status, named.json().error]).toEqual([401, 'invalid_client']);
    expect((await at.introspect(access_token, asBearer('made-up'))).headers['www-authenticate']).toContain(
      'invalid_token',
    );
  });

  it('does not accept a bearer token for another client’s token', async () => {
    const { access_token } = await at.tokensOf(jwtApp);
    const answer = await at.post(
      '/connect/introspect',
      { token: access_token, client_id: resourceServer.clientId },
      asBearer(await at.serviceToken(backendService)),
    );
    expectInactive(answer);
  });
});

/** A parameter that means nothing, and takes the request to the engine (decision 0092). */
const unusual = { unknown: '1' };

describe('An introspection request in the usual form', () => {
  const form = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
  const usual = { 'content-type': 'application/x-www-form-urlencoded', ...asResourceServer() };

  it('is read without the engine', () => {
    expect(plainIntrospection(usual, form({ token: 'x', token_type_hint: 'access_token' }))).toMatchObject({
      clientId: resourceServer.clientId,
      params: { token: 'x', token_type_hint: 'access_token' },
    });
    expect(plainIntrospection({ ...usual, accept: 'application/json' }, form({ token: 'x' }))).toBeDefined();
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'that asks for a signed answer',
      { ...usual, accept: 'application/token-introspection+jwt' },
      form({ token: 'x' }),
    ],
    ['without a token', usual, form({ token_type_hint: 'access_token' })],
    ['with an empty token', usual, form({ token: '' })],
    ['with two tokens', usual, 'token=x&token=y'],
    ['with an unknown parameter', usual, form({ token: 'x', ...unusual })],
    ['of a page of another origin', { ...usual, origin: 'https://app.example' }, form({ token: 'x' })],
    ['by a bearer token', { ...usual, authorization: 'Bearer x' }, form({ token: 'x' })],
  ])('is not one %s', (_, headers, text) => {
    expect(plainIntrospection(headers, text)).toBeUndefined();
  });

  const assertion = () => clientAssertion({ clientId: keyedCaller.clientId, audience: at.portal.issuer, key });
  const callers: Record<string, () => Promise<[headers: Record<string, string>, form: Record<string, string>]>> = {
    'a resource server': async () => [asResourceServer(), {}],
    'a resource server with a key': async () => [
      {},
      { client_assertion_type: assertionType, client_assertion: await assertion() },
    ],
    'a service that may not ask': async () => [basicAuthorization(backendService.clientId, sharedSecret), {}],
    'a disabled service': async () => [basicAuthorization(disabledCaller.clientId, sharedSecret), {}],
    'a service with a wrong secret': async () => [basicAuthorization(backendService.clientId, 'wrong'), {}],
  };
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    for (const app of appsOfFormats) {
      const { access_token, refresh_token = '' } = await at.tokensOf(app);
      const ended = await at.tokensOf(app);
      await at.post('/connect/revocation', { token: ended.access_token, client_id: app.clientId }, {});
      tokens.set(`an access token of ${app.clientId}`, access_token);
      tokens.set(`a refresh token of ${app.clientId}`, refresh_token);
      tokens.set(`a revoked token of ${app.clientId}`, ended.access_token);
    }
    for (const service of [backendService, referenceService])
      tokens.set(`an access token of ${service.clientId}`, await at.serviceToken(service));
    tokens.set('an unknown token', 'x'.repeat(43));
    tokens.set('a JWT with another signature', `${tokens.get('an access token of jwt-app')}x`);
  });

  const hints: Record<string, string>[] = [
    {},
    { token_type_hint: 'access_token' },
    { token_type_hint: 'refresh_token' },
  ];

  it.each(Object.entries(callers))('of %s gets what the engine would say about any token', async (_, caller) => {
    const active: string[] = [];
    for (const [number, [name, token]] of [...tokens].entries()) {
      for (const hint of inTurn(hints, number)) {
        const ask = async (more: Record<string, string>) => {
          const [headers, proof] = await caller();
          const answer = await at.post('/connect/introspect', { token, ...hint, ...proof, ...more }, headers);
          const { date: __, 'x-correlation-id': ___, ...others } = answer.headers;
          // The seconds go on between two requests.
          if (others['retry-after']) others['retry-after'] = 'seconds';
          return { name, hint, status: answer.status, said: answer.json<Record<string, unknown>>(), others };
        };
        const plain = await ask({});
        expect(plain).toEqual(await ask(unusual));
        if (plain.said.active === true) active.push(name);
      }
    }
    const isAllowed = [callers['a resource server'], callers['a resource server with a key']].includes(caller);
    const ofEach = inTurn(hints, 0).length;
    expect(active).toHaveLength(ofEach * (isAllowed ? 6 : caller === callers['a service that may not ask'] ? 1 : 0));
  });

  it('C-04 uses an assertion once, in either way', async () => {
    const [token = ''] = tokens.values();
    for (const order of [
      [{}, unusual],
      [unusual, {}],
      [{}, {}],
    ] as Record<string, string>[][]) {
      const proof = { client_assertion_type: assertionType, client_assertion: await assertion() };
      const statuses: number[] = [];
      for (const more of order)
        statuses.push((await at.post('/connect/introspect', { token, ...proof, ...more }, {})).status);
      expect(statuses).toEqual([200, 401]);
    }
  });
});
