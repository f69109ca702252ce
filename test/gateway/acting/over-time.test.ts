/** The access of an app for a patient over time: refreshes, further requests of the same browser, two tabs. */
import { decodeJwt } from 'jose';
import { relationshipsChanged } from '../../../src/representation/domain/relationships.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { RecordServer } from '../../support/fhir/record-server.js';
import { Agent } from '../../support/http/agent.js';
import { tellNodes } from '../../support/portal/portal.js';
import { actingIn, jwtApp, opaqueApp, relationshipsPath, withSecret } from '../../support/representation/acting.js';
import { connectedApps } from '../../support/representation/connected-apps.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { born, chosen, parent, representation, timeZone } from '../../support/representation/scenarios.js';

const server = new RecordServer();
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const scope = 'openid fhirUser launch/patient patient/*.rs offline_access';
let portal: FamilyPortal;
/** The other node than that of the app's user: it has read no record before. */
let other: Agent;
const { has } = connectedApps(() => portal, server);
const acting = actingIn(() => portal);

beforeAll(async () => {
  await server.start();
  portal = await startFamilyPortal({
    nodes: 2,
    config: {
      clients: [jwtApp, opaqueApp],
      locale: { timeZone },
      representation,
      ehr: { callers: [ehr] },
      fhir: { baseUrl: server.upstream.url },
    },
  });
  other = new Agent(portal.issuer, portal.ports[1]);
});

afterAll(async () => {
  await portal.close();
  server.upstream.close();
});

/** Ids of the observations that a token shows, or the status of a refusal. */
async function shownTo(token: string, patient: string): Promise<string> {
  const answer = await other.get(`/fhir/Observation?patient=${patient}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/fhir+json' },
  });
  if (answer.status !== 200) return String(answer.status);
  const { entry = [] } = answer.json<{ entry?: { resource: { id: string } }[] }>();
  return entry
    .map(({ resource }) => resource.id.replace(`${patient}-`, ''))
    .sort()
    .join(' ');
}

const all = 'blood file mood plain pulse smoke';
/** What happens between two refreshes, and what the token of the second one shows; none for a refusal. */
const between: [
  says: string,
  relationship: object,
  birthDate: string,
  event: object | string | undefined,
  shown: string,
][] = [
  ['nothing has changed', parent, born(5), undefined, all],
  ['the level was lowered', parent, born(5), "SET level = 'basics'", 'mood pulse'],
  ['the level was raised', chosen('basics'), born(40), "SET level = 'read'", all.replace('pulse', 'psy pulse')],
  ['the patient has turned 13', parent, born(5), { birthDate: born(13, 0) }, 'blood pulse'],
  ['the patient has turned 16', parent, born(5), { birthDate: born(16, 0) }, ''],
  ['the patient has turned 18', parent, born(5), { birthDate: born(18, 0) }, ''],
  ['the patient has died', parent, born(5), { birthDate: born(5), deceasedDateTime: '2026' }, ''],
  ['the relationship has ended', parent, born(5), 'end', ''],
];

describe.each([
  ['that finds what it is asked for', false],
  ['that answers everything to everybody', true],
])('A refresh for a patient, at a server %s,', (_which, ignores) => {
  beforeAll(() => {
    server.ignores = ignores;
  });
  afterAll(() => {
    server.ignores = false;
  });

  it.each(between)(
    'once %s, agrees with introspection and reads',
    async (says, relationship, birthDate, event, shown) => {
      const patient = `${ignores ? 'i' : 'a'}-${says.replaceAll(' ', '-')}`;
      has(patient, { birthDate });
      const id = await acting.acts(patient, relationship);
      const { app, tokens } = await acting.tokensFor(patient, { ...withSecret, scope });
      expect(await acting.introspect(tokens.access_token)).toMatchObject({ active: true, patient, representation: id });
      if (event === 'end') {
        const end = { reason: 'administrator', note: 'Over' };
        await (await acting.admin()).post(`${relationshipsPath}/${id}/end`, end);
      } else if (typeof event === 'object') has(patient, event);
      else if (event) await portal.query(`UPDATE representation_relationship ${event} WHERE id = $1`, [id]);
      await tellNodes(portal, relationshipsChanged);

      const refreshed = await app.refresh(tokens.refresh_token ?? '', {}, other);
      if (shown === '') {
        expect([refreshed.status, refreshed.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
        expect(await shownTo(tokens.access_token, patient)).toBe('401');
        return;
      }
      expect([refreshed.status, refreshed.text]).toEqual([200, expect.any(String)]);
      const next = refreshed.json<Tokens>();
      expect(next.patient).toBe(patient);
      expect(decodeJwt(next.id_token ?? '').sub).toBe(decodeJwt(tokens.id_token ?? '').sub);
      // The user stays who they are; only the patient is another one.
      expect(decodeJwt(next.id_token ?? '').fhirUser).toBe(`${portal.fhirBase}/Patient/1`);
      expect(await acting.introspect(next.access_token)).toMatchObject({ active: true, patient, representation: id });
      expect([await shownTo(next.access_token, patient), await shownTo(next.access_token, '1')]).toEqual([shown, '']);
    },
  );

  it('is refused while the patient’s agreement is missing, and the same token works once it is there', async () => {
    const patient = `${ignores ? 'i' : 'a'}-agreeing`;
    has(patient, { birthDate: born(5) });
    const id = await acting.acts(patient, parent);
    const { app, tokens } = await acting.tokensFor(patient, { ...withSecret, scope });
    has(patient, { birthDate: born(16, 0) });
    const refresh = () => app.refresh(tokens.refresh_token ?? '', {}, other);
    expect((await refresh()).json()).toMatchObject({ error: 'invalid_grant' });
    await portal.query("UPDATE representation_relationship SET agreed_steps = '{16}' WHERE id = $1", [id]);
    await tellNodes(portal, relationshipsChanged);
    const answer = await refresh();
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(await shownTo(answer.json<Tokens>().access_token, patient)).toBe('mood pulse');
  });
});

describe('A browser in which a user acts for others', () => {
  beforeAll(async () => {
    for (const patient of ['leo', 'mia']) {
      has(patient, { birthDate: born(5) });
      await acting.acts(patient, parent);
    }
  });

  const withPrompt = (browser: Agent, parameters: Record<string, string>) =>
    new SmartApp(portal, { scope, client: jwtApp, parameters }, browser);

  it('is answered that a question is left, where the app wants none, also after a remembered decision', async () => {
    const { app, tokens } = await acting.tokensFor('leo', { scope }, true);
    const silent = withPrompt(app.browser, { prompt: 'none' });
    const answer = new URL(await silent.follow(silent.authorizationPath));
    expect([answer.searchParams.get('error'), answer.searchParams.get('code')]).toEqual(['interaction_required', null]);
    expect(await shownTo(tokens.access_token, 'leo')).toBe(all);
  });

  it('signs in again where the sign-in is too old, and is asked again for whom', async () => {
    const { app } = await acting.tokensFor('leo', { scope }, true);
    await portal.query(
      `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 301))
        WHERE model = 'Session'`,
    );
    const late = withPrompt(app.browser, { max_age: '300' });
    const returnUrl = await late.begin();
    expect((await late.signIn(family.ana, returnUrl)).status).toBe(200);
    const page = new URL(await late.follow(returnUrl));
    expect(page.pathname).toBe('/user/launch-context');
    const asked = page.searchParams.get('returnUrl') ?? '';
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(asked)}`;
    await app.browser.get(address);
    expect((await app.browser.post(address, ['Patient/leo'])).status).toBe(200);
    const landed = new URL(await late.follow(asked));
    const { id_token = '', patient } = (await late.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
    expect(patient).toBe('leo');
    expect(Number(decodeJwt(id_token).auth_time)).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  it('gives two tabs the patient of each, whichever answers first', async () => {
    const first = await acting.begin(family.ana, { scope, client: jwtApp });
    const second = withPrompt(first.app.browser, {});
    const at = new URL(await second.follow(second.authorizationPath));
    const tabs = [
      { app: first.app, patient: 'leo', other: 'mia', returnUrl: first.returnUrl },
      { app: second, patient: 'mia', other: 'leo', returnUrl: at.searchParams.get('returnUrl') ?? '' },
    ];
    const address = (returnUrl: string) => `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;
    for (const { app, returnUrl } of tabs) await app.browser.get(address(returnUrl));
    for (const { app, patient, returnUrl } of tabs.toReversed()) {
      expect((await app.browser.post(address(returnUrl), [`Patient/${patient}`])).status).toBe(200);
    }
    for (const tab of tabs) {
      let landed = new URL(await tab.app.follow(tab.returnUrl));
      if (landed.pathname === '/user/consent') {
        const asked = landed.searchParams.get('returnUrl') ?? '';
        await tab.app.consent(asked, await tab.app.offeredScopes(asked));
        landed = new URL(await tab.app.follow(asked));
      }
      const tokens = (await tab.app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
      expect(tokens.patient).toBe(tab.patient);
      expect(await shownTo(tokens.access_token, tab.patient)).toBe(all);
      expect(await shownTo(tokens.access_token, tab.other)).toBe('');
    }
  });

  it('is launched by an EHR for one patient, whose level counts at each refresh until the end', async () => {
    has('ward', { birthDate: born(5) });
    const id = await acting.acts('ward', parent);
    const form = { client_id: opaqueApp.clientId, patient: 'ward' };
    const headers = basicAuthorization(ehr.id, ehr.secret);
    const announced = await other.postForm('/connect/launchContext', form, { headers });
    const parameters = { launch: announced.json<{ launchContextIdentifier: string }>().launchContextIdentifier };
    const launch = { ...withSecret, scope: 'openid launch patient/*.rs offline_access', parameters };
    const { app, tokens } = await acting.tokensFor('ward', launch);
    expect([tokens.patient, await shownTo(tokens.access_token, 'ward')]).toEqual(['ward', all]);
    await portal.query("UPDATE representation_relationship SET level = 'basics' WHERE id = $1", [id]);
    await tellNodes(portal, relationshipsChanged);
    const next = (await app.refresh(tokens.refresh_token ?? '', {}, other)).json<Tokens>();
    expect([next.patient, await shownTo(next.access_token, 'ward')]).toEqual(['ward', 'mood pulse']);
    expect(await acting.introspect(next.access_token)).toMatchObject({ patient: 'ward', representation: id });
    const end = { reason: 'administrator', note: 'Over' };
    await (await acting.admin()).post(`${relationshipsPath}/${id}/end`, end);
    await tellNodes(portal, relationshipsChanged);
    expect((await app.refresh(next.refresh_token ?? '', {}, other)).json()).toMatchObject({ error: 'invalid_grant' });
    expect(await acting.introspect(next.access_token)).toEqual({ active: false });
  });
});
