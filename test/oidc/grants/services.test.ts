import { decodeJwt } from 'jose';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { alterClient, backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { eventually } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const scope = 'http://server.fire.ly/auth/scope/authmanagement';
const manager = { ...backendService, clientId: 'manager', clientName: 'Provisioning', clientType: 'ManagementApi' };
const changing = { ...backendService, clientId: 'changing' };
const claiming = {
  ...backendService,
  clientId: 'claiming',
  clientClaimPrefix: 'ward_',
  clientClaims: [
    { name: 'unit', value: 'north' },
    { name: 'unit', value: 'south' },
    { name: 'level', value: '3' },
  ],
};

const telling = {
  ...publicApp,
  clientId: 'telling-app',
  clientClaims: [
    { name: 'unit', value: 'north' },
    { name: 'fhirUser', value: 'Device/1' },
  ],
};
const tellingAlways = { ...telling, clientId: 'always-telling-app', alwaysSendClientClaims: true };

let portal: TestPortal;
let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;

beforeAll(async () => {
  fhirServer = await startFhirServer({ port: 0 });
  portal = await startPortal({
    config: {
      users: [people.admin, people.patient],
      clients: [backendService, changing, claiming, manager, telling, tellingAlways],
      fhir: { baseUrl: fhirServer.url },
    },
  });
});

afterAll(async () => {
  await portal.close();
  await fhirServer.close();
});

function ask(clientId: string, wanted: string): Promise<Answer> {
  const form = { grant_type: 'client_credentials', scope: wanted };
  return new Agent(portal.issuer).postForm('/connect/token', form, {
    headers: basicAuthorization(clientId, sharedSecret),
  });
}

async function tokenOf(clientId: string, wanted: string): Promise<string> {
  return (await ask(clientId, wanted)).json<{ access_token: string }>().access_token;
}

describe('The scopes of a back-end service', () => {
  const granted = async (wanted: string) => {
    const { error, scope: text } = (await ask('changing', wanted)).json<{ error?: string; scope: string }>();
    return error ?? text;
  };

  it('are the allowed ones of its request, independent of earlier requests', async () => {
    expect(await granted('system/Patient.rs')).toBe('system/Patient.rs');
    expect(await granted('system/Encounter.rs')).toBe('system/Encounter.rs');
    await alterClient(portal, 'changing', { settings: { allowedResourceTypes: ['Patient'] } });
    await eventually(async () => expect(await granted('system/Encounter.rs')).toBe('invalid_scope'));
    expect(await granted('system/Patient.rs')).toBe('system/Patient.rs');
    expect(await granted('system/*.rs')).toBe('system/Patient.rs');
  });
});

describe('The claims of a client', () => {
  it('are in the tokens of a service, with their prefix, and repeated names become a list', async () => {
    const claims = decodeJwt(await tokenOf('claiming', 'system/*.rs'));
    expect(claims).toMatchObject({ ward_unit: ['north', 'south'], ward_level: '3', client_id: 'claiming' });
  });

  it.each([
    ['with alwaysSendClientClaims', tellingAlways, 'north'],
    ['not otherwise', telling, undefined],
  ])('are in the tokens of users %s, and never replace claims about the user', async (_, client, unit) => {
    const app = new SmartApp(portal, { client });
    const tokens = await app.tokens(people.patient);
    const refreshed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
    for (const { access_token: token } of [tokens, refreshed]) {
      const claims = decodeJwt(token);
      expect([claims.unit, claims.fhirUser]).toEqual([unit, `${portal.fhirBase}/Patient/1`]);
    }
  });
});

describe('A service with access to the management API', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  let token: string;

  beforeAll(async () => {
    token = await tokenOf('manager', scope);
  });

  const call = (path: string, send = {}, agent = new Agent(portal.issuer)) =>
    agent.send(path, { headers: bearer(token), ...send });

  it('gets a token for the management API and no FHIR data', async () => {
    expect(decodeJwt(token)).toMatchObject({ aud: `${portal.issuer}/api/admin`, scope });
    expect((await ask('manager', 'system/*.rs')).json()).toMatchObject({ error: 'invalid_scope' });
    expect((await ask('backend-service', scope)).json()).toMatchObject({ error: 'invalid_scope' });
    expect((await call('/fhir/Patient/1')).status).toBe(401);
  });

  it('adds, changes and deletes clients', async () => {
    expect((await call('/api/admin/client')).status).toBe(200);
    const form = { ...backendService, clientId: 'by-service', clientSecrets: backendService.clientSecrets };
    const created = await call('/api/admin/client', { method: 'POST', body: form });
    expect(created.status).toBe(201);
    const { id } = created.json<{ id: string }>();
    const changed = await call(`/api/admin/client/${id}`, { method: 'PUT', body: { description: 'changed' } });
    expect(changed.status).toBe(200);
    expect((await call(`/api/admin/client/${id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it('I-15 cannot add or change a management client', async () => {
    const form = { ...manager, clientId: 'another' };
    expect((await call('/api/admin/client', { method: 'POST', body: form })).status).toBe(403);
    const { clients } = (await call('/api/admin/client')).json<{ clients: { id: string; clientId: string }[] }>();
    const own = clients.find(({ clientId }) => clientId === 'manager')?.id;
    expect((await call(`/api/admin/client/${own}`, { method: 'PUT', body: { description: 'x' } })).status).toBe(403);
    expect((await call(`/api/admin/client/${own}`, { method: 'DELETE' })).status).toBe(403);
  });

  it('I-15 is refused outside of the management API, with another token, and next to a session', async () => {
    expect((await call('/api/grant')).status).toBe(401);
    const other = await tokenOf('backend-service', 'system/*.rs');
    expect((await call('/api/admin/client', { headers: bearer(other) })).status).toBe(401);
    const browser = new Agent(portal.issuer);
    browser.cookies.set('gatehouse_session', 'none');
    expect((await call('/api/admin/client', {}, browser)).status).toBe(401);
  });

  it('I-06 cannot delete the last administrator', async () => {
    const [admin] = await portal.query<{ id: string }>("SELECT id FROM account WHERE user_type = 'Admin'");
    const refused = await call(`/api/admin/user/${admin?.id}`, { method: 'DELETE' });
    expect([refused.status, refused.json().message]).toEqual([409, 'The last administrator cannot be deleted.']);
  });

  it('loses its token when it is disabled', async () => {
    const admin = new Agent(portal.issuer);
    const { email, password } = people.admin;
    await admin.post('/api/session/login', { username: email, password });
    const { clients } = (await admin.get('/api/admin/client')).json<{ clients: { id: string; clientId: string }[] }>();
    const own = clients.find(({ clientId }) => clientId === 'manager')?.id;
    await admin.send(`/api/admin/client/${own}`, { method: 'PUT', body: { enabled: false } });
    expect((await call('/api/admin/client')).status).toBe(401);
  });
});
