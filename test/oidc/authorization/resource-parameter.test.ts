import { decodeJwt } from 'jose';
import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { clientKinds, confidentialKinds } from '../../support/clients/client-kinds.js';
import type { Upstream } from '../../support/fhir/gateway.js';
import { startNamedFhirServer } from '../../support/fhir/named-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const north = { ...people.patient, claims: [...people.patient.claims, { name: 'tenant', value: 'north' }] };
const apps = clientKinds.map((kind) => ({ kind, name: kind.name, client: kind.client('resource') }));
const services = confidentialKinds.map((kind) => ({ kind, name: kind.name, client: kind.service('resource-service') }));
const references = confidentialKinds.slice(0, 1).map((kind) => ({
  kind,
  name: `${kind.name}, reference tokens`,
  client: { ...kind.service('resource-reference'), accessTokenType: 'Reference' },
}));

let hospital: Upstream;
let portal: TestPortal;
let base: string;

beforeAll(async () => {
  hospital = await startNamedFhirServer('north');
  const tenant = { id: 'north', name: 'North Clinic', baseUrl: hospital.url, credentials: { type: 'none' } };
  portal = await startPortal({
    config: {
      fhir: { baseUrl: hospital.url, tenants: [tenant] },
      users: [north],
      clients: [...apps, ...services, ...references].map(({ client }) => client),
      limits: { startsPerMinute: 10_000 },
    },
  });
  base = `${portal.fhirBase}/north`;
});

afterAll(async () => {
  await portal.close();
  hospital.close();
});

type Named = Record<string, string | undefined>;
/** The ways to name the FHIR base. */
const ways: [string, () => Named][] = [
  ['aud', () => ({ aud: base })],
  ['resource', () => ({ aud: undefined, resource: base })],
  ['resource with a slash at its end', () => ({ aud: undefined, resource: `${base}/` })],
  ['resource beside an empty aud', () => ({ aud: '', resource: base })],
  ['both', () => ({ aud: base, resource: base })],
  ['both, one with a slash at its end', () => ({ aud: `${base}/`, resource: base })],
];

async function pushed(app: SmartApp, kind: (typeof apps)[number]['kind'], client: { clientId: string }): Promise<URL> {
  const form = Object.fromEntries(new URLSearchParams(app.query()));
  const answer = await kind.post(new Agent(portal.issuer), '/connect/par', client, form);
  expect([answer.status, answer.json().error]).toEqual([201, undefined]);
  const query = new URLSearchParams({ client_id: client.clientId, ...answer.json<{ request_uri: string }>() });
  return new URL(`/connect/authorize?${query}`, portal.issuer);
}

describe.each(apps)('An app that names its FHIR base ($name)', ({ kind, client }) => {
  it.each(ways)('by %s gets tokens for it, at authorization and by a pushed request', async (_, named) => {
    for (const isPushed of [false, true]) {
      const app = kind.app(portal, client, { parameters: named() });
      const request = isPushed ? await pushed(app, kind, client) : undefined;
      const landed = await app.complete(north, undefined, request);
      const answer = await app.exchange(landed.searchParams.get('code') ?? '');
      expect([landed.searchParams.get('error_description'), answer.status]).toEqual([null, 200]);
      expect(decodeJwt(answer.json<Tokens>().access_token).aud).toBe(base);
      expect(answer.json()).toMatchObject({ tenant: 'north', patient: '1' });
    }
  });

  it('may repeat it at the token endpoint, with the code and when it refreshes, once', async () => {
    const code = async (app: SmartApp) => (await app.complete(north)).searchParams.get('code') ?? '';
    const app = kind.app(portal, client, { parameters: { aud: undefined, resource: base } });
    const tokens = (await app.exchange(await code(app), { resource: `${base}/` })).json<Tokens>();
    expect(decodeJwt(tokens.access_token).aud).toBe(base);
    let token = tokens.refresh_token ?? '';
    for (const resource of [base, `${base}/`]) {
      const refreshed = (await app.refresh(token, { resource })).json<Tokens>();
      expect(decodeJwt(refreshed.access_token).aud).toBe(base);
      token = refreshed.refresh_token ?? '';
    }
    for (const resource of [portal.fhirBase, 'https://elsewhere.example/fhir', 'no address']) {
      const refused = await app.refresh(token, { resource });
      expect([refused.status, refused.json().error]).toEqual([400, 'invalid_target']);
      expect((await launchOfAnswer(portal, refused)).decidedBy?.code).toBe('token-resource');
      const other = await app.exchange(await code(app), { resource });
      expect([other.status, other.json().error]).toEqual([400, 'invalid_target']);
    }
    expect((await app.refresh(token)).status).toBe(200);
  });

  it.each<[string, () => Named, string, string]>([
    [
      'in aud and in resource, and they differ',
      () => ({ aud: base, resource: portal.fhirBase }),
      'invalid_request',
      'aud-resource-differ',
    ],
    [
      'by resource, and it is unknown',
      () => ({ aud: undefined, resource: `${base}/Patient` }),
      'invalid_target',
      'resource-unknown',
    ],
    [
      'by aud, and resource is unknown',
      () => ({ resource: 'https://elsewhere.example/fhir' }),
      'invalid_target',
      'resource-unknown',
    ],
    [
      'by resource, and aud is unknown',
      () => ({ aud: 'https://elsewhere.example/fhir', resource: base }),
      'invalid_request',
      'aud-other-base',
    ],
    ['not at all', () => ({ aud: undefined }), 'invalid_request', 'aud-missing'],
  ])('is refused when it names it %s', async (_, named, error, cause) => {
    const app = kind.app(portal, client, { parameters: named() });
    const answer = await app.authorize();
    expect(new URL(answer.location ?? '').searchParams.get('error')).toBe(error);
    expect((await launchOfAnswer(portal, answer)).decidedBy?.code).toBe(cause);
    const form = Object.fromEntries(new URLSearchParams(app.query()));
    const push = await kind.post(new Agent(portal.issuer), '/connect/par', client, form);
    expect([push.status, push.json().error]).toEqual([400, error]);
  });

  it('is refused when it names two resources', async () => {
    const app = kind.app(portal, client, { parameters: { aud: undefined, resource: base } });
    const answer = await app.browser.get(`${app.authorizationPath}&resource=${encodeURIComponent(portal.fhirBase)}`);
    expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('invalid_target');
    const { decidedBy } = await launchOfAnswer(portal, answer);
    expect([decidedBy?.code, decidedBy?.detail]).toEqual(['parameter-repeated', { parameters: 'resource' }]);
  });
});

describe.each([...services, ...references])('A service that names its FHIR base ($name)', ({ kind, client }) => {
  const ask = (more: Record<string, string>) =>
    kind.post(new Agent(portal.issuer), '/connect/token', client, {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      ...more,
    });
  const audienceOf = async (token: string) => (token.includes('.') ? decodeJwt(token).aud : undefined);

  it('by resource gets a token for it, and for the first base without one', async () => {
    for (const [resource, expected] of [
      [base, base],
      [`${base}/`, base],
      [undefined, portal.fhirBase],
      [portal.fhirBase, portal.fhirBase],
    ]) {
      const answer = await ask(resource === undefined ? {} : { resource });
      expect([answer.status, resource]).toEqual([200, resource]);
      expect([expected, undefined]).toContain(await audienceOf(answer.json<Tokens>().access_token));
    }
  });

  it('is refused when it is unknown', async () => {
    for (const resource of ['https://elsewhere.example/fhir', `${base}/Patient`, 'no address']) {
      const answer = await ask({ resource });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_target']);
    }
  });
});
