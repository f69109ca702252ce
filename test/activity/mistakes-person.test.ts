/** What hinders a person on the way through a launch, each made over HTTP and found in the launch with what to change. */
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { alterClient, publicApp } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import {
  ageAcceptedCodes,
  authenticatorCode,
  enableTwoFactor,
  signInByPassword,
  verifyCode,
  wrongAuthenticatorCode,
} from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const trusted = { ...publicApp, clientId: 'trusted-app', requireConsent: false };
const closed = { ...trusted, clientId: 'closed-app' };
const careful = { ...people.otherPatient, email: 'cara.careful@example.org' };
const locked = { ...people.patient, email: 'lou.locked@example.org' };

let portal: TestPortal;
let server: SmallFhirServer;
let key: string;

beforeAll(async () => {
  server = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: server.url },
      ehr: { callers: [ehr] },
      users: [...Object.values(people), careful, locked],
      clients: [publicApp, trusted, closed],
    },
  });
  await alterClient(portal, closed.clientId, { settings: { enableLocalLogin: false } });
  key = (await enableTwoFactor(await signInByPassword(portal, careful))).key;
});
afterAll(async () => {
  await portal.close();
  server.close();
});

const appFor = (client = publicApp, more = {}) => new SmartApp(portal, { client, ...more });

async function begun(client = publicApp): Promise<{ app: SmartApp; returnUrl: string }> {
  const app = appFor(client);
  return { app, returnUrl: await app.begin() };
}

async function ofEhr(form: Record<string, string>): Promise<string> {
  const headers = basicAuthorization(ehr.id, ehr.secret);
  const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });
  return answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
}

/** Signs in at an app that an EHR launches; the answer is the one to the request after the sign-in. */
async function launched(form: Record<string, string>): Promise<Answer> {
  const app = appFor(trusted, { scope: 'launch openid patient/*.rs', parameters: { launch: await ofEhr(form) } });
  const returnUrl = await app.begin();
  await app.signIn(people.patient, returnUrl);
  const resumed = await app.browser.get(returnUrl);
  return resumed.location?.startsWith(portal.issuer) || resumed.location?.startsWith('/')
    ? app.browser.get(resumed.location)
    : resumed;
}

type Mistake = [string, CauseCode, object, () => Promise<Answer>, string?];
const mistakes: Mistake[] = [
  [
    'a way of signing in that the client does not permit',
    'sign-in-method-closed',
    { method: 'a password of this portal' },
    async () => {
      const { app, returnUrl } = await begun(closed);
      return app.signIn(people.patient, returnUrl);
    },
    'enableLocalLogin',
  ],
  [
    'a wrong password',
    'password-wrong',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      return app.signIn({ ...people.practitioner, password: 'hidden-wrong-password' }, returnUrl);
    },
  ],
  [
    'too many wrong passwords',
    'sign-in-locked',
    { seconds: expect.any(Number) },
    async () => {
      const { app, returnUrl } = await begun();
      let answer = await app.signIn({ ...locked, password: 'hidden' }, returnUrl);
      for (let attempt = 0; attempt < 8 && answer.status !== 429; attempt += 1) {
        answer = await app.signIn({ ...locked, password: 'hidden' }, returnUrl);
      }
      expect(answer.status).toBe(429);
      return answer;
    },
  ],
  [
    'a wrong code of the second factor',
    'second-factor-wrong',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      await app.signIn(careful, returnUrl);
      return verifyCode(app.browser, wrongAuthenticatorCode(key), { returnUrl });
    },
  ],
  [
    "an administrator's account",
    'account-administrator',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      await app.signIn(people.admin, returnUrl);
      const resumed = await app.browser.get(returnUrl);
      return app.browser.get(resumed.location ?? '');
    },
  ],
  ["another person's patient from the EHR", 'announced-other-patient', {}, () => launched({ patient: '2' })],
  [
    'an EHR launch for another person',
    'announced-other-person',
    {},
    () => launched({ patient: '1', user: 'Practitioner/practitioner-1' }),
  ],
];

describe('A launch tells what hindered the person', () => {
  it.each(mistakes)('with %s: %s', async (_, code, detail, make, ...[field]) => {
    const launch = await launchOf(portal, await make());
    const [entry] = entriesOf(launch, code);
    expect([Object.keys(launch?.entries ?? {}).join(), entry?.detail]).toEqual([
      expect.stringContaining(code),
      expect.objectContaining(detail),
    ]);
    expect(entry?.change?.field).toBe(field);
    expect(JSON.stringify(launch?.entries)).not.toContain('hidden');
  });

  it('counts wrong passwords, and keeps nothing of them', async () => {
    const { app, returnUrl } = await begun();
    await app.signIn({ ...people.otherPatient, password: 'hidden-one' }, returnUrl);
    const launch = await launchOf(
      portal,
      await app.signIn({ ...people.otherPatient, password: 'hidden-two' }, returnUrl),
    );
    expect(entriesOf(launch, 'password-wrong')).toMatchObject([{ count: 2, detail: {} }]);
    expect(launch?.outcome).toBe('open');
  });
});

describe('A launch tells the steps of the person', () => {
  it('from sign-in with a second factor to the consent, with the number of permissions', async () => {
    await ageAcceptedCodes(portal);
    const { app, returnUrl } = await begun();
    await app.signIn(careful, returnUrl);
    expect((await verifyCode(app.browser, authenticatorCode(key), { returnUrl })).status).toBe(204);
    const page = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    const offered = await app.offeredScopes(page);
    const launch = await launchOf(portal, await app.consent(page, offered.slice(0, -1), true));
    expect(entriesOf(launch, 'signed-in')).toMatchObject([{ detail: { how: 'a password of this portal' } }]);
    expect(entriesOf(launch, 'second-factor-proven')).toHaveLength(1);
    const [{ detail } = { detail: {} }] = entriesOf(launch, 'consent-given');
    expect(detail).toMatchObject({ granted: offered.length - 1, remembered: 'remembered' });
    expect(launch?.account_id).not.toBeNull();
  });

  it.each([
    ['declined', 'consent-declined', (app: SmartApp, page: string) => app.consent(page, [])],
    [
      'left',
      'left',
      (app: SmartApp, page: string) =>
        app.browser.send(`/api/authorization?returnUrl=${encodeURIComponent(page)}`, { method: 'DELETE' }),
    ],
  ] as const)('when the person has %s at the consent page: %s', async (_, code, decide) => {
    const { app, returnUrl } = await begun();
    await app.signIn(people.patient, returnUrl);
    const page = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    const answer = await decide(app, page);
    expect(new URL(await app.follow(page)).searchParams.get('error')).toBe('access_denied');
    const launch = await launchOf(portal, answer);
    expect(entriesOf(launch, code)).toHaveLength(1);
    expect(launch).toMatchObject({ outcome: 'declined', cause: expect.stringMatching(new RegExp(`^${code}`)) });
  });
});
