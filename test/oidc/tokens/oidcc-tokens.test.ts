import { RelyingParty } from '../../support/apps/relying-party.js';
import { alterClient, confidentialApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const otherApp = { ...confidentialApp, clientId: 'other-app', clientName: 'Other' };

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ config: { users: Object.values(people), clients: [confidentialApp, otherApp] } });
});

afterAll(() => portal.close());

const metadata = async () => (await new Agent(portal.issuer).get('/.well-known/openid-configuration')).json();

describe.each(['query', 'form_post'] as const)('oidcc by query and form_post (%s): tokens', (mode) => {
  const relyingParty = () => new RelyingParty(portal, mode);

  async function userinfo(accessToken: string): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${accessToken}` };
    const answer = await new Agent(portal.issuer).get('/connect/userinfo', { headers });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    return answer.json();
  }

  it('oidcc-server SMART token-headers come with a complete id_token, and userinfo is about the same user', async () => {
    const party = relyingParty();
    const arrival = await party.signIn(await party.authorize());
    expect(arrival.answer).toMatchObject({ state: party.state, iss: portal.issuer, code: expect.any(String) });
    const answer = await party.exchange(arrival.answer?.code ?? '');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const tokens = answer.json<{ id_token: string; access_token: string; token_type: string }>();
    expect(tokens.token_type.toLowerCase()).toBe('bearer');
    const { claims } = await party.verified(tokens.id_token);
    expect(claims.nonce).toBe(party.nonce);
    expect(String(claims.sub).length).toBeLessThanOrEqual(255);
    expect(claims.azp ?? confidentialApp.clientId).toBe(confidentialApp.clientId);
    expect(Math.abs(Number(claims.iat) - Date.now() / 1000)).toBeLessThan(60);
    expect((await userinfo(tokens.access_token)).sub).toBe(claims.sub);
  });

  it('oidcc-server-client-secret-post are issued also for a secret in the body', async () => {
    const party = relyingParty();
    const { answer } = await party.signIn(await party.authorize());
    expect((await party.exchange(answer?.code ?? '', {}, 'post')).status).toBe(200);
    expect((await metadata()).token_endpoint_auth_methods_supported).toEqual(
      expect.arrayContaining(['client_secret_basic', 'client_secret_post']),
    );
  });

  it('oidcc-idtoken-signature are signed with RS256 and a key id', async () => {
    const party = relyingParty();
    const { header } = await party.verified((await party.tokens()).id_token);
    expect(header).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
  });

  it('oidcc-idtoken-unsigned are never without a signature', async () => {
    expect((await metadata()).id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256']);
    const { id_token } = await relyingParty().tokens();
    expect(id_token.split('.')[2]).not.toBe('');
  });

  it('oidcc-userinfo-get are accepted by userinfo with GET', async () => {
    expect(await userinfo((await relyingParty().tokens()).access_token)).toEqual({ sub: expect.any(String) });
  });

  it('oidcc-userinfo-post-header are accepted by userinfo with POST in the header', async () => {
    const { access_token } = await relyingParty().tokens();
    const headers = { authorization: `Bearer ${access_token}` };
    const answer = await new Agent(portal.issuer).send('/connect/userinfo', { method: 'POST', headers });
    expect([answer.status, answer.json()]).toEqual([200, await userinfo(access_token)]);
  });

  it('oidcc-userinfo-post-body are accepted by userinfo with POST in the body', async () => {
    const { access_token } = await relyingParty().tokens();
    const answer = await new Agent(portal.issuer).postForm('/connect/userinfo', { access_token });
    expect([answer.status, answer.json()]).toEqual([200, await userinfo(access_token)]);
  });

  it('oidcc-scope-profile for profile give the name at userinfo and not in the id_token', async () => {
    const party = relyingParty();
    const tokens = await party.tokens({ scope: 'openid profile' });
    expect((await userinfo(tokens.access_token)).name).toBe(people.patient.fullName);
    expect((await party.verified(tokens.id_token)).claims).not.toHaveProperty('name');
  });

  it('oidcc-scope-address are issued without the scope address, which is not supported', async () => {
    expect((await metadata()).scopes_supported).not.toContain('address');
    const tokens = await relyingParty().tokens({ scope: 'openid address' });
    expect(tokens.scope).toBe('openid');
    expect(await userinfo(tokens.access_token)).toEqual({ sub: expect.any(String) });
  });

  it.each([
    ['oidcc-scope-email', 'email', { email: people.patient.email, email_verified: true }],
    ['oidcc-scope-phone', 'phone', {}],
  ])('%s are issued for %s with the known claims, to a client that may have them', async (_module, scope, known) => {
    expect((await metadata()).scopes_supported).toContain(scope);
    await alterClient(portal, confidentialApp.clientId, { settings: { allowContactScopes: true } });
    const tokens = await relyingParty().tokens({ scope: `openid ${scope}` });
    expect(tokens.scope).toBe(`openid ${scope}`);
    expect(await userinfo(tokens.access_token)).toEqual({ sub: expect.any(String), ...known });
    await alterClient(portal, confidentialApp.clientId, { settings: { allowContactScopes: false } });
    const without = await relyingParty().tokens({ scope: `openid ${scope}` });
    expect(without.scope).toBe('openid');
    expect(await userinfo(without.access_token)).toEqual({ sub: expect.any(String) });
  });

  it('oidcc-scope-all are issued for all supported scopes together', async () => {
    const tokens = await relyingParty().tokens({ scope: 'openid profile email address phone' });
    expect(tokens.scope.split(' ').sort()).toEqual(['openid', 'profile']);
  });

  it('oidcc-codereuse are issued once for a code', async () => {
    const party = relyingParty();
    const { answer } = await party.signIn(await party.authorize());
    const code = answer?.code ?? '';
    expect((await party.exchange(code)).status).toBe(200);
    const second = await party.exchange(code);
    expect([second.status, second.json().error]).toEqual([400, 'invalid_grant']);
  });

  it('oidcc-codereuse-30seconds are revoked when their code is used again after 30 seconds', async () => {
    const party = relyingParty();
    const { answer } = await party.signIn(await party.authorize());
    const code = answer?.code ?? '';
    const first = (await party.exchange(code)).json<{ access_token: string }>();
    expect((await userinfo(first.access_token)).sub).toEqual(expect.any(String));
    await portal.query(
      "UPDATE oidc_record SET consumed_at = consumed_at - interval '30 seconds' WHERE model = 'AuthorizationCode'",
    );
    const second = await party.exchange(code);
    expect([second.status, second.json().error]).toEqual([400, 'invalid_grant']);
    const headers = { authorization: `Bearer ${first.access_token}` };
    expect((await new Agent(portal.issuer).get('/connect/userinfo', { headers })).status).toBe(401);
  });

  it('oidcc-refresh-token are renewed by a refresh token, which belongs to its client', async () => {
    const party = relyingParty();
    const tokens = await party.tokens({ scope: 'openid offline_access' });
    const first = await party.verified(tokens.id_token);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    const foreign = await new RelyingParty(portal, mode, undefined, otherApp.clientId).token(form);
    expect([foreign.status, foreign.json().error]).toEqual([400, 'invalid_grant']);
    const answer = await party.token(form);
    expect(answer.status).toBe(200);
    const renewed = answer.json<{ id_token: string; access_token: string }>();
    const { claims } = await party.verified(renewed.id_token);
    expect([claims.iss, claims.sub, claims.aud]).toEqual([first.claims.iss, first.claims.sub, first.claims.aud]);
    expect(Number(claims.iat)).toBeGreaterThanOrEqual(Number(first.claims.iat));
    expect(renewed.access_token).not.toBe(tokens.access_token);
    expect((await userinfo(renewed.access_token)).sub).toBe(claims.sub);
  });
});
