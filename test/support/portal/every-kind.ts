import { basicAuthorization, SmartApp, type Tokens } from '../apps/smart-app.js';
import { backendService, confidentialApp, publicApp, sharedSecret } from '../clients/clients.js';
import { Agent } from '../http/agent.js';
import { login } from '../users/authenticator.js';
import { people } from '../users/people.js';
import type { TestPortal } from './portal.js';

const app = { ...publicApp, clientId: 'counted-app', requireConsent: false, accessTokenType: 'Jwt' };
const service = { ...backendService, allowIntrospection: true };

/** The configuration of a portal for {@link useEveryKind}. */
export const everyKind = { users: [people.admin, people.patient], clients: [app, service, confidentialApp] };

const wrongPassword = 'not-the-password-77';
const searchedName = 'Harding-Searched';

/**
 * Requests of every kind that the metrics count, in front of the demo's FHIR server; some are refused. Returns all
 * secrets, tokens and personal data in them by a description.
 */
export async function useEveryKind(portal: Pick<TestPortal, 'issuer' | 'fhirBase'>): Promise<Map<string, string>> {
  const used = new Map<string, string>([
    ['password', people.patient.password],
    ['wrong password', wrongPassword],
    ['E-mail address', people.patient.email],
    ['name', people.patient.fullName],
    ['client secret', sharedSecret],
    ['searched name', searchedName],
    ['search parameter', 'family='],
  ]);
  const agent = new Agent(portal.issuer);
  const asService = { headers: basicAuthorization(service.clientId, sharedSecret) };

  const user = new SmartApp(portal, { client: app });
  const tokens = await user.tokens(people.patient);
  used.set('state', user.state).set('code verifier', user.verifier);
  for (const [name, value] of user.browser.cookies) used.set(`cookie ${name}`, value);
  const refreshed = (await user.refresh(tokens.refresh_token ?? '')).json<Tokens>();
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const ofService = (await agent.postForm('/connect/token', form, asService)).json<Tokens>();
  for (const [name, { access_token, refresh_token, id_token }] of Object.entries({ tokens, refreshed, ofService })) {
    for (const [kind, token] of Object.entries({ access_token, refresh_token, id_token })) {
      if (token !== undefined) used.set(`${kind} of ${name}`, token);
    }
  }
  await agent.postForm('/connect/introspect', { token: ofService.access_token }, asService);
  await agent.postForm('/connect/token', form, { headers: basicAuthorization(service.clientId, 'a-wrong-secret') });
  await agent.postForm('/connect/token', { client_id: app.clientId, grant_type: 'password', username: 'any' });
  await user.revoke(ofService.access_token);

  const bearer = { headers: { authorization: `Bearer ${refreshed.access_token}` } };
  await agent.get('/connect/userinfo', bearer);
  await agent.get('/fhir/metadata');
  await agent.get('/fhir/Patient/1', bearer);
  await agent.get('/fhir/Patient/2', bearer);
  await agent.get(`/fhir/Observation?patient=1&code:text=${searchedName}`, bearer);
  await agent.get(`/fhir/Patient?family=${searchedName}`, bearer);
  await agent.get('/fhir/Patient/1', { headers: { authorization: 'Bearer no-token-of-this-portal' } });

  await login(new Agent(portal.issuer), { ...people.patient, password: wrongPassword });
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  for (const [name, value] of admin.cookies) used.set(`admin's cookie ${name}`, value);
  await admin.get('/api/admin/user');
  await admin.post('/api/admin/user', { fullName: '' });
  await agent.get('/api/admin/user');
  await agent.get('/login', { headers: { accept: 'text/html' } });
  await agent.get('/.well-known/openid-configuration');
  await agent.get('/.well-known/openid-configuration/jwks');
  return used;
}

/** Requests that try to create series of their own: by paths, client ids, grant types, methods, causes and errors. */
export async function useHostileNames(portal: Pick<TestPortal, 'issuer'>, count: number): Promise<void> {
  const agent = new Agent(portal.issuer);
  for (let index = 0; index < count; index += 1) {
    const name = `made-up-${index}`;
    await agent.get(`/${name}`);
    await agent.get(`/api/${name}`);
    await agent.get(`/fhir/${name}/1`);
    await agent.get(`/connect/authorize?client_id=${name}&response_type=${name}&scope=${name}`);
    await agent.get(`/connect/authorize/${name}`);
    await agent.postForm('/connect/token', { grant_type: name, client_id: name });
    await agent.postForm('/connect/introspect', { token: name, client_id: name });
    await agent.send(`/connect/par?${name}`, { method: 'OPTIONS' });
    await agent.get('/health/live', { headers: { host: `${name}.example` } });
    await agent.get('/login', { headers: { host: `${name}.example` } });
  }
}
