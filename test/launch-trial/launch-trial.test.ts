/**
 * Trials of launches: real requests with the client's settings, whose tokens end with the trial and never leave the
 * portal.
 */

import type { TrialRequest } from '../../src/contract/clients/launch-trial.js';
import { fapiClient } from '../support/apps/fapi-app.js';
import { TrialBrowser } from '../support/apps/trial.js';
import { makeClientKey } from '../support/clients/assertions.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent } from '../support/http/agent.js';
import { allWritten } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { itInTurn } from '../support/runs.js';
import { people } from '../support/users/people.js';

const scopes = ['openid', 'fhirUser', 'launch/patient', 'patient/Patient.rs', 'offline_access'];
const standalone: TrialRequest = { kind: 'standalone', scopes, patient: '1' };

const kinds = clientKinds.map((kind) => ({
  name: kind.name,
  kind,
  client: kind.client('tried', { requireConsent: true, accessTokenType: 'Jwt' }),
  opaque: kind.client('tried-opaque', { accessTokenType: 'Reference' }),
  users: kind.client('of-users'),
}));
const strict = {
  ...clientKinds.find(({ name }) => name === 'RS384 assertion')?.client('strict'),
  requirePkce: true,
  requirePar: true,
  requireSignedRequestObject: true,
  require2fa: true,
};

const profileKey = await makeClientKey('ES256', 'profile');
const ofProfile = ['Jwt', 'Reference'].map((accessTokenType) =>
  fapiClient(`profile-${accessTokenType.toLowerCase()}`, profileKey, { accessTokenType }),
);

let portal: TestPortal;
let server: Upstream;
let browser: TrialBrowser;

beforeAll(async () => {
  server = await startUpstream(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://server');
    const patient = { resourceType: 'Patient', id: '1', name: [{ text: 'Test Patient' }] };
    const bundle = { resourceType: 'Bundle', type: 'searchset', total: 1, entry: [{ resource: patient }] };
    const metadata = {
      resourceType: 'CapabilityStatement',
      fhirVersion: '4.0.1',
      rest: [{ mode: 'server', resource: [{ type: 'Patient' }] }],
    };
    const body = pathname.endsWith('/metadata') ? metadata : pathname.endsWith('/Patient/1') ? patient : bundle;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
  });
  portal = await startPortal({
    config: {
      fhir: { baseUrl: server.url, testPatients: ['1'] },
      users: [people.admin, people.patient],
      clients: [
        ...kinds.flatMap(({ client, opaque, users }) => [client, opaque, users]),
        ...confidentialKinds.map((kind) => kind.service('tried-service')),
        strict,
        ...ofProfile,
      ],
    },
  });
  browser = await TrialBrowser.signedIn(portal);
});
afterAll(async () => {
  await portal.close();
  server.close();
});

/** The rows of a client that are left in the database. */
async function leftOf(clientId: string) {
  return portal.query(
    `SELECT model FROM oidc_record WHERE client_id = $1 AND expires_at > now() AND consumed_at IS NULL
     UNION ALL SELECT 'a remembered decision' FROM app_consent WHERE client_id = $1`,
    [clientId],
  );
}

async function launchWith(reference: string) {
  await allWritten(portal);
  const id = `${reference.replace(/\W/g, '')}%`;
  const [launch] = await portal.query<{ kind: string; outcome: string; entries: Record<string, object> }>(
    'SELECT kind, outcome, entries FROM launch WHERE id LIKE $1',
    [id],
  );
  return { kind: launch?.kind, outcome: launch?.outcome, codes: Object.keys(launch?.entries ?? {}) };
}

describe.each(kinds)('a trial of a client ($name)', ({ kind, client, opaque, users }) => {
  const inTurn = itInTurn(kind.number);

  inTurn('shows the decoded token, the scopes and one read of the test patient', async () => {
    const { state, result, reference } = await browser.tried(client.clientId, standalone);
    expect(result?.error).toBeNull();
    expect({ state, outcome: result?.outcome }).toEqual({ state: 'ended', outcome: 'completed' });
    expect(result?.granted.toSorted()).toEqual(['launch/patient', 'offline_access', 'openid', 'patient/Patient.rs']);
    expect(result?.accessToken).toMatchObject({ format: 'jwt', claims: { client_id: client.clientId, patient: '1' } });
    expect(result?.idToken).toMatchObject({ format: 'jwt', claims: { aud: client.clientId } });
    expect(result?.response).toMatchObject({ patient: '1', token_type: kind.tokenType });
    expect(result?.read).toEqual({ target: '/Patient/1', status: 200, resourceType: 'Patient', count: 1 });
    expect(result?.limits.includes('client-authentication')).toBe(!kind.isPublic);
    expect(await launchWith(reference)).toMatchObject({ kind: 'trial', outcome: 'completed' });
  });

  inTurn('leaves no grant, token, decision or counted launch behind', async () => {
    await allWritten(portal);
    const before = await portal.query('SELECT * FROM launch_tally');
    await browser.tried(client.clientId, standalone);
    await allWritten(portal);
    expect(await portal.query('SELECT * FROM launch_tally')).toEqual(before);
    expect(await leftOf(client.clientId)).toEqual([]);
  });

  inTurn('withholds tokens that are no JWT, and never issues a refresh token', async () => {
    const { result } = await browser.tried(opaque.clientId, standalone);
    expect(result?.accessToken).toEqual({ format: 'opaque', header: null, claims: null });
    expect(result?.read).toMatchObject({ status: 200 });
    expect(Object.keys(result?.response ?? {})).not.toContain('refresh_token');
    expect(await leftOf(opaque.clientId)).toEqual([]);
  });

  it('has a code that the client itself cannot redeem', async () => {
    const { id, at } = await browser.begin(client.clientId, standalone);
    const code = (await browser.consent(at)).searchParams.get('code') ?? '';
    const redirectUri = `${portal.issuer}/admin/try-launch`;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: 'v'.repeat(43) };
    const answer = await kind.post(new Agent(portal.issuer), '/connect/token', client, form);
    expect({ status: answer.status, error: answer.json().error }).toEqual({ status: 400, error: 'invalid_grant' });
    expect((await browser.answer(id, new URL(`${redirectUri}?code=${code}`))).status).toBe(204);
    expect((await browser.view(id)).result?.outcome).toBe('completed');
  });

  it('does not redeem the code of a launch by a user', async () => {
    const app = kind.app(portal, users, { scope: scopes.join(' ') });
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    const { id } = await browser.begin(users.clientId, standalone);
    await browser.answer(id, new URL(`${portal.issuer}/admin/try-launch?code=${code}`));
    expect((await browser.view(id)).result).toMatchObject({ outcome: 'refused', error: { code: 'invalid_grant' } });
  });
});

it.each(ofProfile)(
  'a trial of a client with FAPI 2.0 ($clientId) has the nonces that it needs',
  async ({ clientId }) => {
    const { result } = await browser.tried(clientId, standalone);
    expect(result?.error).toBeNull();
    expect(result?.response).toMatchObject({ patient: '1', token_type: 'DPoP' });
    expect(result?.read).toMatchObject({ target: '/Patient/1', status: 200 });
  },
);

describe.each(confidentialKinds)('a trial of a service ($name)', (kind) => {
  const { clientId } = kind.service('tried-service');

  it('gets its token without the credentials of the service, reads the test patient and ends', async () => {
    const request: TrialRequest = { kind: 'service', scopes: ['system/Patient.rs'], patient: '1' };
    const { id, authorize } = (await browser.start(clientId, request)).json<{ id: string; authorize: null }>();
    expect(authorize).toBeNull();
    const { result, reference } = await browser.view(id);
    expect(result).toMatchObject({
      outcome: 'completed',
      granted: ['system/Patient.rs'],
      limits: ['client-authentication'],
    });
    expect(result?.read).toEqual({ target: '/Patient/1', status: 200, resourceType: 'Patient', count: 1 });
    expect(await launchWith(reference)).toMatchObject({ kind: 'trial', outcome: 'completed' });
    expect(await leftOf(clientId)).toEqual([]);
  });

  it('is refused as the service would be', async () => {
    const request: TrialRequest = { kind: 'service', scopes: ['patient/Patient.rs'], patient: '1' };
    const { id } = (await browser.start(clientId, request)).json<{ id: string }>();
    const { result, reference } = await browser.view(id);
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'invalid_scope' }, read: { none: 'no-token' } });
    expect((await launchWith(reference)).codes).toContain('scopes-need-person');
  });
});

it('a trial skips the signed request, the pushed request and the second factor, and says so', async () => {
  const { result } = await browser.tried(strict.clientId ?? '', standalone);
  expect(result?.limits).toEqual([
    'client-authentication',
    'request-object',
    'second-factor',
    'sign-in',
    'refresh-token',
  ]);
  expect(result?.outcome).toBe('completed');
});
