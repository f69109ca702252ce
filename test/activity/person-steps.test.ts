/** The steps of a person, each made over HTTP and found in the launch with its values. */
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { FhirServerStatus } from '../../src/fhir-server/application/fhir-server-status.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { type Launch, SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import type { Answer } from '../support/http/agent.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { until } from '../support/until.js';
import { alterAccounts, signInByPassword } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const trusted = { ...publicApp, clientId: 'trusted-app', requireConsent: false };
const fine = { ...publicApp, clientId: 'fine-app', showFineGrainedScopes: true };
const study = { ...trusted, clientId: 'study-app' };
const byPasskey = { ...trusted, clientId: 'passkey-app', requiredAcr: 'phr' };
const byFactor = { ...trusted, clientId: 'factor-app', require2fa: true };
const unlinked = { ...people.practitioner, email: 'una.unlinked@example.org' };
const disclaimer = { id: 'study', description: 'The study', html: '<p>A study.</p>', everyLogin: true };

let portal: TestPortal;
let server: SmallFhirServer;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  server = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: {
        baseUrl: server.url,
        tenants: [{ id: 'north', name: 'North', baseUrl: server.url, credentials: { type: 'none' } }],
      },
      users: [...Object.values(people), unlinked],
      clients: [publicApp, trusted, fine, study, byPasskey, byFactor],
      disclaimers: [{ ...disclaimer, clients: [study.clientId] }],
    },
  });
  const status = portal.apps[0]?.get(FhirServerStatus, { strict: false });
  await until(async () => status?.resourceTypes() !== undefined);
  await alterAccounts(portal, `UPDATE account SET claims = '[]' WHERE email = '${unlinked.email}'`);
});
afterAll(async () => {
  await portal.close();
  server.close();
});

/** The page that follows the sign-in, and its returnUrl. */
async function signedIn(app: SmartApp, person: { email: string; password: string } = people.patient) {
  const returnUrl = await app.begin();
  await app.signIn(person, returnUrl);
  const page = new URL(await app.follow(returnUrl));
  return { page, returnUrl: page.searchParams.get('returnUrl') ?? '' };
}

/** An app in a browser in which the patient is signed in with a password. */
async function withSession(launch: Launch): Promise<SmartApp> {
  return new SmartApp(portal, launch, await signInByPassword(portal, people.patient));
}

const leave = (app: SmartApp, returnUrl: string) =>
  app.browser.send(`/api/authorization?returnUrl=${encodeURIComponent(returnUrl)}`, { method: 'DELETE' });

/** Signs in for this scope; the answer is the one to the request after the sign-in. */
async function resumed(scope: string, person: { email: string; password: string }): Promise<Answer> {
  const app = new SmartApp(portal, { client: trusted, scope });
  const returnUrl = await app.begin();
  await app.signIn(person, returnUrl);
  return goOn(app, returnUrl);
}

/** The answer to the request for which a choice of patient or visit was skipped. */
async function skipped(scope: string): Promise<Answer> {
  const choice = await ContextChoice.reach(portal, { client: trusted, scope }, people.practitioner);
  expect((await choice.choose([])).status).toBe(200);
  return goOn(choice.app, choice.returnUrl);
}

/** The answer to the page on which a second factor is set up. */
async function settingUp(launch: Launch): Promise<Answer> {
  const app = new SmartApp(portal, launch);
  const { returnUrl } = await signedIn(app);
  return app.browser.get(`/api/twofactor/enable?returnUrl=${encodeURIComponent(returnUrl)}`);
}

async function goOn({ browser }: SmartApp, returnUrl: string): Promise<Answer> {
  const { location = '' } = await browser.get(returnUrl);
  return browser.get(location);
}

/** Requests a scope below which the user ticks only a part. */
async function ticked(): Promise<Answer> {
  const app = new SmartApp(portal, { client: fine, scope: 'openid fhirUser launch/patient patient/*.rs' });
  const { returnUrl } = await signedIn(app);
  return app.consent(returnUrl, ['openid', 'fhirUser', 'launch/patient', 'patient/Encounter.rs']);
}

type Step = [string, CauseCode, object, () => Promise<Answer>];
const steps: Step[] = [
  [
    'the patient was chosen',
    'context-chosen',
    { resources: 'Patient/1' },
    async () => {
      const scope = 'openid fhirUser launch/patient patient/*.rs';
      const choice = await ContextChoice.reach(portal, { client: trusted, scope }, people.practitioner);
      await choice.contextTypes();
      return choice.choose(['Patient/1']);
    },
  ],
  [
    'disclaimers were accepted',
    'disclaimers-agreed',
    { count: 1 },
    async () => {
      const app = new SmartApp(portal, { client: study });
      const { returnUrl } = await signedIn(app);
      await app.browser.get(`/api/disclaimer?returnUrl=${encodeURIComponent(returnUrl)}`);
      const disclaimerIds = [disclaimer.id];
      return app.browser.post(`/api/disclaimer?returnUrl=${encodeURIComponent(returnUrl)}`, { disclaimerIds });
    },
  ],
  [
    'disclaimers were declined',
    'disclaimers-declined',
    { page: 'disclaimers' },
    async () => {
      const app = new SmartApp(portal, { client: study });
      const { returnUrl } = await signedIn(app);
      return leave(app, returnUrl);
    },
  ],
  [
    'an earlier consent was used',
    'consent-remembered',
    { granted: 3, offered: 3 },
    async () => {
      const app = new SmartApp(portal, { scope: 'openid fhirUser launch/patient' });
      const { returnUrl } = await signedIn(app);
      await app.consent(returnUrl, await app.offeredScopes(returnUrl), true);
      await app.follow(returnUrl);
      return app.authorize();
    },
  ],
  [
    'the account was of another tenant',
    'account-other-tenant',
    { tenant: 'north' },
    async () => {
      const app = new SmartApp(portal, { client: trusted, parameters: { aud: `${portal.fhirBase}/north` } });
      const returnUrl = await app.begin();
      await app.signIn(people.patient, returnUrl);
      return goOn(app, returnUrl);
    },
  ],
  [
    'the app asked for a newer sign-in',
    'sign-in-too-old',
    { seconds: 60 },
    async () => {
      const app = await withSession({ client: trusted, parameters: { max_age: '60' } });
      await portal.query(
        `UPDATE oidc_record SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload ->> 'loginTs')::int - 61))
          WHERE model = 'Session'`,
      );
      return app.authorize();
    },
  ],
  [
    'the app asked for two factors',
    'acr-required',
    { acr: 'aal2' },
    async () => (await withSession({ client: trusted, parameters: { acr_values: 'aal2' } })).authorize(),
  ],
  [
    'the app asked for a passkey',
    'acr-required',
    { acr: 'phr' },
    async () => (await withSession({ client: trusted, parameters: { acr_values: 'phr' } })).authorize(),
  ],
  [
    'the client requires a passkey',
    'passkey-required',
    {},
    async () => (await withSession({ client: byPasskey })).authorize(),
  ],
  [
    'the app insists on a level that no sign-in has',
    'acr-not-reached',
    {},
    async () => {
      const claims = JSON.stringify({ id_token: { acr: { essential: true, value: 'gold' } } });
      return (await withSession({ client: trusted, parameters: { claims } })).authorize();
    },
  ],
  ['a part was ticked', 'scope-unticked-narrowed', { scope: 'patient/*.rs', granted: 'patient/Encounter.rs' }, ticked],
  [
    'the account has no record',
    'scope-no-record',
    { scope: 'user/Patient.rs' },
    () => resumed('openid user/Patient.rs', unlinked),
  ],
  [
    'no patient was chosen',
    'scope-patient-skipped',
    { scope: 'patient/Patient.rs' },
    () => skipped('openid fhirUser launch/patient patient/Patient.rs'),
  ],
  [
    'no visit was chosen',
    'scope-choice-skipped',
    { scope: 'launch/encounter', type: 'encounter' },
    () => skipped('openid fhirUser launch/encounter'),
  ],
  [
    'no such resource is in context',
    'scope-no-context',
    { scope: 'launch/spaceship', type: 'spaceship' },
    () => resumed('openid fhirUser launch/spaceship', people.practitioner),
  ],
  [
    'the account has no second factor, which the client requires',
    'second-factor-none',
    { demand: 'A setting of the client demands it.', field: 'require2fa' },
    () => settingUp({ client: byFactor }),
  ],
  [
    'the account has no second factor, which the request requires',
    'second-factor-none',
    { demand: 'The request demands it (acr).', field: '' },
    () => settingUp({ client: trusted, parameters: { acr_values: 'aal2' } }),
  ],
];

describe('The record of a launch says that', () => {
  it.each(steps)('%s: %s', async (_, code, detail, make) => {
    const launch = await launchOf(portal, await make());
    expect(Object.keys(launch?.entries ?? {}).join()).toContain(code);
    expect(entriesOf(launch, code).map((entry) => entry.detail)).toContainEqual(expect.objectContaining(detail));
  });
});

it('No secret of these requests is recorded, whichever entry they have', () =>
  secrets.expectNoneRecorded(portal, 'steps'));
