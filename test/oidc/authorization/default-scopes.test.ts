import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { clientKinds, confidentialKinds } from '../../support/clients/client-kinds.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const defaultScopes = ['openid', 'fhirUser', 'launch/patient', 'patient/Patient.rs'];
const apps = clientKinds.map((kind) => ({
  kind,
  name: kind.name,
  plain: kind.client('plain-scopes'),
  usual: kind.client('usual-scopes', { defaultScopes }),
}));
const services = confidentialKinds.flatMap((kind) =>
  ['Jwt', 'Reference'].map((accessTokenType) => ({
    kind,
    name: `${kind.name}, ${accessTokenType}`,
    plain: { ...kind.service(`plain-service-${accessTokenType}`), accessTokenType },
    usual: {
      ...kind.service(`usual-service-${accessTokenType}`),
      accessTokenType,
      defaultScopes: ['system/Patient.rs', 'system/Observation.rs'],
    },
  })),
);
const management = {
  ...services[0]?.plain,
  clientId: 'management',
  clientType: 'ManagementApi',
  allowManagementApiAccess: true,
};

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [...[...apps, ...services].flatMap(({ plain, usual }) => [plain, usual]), management],
      limits: { startsPerMinute: 10_000 },
    },
  });
});

afterAll(() => portal.close());

const without: [string, string | undefined][] = [
  ['no scope', undefined],
  ['an empty scope', ''],
];

describe.each(apps)('An authorization request ($name)', ({ kind, plain, usual }) => {
  const appOf = (client: { clientId: string }, scope: string | undefined): SmartApp =>
    kind.app(portal, client, { parameters: { scope } });
  const push = (client: { clientId: string }, app: SmartApp) =>
    kind.post(new Agent(portal.issuer), '/connect/par', client, Object.fromEntries(new URLSearchParams(app.query())));

  it.each(without)('with %s is refused with that reason', async (_, scope) => {
    const app = appOf(plain, scope);
    const answer = await app.authorize();
    const { error, error_description: description } = Object.fromEntries(new URL(answer.location ?? '').searchParams);
    expect([error, description]).toEqual(['invalid_scope', expect.stringContaining('No scopes found in request.')]);
    expect((await launchOfAnswer(portal, answer)).decidedBy?.code).toBe('scopes-missing');
    const pushed = await push(plain, app);
    expect([pushed.status, pushed.json().error, pushed.json().error_description]).toEqual([
      400,
      error,
      expect.stringContaining('No scopes found'),
    ]);
  });

  it.each(without)('with %s gets the default scopes of its client', async (_, scope) => {
    for (const isPushed of [false, true]) {
      const app = appOf(usual, scope);
      const { request_uri = '' } = isPushed ? (await push(usual, app)).json<{ request_uri: string }>() : {};
      const query = new URLSearchParams({ client_id: usual.clientId, request_uri });
      const request = isPushed ? new URL(`/connect/authorize?${query}`, portal.issuer) : undefined;
      const landed = await app.complete(people.patient, undefined, request);
      const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
      expect(tokens).toMatchObject({ scope: defaultScopes.join(' '), patient: '1', id_token: expect.any(String) });
    }
  });

  it('with a scope gets that one, whatever the default is', async () => {
    const tokens = await kind.app(portal, usual, { scope: 'openid' }).tokens(people.patient);
    expect(tokens.scope).toBe('openid');
  });

  it.each([
    ['of which none is known', 'read write'],
    ['that apps cannot have', 'system/*.rs'],
  ])('with scopes %s is not told that it has sent none', async (_, scope) => {
    for (const client of [plain, usual]) {
      const answer = await appOf(client, scope).authorize();
      const { error, error_description: description } = Object.fromEntries(new URL(answer.location ?? '').searchParams);
      expect([error, description]).toEqual(['invalid_scope', expect.not.stringContaining('No scopes found')]);
    }
  });
});

describe.each(services)('A token request of a service ($name)', ({ kind, plain, usual }) => {
  const ask = (client: { clientId: string }, scope: string | undefined) =>
    kind.post(new Agent(portal.issuer), '/connect/token', client, {
      grant_type: 'client_credentials',
      ...(scope === undefined ? {} : { scope }),
    });

  it.each(without)('with %s is refused with that reason, unless the client has default scopes', async (_, scope) => {
    const refused = await ask(plain, scope);
    expect([refused.status, refused.json().error, refused.json().error_description]).toEqual([
      400,
      'invalid_scope',
      expect.stringContaining('No scopes found in request.'),
    ]);
    const { decidedBy } = await launchOfAnswer(portal, refused);
    expect([decidedBy?.code, decidedBy?.texts.change?.field]).toEqual(['token-scopes-missing', 'defaultScopes']);
    const granted = await ask(usual, scope);
    expect([granted.status, granted.json().scope]).toEqual([200, 'system/Patient.rs system/Observation.rs']);
  });

  it('with scopes that cannot be granted is not told that it has sent none', async () => {
    for (const client of [plain, usual]) {
      for (const scope of ['read write', 'system/Patient.sr']) {
        const { error, error_description: description } = (await ask(client, scope)).json<Record<string, string>>();
        expect([error, description]).toEqual(['invalid_scope', expect.not.stringContaining('No scopes found')]);
      }
    }
    expect((await ask(usual, 'system/Patient.r')).json().scope).toBe('system/Patient.r');
  });
});

it('A client of the management API without a scope is told so as well, and one with another scope is not', async () => {
  const [first] = services;
  for (const [scope, isMissing] of [
    [undefined, true],
    ['system/*.rs', false],
  ] as const) {
    const form = { grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) };
    const answer = await first?.kind.post(new Agent(portal.issuer), '/connect/token', management, form);
    expect(answer?.json().error).toBe('invalid_scope');
    expect(String(answer?.json().error_description).includes('No scopes found')).toBe(isMissing);
  }
});
