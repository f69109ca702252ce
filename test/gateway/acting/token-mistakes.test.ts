import { randomUUID } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload } from 'jose';
import { basicAuthorization, type Tokens } from '../../support/apps/smart-app.js';
import { sharedSecret } from '../../support/clients/clients.js';
import { mintServiceToken, mintTokenLike } from '../../support/clients/minted-tokens.js';
import { Agent } from '../../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import { actingIn, jwtApp, opaqueApp, relationshipsPath, withSecret } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { until } from '../../support/until.js';

let portal: FamilyPortal;
let issued: string;
let claims: ReturnType<typeof decodeJwt>;
const acting = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2, config: { clients: [jwtApp, opaqueApp] } });
  await acting.acts('leo');
  await acting.acts('mia');
  issued = (await acting.tokensFor('leo')).tokens.access_token;
  claims = decodeJwt(issued);
});

afterAll(() => portal.close());

const at = (node: number) => new Agent(portal.issuer, portal.ports[node]);
const read = async (token: string, path = 'Patient/leo', node = 0) =>
  (await at(node).get(`/fhir/${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The token with other claims, and the signature that it had. */
function altered(more: object): string {
  const [header, , signature] = issued.split('.');
  const payload = Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url');
  return [header, payload, signature].join('.');
}

describe('A token of who acts for a patient', () => {
  it.each<[string, () => JWTPayload | Promise<JWTPayload>, number]>([
    ['as it was issued', () => ({}), 200],
    ['of the relationship with another patient', async () => ({ representation: await acting.idOf('mia') }), 401],
    ['of a relationship that is not there', () => ({ representation: randomUUID() }), 401],
    ['of a relationship that is no text', () => ({ representation: ['x'] }), 401],
    ['of a relationship without a text', () => ({ representation: '' }), 401],
    ['of another patient', () => ({ patient: 'mia' }), 401],
    ['of another account', async () => ({ sub: await portal.accountId(family.noah) }), 401],
    ['of no patient', () => ({ patient: undefined }), 401],
    ['for another FHIR base', () => ({ aud: ['https://fhir.other.example'] }), 401],
    ['that expired a minute ago', () => ({ exp: nowSeconds() - 60 }), 200],
    ['that expired six minutes ago', () => ({ exp: nowSeconds() - 360 }), 401],
  ])('%s, signed by the portal, is answered %s', async (_what, more, expected) => {
    const token = await mintTokenLike(portal, issued, await more());
    for (const node of [0, 1]) expect(await read(token, 'Patient/leo', node)).toBe(expected);
    expect(await read(token, 'Patient/mia')).toBe(expected === 200 ? 404 : 401);
  });

  it.each([
    ['without the relationship', { representation: undefined }],
    ['with another patient', { patient: 'mia' }],
    ['with more scopes', { scope: 'patient/*.cruds user/*.cruds system/*.cruds' }],
  ])('is refused %s, if the portal has not signed that', async (_what, more) => {
    expect(await read(altered(more))).toBe(401);
    expect(await read(altered(more).replace(/[^.]+$/, ''))).toBe(401);
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: 'own' };
    expect(await read(await mintServiceToken(portal, { key, claims: { ...claims, ...more } }))).toBe(401);
  });

  it('is not exchanged for another one', async () => {
    const agent = new Agent(portal.issuer);
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: issued,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const headers = basicAuthorization(opaqueApp.clientId, sharedSecret);
    const answer = await agent.postForm('/connect/token', form, { headers });
    expect([answer.status, answer.json()]).toMatchObject([400, { error: 'unsupported_grant_type' }]);
  });

  it.each([
    ['self-contained', {}],
    ['opaque', withSecret],
  ])('opens less once the level has fallen, before and after a refresh, at each node: %s', async (name, launch) => {
    const patient = `fallen-${name}`;
    portal.has(patient);
    const id = await acting.acts(patient);
    const { app, tokens } = await acting.tokensFor(patient, launch);
    for (const node of [0, 1]) expect(await read(tokens.access_token, `Condition?patient=${patient}`, node)).toBe(200);
    portal.has(patient, { birthDate: '2012-01-01' });
    await portal.query("UPDATE representation_relationship SET level = 'basics' WHERE id = $1", [id]);
    await portal.query("SELECT pg_notify('gatehouse_relationships', '')");
    const renewed = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
    for (const token of [tokens.access_token, renewed.access_token]) {
      for (const node of [0, 1]) {
        await until(async () => (await read(token, `Condition?patient=${patient}`, node)) === 403, 10_000);
        expect(await read(token, `Immunization?patient=${patient}`, node)).toBe(200);
      }
    }
  });

  it('is told as inactive by each node after the end', async () => {
    portal.has('ida');
    const id = await acting.acts('ida');
    const { tokens } = await acting.tokensFor('ida', withSecret);
    const headers = basicAuthorization(opaqueApp.clientId, sharedSecret);
    const told = async (node: number) =>
      (await at(node).postForm('/connect/introspect', { token: tokens.access_token }, { headers })).json<{
        active: boolean;
        patient?: string;
        representation?: string;
      }>();
    for (const node of [0, 1])
      expect(await told(node)).toMatchObject({ active: true, patient: 'ida', representation: id });
    const ended = await (await acting.admin()).post(`${relationshipsPath}/${id}/end`, {
      reason: 'administrator',
      note: 'x',
    });
    expect(ended.status).toBe(200);
    for (const node of [0, 1]) {
      await until(async () => !(await told(node)).active, 10_000);
      expect(await told(node)).toEqual({ active: false });
      expect(await read(tokens.access_token, 'Patient/ida', node)).toBe(401);
    }
  });
});

describe('Without the gateway', () => {
  const relations = [{ id: 'parent', representative: 'parent', patient: 'child' }];
  const bases = { 'parental-responsibility': { label: 'Parent', relations } };
  const representation = { levels: { full: { label: 'Full', kinds: 'full', change: 'full' } }, bases };
  let without: FamilyPortal;
  const there = actingIn(() => without);

  beforeAll(async () => {
    const config = { clients: [jwtApp, opaqueApp], representation, gateway: { enabled: false } };
    without = await startFamilyPortal({ config });
    // A sign-in for an app that asks for a patient is refused until then.
    await untilFhirServerIsAvailable(await without.as(family.admin));
    await there.acts('leo', { relation: 'parent' });
  });

  afterAll(() => without.close());

  it.each([
    ['self-contained', {}],
    ['opaque', withSecret],
  ])('%s access tokens of relationships live for five minutes', async (_name, launch) => {
    // Without the gateway, tokens are for the FHIR server itself.
    const parameters = { aud: without.upstream.url };
    const { app, tokens } = await there.tokensFor('leo', { ...launch, parameters });
    expect(tokens.expires_in).toBe(300);
    expect((await app.refresh(tokens.refresh_token ?? '')).json<Tokens>().expires_in).toBe(300);
    expect((await there.tokensFor('1', { ...launch, parameters })).tokens.expires_in).toBe(3600);
  });
});
