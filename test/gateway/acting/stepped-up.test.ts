/** A stronger sign-in that the gateway demands of a user who acts for a patient (RFC 9470). */
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { Agent } from '../../support/http/agent.js';
import { actingIn, jwtApp } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { chosen, parent, representation, timeZone } from '../../support/representation/scenarios.js';
import { ageAcceptedCodes, enableTwoFactor, signInWithCode } from '../../support/users/authenticator.js';

const launch = { client: jwtApp, scope: 'openid launch/patient patient/*.rs' };
let portal: FamilyPortal;
const acting = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({
    config: {
      clients: [jwtApp],
      locale: { timeZone },
      representation,
      gateway: { stepUp: [{ actions: 'rs', types: ['Condition'], acr: 'aal2' }] },
    },
  });
  portal.has('leo');
  portal.has('mia', { birthDate: '1980-01-01' });
  await acting.acts('leo', parent);
  await acting.acts('mia', chosen('basics'));
});

afterAll(() => portal.close());

async function read(token: string, path: string) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await new Agent(portal.issuer).get(`/fhir/${path}`, { headers });
  return { status: answer.status, challenge: answer.headers['www-authenticate'] };
}

it('A kind that the level keeps private is refused without a word of a stronger sign-in', async () => {
  const weak = (await acting.tokensFor('mia', launch)).tokens.access_token;
  const { status, challenge } = await read(weak, 'Condition?patient=mia');
  expect([status, String(challenge).includes('acr_values')]).toEqual([403, false]);
});

it('Who acts for a patient is asked for a second factor by what demands it, and acts for the same patient with it', async () => {
  const weak = (await acting.tokensFor('leo', launch)).tokens.access_token;
  expect(await read(weak, 'Observation?patient=leo')).toMatchObject({ status: 200 });
  expect(await read(weak, 'Condition?patient=leo')).toEqual({
    status: 401,
    challenge: expect.stringContaining('error="insufficient_user_authentication"'),
  });
  expect((await read(weak, 'Condition?patient=leo')).challenge).toContain('acr_values="aal2"');

  const factor = await enableTwoFactor(await portal.as(family.ana));
  await ageAcceptedCodes(portal);
  const browser = await signInWithCode(portal, family.ana, factor);
  const app = new SmartApp(portal, { ...launch, parameters: { acr_values: 'aal2' } }, browser);
  const page = new URL(await app.follow(app.authorizationPath));
  expect(page.pathname).toBe('/user/launch-context');
  const returnUrl = page.searchParams.get('returnUrl') ?? '';
  const address = `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;
  await browser.get(address);
  expect((await browser.post(address, ['Patient/leo'])).status).toBe(200);
  let landed = new URL(await app.follow(returnUrl));
  if (landed.pathname === '/user/consent') {
    const next = landed.searchParams.get('returnUrl') ?? '';
    await app.consent(next, await app.offeredScopes(next), false);
    landed = new URL(await app.follow(next));
  }
  const strong = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
  expect(strong.patient).toBe('leo');
  expect(await read(strong.access_token, 'Condition?patient=leo')).toMatchObject({ status: 200 });
});
