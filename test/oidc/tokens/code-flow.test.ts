import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { SmartApp, Tokens } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const clients = clientKinds.map((kind) => kind.client('launched', { requireConsent: true }));

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients } });
});

afterAll(() => portal.close());

describe.each(clientKinds)('A standalone launch by a patient ($name)', (kind) => {
  const client = kind.client('launched');
  let app: SmartApp;
  let answer: Answer;
  let tokens: Tokens;

  beforeAll(async () => {
    app = kind.app(portal, client);
    const landed = await app.complete(people.patient);
    answer = await app.exchange(landed.searchParams.get('code') ?? '');
    tokens = answer.json<Tokens>();
  });

  it('SMART launch-standalone SMART token-body SMART client-public B-01 returns exactly the granted scopes, the patient and a refresh token', () => {
    expect(tokens.scope).toBe('openid fhirUser launch/patient patient/*.rs offline_access');
    expect(tokens).toMatchObject({ token_type: kind.tokenType, expires_in: 3600 });
    expect(tokens).toMatchObject({ patient: '1', need_patient_banner: true });
    expect(tokens.refresh_token).toEqual(expect.any(String));
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });

  it('SMART openid-id-token SMART openid-fhiruser returns an RS256 id_token with fhirUser as an absolute URL', () => {
    const claims = decodeJwt(tokens.id_token ?? '');
    expect(claims).toMatchObject({
      iss: portal.issuer,
      aud: client.clientId,
      fhirUser: `${portal.fhirBase}/Patient/1`,
    });
    expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('RS256');
  });

  it('SMART context-style returns the URL of a style document that any client can read and cache', async () => {
    const style = await new Agent(portal.issuer).get(String(tokens.smart_style_url));
    expect(style.status).toBe(200);
    expect(style.headers['cache-control']).toContain('immutable');
    expect(style.json()).toHaveProperty('color_highlight');
  });

  it('SMART refresh-context SMART refresh-headers returns the same context on refresh', async () => {
    const refreshed = await app.refresh(tokens.refresh_token ?? '');
    expect(refreshed.json()).toMatchObject({ scope: tokens.scope, patient: '1', need_patient_banner: true });
    expect(refreshed.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });
});
