import type { GrantList } from '../../src/contract/own-record/grants.js';
import type { Tokens } from '../support/apps/smart-app.js';
import type { Agent } from '../support/http/agent.js';
import {
  actingIn,
  jwtApp,
  opaqueApp,
  relationshipsPath as path,
  withSecret,
} from '../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';

let portal: FamilyPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal({ nodes: 2, config: { clients: [jwtApp, opaqueApp] } });
  admin = await acting.admin();
  portal.has('mia', { birthDate: '2012-01-01' });
  await acts('leo');
  await acts('mia');
});

afterAll(() => portal.close());

const acting = actingIn(() => portal);
const { acts, beginFor, tokensFor, introspect } = acting;

describe('The access of an app for a patient', () => {
  it.each([
    ['opaque', withSecret],
    ['self-contained', {}],
  ])('rests while the relationship is suspended, and continues with the same %s tokens', async (_, launch) => {
    const id = await acts('2', { basis: 'power-of-attorney', relation: 'attorney', level: 'full' });
    const { app, tokens } = await tokensFor('2', launch);
    const noah = await portal.as(family.noah, 1);
    expect(await introspect(tokens.access_token)).toMatchObject({ active: true, patient: '2', representation: id });
    expect((await noah.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    await eventually(async () => expect((await introspect(tokens.access_token)).active).toBe(false));
    const refused = await app.refresh(tokens.refresh_token ?? '');
    expect([refused.status, refused.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    await admin.post(`${path}/${id}/confirmation`, { note: 'Called back', reason: 'patient-ended' });
    expect((await introspect(tokens.access_token)).active).toBe(true);
    const renewed = await app.refresh(tokens.refresh_token ?? '');
    expect([renewed.status, renewed.json<Tokens>().patient]).toEqual([200, '2']);
    await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' });
    expect((await app.refresh(renewed.json<Tokens>().refresh_token ?? '')).status).toBe(400);
  });

  it('ends with the relationship, with a receipt; that of the user’s own record continues', async () => {
    portal.has('tom');
    const id = await acts('tom');
    const own = await tokensFor('1');
    const { app, tokens } = await tokensFor('tom');
    const ana = await portal.as(family.ana);
    expect((await ana.post(`/api/representation/${id}/end`, {})).status).toBe(204);
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(400);
    expect((await own.app.refresh(own.tokens.refresh_token ?? '')).status).toBe(200);
    await eventually(async () => {
      const rows = await portal.query("SELECT FROM receipt WHERE facts ->> 'by' = 'representation'");
      expect(rows.length).toBeGreaterThan(0);
    });
  });

  it('is not granted on a page that was open when the level fell, or the relationship ended', async () => {
    portal.has('kim');
    const id = await acts('kim');
    const { app, returnUrl } = await beginFor('kim');
    const offered = await app.offeredScopes(returnUrl);
    await admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' });
    expect((await app.consent(returnUrl, offered)).status).toBe(409);
  });

  it('has a card for each patient, and is taken back for one', async () => {
    const own = await tokensFor('1', {}, true);
    const leo = await tokensFor('leo', {}, true);
    const ana = await portal.as(family.ana);
    const cards = async (query = '') =>
      (await ana.get(`/api/grant${query}`))
        .json<GrantList>()
        .clientsPermissions.filter(({ clientId }) => clientId === jwtApp.clientId);
    expect((await cards()).map(({ patient }) => patient?.reference)).toEqual(
      expect.arrayContaining([undefined, 'Patient/leo']),
    );
    expect(await cards('?patient=Patient/leo')).toMatchObject([{ patient: { name: 'Leo Duarte', tenant: null } }]);
    const takeBack = (query: string) =>
      ana.send(`/api/grant?clientId=${jwtApp.clientId}${query}`, { method: 'DELETE' });
    expect((await takeBack('&patient=Patient/stranger')).status).toBe(404);
    expect((await takeBack('&patient=Patient/leo')).status).toBe(204);
    expect((await leo.app.refresh(leo.tokens.refresh_token ?? '')).status).toBe(400);
    expect((await own.app.refresh(own.tokens.refresh_token ?? '')).status).toBe(200);
    const again = await tokensFor('leo');
    expect((await takeBack('')).status).toBe(204);
    expect((await takeBack('')).status).toBe(409);
    expect((await again.app.refresh(again.tokens.refresh_token ?? '')).status).toBe(200);
  });

  it('never outlives an end at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      portal.has(`round-${round}`);
      const id = await acts(`round-${round}`);
      const { app, returnUrl } = await beginFor(`round-${round}`);
      const offered = await app.offeredScopes(returnUrl);
      const [consented] = await Promise.all([
        app.consent(returnUrl, offered),
        admin.post(`${path}/${id}/end`, { reason: 'administrator', note: 'Over' }),
      ]);
      expect([204, 409]).toContain(consented.status);
      const grants = await portal.query("SELECT FROM oidc_record WHERE payload -> 'representation' ->> 'id' = $1", [
        id,
      ]);
      expect(grants).toEqual([]);
    }
  });

  it('loses one permission for one patient, and keeps it for the others', async () => {
    const scope = 'openid launch/patient patient/Observation.rs patient/Immunization.rs offline_access';
    const own = await tokensFor('1', { scope }, true);
    const leo = await tokensFor('leo', { scope }, true);
    const ana = await portal.as(family.ana);
    const takeBack = (query: string) => {
      const asked = new URLSearchParams({ clientId: jwtApp.clientId, scope: 'user/Observation.cruds' });
      return ana.send(`/api/grant/permission?${asked}${query}`, { method: 'DELETE' });
    };
    const scopesOf = async ({ app, tokens }: typeof own) =>
      (await app.refresh(tokens.refresh_token ?? '')).json<{ scope: string }>().scope;
    expect((await takeBack('&patient=Patient/stranger')).status).toBe(404);
    expect((await takeBack('&patient=Patient/leo')).status).toBe(204);
    expect(await scopesOf(leo)).toBe('openid launch/patient patient/Immunization.rs offline_access');
    expect(await scopesOf(own)).toBe(scope);
    expect((await tokensFor('leo', { scope })).asked).toBe(true);
    await ana.send(`/api/grant?clientId=${jwtApp.clientId}`, { method: 'DELETE' });
    expect((await takeBack('')).status).toBe(409);
  });

  it('is paused for one patient, and asks to be resumed once the patient is chosen', async () => {
    const own = await tokensFor('1', withSecret, true);
    const leo = await tokensFor('leo', withSecret, true);
    const ana = await portal.as(family.ana);
    const { clientId } = opaqueApp;
    const pause = (query: string, method = 'PUT') =>
      ana.send(`/api/grant/pause?clientId=${clientId}${query}`, { method });
    const cards = async () =>
      (await ana.get('/api/grant'))
        .json<GrantList>()
        .clientsPermissions.filter((one) => one.clientId === clientId)
        .map(({ patient, pausedAt }) => [patient?.reference ?? 'own', pausedAt !== null]);
    expect((await pause('&patient=Patient/stranger')).status).toBe(404);
    expect((await pause('&patient=Patient/leo')).status).toBe(204);
    expect(await cards()).toEqual(
      expect.arrayContaining([
        ['own', false],
        ['Patient/leo', true],
      ]),
    );
    await eventually(async () => expect((await introspect(leo.tokens.access_token)).active).toBe(false));
    expect((await introspect(own.tokens.access_token)).active).toBe(true);
    const held = await leo.app.refresh(leo.tokens.refresh_token ?? '');
    expect([held.status, held.json()]).toMatchObject([400, { error: 'temporarily_unavailable' }]);
    expect((await own.app.refresh(own.tokens.refresh_token ?? '')).status).toBe(200);

    const begun = await beginFor('leo', withSecret);
    expect(begun.at.pathname).toBe('/user/paused-app');
    expect((await beginFor('1', withSecret)).at.pathname).not.toBe('/user/paused-app');
    expect((await begun.app.browser.post('/api/grant/resume', { returnUrl: begun.returnUrl })).status).toBe(204);
    expect(await cards()).not.toContainEqual(['Patient/leo', true]);
    await eventually(async () => expect((await introspect(leo.tokens.access_token)).active).toBe(true));

    expect((await pause('')).status).toBe(204);
    await eventually(async () => expect((await introspect(own.tokens.access_token)).active).toBe(false));
    expect((await introspect(leo.tokens.access_token)).active).toBe(true);
    await ana.send(`/api/grant?clientId=${clientId}`, { method: 'DELETE' });
    expect((await pause('')).status).toBe(409);
  });
});
