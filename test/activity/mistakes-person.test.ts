/**
 * The obstacles of a person on the way through a launch, each made over HTTP and found in the launch with what to
 * change.
 */
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { alterClient, publicApp } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { beginExternalSignIn } from '../support/providers/external-sign-in.js';
import { type MisbehavingProvider, startMisbehavingProvider } from '../support/providers/misbehaving-provider.js';
import {
  ageAcceptedCodes,
  alterAccounts,
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
const hasty = { ...people.otherPatient, email: 'hal.hasty@example.org' };
const incomplete = { ...people.patient, email: 'ina.complete@example.org' };

let portal: TestPortal;
let server: SmallFhirServer;
let provider: MisbehavingProvider;
let key: string;
let hastyKey: string;

const secrets = SentSecrets.collect();

beforeAll(async () => {
  server = await startSmallFhirServer();
  provider = await startMisbehavingProvider();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: server.url },
      ehr: { callers: [ehr] },
      users: [...Object.values(people), careful, locked, hasty, incomplete],
      clients: [publicApp, trusted, closed],
      identityProviders: [
        provider.entry('hospital'),
        // No server listens there.
        { ...provider.entry('down'), authority: 'http://localhost:9' },
      ],
    },
  });
  await alterClient(portal, closed.clientId, { settings: { enableLocalLogin: false } });
  key = (await enableTwoFactor(await signInByPassword(portal, careful))).key;
  hastyKey = (await enableTwoFactor(await signInByPassword(portal, hasty))).key;
  const change = `user_type = 'Incomplete', claims = '[]' WHERE email = '${incomplete.email}'`;
  await alterAccounts(portal, `UPDATE account SET ${change}`);
});
afterAll(async () => {
  await portal.close();
  await provider.close();
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

/** A sign-in at the other provider, whose answer has these parameters; the last answer is the portal's. */
async function elsewhere(answer: Record<string, string | undefined>, deviations = {}): Promise<Answer> {
  const { app, returnUrl } = await begun();
  provider.deviations.hospital = deviations;
  const { location = '' } = await beginExternalSignIn(app.browser, 'hospital', returnUrl);
  return app.browser.get(provider.callbackFor(location, answer));
}

/** Types wrong codes until no more may be tried; the browser's last sign-in has no second factor yet. */
async function tryCodes(browser: Agent, returnUrl: string): Promise<Answer> {
  let answer: Answer;
  for (let attempt = 0; attempt < 15; attempt += 1) {
    answer = await verifyCode(browser, wrongAuthenticatorCode(hastyKey), { returnUrl });
    if (answer.status === 429) return answer;
    if (answer.status !== 401) continue;
    answer = await browser.post('/api/session/login', { username: hasty.email, password: hasty.password, returnUrl });
    if (answer.status === 429) return answer;
  }
  throw new Error('the second factor was not locked');
}

const choosing = (scope: string) => ({ client: trusted, scope: `openid fhirUser patient/*.rs ${scope}` });

/** The last member is a part of what to change. */
type Mistake = [string, CauseCode, object, () => Promise<Answer>, string];
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
    'ask for a new password',
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
    'Wait, or have the user ask for a new password',
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
    'check the clock of their device',
  ],
  [
    'too many wrong codes of the second factor',
    'second-factor-locked',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      await app.signIn(hasty, returnUrl);
      return tryCodes(app.browser, returnUrl);
    },
    'Wait for an hour',
  ],
  [
    'a wrong passkey as the second factor',
    'passkey-refused',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      await app.signIn(careful, returnUrl);
      return app.browser.post('/api/twofactor/passkey', { response: { id: 'hidden' }, returnUrl });
    },
    'with another passkey',
  ],
  [
    'too many wrong passkeys as the second factor',
    'second-factor-locked',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      for (let attempt = 0; ; attempt += 1) {
        if (attempt % 5 === 0) await app.signIn(careful, returnUrl);
        const answer = await app.browser.post('/api/twofactor/passkey', { response: { id: 'hidden' }, returnUrl });
        if (answer.status === 429 || attempt > 25) return answer;
      }
    },
    'unlock the user',
  ],
  [
    'a second factor that was locked before the sign-in',
    'second-factor-locked',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      return app.signIn(hasty, returnUrl);
    },
    'Wait for an hour',
  ],
  [
    'a sign-in that the other provider refused',
    'external-sign-in-refused',
    { provider: 'hospital', reason: 'the user cancelled there, or was refused' },
    () => elsewhere({ code: undefined, error: 'access_denied' }),
    'identityProviders',
  ],
  [
    'an answer of the other provider that cannot be used',
    'external-sign-in-refused',
    { provider: 'hospital', reason: 'its answer could not be used: ID token contains invalid nonce.' },
    () => elsewhere({}, { claims: { nonce: 'hidden' } }),
    'identityProviders',
  ],
  [
    'another provider that does not answer',
    'external-sign-in-refused',
    {
      provider: 'down',
      reason: expect.stringMatching(
        /^it was not available: the discovery document could not be read: connect ECONNREFUSED [^ ]+$/,
      ) as string,
    },
    async () => {
      const { app, returnUrl } = await begun();
      return beginExternalSignIn(app.browser, 'down', returnUrl);
    },
    'identityProviders',
  ],
  [
    'an account of the other provider without a FHIR record',
    'account-incomplete',
    {},
    () => elsewhere({}, { claims: { fhirUser: undefined } }),
    'Give the account a type',
  ],
  [
    'an account without a FHIR record',
    'account-incomplete',
    {},
    async () => {
      const { app, returnUrl } = await begun();
      return app.signIn(incomplete, returnUrl);
    },
    'Give the account a type',
  ],
  [
    'no visit of the patient',
    'context-none',
    { type: 'Encounter' },
    async () => {
      const choice = await ContextChoice.reach(
        portal,
        choosing('launch/patient launch/encounter'),
        people.practitioner,
      );
      await choice.contextTypes();
      return choice.request({ patient: 'Patient/3' });
    },
    'Check that the FHIR server has Encounter resources',
  ],
  [
    'no patient that the FHIR server would show',
    'context-none',
    { type: 'Patient' },
    async () => {
      const choice = await ContextChoice.reach(portal, choosing('launch/patient'), people.practitioner);
      server.behaviour = 'empty';
      return choice.request().finally(() => {
        server.behaviour = 'well';
      });
    },
    'Check that the FHIR server has Patient resources',
  ],
  [
    'a skipped choice',
    'context-skipped',
    { type: 'Patient' },
    async () => {
      const choice = await ContextChoice.reach(portal, choosing('launch/patient'), people.practitioner);
      await choice.contextTypes();
      return choice.choose([]);
    },
    'choose a Patient',
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
    'account of a patient or practitioner',
  ],
  [
    "another person's patient from the EHR",
    'announced-other-patient',
    { announced: 'Patient/2', record: 'Patient/1' },
    () => launched({ patient: '2' }),
    'announce the patient of Patient/1',
  ],
  [
    'an EHR launch for another person',
    'announced-other-person',
    { announced: 'Practitioner/practitioner-1', signedIn: expect.stringMatching(/^Patient\//) },
    () => launched({ patient: '1', user: 'Practitioner/practitioner-1' }),
    'the account that they use in the EHR',
  ],
];

describe('The record of a launch has the cause that hindered the user', () => {
  it.each(mistakes)('with %s: %s', async (_, code, detail, make, fix) => {
    const launch = await launchOf(portal, await make());
    const [entry] = entriesOf(launch, code);
    expect([Object.keys(launch?.entries ?? {}).join(), entry?.detail]).toEqual([
      expect.stringContaining(code),
      expect.objectContaining(detail),
    ]);
    expect(Object.values(entry?.change ?? {}).join('\n')).toContain(fix);
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

describe('The record of a launch has the steps of the user', () => {
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
  ] as const)('when the user has %s at the consent page: %s', async (_, code, decide) => {
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

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(portal, 'person'));
