/**
 * Refusals to the app of a user who acts for a patient: the record of the launch tells administrators the true cause,
 * and neither the app nor its user is told why the relationship ended.
 */
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import type { Detail } from '../../src/contract/activity/cause.js';
import type { LaunchView } from '../../src/contract/activity.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import { shippedLevels } from '../../src/platform/config/representation-defaults.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { allWritten } from '../support/portal/launch-rows.js';
import { asBearer } from '../support/portal/token-portal.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';

const path = '/api/admin/representation';
const apps = (['Jwt', 'Reference'] as const).map((accessTokenType) => ({
  ...publicApp,
  clientId: `family-${accessTokenType.toLowerCase()}`,
  requireConsent: false,
  accessTokenType,
}));
const server = { ...confidentialApp, clientId: 'family-server', allowIntrospection: true };
let portal: FamilyPortal;
let admin: Agent;

const some = { label: 'Some', kinds: ['Observation', 'Condition', 'Patient'], change: ['Observation', 'Patient'] };
const everything = { label: 'Everything', kinds: 'full', change: 'full' };

beforeAll(async () => {
  portal = await startFamilyPortal({
    config: { clients: [...apps, server], representation: { levels: { ...shippedLevels, everything, some } } },
  });
  admin = await portal.as(family.admin);
});
afterAll(() => portal.close());

async function acts(patient: string, more: object = {}, birthDate = '2020-05-10'): Promise<string> {
  portal.has(patient, { birthDate });
  const form = { email: family.ana.email, patient, basis: 'parental-responsibility', level: 'full', ...more };
  const { id } = (await admin.post(path, form)).json<RelationshipView>();
  expect((await admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' })).status).toBe(200);
  return id;
}

/** The tokens of an app for a patient for whom Ana acts. */
async function tokensFor(patient: string, client: (typeof apps)[number], scope = 'patient/*.cruds') {
  const app = new SmartApp(portal, { client, scope: `openid fhirUser launch/patient ${scope} offline_access` });
  const returnUrl = await app.begin();
  await app.signIn(family.ana, returnUrl);
  const page = new URL(await app.follow(returnUrl));
  expect(page.pathname).toBe('/user/launch-context');
  const asked = page.searchParams.get('returnUrl') ?? '';
  const address = `/api/launch-context?returnUrl=${encodeURIComponent(asked)}`;
  await app.browser.get(address);
  expect((await app.browser.post(address, [`Patient/${patient}`])).status).toBe(200);
  const landed = new URL(await app.follow(asked));
  return { app, tokens: (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>() };
}

const send = (target: string, token: string, method = 'GET', body?: object) =>
  new Agent(portal.issuer).send(target, {
    method,
    headers: { ...asBearer(token), ...(body && { 'content-type': 'application/fhir+json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

async function viewOf({ headers }: Answer): Promise<LaunchView> {
  await allWritten(portal);
  return (await admin.get(`/api/admin/activity/${headers['x-launch-reference']}`)).json<LaunchView>();
}

async function entryOf(answer: Answer, code: CauseCode) {
  const view = await viewOf(answer);
  const entry = view.entries.find((one) => one.code === code);
  expect([view.entries.map((one) => one.code).join(), entry?.change?.text]).toEqual([
    expect.stringContaining(code),
    expect.stringMatching(/^[A-Z].*\.$/),
  ]);
  return { view, entry };
}

describe.each(apps)('The app $clientId', (client) => {
  it('is refused while the relationship rests, and administrators are told that it is suspended', async () => {
    const patient = `rests-${client.accessTokenType.toLowerCase()}`;
    const id = await acts(patient, { basis: 'power-of-attorney', relation: 'attorney' }, '1948-01-01');
    const { app, tokens } = await tokensFor(patient, client);
    await portal.query(
      "UPDATE representation_relationship SET status = 'suspended', reason = 'deleted' WHERE id = $1",
      [id],
    );
    await portal.query("SELECT pg_notify('gatehouse_relationships', '')");
    const reads = ['/fhir/Patient/1', '/connect/userinfo'];
    await eventually(async () => {
      for (const target of reads) expect((await send(target, tokens.access_token)).status).toBe(401);
    });
    for (const target of reads) {
      const { view, entry } = await entryOf(await send(target, tokens.access_token), 'gateway-representation-held');
      expect(entry?.text).toContain('the relationship is suspended');
      expect(view.forDeveloper).not.toContain('suspended');
    }
    const headers = basicAuthorization(server.clientId, sharedSecret);
    const asked = { token: tokens.access_token };
    const described = await new Agent(portal.issuer).postForm('/connect/introspect', asked, { headers });
    expect([described.text, described.headers['x-launch-reference']]).toEqual(['{"active":false}', undefined]);
    await allWritten(portal);
    const [newest] = await portal.query<{ entries: Record<string, { detail: Detail }> }>(
      "SELECT entries FROM launch WHERE client_id = $1 AND entries ? 'introspection-of-held' ORDER BY started_at DESC",
      [server.clientId],
    );
    expect(newest?.entries['introspection-of-held']?.detail).toEqual({
      owner: client.clientId,
      reason: expect.stringContaining('suspended'),
    });
    const { view, entry } = await entryOf(await app.refresh(tokens.refresh_token ?? ''), 'representation-held');
    expect(entry?.change?.page).toBe('user');
    expect(entry?.text).toContain('the relationship is suspended');
    expect(view.forDeveloper).not.toContain('suspended');
  });

  it('gets the same after a safeguarding end as after any other, and so does its developer', async () => {
    const told = async (patient: string, reason: string) => {
      const id = await acts(patient);
      const { app, tokens } = await tokensFor(patient, client);
      expect((await admin.post(`${path}/${id}/end`, { reason, note: 'Over' })).status).toBeLessThan(300);
      await eventually(async () => expect((await send('/connect/userinfo', tokens.access_token)).status).toBe(401));
      const answers = [
        await app.refresh(tokens.refresh_token ?? ''),
        await send('/connect/userinfo', tokens.access_token),
        await send('/fhir/Patient/1', tokens.access_token),
      ];
      const views = [];
      for (const answer of answers) views.push(await viewOf(answer));
      const plain = (text: string) =>
        text
          .replace(/\w\w-\w{4}-\w\w/g, '<reference>')
          .replace(/[A-Z][a-z]+ \d+, \d{4}, [\d:]+ [AP]M UTC/g, '<time>')
          .replaceAll(patient, '<patient>');
      for (const code of ['access-had-ended', 'gateway-access-had-ended']) {
        const entry = views.at(-1)?.entries.find((one) => one.code === code);
        expect([code, entry?.text]).toEqual([code, expect.stringContaining('does not act for this patient any more')]);
        expect(entry?.change).toMatchObject({ page: 'user', text: expect.stringMatching(/^If the user shall act/) });
      }
      return [
        ...answers.map(({ status, text }) => [status, plain(text)]),
        ...views.map(({ forDeveloper }) => plain(forDeveloper)),
      ];
    };
    const name = client.accessTokenType.toLowerCase();
    const ofAny = await told(`ended-${name}`, 'administrator');
    expect(await told(`guarded-${name}`, 'safeguarding')).toEqual(ofAny);
  });

  it('is told that the user may not act any more for the chosen patient, and not that none was chosen', async () => {
    const patient = `chosen-${client.accessTokenType.toLowerCase()}`;
    const id = await acts(patient);
    const app = new SmartApp(portal, { client, scope: 'openid launch/patient patient/*.rs' });
    const returnUrl = await app.begin();
    await app.signIn(family.ana, returnUrl);
    const asked = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(asked)}`;
    await app.browser.get(address);
    expect((await app.browser.post(address, [`Patient/${patient}`])).status).toBe(200);
    expect((await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' })).status).toBe(200);
    const { location = '' } = await app.browser.get(asked);
    const { entry, view } = await entryOf(await app.browser.get(location), 'scope-patient-withdrawn');
    expect(entry?.change?.page).toBe('user');
    expect(view.entries.map((one) => one.code)).not.toContain('scope-choice-skipped');
  });

  it('is refused a change that its level has not, with the cause that was checked', async () => {
    const patient = `level-${client.accessTokenType.toLowerCase()}`;
    await acts(patient);
    const { tokens } = await tokensFor(patient, client);
    const { access_token: token } = tokens;
    const observation = { resourceType: 'Observation', status: 'final', subject: { reference: `Patient/${patient}` } };
    const changed = await send('/fhir/Observation', token, 'POST', observation);
    expect(changed.status).toBe(403);
    const { change } = (await entryOf(changed, 'gateway-scope-missing')).entry ?? {};
    expect(change).toMatchObject({
      text: expect.stringMatching(/^Add the kind to what the level may change\./),
      configuration: 'representation.levels',
    });
    expect((await entryOf(changed, 'scope-level-change')).entry?.title).toContain('patient/*.cruds');
    expect(change?.text).not.toContain('which the client may have');
  });
});

describe('An app whose user acts at a narrower level than when its token was issued', () => {
  const patient = 'narrowed';
  let token: string;

  beforeAll(async () => {
    const id = await acts(
      patient,
      { basis: 'power-of-attorney', relation: 'attorney', level: 'everything' },
      '1948-01-01',
    );
    const [client] = apps;
    token = (await tokensFor(patient, client as (typeof apps)[0])).tokens.access_token;
    portal.has(patient, { birthDate: '1948-01-01', contact: [{ name: { text: 'planted-value' } }] });
    await portal.query("UPDATE representation_relationship SET level = 'some' WHERE id = $1", [id]);
    await portal.query("SELECT pg_notify('gatehouse_relationships', '')");
    await eventually(async () => expect((await send('/fhir/Immunization/1', token)).status).toBe(403));
  });

  it.each([
    ['GET', '/fhir/Immunization/1', 'gateway-kept-private', 'Immunization is kept private', 'representation.levels'],
    ['PUT', '/fhir/Condition/1', 'gateway-change-not-in-level', 'lets nothing of this type', 'representation.levels'],
    ['DELETE', `/fhir/Patient/${patient}`, 'gateway-change-protected', 'a resource of the type Patient', undefined],
    ['PUT', `/fhir/Patient/${patient}`, 'gateway-shown-in-part', 'take away the rest: contact.', undefined],
  ] as const)('is told the cause of a refused %s %s', async (method, target, code, text, configuration) => {
    const body = { resourceType: target.split('/')[2], id: target.split('/')[3] };
    const refused = await send(target, token, method, method === 'PUT' ? body : undefined);
    expect(refused.status).toBe(403);
    const { view, entry } = await entryOf(refused, code);
    expect([entry?.text, entry?.change?.configuration]).toEqual([expect.stringContaining(text), configuration]);
    expect(view.forDeveloper).toContain(`${method} ${body.resourceType}`);
    expect(JSON.stringify(view)).not.toContain('planted-value');
  });
});

it('An app is told that what it writes is about another patient', async () => {
  const [client] = apps;
  await acts('written', { basis: 'power-of-attorney', relation: 'attorney', level: 'everything' }, '1948-01-01');
  const { tokens } = await tokensFor('written', client as (typeof apps)[0]);
  const body = { resourceType: 'Observation', status: 'final', subject: { reference: 'Patient/planted-value' } };
  const refused = await send('/fhir/Observation', tokens.access_token, 'POST', body);
  expect(refused.status).toBe(403);
  const { view, entry } = await entryOf(refused, 'gateway-change-outside');
  expect(entry?.text).toContain('only resources about its own patient');
  expect(JSON.stringify(view)).not.toContain('planted-value');
});

it('An app of a user who acts for no one is told what it may not change while accounts act for others', async () => {
  const [client] = apps;
  const app = new SmartApp(portal, { client: client as (typeof apps)[0], scope: 'launch/patient patient/*.cruds' });
  const { access_token: token } = await app.tokens(family.noah);
  const refused = await send('/fhir/Patient/2', token, 'DELETE');
  expect(refused.status).toBe(403);
  const { entry } = await entryOf(refused, 'gateway-change-protected');
  expect(entry?.text).toContain('decides who may act for a patient');
});
