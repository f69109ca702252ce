import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Agent } from '../support/agent.js';
import { confidentialApp, publicApp } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { SmartApp, type Tokens } from '../support/smart-app.js';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: Object.values(people), clients: [publicApp, confidentialApp] },
  });
});

afterAll(() => portal.close());

describe('A standalone launch by a patient', () => {
  let tokens: Tokens;

  beforeAll(async () => {
    tokens = await new SmartApp(portal).tokens(people.patient);
  });

  it('SMART launch-standalone SMART token-body SMART client-public B-01 gives exactly the granted scopes, the patient and a refresh token', () => {
    expect(tokens.scope).toBe('openid fhirUser launch/patient patient/*.rs offline_access');
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, patient: '1', need_patient_banner: true });
    expect(tokens.refresh_token).toEqual(expect.any(String));
  });

  it('SMART openid-id-token SMART openid-fhiruser names the person by fhirUser, an absolute URL, in an RS256 id_token', () => {
    const claims = decodeJwt(tokens.id_token ?? '');
    expect(claims).toMatchObject({
      iss: portal.issuer,
      aud: publicApp.clientId,
      fhirUser: `${portal.fhirBase}/Patient/1`,
    });
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('RS256');
  });

  it('SMART context-style gives a style document that anybody can read and keep', async () => {
    const answer = await new Agent(portal.issuer).get(String(tokens.smart_style_url));
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(answer.json()).toHaveProperty('color_highlight');
  });

  it('SMART refresh-context SMART refresh-headers says the same again on refresh', async () => {
    const answer = await new SmartApp(portal).refresh(tokens.refresh_token ?? '');
    expect(answer.json()).toMatchObject({ scope: tokens.scope, patient: '1', need_patient_banner: true });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });
});
