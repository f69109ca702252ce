import type { ProblemBody } from '../../src/contract/problem.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { addPasskey, signInByPasskey } from '../support/users/passkey-device.js';
import { type Person, people } from '../support/users/people.js';

let portal: TestPortal;

beforeAll(async () => {
  // No server listens there.
  const fhir = { baseUrl: 'http://127.0.0.1:9/fhir' };
  portal = await startPortal({ config: { fhir, users: Object.values(people), clients: [publicApp] } });
});

afterAll(() => portal.close());

/** Signs in for an app that requests this scope. */
async function signInFor(scope: string, person: Person) {
  const app = new SmartApp(portal, { scope });
  return app.signIn(person, await app.begin());
}

describe('F-16 before the FHIR server has been reached', () => {
  it('a user who has to choose a patient sees a message to try again later', async () => {
    const answer = await signInFor('openid launch/patient patient/*.rs', people.practitioner);
    expect([answer.status, answer.json<ProblemBody & Record<string, unknown>>().message]).toEqual([
      503,
      'The health records cannot be reached yet. Please try again in a few minutes.',
    ]);
  });

  it('so does one with a passkey, who signs in when there is no choice', async () => {
    const own = new Agent(portal.issuer);
    await login(own, people.practitioner);
    const { device } = await addPasskey(own);
    const app = new SmartApp(portal, { scope: 'openid launch/patient patient/*.rs' });
    const returnUrl = await app.begin();
    expect((await signInByPasskey(app.browser, device, { returnUrl })).status).toBe(503);
    expect((await app.browser.get('/api/session')).status).toBe(401);
    expect((await signInByPasskey(app.browser, device)).status).toBe(200);
  });

  it('a user without a choice signs in', async () => {
    expect((await signInFor('openid launch/patient patient/*.rs', people.patient)).status).toBe(200);
    expect((await signInFor('openid user/*.rs', people.practitioner)).status).toBe(200);
    expect((await signInFor('openid launch/patient patient/*.rs', people.admin)).status).toBe(200);
  });

  it('the portal itself can be used, and a wrong password is reported as such', async () => {
    const browser = new Agent(portal.issuer);
    for (const { email: username, password } of [people.practitioner, people.admin]) {
      expect((await browser.post('/api/session/login', { username, password })).status).toBe(200);
    }
    const wrong = await signInFor('openid launch/patient', { ...people.practitioner, password: 'wrong' });
    expect(wrong.status).toBe(401);
  });
});
